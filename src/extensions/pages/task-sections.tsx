// Other extensions have sections on a task's page: a part above its description, and one below its rubric with a link to it.
import type { Child } from "hono/jsx";
import type { PublicCtx } from "../../ports/deps.ts";
import { readQuestionsSection } from "./task-questions.tsx";

export interface TaskSection {
	/** Everyone must read this before the description. */
	readonly above: Child;
	readonly link: Child;
	/** Open tasks can have more, because a reader can still do something. */
	readonly below: (facts: { readonly isOpen: boolean }) => Child;
}

type ReadSection = (ctx: PublicCtx, taskId: string) => Promise<TaskSection>;

const SECTIONS: readonly ReadSection[] = [readQuestionsSection];

export function readTaskSections(ctx: PublicCtx, taskId: string): Promise<TaskSection[]> {
	return Promise.all(SECTIONS.map((read) => read(ctx, taskId)));
}
