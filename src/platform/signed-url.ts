import { isSignatureOf, type Keyring, signText } from "./keyring.ts";

/** A signed URL permits one method on one path until a time, and for an upload a maximum of bytes. */
export interface UrlGrant {
	readonly method: "GET" | "PUT";
	/** The path is percent-encoded as it is sent. */
	readonly path: string;
	/** In milliseconds since the epoch. */
	readonly expiresAt: number;
	/** Null for a download. */
	readonly maxBytes: number | null;
	/**
	 * The key, the grant, the session (by its hash) or the agent that got the URL. The URL ends with it. Null for a URL that no agent got.
	 */
	readonly holder: string | null;
}

const PURPOSE = "signed-url";

/** Makes the query string (`expires`, `max_bytes`, `signature`) with which a URL is its own credential. `holder` is in it where there is one. */
export async function signUrl(keys: Keyring, grant: UrlGrant): Promise<string> {
	const query = new URLSearchParams({ expires: String(grant.expiresAt) });
	if (grant.maxBytes !== null) query.set("max_bytes", String(grant.maxBytes));
	if (grant.holder !== null) query.set("holder", grant.holder);
	query.set("signature", await signText(keys, PURPOSE, canonical(grant)));
	return query.toString();
}

/** Returns the grant of a request's URL, expired or not, or null if its signature is missing or wrong. */
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
