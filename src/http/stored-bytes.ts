// Serves all bytes that users have stored: attachments, artifacts and their files, test suites, workspace files.

import { matchesTag, parseEntityTags } from "../domain/entity-tags.ts";
import { AppError } from "../domain/errors.ts";
import { entityTags } from "./entity-tags.ts";
import { headerText } from "./fields.ts";

export interface ByteRange {
	readonly offset: number;
	readonly length: number;
}

/** The request headers of contracts that use {@link chooseBytes}. */
export const STORED_BYTES_CONDITIONS = {
	"if-none-match": entityTags("Returns 304 if the bytes have one of these ETags."),
	range: headerText.optional().describe("One range of bytes, such as `bytes=0-1023`."),
	"if-range": headerText
		.optional()
		.describe("The range applies only if the current ETag of the bytes has this value. Otherwise, all bytes are returned."),
};

/** The response headers that contracts declare. */
export const STORED_BYTES_HEADERS = {
	"Content-Disposition": "The file's name.",
	ETag: "The version of the bytes.",
	"Accept-Ranges": "`bytes`.",
	"Content-Range": "For a range: which bytes, and the total size.",
} as const;

/** Returns a contract's responses to requests for stored bytes, except the response with all bytes. */
export function partsOfBytes(contentType: string) {
	return [
		{ status: 206, description: "The range of bytes.", contentType },
		{ status: 304, description: "The bytes have not changed. You already have them." },
	] as const;
}

const EXAMPLE_ETAG = '"01a23616e5c071fe868e72581ec4421f"';
export const EXAMPLE_CONDITIONS = { "if-none-match": EXAMPLE_ETAG, range: "bytes=0-1023", "if-range": EXAMPLE_ETAG } as const;

/** Which of the stored bytes a request wants. */
export interface WantedBytes {
	/** The part that the request wants. Null for all bytes. */
	readonly range: ByteRange | null;
	/** True for a HEAD request, whose response has only the headers. */
	readonly isHead: boolean;
}

/**
 * Decides which of the stored bytes a request wants (RFC 9110, sections 13 and 14). Only GET requests have ranges. With `If-Range`, a range
 * applies only if the header contains exactly the current tag.
 *
 * @param stored The ETag includes its quotes.
 * @returns The response 304 if the client has these bytes already.
 * @throws AppError `RANGE_NOT_SATISFIABLE`.
 */
export function chooseBytes(
	{ method, headers }: Pick<Request, "method" | "headers">,
	{ etag, sizeBytes }: { readonly etag: string; readonly sizeBytes: number },
): Response | WantedBytes {
	const ifNoneMatch = headers.get("If-None-Match");
	const tags = ifNoneMatch === null ? null : parseEntityTags(ifNoneMatch);
	if (tags !== null && matchesTag(tags, etag.slice(1, -1))) return new Response(null, { status: 304, headers: { ETag: etag } });
	if (method === "HEAD") return { range: null, isHead: true };
	const isCurrent = (headers.get("If-Range")?.trim() ?? etag) === etag;
	const range = isCurrent ? resolveRange(headers.get("Range"), sizeBytes) : null;
	if (range !== "unsatisfiable") return { range, isHead: false };
	throw new AppError("RANGE_NOT_SATISFIABLE", { headers: { "Content-Range": `bytes */${sizeBytes}` } });
}

/**
 * Parses the single range in a `Range` header (RFC 9110, section 14), and clips it to the file.
 *
 * @returns Null, which means the whole file, if the header has no range or several ranges, or another unit or form.
 */
export function resolveRange(header: string | null, sizeBytes: number): ByteRange | "unsatisfiable" | null {
	const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.replace(/\s/g, "") ?? "");
	const [, first = "", last = ""] = match ?? [];
	if (first === "" && last === "") return null;
	if (first === "") return cutRange(Math.max(0, sizeBytes - Number(last)), sizeBytes - 1, sizeBytes);
	if (last !== "" && Number(last) < Number(first)) return null;
	return cutRange(Number(first), last === "" ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1), sizeBytes);
}

