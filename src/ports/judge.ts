// Every judge that reads files gets and returns these types. A judge answers the checks of a rubric, and the server computes.
import type { CheckSample, Finding } from "../domain/checks.ts";
import type { EvidenceKind } from "../domain/evaluation-rounds.ts";

export interface Judge {
	/** Each evaluation records this name. */
	readonly name: string;
	readonly models: readonly string[];
	/** This model confirms quotes. Null if each of several models confirms its own, or if nothing is confirmed. */
	readonly confirmer: string | null;
	/** The version changes whenever equal input may get another answer. */
	readonly promptVersion: string;
	/** Null where none is set. */
	readonly temperature: number | null;
	/** This judge with a cheap model comes first, and only works within reach of the first places also get the other one. */
	readonly screening?: Judge;
	/**
	 * Estimates what an evaluation will use. A judge that asks no model uses nothing.
	 *
	 * @param kept What earlier attempts have left, which is not asked again.
	 */
	estimate(request: EvaluationRequest, kept?: unknown): JudgingEstimate;
	/** Judges a work, as far as one attempt comes. It never throws for a fault of a supplier. */
	evaluate(request: EvaluationRequest, attempt: Attempt): Promise<AttemptOutcome>;
	/** Proposes the checks of a criterion for its poster. Returns null if the judge asks no model, or if its reply is of no use. */
	proposeChecks(request: ProposalRequest): Promise<CheckProposal | null>;
	/** Finds the checks that no few lines can show, only from their texts. Nothing is found where the call fails. */
	findWholeChecks(criteria: readonly CriterionBrief[], watch: CallWatch): Promise<readonly (readonly number[])[]>;
}

export interface EvaluationRequest {
	readonly task: TaskBrief;
	readonly criteria: readonly CriterionBrief[];
	readonly files: readonly JudgedFile[];
	/** These paths exist but were not read, because of size or kind. */
	readonly unreadPaths: readonly string[];
	/** SUBMISSION.md lacks these sections. */
	readonly missingSections: readonly string[];
	/** The platform found out these facts about the files without running them. Each is a sentence. */
	readonly facts: readonly string[];
	/** Each criterion gets this many samples. */
	readonly samples: number;
}

export interface TaskBrief {
	readonly title: string;
	readonly description: string | null;
	readonly inputSpec: string | null;
	readonly outputSpec: string | null;
	/** These are the text attachments of the task, as they were at publish. */
	readonly attachments: readonly { readonly filename: string; readonly text: string }[];
}

export interface CriterionBrief {
	readonly name: string;
	readonly description: string | null;
	/** 1 to 8 checks are answered from the files. */
	readonly checks: readonly string[];
	/** If it is `any`, SUBMISSION.md and the README at the root prove too. */
	readonly evidence: EvidenceKind;
	/** No few lines can show the checks at these positions, so their quotes are not confirmed. */
	readonly wholeChecks: readonly number[];
}

export interface JudgedFile {
	readonly path: string;
	readonly text: string;
	/** The whole file has this many lines, if `text` is only its beginning. */
	readonly totalLines?: number;
}

/** A caller follows the calls of a judge with this, and ends them. */
export interface CallWatch {
	readonly signal?: AbortSignal;
	/** The calls are made for this request. Null if none is known. */
	readonly requestId: string | null;
	/** This is called for each call to a model, even if the reply was useless, because it was paid for. */
	readonly onCall: (call: PaidCall) => void;
	/** No supplier in an outage is called, and what becomes of the calls is reported. Default: all suppliers are called. */
	readonly suppliers?: SupplierReports;
	/** Calibration counts the steps of an evaluation with this. */
	readonly onStep?: (step: JudgingStep) => void;
}

/** These steps of an evaluation leave no trace in its scores. */
export type JudgingStep =
	/** A model has replied, or has failed to. The control is not counted. */
	| {
			readonly kind: "reply";
			readonly form: "checks" | "confirmation";
			/** Something of it can be used. */
			readonly isReadable: boolean;
			/** The question was asked before in this sample. */
			readonly isRepeated: boolean;
			readonly milliseconds: number;
	  }
	/** A call stayed silent although the control was answered, so its checks count as no in this sample. */
	| { readonly kind: "silence"; readonly form: "checks" | "confirmation" };

export interface Attempt extends CallWatch {
	/** The time of the attempt counts from here, in milliseconds since the epoch. Default: now. */
	readonly startedAt?: number;
	/** Earlier attempts at the same evaluation have left this. It is JSON, and the judge ignores what it cannot read. */
	readonly kept: unknown;
	/** The attempt makes one more sample at most, because no more is reserved. Default: false. */
	readonly isOneSample?: boolean;
	/** Takes what this attempt has so far, in case it dies. The same value is in an outcome that waits. */
	readonly keep: (kept: unknown) => void;
}

