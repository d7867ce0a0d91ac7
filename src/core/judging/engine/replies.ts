// A model gets the schema of its reply. The schema has bounds, because grammars enforce them, and models loop without them. Replies are
// parsed tolerantly, but nothing is guessed.
import * as z from "zod";
import type { Finding } from "../../../domain/checks.ts";
import { FINDINGS } from "../../../domain/checks.ts";
import { parseStrictJson } from "../../../domain/strict-json.ts";
import { cleanLine } from "./marking.ts";
import type { ClaimedQuote } from "./proof.ts";
import type { ReplyFormat } from "./wire.ts";

const BOUNDS = { quotes: 2, path: 300, quote: 400, gaps: 4, gap: 200, reasoning: 500, shows: 200 } as const;

const text = (maxLength: number) => ({ type: "string", maxLength }) as const;
const object = (properties: Readonly<Record<string, unknown>>) => ({
	type: "object",
	properties,
	required: Object.keys(properties),
	additionalProperties: false,
});

const CHECK_SCHEMA = object({
	evidence: { type: "array", maxItems: BOUNDS.quotes, items: object({ path: text(BOUNDS.path), quote: text(BOUNDS.quote) }) },
	found: { type: "string", enum: [...FINDINGS] },
});

/** Builds the format of a reply about a number of checks. It has a key for each check, with the evidence before the verdict. */
export function answerFormat(checks: number): ReplyFormat {
	return {
		name: "answers",
		schema: object({
			...Object.fromEntries(keysFor(checks).map((key) => [key, CHECK_SCHEMA])),
			gaps: { type: "array", maxItems: BOUNDS.gaps, items: text(BOUNDS.gap) },
			reasoning: text(BOUNDS.reasoning),
			injection_suspected: { type: "boolean" },
		}),
	};
}

const CONFIRMING = ["yes", "partly", "no"] as const;

export function confirmationFormat(checks: number): ReplyFormat {
	const answer = object({ shows: text(BOUNDS.shows), found: { type: "string", enum: [...CONFIRMING] } });
	return { name: "confirmations", schema: object(Object.fromEntries(keysFor(checks).map((key) => [key, answer]))) };
}

export function keysFor(checks: number): string[] {
	return Array.from({ length: checks }, (_, index) => `check_${index + 1}`);
}

/** The part of a reply about one check. */
export interface CheckReply {
	readonly found: Finding;
	readonly quotes: readonly ClaimedQuote[];
}

export interface AnswerReply {
	/** In the order of the question's checks. Null for a check whose key is missing or has a verdict that is not allowed. */
	readonly checks: readonly (CheckReply | null)[];
	readonly gaps: readonly string[];
	readonly reasoning: string;
	readonly isInjectionSuspected: boolean;
}

const looseText = z.string().catch("");
const looseList = z.array(z.unknown()).catch([]);
const quote = z.object({ path: looseText, quote: z.string() });
const word = z.string().transform((text) => text.trim().toLowerCase().replace(/[ -]/g, "_"));
const checkReply = z.object({ evidence: looseList, found: word.pipe(z.enum(FINDINGS)) });
const rest = z.object({ gaps: looseList, reasoning: looseText, injection_suspected: z.boolean().catch(false) });

/** Parses a reply about checks. Returns null if it answers none of them. */
export function readAnswers(reply: string, checks: number): AnswerReply | null {
	const fields = readObject(reply);
	if (fields === null) return null;
	const answers = keysFor(checks).map((key): CheckReply | null => {
		const parsed = checkReply.safeParse(fields[key]);
		if (!parsed.success) return null;
		return { found: parsed.data.found, quotes: parsed.data.evidence.slice(0, BOUNDS.quotes).flatMap(readQuote) };
	});
	if (answers.every((answer) => answer === null)) return null;
	const { gaps, reasoning, injection_suspected } = rest.parse(fields);
	return {
		checks: answers,
		gaps: gaps
			.filter((gap) => typeof gap === "string" && gap.trim() !== "")
			.slice(0, BOUNDS.gaps)
			.map((gap) => cleanLine(String(gap), BOUNDS.gap - 1)),
		reasoning: cleanLine(reasoning, BOUNDS.reasoning - 1),
		isInjectionSuspected: injection_suspected,
	};
}

function readQuote(item: unknown): ClaimedQuote[] {
	const parsed = quote.safeParse(item);
	return parsed.success ? [{ path: parsed.data.path, quote: parsed.data.quote.slice(0, 2 * BOUNDS.quote) }] : [];
}

const confirmation = z.object({ found: word.pipe(z.enum(CONFIRMING)) });

/** Parses the answers of a confirmation. Returns null if it contains none. */
export function readConfirmations(reply: string, checks: number): readonly (Finding | null)[] | null {
	const fields = readObject(reply);
	if (fields === null) return null;
	const answers = keysFor(checks).map((key) => confirmation.safeParse(fields[key]).data?.found ?? null);
	return answers.every((answer) => answer === null) ? null : answers;
}

const THOUGHTS_END = "</think>";

/**
 * Parses the JSON object in a reply, ignoring thoughts before it, and a code fence or a sentence around it. Returns null if there is none.
 */
export function readObject(reply: string): Readonly<Record<string, unknown>> | null {
	const thoughts = reply.indexOf(THOUGHTS_END);
	const answer = thoughts === -1 ? null : parseObject(reply.slice(thoughts + THOUGHTS_END.length));
	return answer ?? parseObject(reply);
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
	const from = text.indexOf("{");
	const to = text.lastIndexOf("}");
	if (from === -1 || to < from) return null;
	try {
		return z.record(z.string(), z.unknown()).parse(parseStrictJson(text.slice(from, to + 1)));
	} catch {
		return null;
	}
}
