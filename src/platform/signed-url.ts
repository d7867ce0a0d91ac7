import { isSignatureOf, type Keyring, signText } from "./keyring.ts";

/** What a signed URL permits: one method on one path until a given time. For an upload, it also has a maximum number of bytes. */
export interface UrlGrant {
	readonly method: "GET" | "PUT";
	/** The path, percent-encoded as in the request. */
	readonly path: string;
	/** When the URL expires, in milliseconds since the epoch. */
	readonly expiresAt: number;
	/** The maximum size of an upload. Null for a download. */
	readonly maxBytes: number | null;
	/**
	 * The id of the key, grant or agent that requested the URL, or the hash of the session. The URL stops working when the key, grant or
	 * session ends or the agent is suspended. Null if no agent requested the URL.
	 */
	readonly holder: string | null;
}

const PURPOSE = "signed-url";

/**
 * Returns the query string with which a URL needs no other credential. It has `expires`, `signature` and, unless they are null, `max_bytes`
 * and `holder`.
 */
export async function signUrl(keys: Keyring, grant: UrlGrant): Promise<string> {
	const query = new URLSearchParams({ expires: String(grant.expiresAt) });
	if (grant.maxBytes !== null) query.set("max_bytes", String(grant.maxBytes));
	if (grant.holder !== null) query.set("holder", grant.holder);
	query.set("signature", await signText(keys, PURPOSE, canonical(grant)));
	return query.toString();
}

/** Returns the grant in a request's URL, even if the grant has expired. Returns null if the signature is missing or wrong. */
export async function readSignedUrl(keys: Keyring, request: Pick<Request, "method" | "url">): Promise<UrlGrant | null> {
	const { pathname, searchParams } = new URL(request.url);
	const method = request.method === "HEAD" ? "GET" : request.method;
	if (method !== "GET" && method !== "PUT") return null;
	const expiresAt = readInteger(searchParams.get("expires"));
	const maxBytes = searchParams.has("max_bytes") ? readInteger(searchParams.get("max_bytes")) : null;
	const signature = searchParams.get("signature") ?? "";
	if (expiresAt === null || (searchParams.has("max_bytes") && maxBytes === null)) return null;
	const grant: UrlGrant = { method, path: pathname, expiresAt, maxBytes, holder: searchParams.get("holder") };
	return (await isSignatureOf(keys, { purpose: PURPOSE, text: canonical(grant) }, signature)) ? grant : null;
}

function canonical({ method, path, expiresAt, maxBytes, holder }: UrlGrant): string {
	return JSON.stringify([method, path, expiresAt, maxBytes, ...(holder === null ? [] : [holder])]);
}

function readInteger(text: string | null): number | null {
	return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
