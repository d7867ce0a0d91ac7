import * as z from "zod";
import { commit } from "../../db/commit.ts";
import { isOneLine } from "../../domain/one-line.ts";
import { endpoint } from "../../http/endpoint.ts";
import { addressKey } from "../../http/networks.ts";
import { assertWithinLimit } from "../../http/rate-limit.ts";
import { readBytes } from "../../http/raw-body.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import { NO_STORE, OAUTH_ERRORS, oauthError } from "./errors.ts";
import { issuerOf, type KeyValueStore } from "./library.ts";
import { DEVICE_GRANT_TYPE, REGISTER_PATH } from "./rules.ts";
import { upsertClient } from "./statements.ts";

const MAX_BYTES = 16 * 1_024;
const MAX_NAME = 100;
const MAX_REDIRECT_URIS = 20;

export const registerClient = endpoint({
	method: "post",
	path: REGISTER_PATH,
	operationId: "registerClient",
	owner: "oauth",
	summary: "Register a program",
	description: [
		"Dynamic client registration (RFC 7591). Programs call it automatically before they open the consent page. A program with a client ID metadata document does not have to register.",
		"Redirect URIs must be https, or http on loopback. A client is deleted if no one connects it within 30 days.",
	].join("\n\n"),
	tags: ["OAuth"],
	auth: "none",
	rate: "none",
	pausedBy: ["writes"],
	rawBody: {
		contentTypes: ["application/json"],
		description: "The metadata of the client.",
		schema: z.looseObject({
			redirect_uris: z.array(z.string().max(4_096)).max(50).optional().describe("Where browsers may return to."),
			client_name: z.string().max(4_096).optional().describe("The program's name, for people."),
			client_uri: z.string().max(4_096).optional().describe("The program's own page."),
			grant_types: z
				.array(z.string().max(4_096))
				.max(50)
				.optional()
				.describe(`\`authorization_code\`, \`refresh_token\` and \`${DEVICE_GRANT_TYPE}\`. Default: only the first.`),
			token_endpoint_auth_method: z
				.string()
				.max(100)
				.optional()
				.describe("`none` for programs that cannot keep a secret, `client_secret_basic` or `client_secret_post`."),
		}),
	},
	response: {
		status: 201,
		description: "The client.",
		schema: z
			.looseObject({
				client_id: z.string().describe("The id of the client."),
				client_secret: z.string().optional().describe("The secret, unless `token_endpoint_auth_method` is `none`."),
				redirect_uris: z.array(z.string()).describe("Where browsers may return to."),
				grant_types: z.array(z.string()).describe("How the client may get tokens."),
				token_endpoint_auth_method: z.string().describe("How the client authenticates."),
			})
			.meta({ id: "OAuthClient", description: "A program that may ask for access." }),
		carriesSecret: true,
	},
	errorBody: OAUTH_ERRORS,
	errors: ["BAD_REQUEST", "RATE_LIMITED", "FILE_TOO_LARGE"],
	page: "guides/connect-a-program",
	examples: {
		rawBodies: {
			program: { value: { client_name: "My client", redirect_uris: ["http://127.0.0.1/callback"], token_endpoint_auth_method: "none" } },
		},
		responses: {
			registered: {
				value: {
					client_id: "kK3nV2r0Q4dXbT9s",
					client_name: "My client",
					redirect_uris: ["http://127.0.0.1/callback"],
					grant_types: ["authorization_code"],
					response_types: ["code"],
					token_endpoint_auth_method: "none",
				},
			},
		},
	},

	async handle(ctx, { request }) {
		await assertWithinLimit(ctx, "registering", { key: addressKey(request.headers.get("CF-Connecting-IP")), of: "one IP address" });
		const metadata = parseMetadata(await readBytes(request, MAX_BYTES, { faultCode: "BAD_REQUEST", clock: ctx.clock }));
		return metadata instanceof Response ? metadata : register(ctx, metadata);
	},
});

