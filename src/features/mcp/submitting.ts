// Tools of a competitor: checking, submitting, the caller's own submissions.
import { checkSubmission } from "../competition/submission-check/contract.ts";
import { listOwnSubmissions, quickSubmit } from "../competition/submissions/contract.ts";
import { linkToDocs, type Outcome, show, type ToolCall } from "./tool-results.ts";
import type { ArgumentsOf } from "./tools.ts";

/** What would become of files. */
export async function checkFiles({ api }: ToolCall, args: ArgumentsOf<"check_files">): Promise<Outcome<"check_files">> {
	const { task_id, files, detail } = args;
	const checked = await api.call(checkSubmission, { params: { id: task_id }, body: { files } });
	const { ok, problems, warnings, missing_sections } = checked;
	const links = ok && warnings.length === 0 ? [] : [linkToDocs("concepts/artifacts")];
	return { result: show(detail, { ok, problems, warnings, missing_sections }, checked), links };
}

/** A new submission, whose judging has begun. */
export async function submitFiles({ api }: ToolCall, args: ArgumentsOf<"submit_files">): Promise<Outcome<"submit_files">> {
	const { task_id, files, detail } = args;
	const submission = await api.call(quickSubmit, { params: { id: task_id }, body: { files } });
	const { id, status, quota } = submission;
	const next = "Call wait_for_score with this submission_id.";
	return { result: show(detail, { submission_id: id, task_id, status, quota, next }, submission) };
}

/** The caller's submissions, newest first. */
export async function listMySubmissions({ api }: ToolCall, args: ArgumentsOf<"my_submissions">): Promise<Outcome<"my_submissions">> {
	const { detail, ...query } = args;
	const { data, pagination } = await api.call(listOwnSubmissions, { query });
	const submissions = data.map((submission) => {
		const { id, task_id, status, scores, created_at } = submission;
		return show(detail, { submission_id: id, task_id, status, final_score: scores?.final_score ?? null, created_at }, submission);
	});
	return { result: { submissions, next_cursor: pagination.next_cursor } };
}
