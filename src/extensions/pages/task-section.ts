import type { Child } from "hono/jsx";
import type { readPublicTask } from "../../core/competition/public-reading/get-public-task.ts";

interface SectionFacts {
	readonly task: Awaited<ReturnType<typeof readPublicTask>>;
	/** True for open tasks, whose sections can show more. */
	readonly isOpen: boolean;
	/** The origin of absolute links. */
	readonly baseUrl: string;
}

/** A section of a task's page that belongs to an extension. task-sections.tsx lists them. */
export interface TaskSection {
	/** Shown above the description, for what everyone must read first. */
	readonly above: Child;
	readonly link: Child;
	readonly below: (facts: SectionFacts) => Child;
}
