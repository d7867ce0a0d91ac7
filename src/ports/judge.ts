// Every judge gets and returns these types.
import type { Anchors, CheckFinding } from "../domain/anchors.ts";
import type { EvidenceKind } from "../domain/evaluation-rounds.ts";

/**
 * A judge scores one criterion of one submission. It sees the task's text, this criterion and the files. It never sees weights, other
 * criteria, other scores or who submitted.
 */
export interface Judge {
	/** Each evaluation records this name. */
	readonly name: string;
	readonly models: readonly string[];
	/** The version changes whenever equal input may get another answer. */
	readonly promptVersion: string;
	/**
	 * With two stages, this judge with a cheap model comes first, and only works within reach of the first places also get the other
	 * one.
	 */
	readonly screening?: Judge;
	/**
	 * Estimates what judging will cost, in millionths of a US dollar. A judge that asks no model has no estimate, and no ceiling applies
	 * to it.
	 */
	readonly estimate?: (plan: JudgingPlan) => number;
	/** Proposes how to compile a criterion, for its poster. A judge that asks no model proposes nothing. @throws if the call fails. */
	readonly proposeChecks?: (request: ProposalRequest) => Promise<Proposal | null>;
	/** @throws EvaluationFault if judging fails. A fault never becomes a score. */
	judgeCriterion(request: JudgeRequest, watch?: JudgeWatch): Promise<Verdict>;
	/**
	 * Says which of two works serves one criterion better, in the given order. The caller asks in both orders.
	 *
	 * @throws EvaluationFault if the call fails.
	 */
	compareOnCriterion(request: ComparisonRequest, watch?: JudgeWatch): Promise<Preference>;
}

export interface ComparisonRequest extends Pick<JudgeRequest, "task" | "criterion"> {
	/** The judge sees them in this order, and nothing else about them. */
	readonly works: readonly [WorkFiles, WorkFiles];
	/** The turn chooses one of the judge's models. */
	readonly turn: number;
}

export type WorkFiles = Pick<JudgeRequest, "files" | "unreadPaths">;

export interface Preference {
	/** If no model was asked, this is the judge's name. */
	readonly model: string;
	readonly preferred: "first" | "second" | "neither";
}

export interface JudgeRequest {
	readonly task: TaskBrief;
	readonly criterion: CriterionBrief;
	readonly files: readonly WorkFile[];
	/** These paths exist but were not read, because of size or kind. */
	readonly unreadPaths: readonly string[];
	/** SUBMISSION.md lacks these sections. */
	readonly missingSections: readonly string[];
	/** The platform found out these facts about the files without running them. Each is a sentence. */
	readonly facts?: readonly string[];
	/** The poster has graded these works. They are shown before the submission, and prove nothing about it. */
	readonly examples?: readonly JudgeExample[];
	/** The judge asks for this many opinions. The default depends on the task's budget. */
	readonly samples?: number;
}

/** Describes what is about to be judged. */
export interface JudgingPlan extends Omit<JudgeRequest, "criterion"> {
	/** Only the criteria that have no verdict yet. */
	readonly criteria: readonly CriterionBrief[];
}

export interface CriterionBrief {
	readonly name: string;
	readonly description: string | null;
	readonly evidence: EvidenceKind;
	/** The judge answers each of these from the files. The list is empty only if no rubric was compiled. */
	readonly checks: readonly string[];
	/** The poster has described levels 1, 3 and 5 in these words. */
	readonly anchors: Anchors | null;
}

export interface ProposalRequest {
	readonly task: TaskBrief;
	readonly criterion: Pick<CriterionBrief, "name" | "description">;
	readonly signal: AbortSignal;
	readonly onCall: (call: ModelCall) => void;
}

/** The texts are a model's, and nothing in them is checked yet. */
export interface Proposal {
	readonly checks: readonly string[];
	readonly anchors: Anchors | null;
}

export interface TaskBrief {
	readonly title: string;
	readonly description: string | null;
	readonly inputSpec: string | null;
	readonly outputSpec: string | null;
	readonly budgetCents: number;
	/** A budget buys further samples only for a poster with the tier verified or one above it, because every agent can declare a budget. */
	readonly isPosterVerified: boolean;
	/** These are the text attachments of the task. */
	readonly attachments?: readonly { readonly filename: string; readonly text: string }[];
}

