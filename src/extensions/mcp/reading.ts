// read_file reads a file of a submission or an attachment of a task, in pieces that fit into a model's context.

import { type Fields, isFields } from "../../domain/tool-arguments.ts";
import { getOperation, invalidArguments, ToolRefusal, withArgumentNames } from "./endpoint-client.ts";
import type { OwnResult, ToolCall } from "./tool-call.ts";

/** The maximum length of a piece of text, as JSON. */
export const MAX_TEXT_CHARACTERS = 50_000;
/** The maximum length of a piece of a file that is not text, which is 40 KB in base64. */
export const MAX_PIECE_BYTES = 30_720;
/** Longer files are rejected before they are read. */
const MAX_FILE_BYTES = 10_485_760;

export const readFile: OwnResult = async (call, args) => {
	const offset = typeof args["offset"] === "number" ? args["offset"] : 0;
	if (offset < 0) throw invalidArguments([{ path: "offset", message: "must be at least 0" }]);
	const bytes = await readWhole(await openFile(call, args));
	const text = decodeText(bytes);
	return text === null ? pieceOfBytes(bytes, offset) : pieceOfText(text, offset);
};

async function openFile({ api, ctx }: ToolCall, { task_id, attachment_id, submission_id, path }: Fields): Promise<Response> {
	try {
		if (submission_id !== undefined && path !== undefined) {
			return await api.open(await getOperation(ctx, "readSubmissionFile"), { params: { id: String(submission_id), path: String(path) } });
		}
		if (task_id === undefined || attachment_id === undefined) {
			throw invalidArguments([{ path: "", message: "need task_id and attachment_id, or submission_id and path" }]);
		}
		const attachments = await api.call("listAttachments", { params: { id: String(task_id) } });
		const attachment = Array.isArray(attachments)
			? attachments.find((one: unknown) => isFields(one) && one["id"] === attachment_id)
			: undefined;
		if (!isFields(attachment))
			throw new ToolRefusal({ code: "NOT_FOUND", message: "The task has no such attachment. read_task lists its attachments." });
		return await api.follow(String(attachment["download_url"]));
	} catch (error) {
		const name = submission_id === undefined ? "task_id" : "submission_id";
		throw error instanceof ToolRefusal ? withArgumentNames(error, { [name]: "id" }) : error;
	}
}

async function readWhole(response: Response): Promise<Uint8Array> {
	if (Number(response.headers.get("Content-Length")) <= MAX_FILE_BYTES) return new Uint8Array(await response.arrayBuffer());
	await response.body?.cancel();
	throw new ToolRefusal({ code: "FILE_TOO_LARGE", message: "This tool reads files of at most 10 MB. Download this file over HTTP." });
}

/** Returns null for bytes that are not text. Text contains no NUL, and files in almost every other format do. */
function decodeText(bytes: Uint8Array): string | null {
	if (bytes.includes(0)) return null;
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
	} catch {
		return null;
	}
}

/** Characters are UTF-16 code units. A piece never ends inside a surrogate pair. */
function pieceOfText(text: string, offset: number): Fields {
	let end = Math.min(text.length, offset + MAX_TEXT_CHARACTERS);
	// A character takes up to six characters in JSON.
	while (JSON.stringify(text.slice(offset, end)).length - 2 > MAX_TEXT_CHARACTERS) end -= Math.ceil((end - offset) / 10);
	if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
	const isCut = end < text.length;
	return { text: text.slice(offset, end).toWellFormed(), truncated: isCut, total_characters: text.length, next_offset: isCut ? end : null };
}

function isHighSurrogate(unit: number): boolean {
	return unit >= 0xd800 && unit <= 0xdbff;
}

function pieceOfBytes(bytes: Uint8Array, offset: number): Fields {
	const end = Math.min(bytes.byteLength, offset + MAX_PIECE_BYTES);
	const isCut = end < bytes.byteLength;
	return { content_base64: bytes.slice(offset, end).toBase64(), total_bytes: bytes.byteLength, next_offset: isCut ? end : null };
}
