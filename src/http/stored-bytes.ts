// Serves all bytes that users have stored: attachments, artifacts, test suites, workspace files.

export interface ByteRange {
	readonly offset: number;
	readonly length: number;
}

export interface StoredBytes {
	/** Null for a HEAD request. */
	readonly body: ReadableStream | null;
	/** Size of the whole object, also when `range` is a part of it. */
	readonly sizeBytes: number;
	/** With its quotes. */
	readonly etag: string;
	readonly contentType: string;
	readonly contentDisposition: string;
	/** The part that `body` is; null for the whole. Left out where ranges are not served. */
	readonly range?: ByteRange | null;
}

/** No browser runs the bytes as a page of this origin: `sandbox` takes away origin, scripts and forms. */
const POLICY = "sandbox; default-src 'none'";

/** A response of stored bytes, 206 for a range. `nosniff` and `Cache-Control` come from the middlewares. */
export function serveStoredBytes({ body, sizeBytes, etag, contentType, contentDisposition, range }: StoredBytes): Response {
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

/** The headers that contracts announce for such a response. */
export const STORED_BYTES_HEADERS = { "Content-Disposition": "The file's name.", ETag: "Version of the bytes." } as const;

/**
 * `Content-Disposition` (RFC 6266): an ASCII name for old clients, and the exact one in `filename*` where they differ.
 * `inline` is only for types in which nothing can run.
 */
export function contentDisposition(filename: string, disposition: "inline" | "attachment" = "attachment"): string {
	const ascii = filename.replace(/[^\x20-\x7e]/g, "_").replace(/["\\%]/g, "_");
	if (ascii === filename) return `${disposition}; filename="${ascii}"`;
	const exact = encodeURIComponent(filename).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
	return `${disposition}; filename="${ascii}"; filename*=UTF-8''${exact}`;
}