/** A supplier has failed too often, so it is not called. */
export interface Outage {
	/** In milliseconds since the epoch. */
	readonly since: number;
	/** If true, this attempt tries the supplier with the control, once. */
	readonly mayTry: boolean;
	/** Operators read the supplier's own words about its last fault. */
	readonly words: string | null;
}

export interface SupplierReports {
	/** Returns null for a supplier that is called. */
	findOutage(supplier: string): Outage | null;
	noteFault(fault: { readonly supplier: string; readonly words: string | null }): void;
	/** A call that was sent at this time brought something that can be used. */
	noteAnswer(answer: { readonly supplier: string; readonly sentAt: number }): void;
}

export interface PaidCall {
	readonly model: string;
	readonly inputTokens: number;
	readonly outputTokens: number;
	/** The supplier had this part of the input in its cache, if it says so. */
	readonly cachedTokens?: number;
	/** The cost is in millionths of a US dollar. Null if it is not known. */
	readonly costMicroUsd: number | null;
}

/** An attempt ends like this. */
export type AttemptOutcome =
	| { readonly kind: "finished"; readonly judgement: CheckJudgement }
	| { readonly kind: "waiting"; readonly wait: JudgeWait; readonly kept: unknown };

/** Why an evaluation cannot go on now. It is never the work's fault. */
export interface JudgeWait {
	/** `continues`: the attempt's time is over, and the next one can begin at once. */
	readonly reason: "supplier" | "rate_limit" | "continues";
	/** Agents and posters read this. It has no URL, no key and no text of a supplier. */
	readonly message: string;
	/** The supplier asked for this delay. Null if there is none. */
	readonly retryAfterMs: number | null;
	/** Operators read the supplier's own words: at most 300 characters, with keys taken out. */
	readonly supplierWords: string | null;
	/** `fault`: the supplier itself is at fault, as no submission can be. `open`: it was not called, because of earlier faults. Default: neither. */
	readonly breaker?: "fault" | "open";
}

export interface CheckJudgement {
	/** The criteria are in the order of the request. */
	readonly criteria: readonly CriterionJudgement[];
	/** These models have answered. */
	readonly models: readonly string[];
	/** These files were not read to their end, because there was no room. */
	readonly cutFiles: readonly UnreadPart[];
	/** This many invisible characters were removed from the files before judging. */
	readonly strippedCharacters: number;
	/** Some of the yes and partly of all replies had no quote that is in the files. */
	readonly quotes: QuoteCount;
}

export interface QuoteCount {
	/** The models have answered this number of checks with yes or partly. */
	readonly claimed: number;
	/** A quote of this number of them is in the files. */
	readonly real: number;
}

export interface CriterionJudgement {
	readonly name: string;
	/** The score is 0..100. */
	readonly score: number;
	/** The checks are in their order, each as the first sample nearest to its value shows it. */
	readonly checks: readonly CheckVerdict[];
	readonly samples: readonly CheckSample[];
	/** Each text names something that is missing. */
	readonly gaps: readonly string[];
	readonly reasoning: string;
	/** A model saw an attempt to influence it. This changes no score. */
	readonly isInjectionSuspected: boolean;
}

export interface CheckVerdict {
	readonly check: string;
	readonly found: Finding;
	/** All quotes were found in the files. */
	readonly evidence: readonly Quote[];
}

/** A quote is in these lines. They count from 1, and the last one is included. */
export interface Quote {
	readonly path: string;
	readonly start: number;
	readonly end: number;
	readonly quote: string;
}

export interface UnreadPart {
	readonly path: string;
	/** The number is 0 for a file that was not read at all. */
	readonly linesRead: number;
	readonly lines: number;
}

export interface JudgingEstimate {
	readonly calls: number;
	readonly inputTokens: number;
	/** Calls repeat this part of the input, so suppliers have it in their caches. */
	readonly cachedTokens: number;
	readonly outputTokens: number;
	/** The cost is in millionths of a US dollar, at the price of the dearest model. */
	readonly costMicroUsd: number;
}

export interface ProposalRequest extends CallWatch {
	readonly task: TaskBrief;
	readonly criterion: Pick<CriterionBrief, "name" | "description">;
}

/** The texts are a model's, and nothing in them is checked yet. */
export interface CheckProposal {
	readonly checks: readonly string[];
	/** The notes say what a judge of files could not see, or would have to guess. */
	readonly notes: readonly string[];
}