export interface JudgeExample {
	readonly files: readonly WorkFile[];
	/** The scores are 0..100, by name of the criterion. */
	readonly expected: Readonly<Record<string, number>>;
}

export interface WorkFile {
	readonly path: string;
	readonly text: string;
	/** If true, the file only says what the author claims, as prose, logs and licences do, and proves nothing. */
	readonly isClaim: boolean;
	/** The whole file has this many bytes. It is undefined if `text` is the whole file. */
	readonly bytes?: number;
	/** If `text` is only the beginning, the whole file has this many lines. */
	readonly totalLines?: number;
}

/** A caller follows a judgement with this, and ends it. */
export interface JudgeWatch {
	/** An abort ends the judgement, because the verdict is no longer needed. */
	readonly signal?: AbortSignal;
	/** This is called for each call to a model, also if the reply was useless, because it was paid for. */
	readonly onCall?: (call: ModelCall) => void;
	/** The criterion shares this with the others of its evaluation. Without one, a judge makes its own. */
	readonly session?: JudgeSession;
}

/** The calls of one evaluation share a session. */
export interface JudgeSession {
	/** The mark surrounds what was submitted. It is random and drawn after the artifact was fixed, so that nothing submitted can contain it. */
	readonly mark: string;
	/** The calls are made for this request. It is null if none is known. */
	readonly requestId: string | null;
	/** Returns the notes about a criterion, which stay after the attempt has ended. A judge changes them. */
	notesOf(criterion: string): CriterionNotes;
	/** Lets no further call start. Calls that were made may end. The first reason stays. */
	stop(reason: Error): void;
	/** @throws the reason if the session was stopped. */
	assertGoing(): void;
}

/** The notes are JSON, so that they can be stored. */
export interface CriterionNotes {
	/** The model gave no readable reply in time to a question this often. Questions have the judge's own names. */
	unanswered: Record<string, number>;
	/** If true, the model gave no such reply about harmless files either, so the submission is not to blame. */
	isExcused: boolean;
	/** Readable replies are stored under the same names. The judge checks what it finds. */
	readonly answers: Record<string, unknown>;
}

export interface ModelCall {
	readonly model: string;
	readonly inputTokens: number;
	readonly outputTokens: number;
	/** The provider had this part of the input in its cache, if it says so. */
	readonly cachedTokens?: number;
	/** The cost is in millionths of a US dollar, and null if the provider reported no usage. */
	readonly costMicroUsd: number | null;
}

export interface Verdict {
	/** The score is 0..100, the median of the samples' scores if there are samples. */
	readonly score: number;
	readonly reasoning: string;
	readonly evidence: readonly Evidence[];
	/** The criterion's checks in their order, as the typical sample answers them. It is empty when no sample was readable. */
	readonly checks: readonly CheckAnswer[];
	/** Each text names something that is missing. */
	readonly gaps: readonly string[];
	/** Each opinion is a sample. A judge that asks no model has none. */
	readonly samples: readonly Sample[];
	/** These files were not read to their end, because there was no room. */
	readonly cutFiles: readonly CutFile[];
	/** This many invisible characters were removed from the files before judging. */
	readonly strippedCharacters: number;
	/** These lines tried to influence the judge and were removed from what it read. It is undefined if there are none. */
	readonly injectedLines?: readonly LineRange[];
}

export interface CheckAnswer {
	readonly check: string;
	readonly found: CheckFinding;
}

/** A range of a file's lines counts from 1 and includes the last one. */
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
	/** The level is 0..5, or null from a judge that gives no levels. */
	readonly level: number | null;
	/** The score is 0..100. */
	readonly score: number;
	/** If true, the model saw an attempt to influence it. */
	readonly isInjectionSuspected: boolean;
	/** If true, the model would have given more, but quoted no proof. */
	readonly isCapped: boolean;
}

export interface CutFile {
	readonly path: string;
	/** The number is 0 for a file that was not read at all. */
	readonly linesRead: number;
	readonly lines: number;
}
