// The input and output of every judge that reads files. A judge answers the checks of a rubric, and the platform computes the scores.
import type { CheckSample, Finding } from "../domain/checks.ts";
import type { EvidenceKind } from "../domain/evaluation-rounds.ts";

export interface Judge {
	/** The judge's name, which each evaluation records. */
	readonly name: string;
	readonly models: readonly string[];
	/** The model that confirms quotes. Null if each of several models confirms its own, or if nothing is confirmed. */
	readonly confirmer: string | null;
	/** Changes whenever the same input may get a different answer. */
	readonly promptVersion: string;
	/** Null if none is set. */
	readonly temperature: number | null;
	/** A judge with a cheap model that judges first. The main judge then judges only submissions that could reach the first places. */
	readonly screening?: Judge;
	/**
	 * Estimates what an evaluation will use. A judge without a model uses nothing.
	 *
	 * @param kept The results of earlier attempts, for which no model is asked again.
	 */
	estimate(request: EvaluationRequest, kept?: unknown): JudgingEstimate;
	/** Judges a submission as far as possible in one attempt. Faults of a supplier are in the outcome and never thrown. */
	evaluate(request: EvaluationRequest, attempt: Attempt): Promise<AttemptOutcome>;
	/** Proposes checks for a criterion. Returns null if the judge has no model, or if the model's reply is unusable. */
	proposeChecks(request: ProposalRequest): Promise<CheckProposal | null>;
	/**
	 * Finds the checks that a few lines cannot prove. Looks only at the checks themselves, not at any submission. Returns no checks if the
	 * call fails.
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
	/** Facts that the platform found out about the files without running them, one sentence each. */
	readonly facts: readonly string[];
	/** The number of samples per criterion. */
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
	/** 1 to 8 checks, which the judge answers from the files. */
	readonly checks: readonly string[];
	/** With `any`, SUBMISSION.md and the README at the root also count as evidence. */
	readonly evidence: EvidenceKind;
	/** The positions of the checks that a few lines cannot prove. Quotes for these checks are not confirmed. */
	readonly wholeChecks: readonly number[];
}

export interface JudgedFile {
	readonly path: string;
	readonly text: string;
	/** The number of lines of the whole file, if `text` is only its beginning. */
	readonly totalLines?: number;
}

/** Lets a caller follow a judge's calls to models, and end them. */
export interface CallWatch {
	readonly signal?: AbortSignal;
	/** The id of the request that the calls are made for. Null if unknown. */
	readonly requestId: string | null;
	/** Called for each call to a model, even if the reply was useless, because every call costs money. */
	readonly onCall: (call: PaidCall) => void;
	/** Says which suppliers have an outage and are skipped, and records the outcome of calls. Default: all suppliers are called. */
	readonly suppliers?: SupplierReports;
	/** Lets calibration count the steps of an evaluation. */
	readonly onStep?: (step: JudgingStep) => void;
}

/** Steps of an evaluation that leave no trace in its scores. */
export type JudgingStep =
	/** A model replied, or failed to reply. The control question is not counted. */
	| {
			readonly kind: "reply";
			readonly form: "checks" | "confirmation";
			/** True if something in the reply is usable. */
			readonly isReadable: boolean;
			/** True if the question was asked before in this sample. */
			readonly isRepeated: boolean;
			readonly milliseconds: number;
	  }
	/** A call got no reply although the control question did, so its checks count as no in this sample. */
	| { readonly kind: "silence"; readonly form: "checks" | "confirmation" };

export interface Attempt extends CallWatch {
	/** When the attempt began, in milliseconds since the epoch. Default: now. */
	readonly startedAt?: number;
	/** The results of earlier attempts at the same evaluation, as JSON. The judge ignores what it cannot read. */
	readonly kept: unknown;
	/** If true, the attempt takes at most one more sample, because no more is reserved. Default: false. */
	readonly isOneSample?: boolean;
	/** Called with the results so far, in case the attempt dies. A waiting outcome contains the same value. */
	readonly keep: (kept: unknown) => void;
}

/** The outage of a supplier that is not called because it has failed too often. */
export interface Outage {
	/** Milliseconds since the epoch. */
	readonly since: number;
	/** True if this attempt may try the supplier once, with the control question. */
	readonly mayTry: boolean;
	/** The supplier's own words about its last fault, for operators. */
	readonly words: string | null;
}

