// wait_for_score follows the submission's event stream until there is a score or the time is up.

import { type Fields, isFields } from "../../domain/tool-arguments.ts";
import { SECOND_MS } from "../../platform/clock.ts";
import { readEvents } from "../../platform/read-events.ts";
import { getOperation, invalidArguments, parseRefusal, ToolRefusal, withArgumentNames } from "./endpoint-client.ts";
import { pickFields } from "./results.ts";
import type { OwnResult, ToolCall } from "./tool-call.ts";
import { type Call, DEFAULT_WAIT_SECONDS, MAX_WAIT_SECONDS } from "./tool-row.ts";

/** The interval between progress notifications. With each one, clients reset their own time limit. */
export const PROGRESS_EVERY_MS = 5 * SECOND_MS;

/**
 * Waits for the score, and returns the state of the submission at the end.
 * The stream begins with the current state, so calling the tool again resumes the wait.
 */
export const waitForScore: OwnResult = async (call, args, chosen) => {
	const { clock } = call.ctx;
	const seconds = readSeconds(args["timeout_seconds"]);
	const response = await openStream(call, args);
	const reader = response.body?.getReader();
	if (reader === undefined || chosen === null) throw new Error("The stream has no body, or no operation was chosen.");
	const stop = () => void reader.cancel().catch(() => undefined);
	const startedAt = clock.now();
	const progress = reportProgress(call, seconds, startedAt);
	const stopProgress = clock.every(PROGRESS_EVERY_MS, progress.send);
	let stopTimer = () => {};
	call.signal.addEventListener("abort", stop);
	try {
		let latest: Fields | null = null;
		for await (const { event, data } of readEvents(reader)) {
			const json: unknown = JSON.parse(data);
			if (event === "error") throw parseRefusal(json);
			// The time starts with the first event, so that a wait of 0 seconds reads the current state.
			if (latest === null) stopTimer = clock.after(startedAt + seconds * SECOND_MS - clock.now(), stop);
			latest = isFields(json) ? json : {};
			progress.note(String(latest["status"]));
			if (event === "terminal") return viewSubmission(latest, { isDone: true, args, chosen });
		}
		if (latest === null) throw new ToolRefusal({ code: "INTERNAL_ERROR", message: "The stream ended before its first event." });
		return viewSubmission(latest, { isDone: false, args, chosen });
	} finally {
		call.signal.removeEventListener("abort", stop);
		stopProgress();
		stopTimer();
		stop();
	}
};

function readSeconds(given: unknown): number {
	if (typeof given !== "number") return DEFAULT_WAIT_SECONDS;
	if (given < 0) throw invalidArguments([{ path: "timeout_seconds", message: "must be at least 0" }]);
	if (given > MAX_WAIT_SECONDS) throw invalidArguments([{ path: "timeout_seconds", message: `must be at most ${MAX_WAIT_SECONDS}` }]);
	return given;
}

async function openStream({ api, ctx }: ToolCall, { submission_id }: Fields): Promise<Response> {
	try {
		return await api.open(await getOperation(ctx, "streamSubmission"), { params: { id: String(submission_id) } });
	} catch (error) {
		throw error instanceof ToolRefusal ? withArgumentNames(error, { submission_id: "id" }) : error;
	}
}

/** Reports progress in seconds, because progress must increase with each notification. */
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

function viewSubmission(submission: Fields, { isDone, args, chosen }: { isDone: boolean; args: Fields; chosen: Call }): Fields {
	const picked = pickFields(chosen.picks, submission, { args, isFull: args["detail"] === "full" });
	return { ...picked, done: isDone, next: nextStep(submission, isDone) };
}

function nextStep({ status, quota }: Fields, isDone: boolean): string {
	if (!isDone)
		return status === "registered"
			? "Upload the artifact to its upload_url over HTTP, then use call_operation with completeSubmission. The submission is judged after that."
			: "Call wait_for_score again.";
	if (status === "failed") return "Read error_message, repair the files, run check_files, then submit_files.";
	if (status === "evaluation_failed")
		return "It could not be judged: error_message says why. Use call_operation with requestReEvaluation, or change the files and call submit_files.";
	const remaining = isFields(quota) ? quota["remaining"] : 0;
	if (remaining === 0) return "No submissions are left on this task. Call find_tasks for another.";
	return `Improve the criteria with the most potential_points, then call submit_files again. Submissions left: ${String(remaining)}.`;
}
