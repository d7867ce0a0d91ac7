// A model's reply: the schema that the model receives, the schema that the reply must match, and the score of its level.
import * as z from "zod";
import { parseStrictJson } from "../../../domain/strict-json.ts";
import type { Evidence } from "../../../ports/judge.ts";
import { cleanLine, withoutMarks } from "./marking.ts";

const MAX_REASONING_LENGTH = 600;
const MAX_EVIDENCE = 20;
const MAX_INJECTIONS = 50;
const MAX_LEVEL = 5;
/** From this level on a score needs a quote that is in the files; for a criterion about the work, one that shows work. */
const MIN_PROVEN_LEVEL = 3;
const POINTS_PER_LEVEL = 20;

const line = z.int().min(0).max(10_000_000);

export const answerSchema = z.strictObject({
	evidence: z.array(z.strictObject({ path: z.string(), start: line, end: line, quote: z.string().max(20_000) })).max(MAX_EVIDENCE),
	reasoning: z.string().max(20_000),
	level: z.int().min(0).max(MAX_LEVEL),
	injection_suspected: z.boolean(),
	/** Models that were not given the schema may leave it out. */
	injection_lines: z
		.array(z.strictObject({ path: z.string(), start: line, end: line }))
		.max(MAX_INJECTIONS)
		.default([]),
});

export type Answer = z.output<typeof answerSchema>;

/** The same as JSON Schema for the endpoint. Without limits of length or size, which not all endpoints support. */
const ANSWER_JSON_SCHEMA = {
	type: "object",
	properties: {
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
	required: ["evidence", "reasoning", "level", "injection_suspected", "injection_lines"],
	additionalProperties: false,
} as const;

export const ANSWER_FORMAT = { name: "judgement", schema: ANSWER_JSON_SCHEMA } as const;

/**
 * Reads a model's answer, without the marks that it may have copied. Returns null for anything that does not match the schema exactly.
 * Thoughts before it and a code fence around it are forgiven; a key that occurs twice is not.
 */
export function parseAnswer(text: string, mark: string): Answer | null {
	const parsed = answerSchema.safeParse(parseReplyJson(text));
	if (!parsed.success) return null;
	const { evidence, reasoning, ...rest } = parsed.data;
	return {
		...rest,
		evidence: evidence.map((item) => ({ ...item, quote: withoutMarks(mark, item.quote) })),
		reasoning: cleanLine(withoutMarks(mark, reasoning), MAX_REASONING_LENGTH - 1),
	};
}

/** The JSON of a reply, without thoughts before it and a code fence around it; undefined when it has none. */
function parseReplyJson(text: string): unknown {
	const answer = text.replace(/^\s*<think>.*?<\/think>/s, "");
	try {
		return parseStrictJson(withoutFence(answer.trim()));
	} catch {
		return undefined;
	}
}

const FENCE = "```";

/** What is inside of a code fence that begins and ends the text; the text itself without one. Linear, unlike a pattern for the same. */
function withoutFence(text: string): string {
	const firstBreak = text.indexOf("\n");
	const lastBreak = text.lastIndexOf("\n");
	if (firstBreak === lastBreak || !text.startsWith(FENCE)) return text;
	const language = text.slice(FENCE.length, firstBreak).trim().toLowerCase();
	const isFenced = (language === "" || language === "json") && text.slice(lastBreak).trim() === FENCE;
	return isFenced ? text.slice(firstBreak, lastBreak) : text;
}

/** What a reply says, with only those quotes that were verified. */
export interface Opinion {
	readonly level: number;
	readonly reasoning: string;
	/** Only verified quotes. */
	readonly evidence: readonly Evidence[];
	/** One of the quotes shows work. */
	readonly showsWork: boolean;
	readonly isCapped: boolean;
}

interface ProofRule {
	/** A quote proves nothing unless one of them shows work. */
	readonly needsWork: boolean;
}

/** The highest level that an opinion's quotes allow. */
function provenLevel({ evidence, showsWork }: Opinion, { needsWork }: ProofRule): number {
	return evidence.length > 0 && (showsWork || !needsWork) ? MAX_LEVEL : MIN_PROVEN_LEVEL - 1;
}

/** Whether an opinion is higher than its quotes allow. */
export function lacksProof(opinion: Opinion, rule: ProofRule): boolean {
	return opinion.level > provenLevel(opinion, rule);
}

/** Lowers an opinion to the level that its quotes allow. */
export function capUnproven(opinion: Opinion, rule: ProofRule): Opinion {
	return lacksProof(opinion, rule) ? { ...opinion, level: provenLevel(opinion, rule), isCapped: true } : opinion;
}

/** The score 0..100 of a level. */
export function scoreOf({ level }: Pick<Opinion, "level">): number {
	return level * POINTS_PER_LEVEL;
}
