// Chooses a task's judge: the deployment's judge, or the offline judge for a test task.
import type { Judge } from "../../../ports/judge.ts";
import { offlineJudge } from "./offline.ts";

interface Judged {
	readonly isTest: boolean;
}

/** Returns the judge of a task. Null if the task needs the deployment's judge, but none is configured. */
export function judgeOf({ judge }: { readonly judge: Judge | null }, { isTest }: Judged): Judge | null {
	return isTest ? offlineJudge : judge;
}

/** Returns the dependencies, for a test task with the offline judge instead of the deployment's. */
export function withJudgeOf<Needed extends { readonly judge: Judge | null }>(deps: Needed, task: Judged): Needed {
	return task.isTest ? { ...deps, judge: offlineJudge } : deps;
}
