// These tools read files of submissions, attachments of tasks, the documentation.
import { listAttachments } from "../../competition/attachments/list-attachments.ts";
import { readSubmissionFile } from "../../competition/submissions/read-submission-file.ts";
import { searchDocs } from "../site/search-docs.ts";
import { invalidArguments, ToolRefusal } from "./endpoint-client.ts";
import { docsUri } from "./rules.ts";
import type { ToolCall, ToolOutcome } from "./tool-results.ts";
import type { ArgumentsOf } from "./tools.ts";

/** The limit counts Unicode code points. A longer text would fill the context of a model. */
const MAX_TEXT_CHARACTERS = 50_000;
const MAX_BINARY_BYTES = 1_048_576;
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
