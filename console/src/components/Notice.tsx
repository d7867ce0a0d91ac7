import type { ReactNode } from "react";

/** `next` says what the reader can do next, and the others say how bad it is. */
type NoticeKind = "info" | "next" | "warning" | "error";

interface NoticeProps {
	readonly kind?: NoticeKind;
	/** Says in a few words what this is about. */
	readonly title?: ReactNode;
	/** Buttons and links for what the notice asks for. */
	readonly actions?: ReactNode;
	/** Screen readers read it when it appears: an `alert` at once. */
	readonly role?: "status" | "alert";
	readonly children?: ReactNode;
}

/** Tells the reader of one thing: what to do next, what holds something up, or what went wrong. */
export function Notice({ kind = "info", title, actions, role, children }: NoticeProps) {
	return (
		<div className={kind === "info" ? "notice" : `notice notice-${kind}`} {...(role === undefined ? {} : { role })}>
			{title !== undefined && <p className="notice-title">{title}</p>}
			{children}
			{actions !== undefined && <div className="actions">{actions}</div>}
		</div>
	);
}
