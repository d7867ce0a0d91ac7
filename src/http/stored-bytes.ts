// This file serves all bytes that users have stored: attachments, artifacts, test suites, workspace files.

export interface ByteRange {
	readonly offset: number;
	readonly length: number;
}

/** No browser runs the bytes as a page of this origin: `sandbox` takes away origin, scripts and forms. */
const POLICY = "sandbox; default-src 'none'";

/** Responds with stored bytes: 206 for a range. `nosniff` and `Cache-Control` come from the middlewares. */
export function serveStoredBytes({
	body,
	sizeBytes,
	etag,
	contentType,
	contentDisposition,
	range,
}: {
	/** It is null for a HEAD request. */
	readonly body: ReadableStream | null;
	/** The whole object has this size, also if `range` is a part of it. */
	readonly sizeBytes: number;
	/** The ETag has its quotes. */
	readonly etag: string;
	readonly contentType: string;
	readonly contentDisposition: string;
	/** The body is this part, or the whole object if null. It is undefined where ranges are not served. */
	readonly range?: ByteRange | null;
}): Response {
	return new Response(body, {
		status: range == null ? 200 : 206,
		headers: {
			"Content-Type": contentType,
			"Content-Length": String(range?.length ?? sizeBytes),
			"Content-Disposition": contentDisposition,
			"Content-Security-Policy": POLICY,
			ETag: etag,
			...(range === undefined ? {} : { "Accept-Ranges": "bytes" }),
			...(range == null ? {} : { "Content-Range": `bytes ${range.offset}-${range.offset + range.length - 1}/${sizeBytes}` }),
		},
	});
}

/** Responds with an object of the bucket as an attachment of this name. */
export function serveObject({ body, size, httpEtag }: R2ObjectBody, contentType: string, filename: string): Response {
	return serveStoredBytes({ body, sizeBytes: size, etag: httpEtag, contentType, contentDisposition: contentDisposition(filename) });
}

/** Contracts announce these headers for such a response. */
export const STORED_BYTES_HEADERS = { "Content-Disposition": "The file's name.", ETag: "Version of the bytes." } as const;

/**
 * Makes a `Content-Disposition` (RFC 6266): an ASCII name for old clients, and the exact name in `filename*` if it differs.
 * `inline` is only for types in which nothing can run.
 */
export function contentDisposition(filename: string, disposition: "inline" | "attachment" = "attachment"): string {
	const ascii = filename.replace(/[^\x20-\x7e]/g, "_").replace(/["\\%]/g, "_");
	if (ascii === filename) return `${disposition}; filename="${ascii}"`;
	const exact = encodeURIComponent(filename).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
	return `${disposition}; filename="${ascii}"; filename*=UTF-8''${exact}`;
}
