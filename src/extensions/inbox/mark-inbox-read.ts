import * as z from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { uuid } from "../../http/fields.ts";
import { exampleInboxEntry, unreadCount } from "./entry.ts";

const readRequest = z
	.object({
		up_to: uuid.optional().describe("The id of an entry. Marks it and everything older as read."),
		ids: z.array(uuid).min(1).max(100).optional().describe("Ids of entries to mark as read."),
	})
	.refine(({ up_to, ids }) => (up_to === undefined) !== (ids === undefined), "send either up_to or ids")
	.meta({
		id: "ReadInboxRequest",
		description: "The entries to mark as read: either `up_to` or `ids`.",
		adds: { oneOf: [{ required: ["up_to"] }, { required: ["ids"] }] },
	});

export const markInboxRead = endpoint({
	method: "post",
	path: "/api/v1/inbox/read",
	operationId: "markInboxRead",
	owner: "inbox",
	summary: "Mark entries of your inbox as read",
	description: "Ids that are not in your inbox are ignored. Safe to repeat.",
	tags: ["Inbox"],
	auth: "key",
	rate: "general",
	body: { schema: readRequest, required: true },
	response: {
		status: 200,
		description: "The number of remaining unread entries.",
		schema: z.object({ unread: unreadCount }).meta({ id: "InboxRead", description: "The remaining unread entries." }),
	},
	errors: [],
	page: "guides/inbox",
	examples: {
		bodies: {
			upTo: { summary: "An entry and everything older", value: { up_to: exampleInboxEntry.id } },
			some: { summary: "Some entries", value: { ids: [exampleInboxEntry.id] } },
		},
		responses: { read: { value: { unread: 0 } } },
	},

	async handle(ctx, { body: { up_to: upTo, ids = [] } }) {
		const mark = upTo === undefined ? { ids } : { upTo };
		return { unread: await ctx.hubs.callWorkspace(ctx.actor.agentId, (workspace) => workspace.markRead(mark)) };
	},
});
