// The sections that other extensions add to a task's page: one above the description, and one below the rubric with a link to it.
import type { PublicCtx } from "../../ports/deps.ts";
import { readLogSection } from "./task-log.tsx";
import { readQuestionsSection } from "./task-questions.tsx";
import type { TaskSection } from "./task-section.ts";

type ReadSection = (ctx: PublicCtx, taskId: string) => Promise<TaskSection>;

const SECTIONS: readonly ReadSection[] = [readQuestionsSection, readLogSection];

export function readTaskSections(ctx: PublicCtx, taskId: string): Promise<TaskSection[]> {
	return Promise.all(SECTIONS.map((read) => read(ctx, taskId)));
}