function cutRange(first: number, last: number, sizeBytes: number): ByteRange | "unsatisfiable" {
	return first >= sizeBytes ? "unsatisfiable" : { offset: first, length: last - first + 1 };
}

/** Keeps browsers from running the bytes as a page of this origin: `sandbox` denies such a page its origin, scripts and forms. */
const POLICY = "sandbox; default-src 'none'";

/** Responds with stored bytes, or with 206 for a range. The middlewares add `nosniff` and `Cache-Control`. */
export function serveStoredBytes({
	body,
	sizeBytes,
	etag,
	contentType,
	contentDisposition,
	range,
}: {
	/** The body of the response. Null for a HEAD request. */
	readonly body: ReadableStream | null;
	/** The size of the whole object, even if `range` is only a part of it. */
	readonly sizeBytes: number;
	/** The ETag includes its quotes. */
	readonly etag: string;
	readonly contentType: string;
	readonly contentDisposition: string;
	/** The part in the body. Null for the whole object. */
	readonly range: ByteRange | null;
}): Response {
	return new Response(body, {
		status: range === null ? 200 : 206,
		headers: {
			"Content-Type": contentType,
			"Content-Length": String(range?.length ?? sizeBytes),
			"Content-Disposition": contentDisposition,
			"Content-Security-Policy": POLICY,
			ETag: etag,
			"Accept-Ranges": "bytes",
			...(range === null ? {} : { "Content-Range": `bytes ${range.offset}-${range.offset + range.length - 1}/${sizeBytes}` }),
		},
	});
}

/**
 * Responds with an object of the bucket, or only with the part that the request wants. Returns null if the object does not exist.
 *
 * @throws AppError `RANGE_NOT_SATISFIABLE`.
 */
export async function serveObject(
	bucket: Pick<R2Bucket, "get" | "head">,
	{
		key,
		request,
		describe,
	}: {
		readonly key: string;
		readonly request: Request;
		readonly describe: (object: R2Object) => { readonly contentType: string; readonly contentDisposition: string };
	},
): Promise<Response | null> {
	const serve = (object: R2Object, body: ReadableStream | null, range: ByteRange | null) =>
		serveStoredBytes({ body, sizeBytes: object.size, etag: object.httpEtag, range, ...describe(object) });
	if (isUnconditional(request)) {
		const object = await bucket.get(key);
		return object === null ? null : serve(object, object.body, null);
	}
	const head = await bucket.head(key);
	if (head === null) return null;
	const selection = chooseBytes(request, { etag: head.httpEtag, sizeBytes: head.size });
	if (selection instanceof Response) return selection;
	if (selection.isHead) return serve(head, null, null);
	const object = await bucket.get(key, selection.range === null ? {} : { range: selection.range });
	return object === null ? null : serve(object, object.body, selection.range);
}

/** Returns true for a plain download, which needs only one call to the bucket. */
function isUnconditional({ method, headers }: Request): boolean {
	return method === "GET" && !headers.has("If-None-Match") && !headers.has("Range");
}

/** Returns a `describe` function for {@link serveObject}: the file has this type, and is downloaded under this name. */
export function asDownload(contentType: string, filename: string) {
	return () => ({ contentType, contentDisposition: contentDisposition(filename) });
}

/**
 * Formats a `Content-Disposition` (RFC 6266): an ASCII name for old clients, and the exact name in `filename*` if it differs. `inline` is
 * only for types that cannot contain scripts.
 */
export function contentDisposition(filename: string, disposition: "inline" | "attachment" = "attachment"): string {
	const ascii = filename.replace(/[^\x20-\x7e]/g, "_").replace(/["\\%]/g, "_");
	if (ascii === filename) return `${disposition}; filename="${ascii}"`;
	const exact = encodeURIComponent(filename).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
	return `${disposition}; filename="${ascii}"; filename*=UTF-8''${exact}`;
}
