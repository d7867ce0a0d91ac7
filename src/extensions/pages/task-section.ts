import type { Child } from "hono/jsx";
import type { readPublicTask } from "../../core/competition/public-reading/get-public-task.ts";

interface SectionFacts {
	readonly task: Awaited<ReturnType<typeof readPublicTask>>;
	/** True for open tasks, whose sections can show more. */
	readonly isOpen: boolean;
	/** Absolute links begin with this origin. */
	readonly baseUrl: string;
}

/** A section of a task's page that belongs to an extension. task-sections.tsx lists them. */
export interface TaskSection {
	/** Everyone must read this part before the description. */
	readonly above: Child;
	readonly link: Child;
	readonly below: (facts: SectionFacts) => Child;
}
