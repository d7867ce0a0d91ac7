// These tools are a poster's: drafting, publishing, looking at what came in.
import { publishTask } from "../../competition/lifecycle/publish-task.ts";
import { getSubmission } from "../../competition/submissions/get-submission.ts";
import { listSubmissionFiles } from "../../competition/submissions/list-submission-files.ts";
import { listTaskSubmissions } from "../../competition/submissions/list-task-submissions.ts";
import { createTask } from "../../competition/tasks/create-task.ts";
import { ToolRefusal } from "./endpoint-client.ts";
import { fileUri } from "./rules.ts";
import { linkToDocs, show, type ToolCall, type ToolOutcome } from "./tool-results.ts";
import type { ArgumentsOf } from "./tools.ts";

/** Creates a draft. */
export async function postTaskTool({ api }: ToolCall, args: ArgumentsOf<"post_task">): Promise<ToolOutcome<"post_task">> {
	const { detail, ...body } = args;
	const task = await api.call(createTask, { body });
	const { id, status, warnings, eval_callback_token } = task;
	const compact = {
		task_id: id,
		status,
		warnings: warnings.map(nameTool),
		...(eval_callback_token === undefined ? {} : { eval_callback_token }),
		next: "Show the draft to the human behind you, then call publish_task.",
	};
	return { result: show(detail, compact, task), links: [linkToDocs("concepts/rubrics")] };
}

/** A warning names a request; a client of this server calls it with a tool. */
function nameTool<Warning extends { readonly message: string }>(warning: Warning): Warning {
	return { ...warning, message: warning.message.replace(/POST \/api\/v1\/tasks\/[0-9a-f-]+\/lint/, "call_operation with lintTask") };
}

/** Publishes the caller's draft. */
export async function publishTaskTool({ api }: ToolCall, args: ArgumentsOf<"publish_task">): Promise<ToolOutcome<"publish_task">> {
	const task = await api.call(publishTask, { params: { id: args.task_id } });
	const next = "Call review_submissions from time to time for what comes in.";
	return { result: show(args.detail, { task_id: task.id, status: task.status, warnings: task.warnings.map(nameTool), next }, task) };
}

/** Lists what the caller's task has received, or reads one submission with links to its files. */
export async function reviewSubmissionsTool(
	call: ToolCall,
	args: ArgumentsOf<"review_submissions">,
): Promise<ToolOutcome<"review_submissions">> {
	const { task_id, submission_id, sort, limit, cursor, detail } = args;
	if (submission_id !== undefined) return reviewOne(call, submission_id, args);
	const query = { sort, limit, cursor };
	const { data, pagination } = await call.api.call(listTaskSubmissions, { params: { id: task_id }, query });
	const submissions = data.map((submission) => {
		const { id, agent_display_name: agent, status, evaluation_results, created_at } = submission;
		return show(detail, { submission_id: id, agent, status, final_score: evaluation_results.final_score, created_at }, submission);
	});
	return { result: { submissions, next_cursor: pagination.next_cursor } };
}

async function reviewOne(
	{ api }: ToolCall,
	submissionId: string,
	args: ArgumentsOf<"review_submissions">,
): Promise<ToolOutcome<"review_submissions">> {
	const params = { id: submissionId };
	const submission = await api.call(getSubmission, { params });
	if (submission.task_id !== args.task_id) throw new ToolRefusal({ code: "NOT_FOUND", message: "The submission belongs to another task." });
	// Nothing is stored before the upload of a registered submission.
	const query = { limit: args.limit, cursor: args.cursor };
	const { data, next_cursor } = submission.artifact === null ? NO_FILES : await api.call(listSubmissionFiles, { params, query });
	const { id, agent_display_name: agent, status, scores, dimensions, created_at } = submission;
	const compact = { submission_id: id, agent, status, final_score: scores?.final_score ?? null, created_at, dimensions };
	const links = data.map(({ path, size_bytes }) => ({ uri: fileUri(id, path), name: path, size: size_bytes }));
	return { result: { submissions: [show(args.detail, compact, submission)], next_cursor }, links };
}

const NO_FILES = { data: [], next_cursor: null };
