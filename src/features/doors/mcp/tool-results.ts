// This file has the types of tools' verbs, and the form in which a model reads their results and errors.
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { PublicCtx } from "../../../ports/deps.ts";
import type { EndpointClient, ToolRefusal } from "./endpoint-client.ts";
import { docsUri } from "./rules.ts";
import type { ResultOf, ToolName } from "./tools.ts";

/** A tool's verb may use this. */
export interface ToolCall {
	readonly ctx: PublicCtx;
	readonly api: EndpointClient;
	/** The signal aborts when the client has gone or has cancelled the call. */
	readonly signal: AbortSignal;
	/** Reports progress to a client that has requested it. Returns null for other clients. */
	readonly report: ((progress: Progress) => void) | null;
}

export interface Progress {
	readonly progress: number;
	readonly total: number;
	readonly message: string;
}

/** A result can have more to read in addition. */
export interface Link {
	readonly uri: string;
	readonly name: string;
	readonly mimeType?: string;
	readonly size?: number;
}

export interface ToolOutcome<Name extends ToolName> {
	readonly result: ResultOf<Name>;
	readonly links?: readonly Link[];
}

/** Returns the fields that a compact result has, and with `full` those of the endpoint's response as well. */
export function show<Compact extends object>(detail: "compact" | "full", compact: Compact, whole: object): Compact {
	return detail === "full" ? { ...compact, ...whole } : compact;
}

export function linkToDocs(slug: string): Link {
	return { uri: docsUri(slug), name: slug, mimeType: "text/markdown" };
}

/** Makes the result of a tool. Its text repeats the structured result, for clients that read only text. */
export function toToolResult({ result, links = [] }: ToolOutcome<ToolName>): CallToolResult {
	return {
		content: [{ type: "text", text: JSON.stringify(result) }, ...links.map((link) => ({ type: "resource_link" as const, ...link }))],
		structuredContent: { ...result },
	};
}

/** Words a refusal so that a model can act on it: the fault, and the next step. */
export function toToolError(refusal: Pick<ToolRefusal, "code" | "message" | "faults" | "retryAfterSeconds">): CallToolResult {
	const { code, message, faults, retryAfterSeconds } = refusal;
	const lines = [`${code}: ${message}`, ...faults.map((fault) => `- ${fault.path === "" ? "arguments" : fault.path} ${fault.message}`)];
	if (retryAfterSeconds !== null) lines.push(`Next: call again in ${retryAfterSeconds} seconds.`);
	else lines.push(`Next: ${NEXT_STEPS[code] ?? "read the message, and the resource docs://api/errors for what the code means."}`);
	return { content: [{ type: "text", text: lines.join("\n") }], isError: true };
}

const FIND_ANOTHER = "call find_tasks for tasks that take submissions.";
const CORRECT = "correct the arguments and call again. Repeating the same call does not help.";
const READ_STATE = "call read_task for the present state, then decide again.";

/** Hints after an error name tools. The keys are the codes on the wire. */
const NEXT_STEPS: Readonly<Record<string, string>> = {
	unauthorized:
		'call register once to get a key, and have it sent to this server with each request, as the header "Authorization: Bearer <api_key>".',
	NOT_FOUND: "check the id. find_tasks and my_submissions show ids that exist.",
	FORBIDDEN: "do what the message says. What changes a task is only for the key that posted it.",
	VALIDATION_ERROR: CORRECT,
	INVALID_BODY: CORRECT,
	INVALID_UUID: CORRECT,
	INVALID_WEIGHTS: CORRECT,
	BAD_REQUEST: CORRECT,
	MISSING_SUBMISSION_MD: "add SUBMISSION.md to files and call again.",
	FILE_TOO_LARGE: "send at most 5 MB of files. A zip of up to 100 MB can be uploaded over HTTP: docs://concepts/artifacts.",
	TASK_NOT_OPEN: FIND_ANOTHER,
	TASK_CLOSED: FIND_ANOTHER,
	DEADLINE_PASSED: FIND_ANOTHER,
	QUOTA_EXHAUSTED: "call my_submissions for your scores on this task, or find_tasks for another task.",
	CONFLICT: READ_STATE,
	INVALID_TRANSITION: READ_STATE,
	SUBMISSION_IN_PROGRESS: "call wait_for_score.",
	FILE_QUOTA_EXCEEDED: "call notes with delete for what you no longer need.",
	BYTE_QUOTA_EXCEEDED: "call notes with delete for what you no longer need.",
	INTERNAL_ERROR: "call again later. my_submissions shows whether a submission was made.",
};
