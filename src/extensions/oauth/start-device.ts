import * as z from "zod";
import { commit } from "../../db/commit.ts";
import { EXAMPLE_ORIGIN } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { SECOND_MS } from "../../platform/clock.ts";
import { randomBytes, randomHex } from "../../platform/crypto.ts";
import { FORM, readForm } from "./authorization.ts";
import { CLI_CLIENT_ID } from "./command-line.ts";
import { authenticateClient, hmacOfUserCode, objectOfDevice } from "./device-codes.ts";
import { NO_STORE, OAUTH_ERRORS, oauthError } from "./errors.ts";
import { useOwnResource } from "./redeem-token.ts";
import {
	DEVICE_AUTHORIZATION_PATH,
	DEVICE_CODE_TTL_MS,
	DEVICE_PATH,
	formatUserCode,
	POLL_INTERVAL_MS,
	readScope,
	userCodeOf,
} from "./rules.ts";
import { insertDeviceRequest } from "./statements.ts";

const DEVICE_CODE_BYTES = 32;
const USER_CODE_BYTES = 64;

export const startDevice = endpoint({
	method: "post",
	path: DEVICE_AUTHORIZATION_PATH,
	operationId: "startDevice",
	owner: "oauth",
	summary: "Request access from a device without a browser",
	description: [
		"The device authorization of RFC 8628. The program shows `user_code` and `verification_uri` to its user, and polls the token endpoint every `interval` seconds until the user has decided.",
		`Any registered client can use this endpoint. The client id of the command-line tool is \`${CLI_CLIENT_ID}\`.`,
	].join("\n\n"),
	tags: ["OAuth"],
	auth: "none",
	rate: "mutation",
	pausedBy: ["writes"],
	rawBody: {
		...FORM,
		schema: z.object({
			client_id: z.string().max(4_096).optional().describe("The client's id, unless it authenticates with a secret in the header."),
			client_secret: z.string().max(4_096).optional().describe("The client's secret, if it has one and does not send it in the header."),
			scope: z.string().max(4_096).optional().describe("`read` or `act`. The default is `read`."),
			resource: z.string().max(4_096).optional().describe("The origin of this deployment, or the URL of its MCP server."),
		}),
	},
	response: {
		status: 200,
		description: "The codes.",
		schema: z
			.object({
				device_code: z.string().describe("The code that the program sends to the token endpoint."),
				user_code: z.string().describe("The code that the person enters."),
				verification_uri: z.string().describe("The page where the person enters the code."),
				verification_uri_complete: z.string().describe("The same page with the code filled in."),
				expires_in: z.int().describe("Seconds until both codes expire."),
				interval: z.int().describe("Minimum seconds between two requests to the token endpoint."),
			})
			.meta({ id: "DeviceAuthorization", description: "The codes of a device." }),
		carriesSecret: true,
	},
	errorBody: OAUTH_ERRORS,
	errors: ["BAD_REQUEST", "UNAUTHORIZED", "FILE_TOO_LARGE"],
	page: "guides/connect-a-program",
	examples: {
		rawBodies: { commandLine: { value: { client_id: CLI_CLIENT_ID, scope: "act" } } },
		responses: {
			codes: {
				value: {
					device_code: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
					user_code: "WDJB-MJHT",
					verification_uri: `${EXAMPLE_ORIGIN}${DEVICE_PATH}`,
					verification_uri_complete: `${EXAMPLE_ORIGIN}${DEVICE_PATH}?user_code=WDJB-MJHT`,
					expires_in: 900,
					interval: 5,
				},
			},
		},
	},

	async handle(ctx, { request }) {
		const form = new URLSearchParams(await readForm(ctx, request));
		const client = await authenticateClient(ctx, request, form);
		if (client instanceof Response) return client;
		if (!useOwnResource(form, ctx.baseUrl)) return oauthError("invalid_target", "The resource must be this deployment.");
		const deviceCode = randomHex(DEVICE_CODE_BYTES);
		const userCode = userCodeOf(randomBytes(USER_CODE_BYTES));
		const object = await objectOfDevice(deviceCode);
		const expiresAt = ctx.clock.now() + DEVICE_CODE_TTL_MS;
		const scope = readScope((form.get("scope") ?? "").split(" "));
		await ctx.hubs.callGrants(object, (grants) => grants.openRequest({ client, scope, expiresAt }));
		await commit(ctx.db, [insertDeviceRequest(ctx, { codeHmac: await hmacOfUserCode(ctx, userCode), object, expiresAt })]);
		const displayCode = formatUserCode(userCode);
		const body = {
			device_code: deviceCode,
			user_code: displayCode,
			verification_uri: ctx.baseUrl + DEVICE_PATH,
			verification_uri_complete: `${ctx.baseUrl}${DEVICE_PATH}?user_code=${displayCode}`,
			expires_in: DEVICE_CODE_TTL_MS / SECOND_MS,
			interval: POLL_INTERVAL_MS / SECOND_MS,
		};
		return Response.json(body, { headers: NO_STORE });
	},
});
