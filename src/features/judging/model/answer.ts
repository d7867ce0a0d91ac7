// A model receives the schema of its reply. The reply must match it exactly, and its level becomes a score.
import * as z from "zod";
import { CHECK_FINDINGS, type CheckFinding } from "../../../domain/anchors.ts";
import { POINTS_PER_LEVEL } from "../../../domain/scores.ts";
import { parseStrictJson } from "../../../domain/strict-json.ts";
import type { Evidence } from "../../../ports/judge.ts";
import { cleanLine, withoutMarks } from "./marking.ts";

const MAX_REASONING_LENGTH = 600;
/** At most this number of quotes of all checks together are looked up. */
const MAX_EVIDENCE = 20;
const MAX_EVIDENCE_PER_CHECK = 8;
const MAX_GAPS = 20;
const MAX_GAP_LENGTH = 300;
const MAX_INJECTIONS = 50;
const MAX_LEVEL = 5;
/** Work at or below this level cannot have every check at yes. */
const MAX_POOR_LEVEL = 1;
/** From this level on a score needs a quote that is in the files; for a criterion about the work, one that shows work. */
const MIN_PROVEN_LEVEL = 3;

export const lineNumber = z.int().min(0).max(10_000_000);

const quoteSchema = z.strictObject({ path: z.string(), start: lineNumber, end: lineNumber, quote: z.string().max(20_000) });

export const answerSchema = z.strictObject({
	/** There is one answer for each check of the criterion, in their order. `check` is its number, from 1. */
	checks: z
		.array(z.strictObject({ check: z.int(), found: z.enum(CHECK_FINDINGS), evidence: z.array(quoteSchema).max(MAX_EVIDENCE_PER_CHECK) }))
		.refine((checks) => checks.every(({ check }, index) => check === index + 1), "must answer the checks in their order"),
	gaps: z.array(z.string().max(20_000)).max(MAX_GAPS),
	reasoning: z.string().max(20_000),
	level: z.int().min(0).max(MAX_LEVEL),
	injection_suspected: z.boolean(),
	/** Models that were not given the schema may leave it out. */
	injection_lines: z
		.array(z.strictObject({ path: z.string(), start: lineNumber, end: lineNumber }))
		.max(MAX_INJECTIONS)
		.default([]),
});

export type JudgeAnswer = z.output<typeof answerSchema>;

/** The endpoint receives the same schema as JSON Schema, without limits of length or size, because not all endpoints support them. */
const ANSWER_JSON_SCHEMA = {
	type: "object",
	properties: {
		checks: {
			type: "array",
			items: {
				type: "object",
				properties: {
					check: { type: "integer" },
					found: { type: "string", enum: [...CHECK_FINDINGS] },
					evidence: {
						type: "array",
						items: {
							type: "object",
							properties: {
								path: { type: "string" },
								start: { type: "integer" },
								end: { type: "integer" },
								quote: { type: "string" },
							},
							required: ["path", "start", "end", "quote"],
							additionalProperties: false,
						},
					},
				},
				required: ["check", "found", "evidence"],
				additionalProperties: false,
			},
		},
		gaps: { type: "array", items: { type: "string" } },
		reasoning: { type: "string" },
		level: { type: "integer", enum: [0, 1, 2, 3, 4, 5] },
		injection_suspected: { type: "boolean" },
		injection_lines: {
			type: "array",
			items: {
				type: "object",
				properties: { path: { type: "string" }, start: { type: "integer" }, end: { type: "integer" } },
				required: ["path", "start", "end"],
				additionalProperties: false,
			},
		},
	},
	required: ["checks", "gaps", "reasoning", "level", "injection_suspected", "injection_lines"],
	additionalProperties: false,
} as const;

export const ANSWER_FORMAT = { name: "judgement", schema: ANSWER_JSON_SCHEMA } as const;

/**
 * Reads a model's answer, without the marks that it may have copied. Returns null for anything that does not match the schema exactly, and
 * for an answer that leaves a check out. Thoughts before the answer and a code fence around it are accepted; a key that occurs twice is
 * not.
 */
