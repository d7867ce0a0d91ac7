// This file calls a tool's verb by the tool's name, and turns what happens into a result.
import type { CallToolResult } from "@modelcontextprotocol/server";
import type * as z from "zod";
import { ERRORS } from "../../../domain/errors.ts";
import type { EndpointContract } from "../../../http/endpoint.ts";
import { describeIssue, faultsOf } from "../../../http/validation.ts";
import { describeError } from "../../../platform/log.ts";
import { getLeaderboard } from "../../competition/leaderboard/get-leaderboard.ts";
import { publishTask } from "../../competition/lifecycle/publish-task.ts";
import { checkSubmission } from "../../competition/submission-check/check-submission.ts";
import { listSubmissions } from "../../competition/submissions/list-submissions.ts";
import { listTaskSubmissions } from "../../competition/submissions/list-task-submissions.ts";
import { quickSubmit } from "../../competition/submissions/quick-submit.ts";
import { readSubmissionFile } from "../../competition/submissions/read-submission-file.ts";
import { createTask } from "../../competition/tasks/create-task.ts";
import { getTask } from "../../competition/tasks/get-task.ts";
import { listTasks } from "../../competition/tasks/list-tasks.ts";
import { streamSubmission } from "../../events/streams/stream-submission.ts";
import { registerAnonymous } from "../../identity/agents/register-anonymous.ts";
import { listWorkspaceEntries } from "../../identity/workspace/list-entries.ts";
import { getOpenApiPiece } from "../site/get-openapi.ts";
import { searchDocs } from "../site/search-docs.ts";
import { invalidArguments, ToolRefusal } from "./endpoint-client.ts";
import { findTasksTool, keepNotes, leaderboardTool, readFileTool, readTaskTool, registerTool, searchDocsTool } from "./finding.ts";
import { callOperation, findOperations } from "./operations.ts";
import { postTaskTool, publishTaskTool, reviewSubmissionsTool } from "./posting.ts";
import { checkFilesTool, mySubmissionsTool, submitFilesTool, waitForScoreTool } from "./submitting.ts";
import { type ToolCall, type ToolOutcome, toToolError, toToolResult } from "./tool-results.ts";
import { TOOLS, type ToolName } from "./tools.ts";

type Verb = (call: ToolCall, given: unknown) => Promise<ToolOutcome<ToolName>>;

/** Makes a verb that parses its arguments first. */
function parsing<Input extends z.ZodObject>(
	{ input }: { readonly input: Input },
	verb: (call: ToolCall, args: z.output<Input>) => Promise<ToolOutcome<ToolName>>,
): Verb {
	return async (call, given) => {
		const parsed = input.safeParse(given, { error: describeIssue });
		if (!parsed.success) throw invalidArguments(faultsOf(parsed.error));
		return verb(call, parsed.data);
	};
}

const VERBS: Readonly<Record<ToolName, Verb>> = {
	find_tasks: parsing(TOOLS.find_tasks, findTasksTool),
	read_task: parsing(TOOLS.read_task, readTaskTool),
	check_files: parsing(TOOLS.check_files, checkFilesTool),
	submit_files: parsing(TOOLS.submit_files, submitFilesTool),
	wait_for_score: parsing(TOOLS.wait_for_score, waitForScoreTool),
	my_submissions: parsing(TOOLS.my_submissions, mySubmissionsTool),
	leaderboard: parsing(TOOLS.leaderboard, leaderboardTool),
	register: parsing(TOOLS.register, registerTool),
	post_task: parsing(TOOLS.post_task, postTaskTool),
	publish_task: parsing(TOOLS.publish_task, publishTaskTool),
	review_submissions: parsing(TOOLS.review_submissions, reviewSubmissionsTool),
	notes: parsing(TOOLS.notes, keepNotes),
	read_file: parsing(TOOLS.read_file, readFileTool),
	search_docs: parsing(TOOLS.search_docs, searchDocsTool),
	find_operations: parsing(TOOLS.find_operations, findOperations),
	call_operation: parsing(TOOLS.call_operation, callOperation),
};

/** Each tool corresponds to an endpoint. A call of the tool counts once against its rate class. */
export const ENDPOINT_OF_TOOL: Readonly<Record<ToolName, EndpointContract>> = {
	find_tasks: listTasks,
	read_task: getTask,
	check_files: checkSubmission,
	submit_files: quickSubmit,
	wait_for_score: streamSubmission,
	my_submissions: listSubmissions,
	leaderboard: getLeaderboard,
	register: registerAnonymous,
	post_task: createTask,
	publish_task: publishTask,
	review_submissions: listTaskSubmissions,
	notes: listWorkspaceEntries,
	read_file: readSubmissionFile,
	search_docs: searchDocs,
	find_operations: getOpenApiPiece,
	// The operation that is called decides instead: `rateOf` looks it up.
	call_operation: getOpenApiPiece,
};

/** Calls a tool. Every failure is a result that says what to do, because a model reads results and not error codes. */
export async function callTool(call: ToolCall, name: ToolName, given: unknown): Promise<CallToolResult> {
	try {
		return toToolResult(await VERBS[name](call, given));
	} catch (error) {
		if (error instanceof ToolRefusal) return toToolError(error);
		call.ctx.log.error("tool_failed", { request_id: call.ctx.requestId, tool: name, ...describeError(error) });
		return toToolError(new ToolRefusal({ code: "INTERNAL_ERROR", message: ERRORS.INTERNAL_ERROR.message }));
	}
}
