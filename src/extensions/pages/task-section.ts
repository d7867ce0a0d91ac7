import type { Child } from "hono/jsx";

/** A section of a task's page is an extension's. task-sections.tsx lists them. */
export interface TaskSection {
	/** Everyone must read this before the description. */
	readonly above: Child;
	readonly link: Child;
	/** Open tasks can have more, because a reader can still do something. */
	readonly below: (facts: { readonly isOpen: boolean }) => Child;
}
