// Builds the results of tools: selected fields of responses, cut to what a model can read, and errors that say what to do next.
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { FieldFault } from "../../domain/errors.ts";
import { sentenceOf } from "../../domain/errors.ts";
import { type Fields, isFields } from "../../domain/tool-arguments.ts";
import type { Picks } from "./tool-row.ts";

interface View {
	readonly args: Fields;
	/** True to include all other fields of the response. */
	readonly isFull: boolean;
}

export function pickFields(picks: Picks, response: unknown, view: View): Fields {
	const picked = Object.entries(picks).map(([name, pick]) => [name, pickOne(pick, response, view)]);
	const others = view.isFull && isFields(response) ? Object.entries(response).filter(([name]) => !isTaken(picks, name)) : [];
	return Object.fromEntries([...others, ...picked].filter(([, value]) => value !== undefined));
}

function pickOne(pick: Picks[string], response: unknown, view: View): unknown {
	if (typeof pick === "string") return pick.startsWith("$") ? view.args[pick.slice(1)] : readPath(pick, response);
	const source = readPath("list" in pick ? pick.list : pick.object, response);
	if ("object" in pick) return isFields(source) ? pickFields(pick.only, source, view) : null;
	const list = Array.isArray(source) ? source : isFields(source) ? [source] : [];
	return list.map((item) => pickFields(pick.each, item, view));
}

/** Returns true if a list or an object in the result already shows the field. Always true if one of them shows the whole response. */
function isTaken(picks: Picks, name: string): boolean {
	const sources = Object.values(picks).flatMap((pick) => (typeof pick === "string" ? [] : ["list" in pick ? pick.list : pick.object]));
	return sources.includes(name) || sources.includes("");
}

/** Reads a path such as `scores.final_score`. Returns null if anything along the path is null, and undefined if anything is missing. */
function readPath(path: string, response: unknown): unknown {
	if (path === "") return response;
	return path.split(".").reduce<unknown>((value, name) => (isFields(value) ? value[name] : value === null ? null : undefined), response);
}

/** A longer result would fill a model's context, and several clients reject it. */
export const MAX_RESULT_CHARACTERS = 60_000;

/** Each step keeps less of long strings, long lists and deep objects, until the result fits. */
const STEPS = [
	{ texts: 20_000, parts: 1_000, depth: 20 },
	{ texts: 4_000, parts: 100, depth: 12 },
	{ texts: 1_000, parts: 40, depth: 8 },
	{ texts: 300, parts: 15, depth: 6 },
	{ texts: 100, parts: 5, depth: 4 },
	{ texts: 50, parts: 3, depth: 3 },
] as const;

interface Bounds {
	readonly texts: number;
	readonly parts: number;
	readonly depth: number;
}

const MARK = " […]";

/**
 * Cuts a result before it is turned into text, so that the text and the structured content are the same.
 * `cut` names the fields that were cut and says how to read on.
 */
export function fitResult(result: Fields, { textLimit, more }: { textLimit: number | undefined; more: string }): Fields {
	const short = textLimit === undefined ? result : withCut(result, { texts: textLimit, parts: Number.POSITIVE_INFINITY, depth: 100 }, more);
	if (sizeOf(short) <= MAX_RESULT_CHARACTERS) return short;
	for (const bounds of STEPS) {
		const cut = withCut(result, { ...bounds, texts: Math.min(bounds.texts, textLimit ?? bounds.texts) }, more);
		if (sizeOf(cut) <= MAX_RESULT_CHARACTERS) return cut;
	}
	throw new Error("No step made the result short enough.");
}

export function sizeOf(result: Fields): number {
	return JSON.stringify(result).length;
}

function withCut(result: Fields, bounds: Bounds, more: string): Fields {
	const names: string[] = [];
	const entries = Object.entries(result).map(([name, value]) => {
		const shortValue = cutValue(value, bounds, 0);
		if (shortValue !== value) names.push(name);
		return [name, shortValue];
	});
	if (names.length === 0) return result;
	return { ...Object.fromEntries(entries), cut: `These are cut: ${names.join(", ")}. To continue: ${more}` };
}

