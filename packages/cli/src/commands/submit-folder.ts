// Implements the tool submit_folder of `bounty mcp`. The platform cannot read this machine's files, so the command answers the call
// itself.
import { resolve } from "node:path";
import type { Connection } from "../core/config.ts";
import { CommandError } from "../core/exit-codes.ts";
import {
	BountyApiError,
	BountyCheckError,
	BountyIncompleteError,
	findFaults,
	isRecord,
	makeRegular,
	readWorkFolder,
	submitChanged,
	type WorkFolder,
} from "../core/sdk.ts";
import type { Context } from "../terminal/context.ts";
import { parseTaskId } from "./define.ts";

/** The tool in `tools/list`. */
export const SUBMIT_FOLDER = {
	name: "submit_folder",
	description:
		"Submit a folder from this machine, without sending its files through the conversation. Leaves out ignored and generated files and what looks like a secret, and says which. Uses one of your few submissions, as submit_files does; the same files again return the same submission. Then wait_for_score. Needs a key.",
	inputSchema: {
		type: "object",
		properties: {
			task_id: { type: "string", description: "As find_tasks returns it." },
			path: { type: "string", description: "The folder with the work. An absolute path is safest." },
		},
		required: ["task_id", "path"],
	},
	outputSchema: {
		type: "object",
		properties: {
			submission_id: { type: "string" },
			task_id: { type: "string" },
			status: { type: "string" },
			quota: { type: "object", properties: { remaining: { type: "integer" } } },
			files: { type: "array", items: { type: "string" } },
			left_out: { type: "object" },
			cut: { type: "string" },
			next: { type: "string" },
		},
		required: ["submission_id", "task_id", "status", "quota", "files", "left_out", "next"],
	},
	annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
} as const;

/** The result of a tool. Failures are results too, because a model reads results instead of error codes. */
export interface ToolResult {
	readonly content: readonly { readonly type: "text"; readonly text: string }[];
	readonly structuredContent?: object;
	readonly isError?: true;
}

/** Submits the folder that the arguments name. Never throws. */
export async function submitFolder(
	ctx: Context,
	connection: Connection,
	{ given, signal }: { given: unknown; signal: AbortSignal },
): Promise<ToolResult> {
	const { apiKey } = connection;
	// Normalizes the arguments as the platform does for its own tools.
	const args = makeRegular(SUBMIT_FOLDER.inputSchema, given) ?? {};
	const { task_id: taskId, path } = isRecord(args) ? args : {};
	if (typeof taskId !== "string" || typeof path !== "string") {
		const faults = findFaults(SUBMIT_FOLDER.inputSchema, args).map((fault) => `- ${fault.path} ${fault.message}`);
		return toError(["VALIDATION_ERROR: The arguments are not valid.", ...faults].join("\n"), "correct the arguments and call again.");
	}
	if (apiKey === undefined) {
		return toError("unauthorized: No API key is set.", "call register once, then set BOUNTY_API_KEY where this server is started.");
	}
	try {
		const client = ctx.connect(connection);
		const work = await readWorkFolder(resolve(path), { apiKey, signal });
		if (work.files.size === 0) throw new CommandError(`${path} has no files to submit.`, { exitCode: 2 });
		const { id } = await submitChanged(client, { taskId: parseTaskId(taskId), files: work.files }, { signal });
		const { status, quota, task_id } = await client.getSubmission(id, {}, { signal });
		const next = "Call wait_for_score with this submission_id.";
		const structuredContent = { submission_id: id, task_id, status, quota, ...listWork(work), next };
		return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
	} catch (error) {
		return explain(error);
	}
}

/** A longer result would fill the context of a model. */
const MAX_LISTED_CHARACTERS = 50_000;
const MAX_LISTED = 20;

/** Lists what was submitted and what was left out. Long lists are cut. */
function listWork({ files, secrets, links, generated, ignored }: WorkFolder) {
	const list = (max: number) => {
		const first = (paths: Iterable<string>) => [...paths].slice(0, max);
		return {
			files: first(files.keys()),
			left_out: { secrets: first(secrets), links: first(links), generated: first(generated), ignored },
		};
	};
	const whole = list(Number.POSITIVE_INFINITY);
	if (JSON.stringify(whole).length <= MAX_LISTED_CHARACTERS) return whole;
	const cut = `Lists show only their first ${MAX_LISTED} paths; ${files.size} files were submitted. To go on: call_operation with listSubmissionFiles.`;
	return { ...list(MAX_LISTED), cut };
}

const NEXT_STEPS: Readonly<Record<string, string>> = {
	UNAUTHORIZED: "set BOUNTY_API_KEY to a valid key where this server is started.",
	NOT_FOUND: "check the task_id. find_tasks shows ids that exist.",
	TASK_NOT_OPEN: "call find_tasks for tasks that accept submissions.",
	TASK_CLOSED: "call find_tasks for tasks that accept submissions.",
	DEADLINE_PASSED: "call find_tasks for tasks that accept submissions.",
	QUOTA_EXHAUSTED: "call my_submissions for your scores on this task, or find_tasks for another task.",
};

function explain(error: unknown): ToolResult {
	if (error instanceof BountyCheckError) {
		const problems = error.problems.map(({ path, message }) => `- ${path === "" ? "files" : path}: ${message}`);
		return toError(["The files would be rejected. No submission was used.", ...problems].join("\n"), "correct the files and call again.");
	}
	if (error instanceof BountyIncompleteError) {
		return toError(error.message, `run bounty submit <path> --resume ${error.submissionId} in a shell, which uses no other submission.`);
	}
	if (error instanceof BountyApiError) {
		const wait = error.retryAfterSeconds === undefined ? undefined : `call again in ${Math.ceil(error.retryAfterSeconds)} seconds.`;
		return toError(
			`${error.code}: ${error.message}`,
			wait ?? NEXT_STEPS[error.code] ?? "call search_docs with the code to find out what it means.",
		);
	}
	return toError(error instanceof Error ? error.message : String(error), "correct the path and call again.");
}

function toError(message: string, next: string): ToolResult {
	return { content: [{ type: "text", text: `${message}\nNext: ${next}` }], isError: true };
}
