import type { ReactNode } from "react";

/** Shown in place of an empty list. The children say what to do next. */
export function EmptyState({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
	return (
		<div className="empty">
			<p>{title}</p>
			{children !== undefined && <div className="actions">{children}</div>}
		</div>
	);
}
