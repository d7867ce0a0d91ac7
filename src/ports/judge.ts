// The input and output of judges that read files. A judge answers the checks of a rubric, and the platform computes the scores from them.
import type { CheckSample, Finding } from "../domain/checks.ts";
import type { EvidenceKind } from "../domain/evaluation-rounds.ts";

export interface Judge {
	/** The judge's name, which each evaluation records. */
	readonly name: string;
	readonly models: readonly string[];
	/** The model that confirms quotes. Null if each of several models confirms its own, or if nothing is confirmed. */
	readonly confirmer: string | null;
	/** The version of the judge's prompts. It changes whenever the same input may get another answer than before. */
	readonly promptVersion: string;
	/** The temperature that the judge requests from its models. Null if it requests none. */
	readonly temperature: number | null;
	/** A judge with a cheap model, which judges first. This judge then judges only submissions that could rank near the top. */
	readonly screening?: Judge;
	/**
	 * Estimates what an evaluation will use. A judge without a model uses nothing.
	 *
	 * @param kept The results of earlier attempts, for which no model is asked again.
	 */
	estimate(request: EvaluationRequest, kept?: unknown): JudgingEstimate;
	/** Judges a submission as far as one attempt can. If a supplier fails, the outcome says so, and nothing is thrown. */
	evaluate(request: EvaluationRequest, attempt: Attempt): Promise<AttemptOutcome>;
	/** Proposes checks for a criterion. Returns null if the judge has no model, or if the model's reply is unusable. */
	proposeChecks(request: ProposalRequest): Promise<CheckProposal | null>;
	/**
	 * Returns, for each criterion, the positions of the checks that a few lines cannot prove. Looks only at the checks, not at submissions.
	 * Returns no positions if the call fails.
	 */
	findWholeChecks(criteria: readonly CriterionBrief[], watch: CallWatch): Promise<readonly (readonly number[])[]>;
}

export interface EvaluationRequest {
	readonly task: TaskBrief;
	readonly criteria: readonly CriterionBrief[];
	readonly files: readonly JudgedFile[];
	/** Paths of files that were not read, because of their size or kind. */
	readonly unreadPaths: readonly string[];
	/** Sections that SUBMISSION.md lacks. */
	readonly missingSections: readonly string[];
	/** What the platform has found out about the files without running them, one sentence for each fact. */
	readonly facts: readonly string[];
	/** The number of samples that each criterion gets. */
	readonly samples: number;
}

export interface TaskBrief {
	readonly title: string;
	readonly description: string | null;
	readonly inputSpec: string | null;
	readonly outputSpec: string | null;
	/** The text attachments of the task, as they were when it was published. */
	readonly attachments: readonly { readonly filename: string; readonly text: string }[];
}

export interface CriterionBrief {
	readonly name: string;
	readonly description: string | null;
	/** The checks, 1 to 8, which the judge answers from the files. */
	readonly checks: readonly string[];
	/** With `any`, SUBMISSION.md and the README at the root also count as evidence. */
	readonly evidence: EvidenceKind;
	/** The positions of the checks that a few lines cannot prove. Quotes for these checks are not confirmed. */
	readonly wholeChecks: readonly number[];
}

export interface JudgedFile {
	readonly path: string;
	readonly text: string;
	/** The number of lines of the whole file. Undefined unless `text` is only its beginning. */
	readonly totalLines?: number;
}

/** With this, a caller follows a judge's calls to models, and can end them. */
export interface CallWatch {
	readonly signal?: AbortSignal;
	/** The id of the request that the calls are made for. Null if unknown. */
	readonly requestId: string | null;
	/** Called for each call to a model, even if the reply was useless, because every call costs money. */
	readonly onCall: (call: PaidCall) => void;
	/** Says which suppliers are skipped because of an outage, and records the outcomes of calls. Default: no supplier is skipped. */
	readonly suppliers?: SupplierReports;
	/** Called for each step of an evaluation, so that calibration can count them. */
	readonly onStep?: (step: JudgingStep) => void;
}

/** Steps of an evaluation that its result does not show. */
export type JudgingStep =
	/** A model replied or failed to reply. The control question, which tests whether a supplier works, is not such a step. */
	| {
			readonly kind: "reply";
			readonly form: "checks" | "confirmation";
			/** True if at least a part of the reply is usable. */
			readonly isReadable: boolean;
			/** True if the question was asked before in this sample. */
			readonly isRepeated: boolean;
			readonly milliseconds: number;
	  }
	/** Two calls got no usable reply, although the control question got one. So the checks in them count as no in this sample. */
	| { readonly kind: "silence"; readonly form: "checks" | "confirmation" };

export interface Attempt extends CallWatch {
	/** When the attempt began, in milliseconds since the epoch. Default: now. */
	readonly startedAt?: number;
	/** The results of earlier attempts at the same evaluation, as JSON. The judge ignores what it cannot read. */
	readonly kept: unknown;
	/** If true, the attempt takes at most one more sample, because the job has reserved the cost of only one. Default: false. */
	readonly isOneSample?: boolean;
	/** Called with the results so far, so that they are not lost if the attempt dies. A `waiting` outcome contains them too. */
	readonly keep: (kept: unknown) => void;
}

