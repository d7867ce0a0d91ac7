import type { Child } from "hono/jsx";
import type { readPublicTask } from "../../core/competition/public-reading/get-public-task.ts";

interface SectionFacts {
	readonly task: Awaited<ReturnType<typeof readPublicTask>>;
	/** Open tasks can have more, because a reader can still do something. */
	readonly isOpen: boolean;
	/** Absolute links begin with this origin. */
	readonly baseUrl: string;
}

/** A section of a task's page that an extension adds. task-sections.tsx lists them. */
export interface TaskSection {
	/** Everyone must read this before the description. */
	readonly above: Child;
	readonly link: Child;
	readonly below: (facts: SectionFacts) => Child;
}
