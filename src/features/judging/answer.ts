// A model's reply: the schema the model receives, the schema its reply must match, and the opinion it gives.
import * as z from "zod";
import type { Evidence } from "../../ports/judge.ts";
import { cleanLine, withoutMarks } from "./marking.ts";
import { type Material, verifyEvidence } from "./material.ts";

const MAX_REASONING_LENGTH = 600;
const MAX_EVIDENCE = 20;
const MAX_LEVEL = 5;
/** From this level on a score needs a quote that is in the files. */
const MIN_PROVEN_LEVEL = 3;
const POINTS_PER_LEVEL = 20;

const line = z.int().min(0).max(10_000_000);

export const answerSchema = z.strictObject({
	evidence: z.array(z.strictObject({ path: z.string(), start: line, end: line, quote: z.string().max(20_000) })).max(MAX_EVIDENCE),
	reasoning: z.string().max(20_000),
	level: z.int().min(0).max(MAX_LEVEL),
	injection_suspected: z.boolean(),
});

/** The same for the endpoint, in the part of JSON Schema that all of them enforce: no limits of length or size. */
export const ANSWER_JSON_SCHEMA = {
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
	},
	required: ["evidence", "reasoning", "level", "injection_suspected"],
	additionalProperties: false,
} as const;

export interface Opinion {
	readonly level: number;
	readonly reasoning: string;
	/** Only verified quotes. */
	readonly evidence: readonly Evidence[];
	readonly isInjectionSuspected: boolean;
	readonly isCapped: boolean;
}

/** Reads a model's answer; null when it is not exactly what was asked for. Thoughts before it and a code fence around it are forgiven. */
export function parseAnswer(text: string, { mark, files }: { mark: string; files: readonly Material[] }): Opinion | null {
	const parsed = answerSchema.safeParse(parseJson(text));
	if (!parsed.success) return null;
	const { evidence, reasoning, level, injection_suspected } = parsed.data;
	const quotes = evidence.map((item) => ({ ...item, quote: withoutMarks(mark, item.quote) }));
	return {
		level,
		reasoning: cleanLine(withoutMarks(mark, reasoning), MAX_REASONING_LENGTH - 1),
		evidence: verifyEvidence(quotes, files),
		isInjectionSuspected: injection_suspected,
		isCapped: false,
	};
}

function parseJson(text: string): unknown {
	const answer = text.replace(/^\s*<think>.*?<\/think>/s, "");
	try {
		return JSON.parse(withoutFence(answer.trim()));
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

/** Whether an opinion is as high as only shown work can be, and shows none. */
export function lacksProof({ level, evidence }: Opinion): boolean {
	return level >= MIN_PROVEN_LEVEL && evidence.length === 0;
}

/** What remains of an opinion that shows nothing for itself. */
export function capUnproven(opinion: Opinion): Opinion {
	return lacksProof(opinion) ? { ...opinion, level: MIN_PROVEN_LEVEL - 1, isCapped: true } : opinion;
}

/** 0..100 of a level. */
export function scoreOf({ level }: Pick<Opinion, "level">): number {
	return level * POINTS_PER_LEVEL;
}