/** The outage of a supplier that is not called because it has failed too often. */
export interface Outage {
	/** When the outage began, in milliseconds since the epoch. */
	readonly since: number;
	/** True if this attempt may try the supplier once, with the control question. */
	readonly mayTry: boolean;
	/** The supplier's own message about its last fault, for operators. */
	readonly words: string | null;
}

export interface SupplierReports {
	/** Returns the outage of a supplier, or null if it is not skipped. */
	findOutage(supplier: string): Outage | null;
	noteFault(fault: { readonly supplier: string; readonly words: string | null }): void;
	/** Reports a usable reply. `sentAt` is when the call was sent. */
	noteAnswer(answer: { readonly supplier: string; readonly sentAt: number }): void;
}

export interface PaidCall {
	readonly model: string;
	readonly inputTokens: number;
	readonly outputTokens: number;
	/** The number of input tokens that the supplier served from its cache. Undefined if the supplier does not report it. */
	readonly cachedTokens?: number;
	/** The cost in millionths of a US dollar. Null if unknown. */
	readonly costMicroUsd: number | null;
}

export type AttemptOutcome =
	| { readonly kind: "finished"; readonly judgement: CheckJudgement }
	| { readonly kind: "waiting"; readonly wait: JudgeWait; readonly kept: unknown };

/** Why an evaluation cannot continue now. The submission is never the cause. */
export interface JudgeWait {
	/** `continues`: the attempt's time is up, and the next attempt can begin at once. */
	readonly reason: "supplier" | "rate_limit" | "continues";
	/** The message for agents and posters. Contains no URL, no key and no text from a supplier. */
	readonly message: string;
	/** The delay that the supplier asked for. Null if it asked for none. */
	readonly retryAfterMs: number | null;
	/** The supplier's own message for operators: at most 300 characters, without keys. Null if there is none. */
	readonly supplierWords: string | null;
	/**
	 * What the circuit breaker has to know. `fault`: the supplier failed in a way that no submission can cause. `open`: the supplier was
	 * skipped because of earlier faults. Default: neither.
	 */
	readonly breaker?: "fault" | "open";
}

export interface CheckJudgement {
	/** The judgements of the criteria, in the order of the request. */
	readonly criteria: readonly CriterionJudgement[];
	/** The models that replied. */
	readonly models: readonly string[];
	/** The files that were not read to their end, because a request had no room for all of them. */
	readonly cutFiles: readonly UnreadPart[];
	/** The number of invisible characters that were removed from the files before judging. */
	readonly strippedCharacters: number;
	/** How many answers quoted text that is really in the files. */
	readonly quotes: QuoteCount;
}

export interface QuoteCount {
	/** The number of checks that the models answered with yes or partly. */
	readonly claimed: number;
	/** The number of yes or partly answers that had a quote which is in the files. */
	readonly real: number;
}

export interface CriterionJudgement {
	readonly name: string;
	/** From 0 to 100. */
	readonly score: number;
	/** The checks in the order of the criterion. Each has the answer of one sample: the first of those nearest to the check's value. */
	readonly checks: readonly CheckVerdict[];
	readonly samples: readonly CheckSample[];
	/** What is missing in the submission, one string for each gap. */
	readonly gaps: readonly string[];
	readonly reasoning: string;
	/** True if a model suspects that the submission tries to influence it. This does not change the score. */
	readonly isInjectionSuspected: boolean;
}

export interface CheckVerdict {
	readonly check: string;
	readonly found: Finding;
	/** The quotes that were found in the files. */
	readonly evidence: readonly Quote[];
}

/** A quote from a file. `start` and `end` are the numbers of its first and last line, counted from 1. */
export interface Quote {
	readonly path: string;
	readonly start: number;
	readonly end: number;
	readonly quote: string;
}

export interface UnreadPart {
	readonly path: string;
	/** The number of lines that were read. 0 if the file was not read at all. */
	readonly linesRead: number;
	readonly lines: number;
}

export interface JudgingEstimate {
	readonly calls: number;
	readonly inputTokens: number;
	/** The number of input tokens that are the same in every call, so that suppliers can serve them from their caches. */
	readonly cachedTokens: number;
	readonly outputTokens: number;
	/** The cost in millionths of a US dollar, at the price of the most expensive model. */
	readonly costMicroUsd: number;
}

export interface ProposalRequest extends CallWatch {
	readonly task: TaskBrief;
	readonly criterion: Pick<CriterionBrief, "name" | "description">;
}

/** The strings of the model's reply, before they are verified. */
export interface CheckProposal {
	readonly checks: readonly string[];
	/** Notes about what a judge that reads files could not see or would have to guess. */
	readonly notes: readonly string[];
}
