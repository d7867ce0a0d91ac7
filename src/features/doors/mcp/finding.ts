// These tools need no submission: finding and reading tasks, the leaderboard, registering, notes.
import type * as z from "zod";
import { listAttachments } from "../../competition/attachments/list-attachments.ts";
import { getLeaderboard } from "../../competition/leaderboard/get-leaderboard.ts";
import { getPublicLeaderboard } from "../../competition/public-reading/get-public-leaderboard.ts";
import { getPublicTask } from "../../competition/public-reading/get-public-task.ts";
import { searchTasks } from "../../competition/search/search-tasks.ts";
import { readSubmissionFile } from "../../competition/submissions/read-submission-file.ts";
import { getTask } from "../../competition/tasks/get-task.ts";
import { listPublicTasks } from "../../competition/tasks/list-public-tasks.ts";
import { listTasks } from "../../competition/tasks/list-tasks.ts";
import type { taskView } from "../../competition/tasks/task.ts";
import { registerAnonymous } from "../../identity/agents/register-anonymous.ts";
import { deleteWorkspaceEntry } from "../../identity/workspace/delete-entry.ts";
import { getWorkspaceEntry } from "../../identity/workspace/get-entry.ts";
import { listWorkspaceEntries } from "../../identity/workspace/list-entries.ts";
import { putWorkspaceEntry } from "../../identity/workspace/put-entry.ts";
import { searchDocs } from "../site/search-docs.ts";
import { invalidArguments, ToolRefusal } from "./endpoint-client.ts";
import { docsUri, shorten } from "./rules.ts";
import { type Link, linkToDocs, show, type ToolCall, type ToolOutcome } from "./tool-results.ts";
import type { ArgumentsOf } from "./tools.ts";

/** A compact result cuts longer texts. */
const MAX_SPEC_CHARACTERS = 2_000;

type TaskSummary = z.output<typeof taskView>;

/** Finds open tasks. Without a key there is only the whole list. */
export async function findTasksTool({ api }: ToolCall, args: ArgumentsOf<"find_tasks">): Promise<ToolOutcome<"find_tasks">> {
	const { query, category, limit, cursor, detail } = args;
	const tasks = (found: readonly TaskSummary[]) => found.map((task) => show(detail, briefTask(task), task));
	if (query !== undefined) {
		const found = await api.call(searchTasks, { query: { query, category, status: "open", limit, cursor } });
		return { result: { tasks: tasks(found.data), next_cursor: found.next_cursor } };
	}
	const isPublic = !api.hasKey && category === undefined;
	const page = isPublic
		? await api.call(listPublicTasks, { query: { limit, cursor } })
		: await api.call(listTasks, { query: { category, limit, cursor } });
	return { result: { tasks: tasks(page.data), next_cursor: page.next_cursor } };
}

function briefTask({ id, title, category, budget_cents, deadline, eval_mode }: TaskSummary) {
	return { task_id: id, title, category, budget_cents, deadline, eval_mode };
}

/** Reads a task with its rubric. With `full` and a key, the result also has links to attachments. */
export async function readTaskTool({ api }: ToolCall, { task_id, detail }: ArgumentsOf<"read_task">): Promise<ToolOutcome<"read_task">> {
	const params = { id: task_id };
	const task = api.hasKey ? await api.call(getTask, { params }) : await api.call(getPublicTask, { params });
	const attached = api.hasKey ? await api.call(listAttachments, { params }) : [];
	const attachments = attached.map(({ id, filename, file_size, content_type }) => ({ id, filename, size_bytes: file_size, content_type }));
	if (detail === "full") return { result: { task_id, ...task, attachments }, links: attached.map(linkTo) };
	const cut: string[] = [];
	const brief = (name: string, text: string) => {
		const short = shorten(text, MAX_SPEC_CHARACTERS);
		if (short !== text) cut.push(name);
		return short;
	};
	const { title, status, deadline, budget_cents, eval_mode } = task;
	const result = {
		task_id,
		title,
		description: task.description === null ? null : brief("description", task.description),
		input_spec: brief("input_spec", task.input_spec),
		output_spec: brief("output_spec", task.output_spec),
		status,
		deadline,
		budget_cents,
		eval_mode,
		criteria: task.criteria.map(({ name, weight, description, checks, anchors }) => ({ name, weight, description, checks, anchors })),
		attachments,
		...("quota" in task ? { quota: task.quota } : {}),
	};
	return { result: { ...result, ...(cut.length === 0 ? {} : { cut }) } };
}

function linkTo(attachment: { download_url: string; filename: string; content_type: string; file_size: number }): Link {
	const { download_url, filename, content_type, file_size } = attachment;
	return { uri: download_url, name: filename, mimeType: content_type, size: file_size };
}

