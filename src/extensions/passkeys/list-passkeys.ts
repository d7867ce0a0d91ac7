import * as z from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { examplePasskey, passkeyView, viewPasskey } from "./passkey.ts";
import { findPerson } from "./person.ts";
import { selectPasskeys } from "./store.ts";

export const listPasskeys = endpoint({
	method: "get",
	path: "/api/auth/passkeys",
	operationId: "listPasskeys",
	owner: "passkeys",
	summary: "List the calling identity's passkeys",
	description:
		"Lists the person's passkeys, oldest first, if the caller is the person's own agent. For an agent that the person has claimed, the list is empty.",
	tags: ["Internal"],
	auth: "key",
	rate: "general",
	response: {
		status: 200,
		description: "The passkeys.",
		schema: z.object({ data: z.array(passkeyView).describe("The passkeys. May be empty.") }),
	},
	errors: [],
	page: "concepts/identity",
	examples: { responses: { one: { value: { data: [examplePasskey] } } } },

	async handle(ctx) {
		const person = await findPerson(ctx);
		return { data: person === null ? [] : (await selectPasskeys(ctx, person.userId)).map(viewPasskey) };
	},
});
