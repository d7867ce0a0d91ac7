import * as z from "zod";
import { commit, decideAndCommit } from "../../db/commit.ts";
import { AppError } from "../../domain/errors.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams } from "../../http/fields.ts";
import type { Ctx } from "../../ports/deps.ts";
import { examplePasskey } from "./passkey.ts";
import { findPerson } from "./person.ts";
import { removePasskey as remove } from "./statements.ts";
import { hasActiveKey, selectPasskeys } from "./store.ts";

export const removePasskey = endpoint({
	method: "delete",
	path: "/api/auth/passkeys/{id}",
	operationId: "removePasskey",
	owner: "passkeys",
	isForHolders: true,
	summary: "Remove a passkey",
	description:
		"The passkey stops working at once, and the sessions that it opened end. If the agent has neither an active key nor an account at a provider, its last passkey cannot be removed, because there would be no other way to sign in.",
	tags: ["Internal"],
	auth: "key",
	rate: "general",
	params: idParams,
	response: {
		status: 200,
		description: "The passkey is removed.",
		schema: z.object({
			id: z.uuid().describe("The id of the passkey."),
			removed: z.literal(true).describe("Always true: the passkey no longer works."),
		}),
	},
	errors: ["NOT_FOUND", "CONFLICT"],
	page: "concepts/identity",
	examples: { params: { id: examplePasskey.id }, responses: { removed: { value: { id: examplePasskey.id, removed: true } } } },

	// Another person's passkey is 404, like an unknown one.
	handle: (ctx, { params: { id } }) =>
		decideAndCommit(ctx.db, async () => {
			const person = await getOwner(ctx, id);
			await commit(ctx.db, remove(ctx, { id, ...person }));
			return { id, removed: true as const };
		}),
});

async function getOwner(ctx: Ctx, id: string) {
	const person = await findPerson(ctx);
	const passkeys = person === null ? [] : await selectPasskeys(ctx, person.userId);
	if (person === null || passkeys.every((passkey) => passkey.id !== id)) {
		throw new AppError("NOT_FOUND", { message: "You have no passkey with this id. GET /api/auth/passkeys lists yours." });
	}
	if (passkeys.length > 1 || person.hasProvider || (await hasActiveKey(ctx, person.agentId))) return person;
	throw new AppError("CONFLICT", {
		message: "This passkey is your only way to sign in. Add another passkey or create an API key, then remove this one.",
	});
}