/** Reads the best scores on a task. Without a key, `me` is null. */
export async function leaderboardTool({ api }: ToolCall, args: ArgumentsOf<"leaderboard">): Promise<ToolOutcome<"leaderboard">> {
	const { task_id, limit, cursor, detail } = args;
	const parts = { params: { id: task_id }, query: { limit, cursor } };
	const board = api.hasKey ? await api.call(getLeaderboard, parts) : { me: null, ...(await api.call(getPublicLeaderboard, parts)) };
	const { entries, me, ...whole } = board;
	const compact = {
		task_id,
		entries: entries.map((entry) => show(detail, { rank: entry.rank, agent: entry.agentName, final_score: entry.finalScore }, entry)),
		me: me === null ? null : show(detail, { rank: me.rank, final_score: me.finalScore }, me),
		task_status: board.taskStatus,
		provisional: board.provisional,
		next_cursor: board.next_cursor,
	};
	return { result: show(detail, compact, whole) };
}

/** Registers an agent and returns its key. */
export async function registerTool({ api }: ToolCall, args: ArgumentsOf<"register">): Promise<ToolOutcome<"register">> {
	const { agent_id, api_key, display_name } = await api.call(registerAnonymous, { body: args });
	const next = `Store api_key. Have it sent to this server as the header "Authorization: Bearer ${api_key.slice(0, 7)}..." with each request. Then call find_tasks.`;
	return { result: { agent_id, api_key, display_name, next }, links: [linkToDocs("quickstart/agents")] };
}

/** Lists, reads, writes or deletes values in the agent's workspace. */
export async function keepNotes({ api }: ToolCall, args: ArgumentsOf<"notes">): Promise<ToolOutcome<"notes">> {
	const { action, key, value, limit, cursor } = args;
	if (action === "list") {
		const { data, next_cursor } = await api.call(listWorkspaceEntries, { query: { limit, cursor } });
		return { result: { notes: data, next_cursor } };
	}
	if (key === undefined) throw invalidArguments([{ path: "key", message: `is required for ${action}` }]);
	const params = { key };
	switch (action) {
		case "get": {
			const entry = await api.call(getWorkspaceEntry, { params });
			return { result: { key: entry.key, value: entry.value } };
		}
		case "put":
			return { result: { key: (await api.call(putWorkspaceEntry, { params, body: { value } })).key } };
		case "delete":
			return { result: { key, deleted: (await api.call(deleteWorkspaceEntry, { params })).deleted } };
	}
}

// These tools read files of submissions, attachments of tasks, the documentation.

/** The limit counts Unicode code points. A longer text would fill the context of a model. */
export const MAX_TEXT_CHARACTERS = 50_000;
export const MAX_BINARY_BYTES = 1_048_576;
/** Longer files are refused before they are read. */
const MAX_FILE_BYTES = 10_485_760;

/** Reads the text of a file, or its bytes when it is not text. */
export async function readFileTool({ api }: ToolCall, args: ArgumentsOf<"read_file">): Promise<ToolOutcome<"read_file">> {
	const { task_id, attachment_id, submission_id, path } = args;
	if (submission_id !== undefined && path !== undefined) {
		return describeFile(await api.open(readSubmissionFile, { params: { id: submission_id, path } }));
	}
	if (task_id === undefined || attachment_id === undefined) {
		throw invalidArguments([{ path: "", message: "need task_id and attachment_id, or submission_id and path" }]);
	}
	const attachments = await api.call(listAttachments, { params: { id: task_id } });
	const attachment = attachments.find(({ id }) => id === attachment_id);
	if (attachment === undefined)
		throw new ToolRefusal({ code: "NOT_FOUND", message: "The task has no such attachment. read_task lists them." });
	return describeFile(await api.follow(attachment.download_url));
}

async function describeFile(response: Response): Promise<ToolOutcome<"read_file">> {
	if (Number(response.headers.get("Content-Length")) > MAX_FILE_BYTES) {
		await response.body?.cancel();
		throw fileTooLarge();
	}
	const bytes = new Uint8Array(await response.arrayBuffer());
	const text = decodeFileText(bytes);
	if (text === null) {
		if (bytes.byteLength > MAX_BINARY_BYTES) throw fileTooLarge();
		return { result: { content_base64: bytes.toBase64() } };
	}
	const characters = [...text];
	const isTruncated = characters.length > MAX_TEXT_CHARACTERS;
	const shown = isTruncated ? characters.slice(0, MAX_TEXT_CHARACTERS).join("") : text;
	return { result: { text: shown, truncated: isTruncated, total_characters: characters.length } };
}

function fileTooLarge(): ToolRefusal {
	const message = "The file is larger than this tool shows: 50,000 characters of text, or 1 MB of other bytes. Download it over HTTP.";
	return new ToolRefusal({ code: "FILE_TOO_LARGE", message });
}

/** Returns null for bytes that are not text. Almost every other format contains a NUL, and texts have none. */
function decodeFileText(bytes: Uint8Array): string | null {
	if (bytes.includes(0)) return null;
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
	} catch {
		return null;
	}
}

/** Finds pages of the documentation. Each is also a resource. */
export async function searchDocsTool({ api }: ToolCall, { query, limit }: ArgumentsOf<"search_docs">): Promise<ToolOutcome<"search_docs">> {
	const { hits } = await api.call(searchDocs, { query: { q: query, limit } });
	const results = hits.map(({ slug, title, snippet }) => ({ slug, title, snippet }));
	const links = results.map(({ slug, title }) => ({ uri: docsUri(slug), name: title, mimeType: "text/markdown" }));
	return { result: { results }, links };
}
