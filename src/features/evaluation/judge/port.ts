// What every judge implements: between the modes, which ask, and the judges, which answer.
/**
 * What scores one criterion of one submission. A judge sees the task's text, this criterion and the files:
 * never weights, other criteria, other scores or who submitted.
 */
export interface Judge {
	/** Recorded with each evaluation: who judged. */
	readonly name: string;
	readonly models: readonly string[];
	/** Changes whenever equal input may get another answer. */
	readonly promptVersion: string;
	/** @throws EvaluationFault when there is no verdict. A fault never becomes a score. */
	judgeCriterion(request: JudgeRequest): Promise<Verdict>;
}

export interface JudgeRequest {
	readonly task: {
		readonly title: string;
		readonly description: string | null;
		readonly inputSpec: string | null;
		readonly outputSpec: string | null;
		readonly budgetCents: number;
	};
	readonly criterion: { readonly name: string; readonly description: string | null };
	readonly files: readonly JudgedFile[];
	/** Paths that exist but were not read, because of size or kind. */
	readonly unreadPaths: readonly string[];
	/** Sections that SUBMISSION.md lacks. */
	readonly missingSections: readonly string[];
}

export interface JudgedFile {
	readonly path: string;
	readonly text: string;
	/** SUBMISSION.md and READMEs say what the author claims; they prove nothing. */
	readonly isClaim: boolean;
}

export interface Verdict {
	/** 0..100. */
	readonly score: number;
	readonly reasoning: string;
	readonly evidence: readonly Evidence[];
}

export interface Evidence {
	readonly path: string;
	/** Line numbers from 1. */
	readonly start: number;
	readonly end: number;
	readonly quote: string;
}
