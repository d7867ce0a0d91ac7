// The resources of the MCP server: pages of the documentation, and files of submissions that the caller may see.
import { ProtocolError, ProtocolErrorCode, type ReadResourceResult, ResourceNotFoundError } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { PublicCtx } from "../../ports/deps.ts";
import { type EndpointClient, getOperation, ToolRefusal } from "./endpoint-client.ts";
import { docsUri, FILE_URI_TEMPLATE, parseDocsUri, parseFileUri } from "./rules.ts";

const MARKDOWN = "text/markdown";
/** A larger file would exceed a model's context many times over. */
const MAX_FILE_BYTES = 1_048_576;

/** The maximum length of a URI in an error. */
const MAX_URI_CHARACTERS = 200;

export const FILE_TEMPLATE = {
	uriTemplate: FILE_URI_TEMPLATE,
	name: "submission_file",
	description: "A file of your submission, or of a submission to your task. review_submissions lists the files. Needs a key.",
};

const docsList = z.object({ pages: z.array(z.object({ slug: z.string(), title: z.string(), description: z.string().nullable() })) });
const docsPage = z.object({ title: z.string(), body_md: z.string() });

/** Lists every page of the documentation. */
export async function listResources(api: EndpointClient) {
	const { pages } = docsList.parse(await api.call("listDocs"));
	const resources = pages.map(({ slug, title, description }) => {
		return { uri: docsUri(slug), name: slug, title, mimeType: MARKDOWN, ...(description === null ? {} : { description }) };
	});
	return { resources };
}

/** Reads a resource. @throws ProtocolError if it does not exist, or this caller cannot read it. */
export async function readResource(ctx: PublicCtx, api: EndpointClient, uri: string): Promise<ReadResourceResult> {
	const slug = parseDocsUri(uri);
	const file = parseFileUri(uri);
	const contents = await orProtocolError(async () => {
		if (slug !== null) return readDocsResource(api, slug);
		return file === null ? null : readFileResource(ctx, api, file);
	});
	if (contents === null) throw new ResourceNotFoundError(uri.slice(0, MAX_URI_CHARACTERS));
	return { contents: [{ uri, ...contents }] };
}

async function readDocsResource(api: EndpointClient, slug: string) {
	const { title, body_md } = docsPage.parse(await api.call("getDocsPage", { params: { slug } }));
	return { mimeType: MARKDOWN, text: `# ${title}\n\n${body_md}` };
}

async function readFileResource(ctx: PublicCtx, api: EndpointClient, { submissionId, path }: { submissionId: string; path: string }) {
	const response = await api.open(await getOperation(ctx, "readSubmissionFile"), { params: { id: submissionId, path } });
	const mimeType = response.headers.get("Content-Type") ?? "application/octet-stream";
	if (Number(response.headers.get("Content-Length")) > MAX_FILE_BYTES) throw await refuseLargeFile(response);
	const bytes = new Uint8Array(await response.arrayBuffer());
	if (mimeType.startsWith("text/")) return { mimeType, text: new TextDecoder().decode(bytes) };
	return { mimeType, blob: bytes.toBase64() };
}

async function refuseLargeFile(response: Response): Promise<ProtocolError> {
	await response.body?.cancel();
	const message = `The file has more than ${MAX_FILE_BYTES} bytes. read_file reads it in pieces.`;
	return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

/**
 * Turns a rejection into an error of the protocol, because resources, unlike tools, have no error results. Returns null if the resource
 * does not exist.
 */
async function orProtocolError<Result>(read: () => Promise<Result>): Promise<Result | null> {
	try {
		return await read();
	} catch (error) {
		if (!(error instanceof ToolRefusal)) throw error;
		if (error.code === "NOT_FOUND" || error.code === "INVALID_UUID") return null;
		throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${error.code}: ${error.message}`, { code: error.code });
	}
}