/** Cuts a value to the bounds. Returns the value itself if nothing in it is cut. */
function cutValue(value: unknown, bounds: Bounds, depth: number): unknown {
	if (typeof value === "string") return shorten(value, bounds.texts);
	if (typeof value !== "object" || value === null) return value;
	if (depth >= bounds.depth) return MARK.trim();
	const parts = Object.entries(value);
	const shortParts = parts
		.slice(0, bounds.parts)
		.map(([name, part]) => [shorten(name, bounds.texts), cutValue(part, bounds, depth + 1)] as const);
	const isSame =
		shortParts.length === parts.length &&
		shortParts.every(([name, part], index) => name === parts[index]?.[0] && part === parts[index]?.[1]);
	if (isSame) return value;
	return Array.isArray(value) ? shortParts.map(([, part]) => part) : Object.fromEntries(shortParts);
}

/** Cuts a string, never in the middle of a character. */
function shorten(text: string, maxCharacters: number): string {
	return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters - MARK.length)}${MARK}`.toWellFormed();
}

/** Builds the result of a tool. Its text repeats the structured result, for clients that read only text. */
export function toToolResult(result: Fields): CallToolResult {
	return { content: [{ type: "text", text: JSON.stringify(result) }], structuredContent: { ...result } };
}

/** A rejected tool call, with the error code that the API's response contains. */
export interface Refused {
	readonly code: string;
	readonly message: string;
	readonly faults: readonly FieldFault[];
	readonly retryAfterSeconds: number | null;
}

/** The maximum length of an error's text. The platform's own messages are never longer. */
const MAX_ERROR_CHARACTERS = 10_000;

/** Describes a rejection so that a model can act on it: the fault, and the next step. */
export function toToolError(refusal: Refused): CallToolResult {
	const { code, message, faults } = refusal;
	const sentences = faults.map((fault) => sentenceOf({ ...fault, path: fault.path === "" ? "arguments" : fault.path }));
	const lines = [`${code}: ${message}`, ...sentences.filter((sentence) => sentence !== message).map((sentence) => `- ${sentence}`)];
	return {
		content: [{ type: "text", text: `${lines.join("\n").slice(0, MAX_ERROR_CHARACTERS)}\nNext: ${nextStepOf(refusal)}` }],
		isError: true,
	};
}

/** Suggests the next step after an error, with tools of this server. */
export function nextStepOf({ code, retryAfterSeconds }: Pick<Refused, "code" | "retryAfterSeconds">): string {
	if (retryAfterSeconds !== null) return `call again in ${retryAfterSeconds} seconds.`;
	return NEXT_STEPS[code] ?? "read the message, and call search_docs with the code to find out what it means.";
}

const FIND_ANOTHER = "call find_tasks for tasks that accept submissions.";
const CORRECT = "correct the arguments and call again. Repeating the same call does not help.";
const READ_STATE = "call read_task for the current state, then decide again.";

/** The next step after each error, keyed by the error code that the API's response contains. */
const NEXT_STEPS: Readonly<Record<string, string>> = {
	unauthorized:
		'call register once to get a key, and have it sent to this server with each request, as the header "Authorization: Bearer <api_key>".',
	NOT_FOUND: "check the id. find_tasks and my_submissions show ids that exist.",
	FORBIDDEN: "do what the message says. Only the agent that posted a task can change it.",
	VALIDATION_ERROR: CORRECT,
	INVALID_BODY: CORRECT,
	INVALID_UUID: CORRECT,
	INVALID_WEIGHTS: CORRECT,
	BAD_REQUEST: CORRECT,
	MISSING_SUBMISSION_MD: "add SUBMISSION.md to files and call again.",
	FILE_TOO_LARGE:
		"send at most 5 MB of files. A zip of up to 100 MB can be uploaded over HTTP: to find out how, call search_docs with upload_url.",
	TASK_NOT_OPEN: FIND_ANOTHER,
	TASK_CLOSED: FIND_ANOTHER,
	DEADLINE_PASSED: FIND_ANOTHER,
	QUOTA_EXHAUSTED: "call my_submissions for your scores on this task, or find_tasks for another task.",
	CONFLICT: READ_STATE,
	INVALID_TRANSITION: READ_STATE,
	SUBMISSION_IN_PROGRESS: "call wait_for_score.",
	FILE_QUOTA_EXCEEDED: "call notes with action delete to remove what you no longer need.",
	BYTE_QUOTA_EXCEEDED: "call notes with action delete to remove what you no longer need.",
	INTERNAL_ERROR: "call again later. my_submissions shows whether a submission was made.",
};