const metadataBody = z.looseObject({
	client_name: z.string().refine(isOneLine).trim().max(MAX_NAME).optional(),
	client_uri: z.string().max(2_048).optional(),
	redirect_uris: z.array(z.string().max(2_048)).max(MAX_REDIRECT_URIS).optional(),
	grant_types: z.array(z.string()).optional(),
});

/** Parses the metadata. Treats null members as absent. Returns an error response if the metadata is invalid. */
function parseMetadata(bytes: Uint8Array): z.output<typeof metadataBody> | Response {
	const parsed = metadataBody.safeParse(dropNulls(parseJson(bytes)));
	if (parsed.success) return parsed.data;
	const isRedirect = parsed.error.issues.some(({ path }) => path[0] === "redirect_uris");
	return isRedirect
		? oauthError(
				"invalid_redirect_uri",
				`Send redirect_uris as a list of at most ${MAX_REDIRECT_URIS} strings, each of at most 2,048 characters.`,
			)
		: oauthError(
				"invalid_client_metadata",
				`Send the metadata as a JSON object, with a name of one line and at most ${MAX_NAME} characters.`,
			);
}

function parseJson(bytes: Uint8Array): unknown {
	try {
		return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
	} catch {
		return null;
	}
}

function dropNulls(json: unknown): unknown {
	if (typeof json !== "object" || json === null || Array.isArray(json)) return json;
	return Object.fromEntries(Object.entries(json).filter(([, value]) => value !== null));
}

/** Registers a client. The library does not support the device grant, so that type is removed before the call and added to the record. */
async function register(ctx: PublicCtx, metadata: z.output<typeof metadataBody>): Promise<Response> {
	const types = metadata.grant_types;
	const isDevice = types?.includes(DEVICE_GRANT_TYPE) === true;
	const others = types?.filter((type) => type !== DEVICE_GRANT_TYPE);
	const grantTypes = isDevice && (others?.length ?? 0) === 0 ? ["authorization_code"] : others;
	const added = isDevice ? [DEVICE_GRANT_TYPE] : [];
	let record: { readonly id: string; readonly text: string } | null = null;
	const store: KeyValueStore = {
		get: async () => null,
		put: async (key, value) => {
			const client = JSON.parse(value);
			const text = JSON.stringify({ ...client, grantTypes: [...client.grantTypes, ...added] });
			record = { id: key.slice("client:".length), text };
		},
		delete: async () => undefined,
		list: async () => ({ keys: [], list_complete: true }),
	};
	const body = JSON.stringify({ ...metadata, ...(grantTypes === undefined ? {} : { grant_types: grantTypes }) });
	const request = new Request(ctx.baseUrl + REGISTER_PATH, { method: "POST", headers: { "Content-Type": "application/json" }, body });
	const response = await (await issuerOf(ctx.baseUrl)).fetch(request, { OAUTH_KV: store }, {});
	await save(ctx, record);
	if (!isDevice || !response.ok) return plain(response);
	const client = z.looseObject({ grant_types: z.array(z.string()) }).parse(await response.json());
	return Response.json({ ...client, grant_types: [...client.grant_types, ...added] }, { status: response.status, headers: NO_STORE });
}

async function save(ctx: PublicCtx, record: { readonly id: string; readonly text: string } | null): Promise<void> {
	if (record === null) return;
	const row = { id: record.id, record: record.text, fetchedAt: null, unusedSince: ctx.clock.now() };
	await commit(ctx.db, [upsertClient(ctx, row)]);
}

const libraryError = z.object({ error: z.string(), error_description: z.string() });

/**
 * Removes headers that the platform sets itself. Gives faults of redirect URIs their own code, because the library uses one code for all
 * faults.
 */
async function plain(response: Response): Promise<Response> {
	const error = response.ok ? null : libraryError.safeParse(await response.clone().json()).data;
	if (error?.error === "invalid_client_metadata" && /redirect[_ ]?uri/i.test(error.error_description)) {
		return oauthError("invalid_redirect_uri", error.error_description);
	}
	return new Response(response.body, { status: response.status, headers: { "Content-Type": "application/json", ...NO_STORE } });
}
