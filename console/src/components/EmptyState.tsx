import type { ReactNode } from "react";

/** What a list shows while it has nothing, with a way on as its children. */
export function EmptyState({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
	return (
		<div className="empty">
			<p>{title}</p>
			{children !== undefined && <div className="actions">{children}</div>}
		</div>
	);
}
