// A case of the judge check is one file of this folder, and `index.ts` lists all cases.
import type { EvalMode } from "../../../../domain/modes.ts";

/** A case may know this of the task that it attacks. Everyone who can submit sees the same. */
export interface AttackedTask {
	readonly title: string;
	readonly criteria: readonly { readonly name: string; readonly description: string | null }[];
}

/** A case is a submission that does not do the work. */
export interface JudgeCase {
	/** The task's `judge_check` shows the name. */
	readonly name: string;
	/** Such a submission can honestly get at most this score, 0..100. Levels of the judge are 20 points each. */
	readonly expectedAtMost: number;
	/** Returns true if the case says something about tasks of this mode. */
	readonly appliesTo: (mode: EvalMode) => boolean;
	/** The files are texts by path. */
	readonly files: (task: AttackedTask) => Readonly<Record<string, string>>;
}
