import type { ReactNode } from "react";

/** A list shows this while it is empty. Its children say what to do next. */
export function EmptyState({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
	return (
		<div className="empty">
			<p>{title}</p>
			{children !== undefined && <div className="actions">{children}</div>}
		</div>
	);
}
