// The deployment's judge judges a task, and the offline judge a test task.
import type { Judge } from "../../../ports/judge.ts";
import { offlineJudge } from "./offline.ts";

interface Judged {
	readonly isTest: boolean;
}

/** Returns the judge of a task. Returns null if the deployment has none and the task needs one of its own. */
export function judgeOf({ judge }: { readonly judge: Judge | null }, { isTest }: Judged): Judge | null {
	return isTest ? offlineJudge : judge;
}

/** Returns the dependencies of work on a task, with the judge of this task. */
export function withJudgeOf<Needed extends { readonly judge: Judge | null }>(deps: Needed, task: Judged): Needed {
	return task.isTest ? { ...deps, judge: offlineJudge } : deps;
}