export interface SupplierReports {
	/** Returns null if the supplier is in use. */
	findOutage(supplier: string): Outage | null;
	noteFault(fault: { readonly supplier: string; readonly words: string | null }): void;
	/** Reports a usable reply, and when the call was sent. */
	noteAnswer(answer: { readonly supplier: string; readonly sentAt: number }): void;
}

export interface PaidCall {
	readonly model: string;
	readonly inputTokens: number;
	readonly outputTokens: number;
	/** The cached part of the input, if the supplier reports it. */
	readonly cachedTokens?: number;
	/** In millionths of a US dollar. Null if unknown. */
	readonly costMicroUsd: number | null;
}

export type AttemptOutcome =
	| { readonly kind: "finished"; readonly judgement: CheckJudgement }
	| { readonly kind: "waiting"; readonly wait: JudgeWait; readonly kept: unknown };

/** Why an evaluation cannot continue now. The work is never the cause. */
export interface JudgeWait {
	/** `continues`: the attempt's time is up, and the next attempt can begin at once. */
	readonly reason: "supplier" | "rate_limit" | "continues";
	/** The message for agents and posters. Contains no URL, no key and no text from a supplier. */
	readonly message: string;
	/** The delay that the supplier asked for. Null if it asked for none. */
	readonly retryAfterMs: number | null;
	/** The supplier's own words for operators: at most 300 characters, without keys. */
	readonly supplierWords: string | null;
	/**
	 * `fault`: the supplier itself is at fault, in a way that no submission can cause.
	 * `open`: the supplier was not called, because of earlier faults. Default: neither.
	 */
	readonly breaker?: "fault" | "open";
}

export interface CheckJudgement {
	/** In the order of the request. */
	readonly criteria: readonly CriterionJudgement[];
	/** The models that replied. */
	readonly models: readonly string[];
	/** Files that were not read to their end, because there was no room. */
	readonly cutFiles: readonly UnreadPart[];
	/** The number of invisible characters that were removed from the files before judging. */
	readonly strippedCharacters: number;
	/** The yes and partly answers, and how many of them had a quote that is really in the files. */
	readonly quotes: QuoteCount;
}

export interface QuoteCount {
	/** The number of checks that the models answered with yes or partly. */
	readonly claimed: number;
	/** How many of these answers had a quote that is in the files. */
	readonly real: number;
}

export interface CriterionJudgement {
	readonly name: string;
	/** From 0 to 100. */
	readonly score: number;
	/** The checks in order. Each has the answer of the first sample among those nearest to the check's value. */
	readonly checks: readonly CheckVerdict[];
	readonly samples: readonly CheckSample[];
	/** What is missing: one string per gap. */
	readonly gaps: readonly string[];
	readonly reasoning: string;
	/** True if a model suspects an attempt to influence it. Does not change the score. */
	readonly isInjectionSuspected: boolean;
}

export interface CheckVerdict {
	readonly check: string;
	readonly found: Finding;
	/** Only quotes that were found in the files. */
	readonly evidence: readonly Quote[];
}

/** The lines of the quote, counted from 1, including the last one. */
export interface Quote {
	readonly path: string;
	readonly start: number;
	readonly end: number;
	readonly quote: string;
}

export interface UnreadPart {
	readonly path: string;
	/** 0 for a file that was not read at all. */
	readonly linesRead: number;
	readonly lines: number;
}

export interface JudgingEstimate {
	readonly calls: number;
	readonly inputTokens: number;
	/** The part of the input that is the same in every call, so suppliers can serve it from their caches. */
	readonly cachedTokens: number;
	readonly outputTokens: number;
	/** In millionths of a US dollar, at the price of the most expensive model. */
	readonly costMicroUsd: number;
}

export interface ProposalRequest extends CallWatch {
	readonly task: TaskBrief;
	readonly criterion: Pick<CriterionBrief, "name" | "description">;
}

/** The model's raw strings, before anything is verified. */
export interface CheckProposal {
	readonly checks: readonly string[];
	/** What a judge of files could not see or would have to guess. */
	readonly notes: readonly string[];
}
