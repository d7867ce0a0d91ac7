import type { ReactNode } from "react";

/** `next` is for what the reader can do next. The other kinds give the severity. */
type NoticeKind = "info" | "next" | "warning" | "error";

interface NoticeProps {
	readonly kind?: NoticeKind;
	/** What this is about, in a few words. */
	readonly title?: ReactNode;
	/** Buttons and links for what the notice suggests. */
	readonly actions?: ReactNode;
	/** How screen readers announce the notice when it appears: an `alert` interrupts. */
	readonly role?: "status" | "alert";
	readonly children?: ReactNode;
}

/** Tells the reader one thing: what to do next, what is delaying something, or what went wrong. */
export function Notice({ kind = "info", title, actions, role, children }: NoticeProps) {
	return (
		<div className={kind === "info" ? "notice" : `notice notice-${kind}`} {...(role === undefined ? {} : { role })}>
			{title !== undefined && <p className="notice-title">{title}</p>}
			{children}
			{actions !== undefined && <div className="actions">{actions}</div>}
		</div>
	);
}
