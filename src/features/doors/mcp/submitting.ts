// These tools are a competitor's: checking, submitting, the caller's own submissions.
import * as z from "zod";
import { sha256Hex } from "../../../platform/crypto.ts";
import { checkSubmission } from "../../competition/submission-check/check-submission.ts";
import { listOwnSubmissions } from "../../competition/submissions/list-submissions.ts";
import { quickSubmit } from "../../competition/submissions/quick-submit.ts";
import { linkToDocs, show, type ToolCall, type ToolOutcome } from "./tool-results.ts";
import type { ArgumentsOf } from "./tools.ts";

/** Checks files without submitting them. */
export async function checkFilesTool({ api }: ToolCall, args: ArgumentsOf<"check_files">): Promise<ToolOutcome<"check_files">> {
	const { task_id, files, detail } = args;
	const checked = await api.call(checkSubmission, { params: { id: task_id }, body: { files } });
	const { ok, problems, warnings, missing_sections } = checked;
	const links = ok && warnings.length === 0 ? [] : [linkToDocs("concepts/artifacts")];
	return { result: show(detail, { ok, problems, warnings, missing_sections }, checked), links };
}

/** Submits files. Judging begins at once. */
export async function submitFilesTool({ api }: ToolCall, args: ArgumentsOf<"submit_files">): Promise<ToolOutcome<"submit_files">> {
	const { task_id, files, detail } = args;
	const submission = await api.call(quickSubmit, { params: { id: task_id }, body: { files }, idempotencyKey: await keyOf(files) });
	const { id, status, quota } = submission;
	const next = "Call wait_for_score with this submission_id.";
	return { result: show(detail, { submission_id: id, task_id, status, quota, next }, submission) };
}

/** Makes the same key for the same files in any order, so a repeated call uses no second slot. The endpoint adds the caller and the task. */
async function keyOf(files: Readonly<Record<string, unknown>>): Promise<string> {
	const sorted = Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1));
	const named = await Promise.all(sorted.map(async ([path, file]) => [path, await sha256Hex(submittedBytesOf(file))]));
	return `mcp-${await sha256Hex(JSON.stringify(named))}`;
}

const base64File = z.object({ content: z.base64(), encoding: z.literal("base64") });

/** Reads the bytes of a file as the endpoint does, which refuses what is neither text nor base64. */
function submittedBytesOf(file: unknown): Uint8Array | string {
	const parsed = base64File.safeParse(file).data;
	if (parsed !== undefined) return Uint8Array.fromBase64(parsed.content);
	return typeof file === "string" ? file : JSON.stringify(file);
}

/** Lists the caller's submissions, newest first. */
export async function mySubmissionsTool({ api }: ToolCall, args: ArgumentsOf<"my_submissions">): Promise<ToolOutcome<"my_submissions">> {
	const { detail, ...query } = args;
	const { data, pagination } = await api.call(listOwnSubmissions, { query });
	const submissions = data.map((submission) => {
		const { id, task_id, status, scores, created_at } = submission;
		return show(detail, { submission_id: id, task_id, status, final_score: scores?.final_score ?? null, created_at }, submission);
	});
	return { result: { submissions, next_cursor: pagination.next_cursor } };
}
