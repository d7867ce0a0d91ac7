// Clients of the issuer: registered here, described by a document at the URL that is their id (client ID metadata document), or the command
// line.
import * as z from "zod";
import { commit } from "../../db/commit.ts";
import { isBlank, isOneLine } from "../../domain/one-line.ts";
import { SECOND_MS } from "../../platform/clock.ts";
import { exchange, findTargetFault, isLoopback, targetRulesOf } from "../../platform/outbound.ts";
import type { Deps } from "../../ports/deps.ts";
import type { StoredClient } from "../../ports/grants.ts";
import { CLI_CLIENT_ID, COMMAND_LINE } from "./command-line.ts";
import { DEVICE_GRANT_TYPE, DOCUMENT_TTL_MS } from "./rules.ts";
import { upsertClient } from "./statements.ts";
import { findClient as findRow } from "./store.ts";

const MAX_DOCUMENT_BYTES = 5 * 1024;
const DOCUMENT_TIMEOUT_MS = 5 * SECOND_MS;
const MAX_CLIENT_ID = 2_048;

/** Parses the record of a client, which the library or this file has written. */
const clientRecord = z.looseObject({
	clientId: z.string(),
	redirectUris: z.array(z.string()),
	tokenEndpointAuthMethod: z.string(),
	clientName: z.string().exactOptional(),
	clientUri: z.string().exactOptional(),
	grantTypes: z.array(z.string()).exactOptional(),
	responseTypes: z.array(z.string()).exactOptional(),
	clientSecret: z.string().exactOptional(),
});

/** Reads the client of a grant. Returns null if it is no longer stored. */
export function readClient({ clientId, record }: { readonly clientId: string; readonly record: string | null }): StoredClient | null {
	if (clientId === CLI_CLIENT_ID) return COMMAND_LINE;
	return record === null ? null : clientRecord.parse(JSON.parse(record));
}

/** Finds a client. Returns null if it is unknown or its document cannot be read. */
export async function findClient(deps: Deps, id: string): Promise<StoredClient | null> {
	if (id === CLI_CLIENT_ID) return COMMAND_LINE;
	if (id.length > MAX_CLIENT_ID) return null;
	const row = await findRow(deps, id);
	const storedClient = row === null ? null : clientRecord.parse(JSON.parse(row.record));
	if (!isDocumentUrl(deps, id)) return storedClient;
	if (storedClient !== null && (row?.fetchedAt ?? 0) > deps.clock.now() - DOCUMENT_TTL_MS) return storedClient;
	return fetchDocument(deps, id);
}

/** Returns true if the id is a URL with a path, which leads to a document. HTTP is allowed only for loopback in development. */
function isDocumentUrl({ config }: Deps, id: string): boolean {
	if (!URL.canParse(id)) return false;
	const url = new URL(id);
	const isLocal = url.protocol === "http:" && config.allowInsecureTargets && isLoopback(url.hostname);
	const isPlain = url.username === "" && url.password === "" && url.hash === "" && url.href === id;
	return (url.protocol === "https:" || isLocal) && isPlain && url.pathname !== "/";
}

const document = z.looseObject({
	client_id: z.string(),
	client_name: z.string().refine(isOneLine).trim().min(1).max(200),
	client_uri: z.url({ protocol: /^https?$/ }).optional(),
	redirect_uris: z.array(z.string().max(2_048)).min(1).max(50),
	grant_types: z.array(z.string()).optional(),
	response_types: z.array(z.string()).optional(),
	token_endpoint_auth_method: z.string().optional(),
	client_secret: z.never().optional(),
});

/** Fetches and stores the document of a client. Such a client has no secret: PKCE and its redirect URIs protect it. */
async function fetchDocument(deps: Deps, id: string): Promise<StoredClient | null> {
	if (findTargetFault(id, targetRulesOf(deps.config)) !== null) return null;
	const reply = await exchange(deps, {
		...{ url: id, method: "GET", headers: { Accept: "application/json" }, body: null },
		...{ timeoutMs: DOCUMENT_TIMEOUT_MS, maxResponseBytes: MAX_DOCUMENT_BYTES + 1 },
	});
	if (reply.kind === "failed" || reply.status !== 200 || reply.body.length > MAX_DOCUMENT_BYTES) return null;
	const client = readDocument(id, reply.body);
	if (client === null) return null;
	const now = deps.clock.now();
	await commit(deps.db, [upsertClient(deps, { id, record: JSON.stringify(client), fetchedAt: now, unusedSince: now })]);
	return client;
}

/** Parses a document. Returns null if it is invalid, is about another client, requires a secret or lists an unsafe redirect URI. */
export function readDocument(id: string, text: string): StoredClient | null {
	const parsed = document.safeParse(parseJson(text));
	if (!parsed.success) return null;
	const { client_id, client_name, client_uri, redirect_uris, grant_types, response_types, token_endpoint_auth_method } = parsed.data;
	const supported = ["authorization_code", "refresh_token", DEVICE_GRANT_TYPE];
	const isPublic = token_endpoint_auth_method === undefined || token_endpoint_auth_method === "none";
	if (client_id !== id || !isPublic || !redirect_uris.every((uri) => isSafeRedirect(uri))) return null;
	return {
		clientId: id,
		clientName: client_name,
		...(client_uri === undefined ? {} : { clientUri: client_uri }),
		redirectUris: redirect_uris,
		grantTypes: (grant_types ?? ["authorization_code", "refresh_token"]).filter((type) => supported.includes(type)),
		responseTypes: response_types ?? ["code"],
		tokenEndpointAuthMethod: "none",
	};
}

/** A document may list redirect URIs that are rejected when they are used, but none that a browser would execute. */
function isSafeRedirect(uri: string): boolean {
	return URL.canParse(uri) && !["javascript:", "data:", "vbscript:", "file:", "blob:"].includes(new URL(uri).protocol);
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}

/**
 * Returns the name of a client to show to people. The name comes from strangers, so pages also show the host. If the name is missing or
 * invisible, returns the host or id instead. If it contains the name of the command-line tool, puts the host or id before it.
 */
export function nameOf(client: StoredClient): string {
	const { clientName = "", clientId } = client;
	const place = hostOf(client) ?? clientId;
	if (clientName === "" || isBlank(clientName)) return place.slice(0, MAX_SHOWN_NAME);
	const isTakenName = clientId !== CLI_CLIENT_ID && lettersOf(clientName).includes(lettersOf(COMMAND_LINE.clientName ?? ""));
	const shownName = isTakenName ? `${place.slice(0, 60)}: ${clientName}` : clientName;
	return [...shownName].slice(0, MAX_SHOWN_NAME).join("");
}

const MAX_SHOWN_NAME = 100;

/** Removes characters that people overlook when they compare two names. */
function lettersOf(name: string): string {
	return name
		.normalize("NFKC")
		.toLowerCase()
		.replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** Returns the host of a client's document, or else of its first redirect URI. Null if the client has neither. */
export function hostOf({ clientId, redirectUris }: StoredClient): string | null {
	const place = [clientId, ...redirectUris].find((uri) => /^https?:/.test(uri) && URL.canParse(uri));
	return place === undefined ? null : new URL(place).host;
}
