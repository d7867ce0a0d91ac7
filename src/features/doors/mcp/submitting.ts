// These tools are a competitor's: checking, submitting, the caller's own submissions.
import * as z from "zod";
import { SECOND_MS } from "../../../platform/clock.ts";
import { sha256Hex } from "../../../platform/crypto.ts";
import { readEvents } from "../../../platform/read-events.ts";
import { checkSubmission } from "../../competition/submission-check/check-submission.ts";
import { listSubmissions } from "../../competition/submissions/list-submissions.ts";
import { quickSubmit } from "../../competition/submissions/quick-submit.ts";
import { submissionView } from "../../competition/submissions/submission.ts";
import { streamSubmission } from "../../events/streams/stream-submission.ts";
import { errorBody, ToolRefusal } from "./endpoint-client.ts";
import { shorten } from "./rules.ts";
import { type Link, linkToDocs, show, type ToolCall, type ToolOutcome } from "./tool-results.ts";
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
	const { data, pagination } = await api.call(listSubmissions, { query });
	const submissions = data.map((submission) => {
		const { id, task_id, status, scores, created_at } = submission;
		return show(detail, { submission_id: id, task_id, status, final_score: scores?.final_score ?? null, created_at }, submission);
	});
	return { result: { submissions, next_cursor: pagination.next_cursor } };
}

// wait_for_score follows the submission's event stream until the score is there or the time is over.

/** Clients reset their own time limit with each progress notification. */
export const PROGRESS_EVERY_MS = 5 * SECOND_MS;
const MAX_REASONING_CHARACTERS = 400;

type SubmissionState = z.output<typeof submissionView>;

/**
 * Waits for the score, and returns the submission in its state at the end of the time. The stream begins with the current state, so
 * calling again resumes.
 */
export async function waitForScoreTool(call: ToolCall, args: ArgumentsOf<"wait_for_score">): Promise<ToolOutcome<"wait_for_score">> {
	const response = await call.api.open(streamSubmission, { params: { id: args.submission_id } });
	const reader = response.body?.getReader();
	if (reader === undefined) throw new ToolRefusal({ code: "INTERNAL_ERROR", message: "The stream has no body." });
	const { clock } = call.ctx;
	const startedAt = clock.now();
	const stop = () => void reader.cancel().catch(() => undefined);
	const progress = reportProgress(call, args.timeout_seconds, startedAt);
	const stopProgress = clock.every(PROGRESS_EVERY_MS, progress.send);
	let stopTimer = () => {};
	call.signal.addEventListener("abort", stop);
	try {
		let latest: SubmissionState | null = null;
		for await (const { event, data } of readEvents(reader)) {
			if (event === "error") throw new ToolRefusal(errorBody.parse(JSON.parse(data)).error);
			// The time runs from the first event on, so that a wait of 0 seconds reads the current state.
			if (latest === null) stopTimer = clock.after(startedAt + args.timeout_seconds * SECOND_MS - clock.now(), stop);
			latest = submissionView.parse(JSON.parse(data));
			progress.note(latest.status);
			if (event === "terminal") return toOutcome(latest, { isDone: true, detail: args.detail });
		}
		if (latest === null) throw new ToolRefusal({ code: "INTERNAL_ERROR", message: "The stream ended before its first event." });
		return toOutcome(latest, { isDone: false, detail: args.detail });
	} finally {
		call.signal.removeEventListener("abort", stop);
		stopProgress();
		stopTimer();
		stop();
	}
}

/** Reports progress in seconds, which must increase with each notification. */
function reportProgress({ ctx, report }: ToolCall, total: number, startedAt: number) {
	let last = -1;
	let status = "";
	const send = () => {
		const progress = Math.max(last + 0.001, (ctx.clock.now() - startedAt) / SECOND_MS);
		last = progress;
		report?.({ progress, total: Math.max(total, progress), message: `The submission is ${status}.` });
	};
	const note = (present: string) => {
		if (present === status) return;
		status = present;
		send();
	};
	return { send, note };
}

function toOutcome(
	submission: SubmissionState,
	{ isDone, detail }: { isDone: boolean; detail: "compact" | "full" },
): ToolOutcome<"wait_for_score"> {
	const { id, task_id, status, scores, position, dimensions, error_message, waiting_for, artifact } = submission;
	const brief = dimensions.map(({ criterion_name, score, potential_points, reasoning }) => {
		return { criterion_name, score, potential_points, reasoning: shorten(reasoning, MAX_REASONING_CHARACTERS) };
	});
	const compact = {
		submission_id: id,
		task_id,
		done: isDone,
		status,
		final_score: scores?.final_score ?? null,
		position,
		dimensions: brief,
		...(error_message === undefined ? {} : { error_message }),
		...(waiting_for === undefined ? {} : { waiting_for }),
		next: nextStep(submission, isDone),
	};
	const links: Link[] =
		artifact === null || detail === "compact" ? [] : [{ uri: artifact.url, name: `${id}.zip`, mimeType: "application/zip" }];
	return { result: show(detail, compact, submission), links };
}

function nextStep({ status, quota }: SubmissionState, isDone: boolean): string {
	if (!isDone)
		return status === "registered"
			? "Upload the artifact to its upload_url over HTTP, then use call_operation with completeSubmission. It is judged after that."
			: "Call wait_for_score again.";
	if (status === "failed") return "Read error_message, repair the files, run check_files, then submit_files.";
	if (status === "evaluation_failed")
		return "The platform could not judge it. Call submit_files again, or call_operation with requestReEvaluation.";
	if (quota.remaining === 0) return "No submissions are left on this task. Call find_tasks for another.";
	return `Improve the criteria with the most potential_points, then call submit_files again: ${quota.remaining} submissions are left.`;
}
