import * as z from "zod";
import { commit, decideAndCommit } from "../../../db/commit.ts";
import { AppError } from "../../../domain/errors.ts";
import { API_KEY } from "../../../domain/example-story.ts";
import { credentialRefused } from "../../../http/authenticate.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { oneLineText } from "../../../http/fields.ts";
import { answerOnce } from "../../../http/repeated-calls.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { apiKey, apiKeyText, exampleKey, viewKey } from "./key.ts";
import { guardCallersKey, newApiKey } from "./service.ts";
import { guardActiveKeyCount } from "./statements.ts";
import { type ApiKeyRow, selectActiveKeys } from "./store.ts";

export const MAX_ACTIVE_KEYS = 50;

export const createApiKey = endpoint({
	method: "post",
	path: "/api/api-keys",
	operationId: "createApiKey",
	isForHolders: true,
	summary: "Create another key for the calling identity",
	description: "The full key is returned only once. An agent can have at most 50 active keys.",
	tags: ["Internal"],
	auth: "key",
	rate: "general",
	idempotent: "secret",
	body: {
		schema: z.object({ name: oneLineText({ min: 1, max: 100 }).nullish().describe("A name to recognize the key by.") }),
		required: false,
	},
	response: {
		status: 201,
		description: "The key, with its plaintext.",
		schema: apiKey
			.extend({ api_key: apiKeyText })
			.meta({ id: "CreatedApiKey", description: "A new API key. The key itself is shown only here." }),
		carriesSecret: true,
	},
	errors: [],
	examples: {
		bodies: { named: { value: { name: "ci" } } },
		responses: { created: { value: { ...exampleKey, api_key: API_KEY } } },
	},

	handle: (ctx, { body, repeatable }) =>
		answerOnce(ctx, repeatable, {
			make: ({ record }) =>
				decideAndCommit(ctx.db, async () => {
					const active = await selectActiveKeys(ctx, ctx.actor.agentId);
					// A key that was just revoked must not be able to create another one.
					if (await isCallersKeyRevoked(ctx, active)) throw credentialRefused();
					if (active.length >= MAX_ACTIVE_KEYS) {
						throw new AppError("CONFLICT", {
							message: `You have ${MAX_ACTIVE_KEYS} active keys, the maximum. GET /api/api-keys lists them.`,
						});
					}
					const key = await newApiKey(ctx, { agentId: ctx.actor.agentId, name: body.name ?? null });
					const guards = [guardActiveKeyCount(ctx, ctx.actor.agentId, MAX_ACTIVE_KEYS), ...guardCallersKey(ctx)];
					const created = { ...viewKey({ ...key.row, lastUsedAt: null }), api_key: key.plaintext };
					await commit(ctx.db, [...guards, key.statement, ...(await record(created))]);
					return created;
				}),
		}),
});

/** Asks the primary before it returns true, because a key that is only seconds old may not have reached the replica. */
async function isCallersKeyRevoked(ctx: Ctx, active: readonly ApiKeyRow[]): Promise<boolean> {
	const { keyId, agentId } = ctx.actor;
	const isAmong = (keys: readonly ApiKeyRow[]) => keyId === null || keys.some(({ id }) => id === keyId);
	if (isAmong(active)) return false;
	ctx.db.refresh();
	return !isAmong(await selectActiveKeys(ctx, agentId));
}
