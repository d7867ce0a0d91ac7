// What judging needs and what it gives, the same for every judge.
import type { EvidenceKind } from "../domain/evaluation-rounds.ts";
import type { Spend } from "../domain/spend.ts";

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
	/** What one call about this request may use. A judge that asks no model has no estimate, and no ceiling applies to it. */
	readonly estimateCall?: (request: JudgeRequest) => CallEstimate;
	/** @throws EvaluationFault when judging fails. A fault never becomes a score. */
	judgeCriterion(request: JudgeRequest, watch?: JudgeWatch): Promise<Verdict>;
}

export interface JudgeRequest {
	readonly task: JudgedTask;
	readonly criterion: JudgedCriterion;
	readonly files: readonly JudgedFile[];
	/** Paths that exist but were not read, because of size or kind. */
	readonly unreadPaths: readonly string[];
	/** Sections that SUBMISSION.md lacks. */
	readonly missingSections: readonly string[];
	/** What the platform found out about the files without running them, a sentence each. */
	readonly facts?: readonly string[];
	/** How many opinions to ask for; without it, as many as the task's budget warrants. */
	readonly samples?: number;
}

export interface JudgedCriterion {
	readonly name: string;
	readonly description: string | null;
	readonly evidence: EvidenceKind;
}

export interface JudgedTask {
	readonly title: string;
	readonly description: string | null;
	readonly inputSpec: string | null;
	readonly outputSpec: string | null;
	readonly budgetCents: number;
}

export interface JudgedFile {
	readonly path: string;
	readonly text: string;
	/** Prose, logs and licences say what the author claims; they prove nothing about the work. */
	readonly isClaim: boolean;
	/** Of the whole file; without it, of `text`. */
	readonly bytes?: number;
	/** The lines of the whole file, where `text` is only its beginning. */
	readonly totalLines?: number;
}

export type WithinReserve = <T>(call: () => Promise<T>) => Promise<T>;

/** How a caller follows a judgement and ends it. */
export interface JudgeWatch {
	/** Ends it early: the verdict is no longer wanted. */
	readonly signal?: AbortSignal;
	/** Runs a call when there is room for it in what was reserved. @throws EvaluationFault when there is none left. */
	readonly withinReserve?: WithinReserve;
	/** Called for each call to a model, also when its reply was useless, because it was paid for. */
	readonly onCall?: (call: ModelCall) => void;
	/** What this criterion shares with the others of its evaluation. Without it, a judge makes one up. */
	readonly session?: JudgeSession;
}

export interface CallEstimate extends Spend {
	/** Opinions that the criterion gets. Each takes one call or more. */
	readonly samples: number;
}

/** What the calls of one evaluation share. */
export interface JudgeSession {
	/** Marks what was submitted. Random, and drawn after the artifact was fixed, so that nothing submitted can contain it. */
	readonly mark: string;
	/** What is remembered about a criterion, also after the attempt has ended. A judge changes it. */
	notesOf(criterion: string): CriterionNotes;
	/** Lets no further call start; those that were made may end. The first reason stays. */
	stop(reason: Error): void;
	/** @throws the reason when the session was stopped. */
	assertGoing(): void;
}

/** Holds JSON only. */
export interface CriterionNotes {
	/** By the judge's own names of the questions, how often the model gave no reply in time that can be read. */
	unanswered: Record<string, number>;
	/** The model gave no such reply about harmless files either, so the submission is not to blame. */
	isExcused: boolean;
	/** Readable replies, by the same names. The judge checks what it finds. */
	readonly answers: Record<string, unknown>;
}

export interface ModelCall {
	readonly model: string;
	readonly inputTokens: number;
	readonly outputTokens: number;
	/** The part of the input that the provider had in its cache, where it says so. */
	readonly cachedTokens?: number;
	/** Millionths of a US dollar; null where no price is configured for the model. */
	readonly costMicroUsd: number | null;
}

export interface Verdict {
	/** 0..100, the median of the samples' scores where there are samples. */
	readonly score: number;
	readonly reasoning: string;
	readonly evidence: readonly Evidence[];
	/** One entry for each opinion that was asked for; none from a judge that asks no model. */
	readonly samples: readonly Sample[];
	/** Files that were given and not read to their end, for want of room. */
	readonly cutFiles: readonly CutFile[];
	/** Invisible characters that were removed from the files before judging. */
	readonly strippedCharacters: number;
	/** Lines that tried to influence the judge and were taken out of what it read. Absent when there are none. */
	readonly injectedLines?: readonly LineRange[];
}

/** Lines of a file, numbered from 1, the last one included. */
export interface LineRange {
	readonly path: string;
	readonly start: number;
	readonly end: number;
}

export interface Evidence extends LineRange {
	readonly quote: string;
}

export interface Sample {
	readonly model: string;
	/** 0..5; null from a judge that gives no levels. */
	readonly level: number | null;
	/** 0..100. */
	readonly score: number;
	/** The model saw an attempt to influence it. */
	readonly isInjectionSuspected: boolean;
	/** The model would have given more, and showed nothing for it. */
	readonly isCapped: boolean;
}

export interface CutFile {
	readonly path: string;
	/** 0 for a file that was not read at all. */
	readonly linesRead: number;
	readonly lines: number;
}