export function parseAnswer(text: string, { mark, checks }: { readonly mark: string; readonly checks: number }): JudgeAnswer | null {
	const parsed = answerSchema.safeParse(parseReplyJson(text));
	if (!parsed.success || parsed.data.checks.length !== checks) return null;
	const { checks: answered, gaps, reasoning, ...rest } = parsed.data;
	return {
		...rest,
		checks: answered.map(({ evidence, ...check }) => ({
			...check,
			evidence: evidence.map((item) => ({ ...item, quote: withoutMarks(mark, item.quote) })),
		})),
		gaps: gaps.map((gap) => cleanLine(withoutMarks(mark, gap), MAX_GAP_LENGTH - 1)).filter((gap) => gap.trim() !== ""),
		reasoning: cleanLine(withoutMarks(mark, reasoning), MAX_REASONING_LENGTH - 1),
	};
}

/** Reads the JSON of a reply, without thoughts before it and a code fence around it. Returns undefined when it has none. */
export function parseReplyJson(text: string): unknown {
	const answer = text.replace(/^\s*<think>.*?<\/think>/s, "");
	try {
		return parseStrictJson(withoutFence(answer.trim()));
	} catch {
		return undefined;
	}
}

const FENCE = "```";

/** Returns the content of a code fence that begins and ends the text, or the text itself without one. A pattern would not be linear. */
function withoutFence(text: string): string {
	const firstBreak = text.indexOf("\n");
	const lastBreak = text.lastIndexOf("\n");
	if (firstBreak === lastBreak || !text.startsWith(FENCE)) return text;
	const language = text.slice(FENCE.length, firstBreak).trim().toLowerCase();
	const isFenced = (language === "" || language === "json") && text.slice(lastBreak).trim() === FENCE;
	return isFenced ? text.slice(firstBreak, lastBreak) : text;
}

/** Lists the quotes of all checks. */
export function quotesOf({ checks }: Pick<JudgeAnswer, "checks">): Evidence[] {
	return checks.flatMap(({ evidence }) => evidence).slice(0, MAX_EVIDENCE);
}

/** Returns true if the checks of a reply exclude its level: the best one with a check at no, one of the lowest with all at yes. */
export function contradictsChecks({ level, checks }: Pick<JudgeAnswer, "level" | "checks">): boolean {
	if (checks.length === 0) return false;
	if (level === MAX_LEVEL) return checks.some(({ found }) => found === "no");
	return level <= MAX_POOR_LEVEL && checks.every(({ found }) => found === "yes");
}

const WORTH: Readonly<Record<CheckFinding, number>> = { yes: 1, partly: 0.5, no: 0 };

/** Replaces a level that the checks exclude by the one that they add up to. */
export function decideByChecks(answer: JudgeAnswer): JudgeAnswer {
	if (!contradictsChecks(answer)) return answer;
	const sum = answer.checks.reduce((total, { found }) => total + WORTH[found], 0);
	const level = Math.round((MAX_LEVEL * sum) / answer.checks.length);
	const hasNo = answer.checks.some(({ found }) => found === "no");
	return { ...answer, level: hasNo ? Math.min(MAX_LEVEL - 1, level) : level };
}

/** An opinion is a reply with only those quotes that were verified. */
export interface Opinion {
	readonly level: number;
	readonly reasoning: string;
	/** All of these quotes are verified. */
	readonly evidence: readonly Evidence[];
	/** One of the quotes shows work. */
	readonly showsWork: boolean;
	readonly isCapped: boolean;
}

interface ProofRule {
	/** A quote proves nothing unless one of them shows work. */
	readonly needsWork: boolean;
}

/** Returns the highest level that an opinion's quotes allow. */
function provenLevel({ evidence, showsWork }: Opinion, { needsWork }: ProofRule): number {
	return evidence.length > 0 && (showsWork || !needsWork) ? MAX_LEVEL : MIN_PROVEN_LEVEL - 1;
}

/** Returns true if an opinion is higher than its quotes allow. */
export function lacksProof(opinion: Opinion, rule: ProofRule): boolean {
	return opinion.level > provenLevel(opinion, rule);
}

/** Lowers an opinion to the level that its quotes allow. */
export function capUnproven(opinion: Opinion, rule: ProofRule): Opinion {
	return lacksProof(opinion, rule) ? { ...opinion, level: provenLevel(opinion, rule), isCapped: true } : opinion;
}

/** Returns the score 0..100 of a level. */
export function scoreOf({ level }: Pick<Opinion, "level">): number {
	return level * POINTS_PER_LEVEL;
}
