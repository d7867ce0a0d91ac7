// Other extensions have sections on a task's page: a part above its description, and one below its rubric with a link to it.
import type { PublicCtx } from "../../ports/deps.ts";
import { readLogSection } from "./task-log.tsx";
import { readQuestionsSection } from "./task-questions.tsx";
import type { TaskSection } from "./task-section.ts";

type ReadSection = (ctx: PublicCtx, taskId: string) => Promise<TaskSection>;

const SECTIONS: readonly ReadSection[] = [readQuestionsSection, readLogSection];

export function readTaskSections(ctx: PublicCtx, taskId: string): Promise<TaskSection[]> {
	return Promise.all(SECTIONS.map((read) => read(ctx, taskId)));
}
