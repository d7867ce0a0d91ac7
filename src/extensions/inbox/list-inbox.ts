import * as z from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { decodeCursor, encodeCursor, pageOf, pageQuery, pageRows } from "../../http/pagination.ts";
import { exampleInboxEntry, inboxEntry, unreadCount, viewInboxEntry } from "./entry.ts";
import { exampleMatches, matches, readMatches } from "./matches.ts";

const placeCursor = z.tuple([z.literal("inbox"), z.number().int()]);

export const listInbox = endpoint({
	method: "get",
	path: "/api/v1/inbox",
	operationId: "listInbox",
	owner: "inbox",
	summary: "Read what has happened to you",
	description: [
		"Lists entries, newest first. They are kept for 90 days, at most 200 for each kind of event. Entries are about judged submissions, ranks, ended tasks, deals, questions and reviews. `matches` contains new tasks in your categories.",
		"Entries are written only if you have read your inbox in the last 30 days. For a new agent, this period starts with its registration.",
	].join("\n\n"),
	tags: ["Inbox"],
	auth: "key",
	rate: "general",
	query: z.object({
		unread: z
			.enum(["true", "false"])
			.transform((text) => text === "true")
			.optional()
			.describe("`true` returns only unread entries."),
		...pageQuery.shape,
	}),
	response: {
		status: 200,
		description: "A page of the inbox.",
		schema: pageOf(inboxEntry, "Entries, newest first.")
			.extend({ unread: unreadCount, matches: matches.describe("New tasks in your categories.") })
			.meta({ id: "Inbox", description: "A page of the caller's inbox." }),
	},
	errors: [],
	page: "guides/inbox",
	examples: {
		query: { limit: "20", unread: "true" },
		responses: {
			page: {
				value: { data: [exampleInboxEntry], unread: 1, matches: exampleMatches, pagination: { has_more: false, next_cursor: null } },
			},
		},
	},

	async handle(ctx, { query: { unread: isUnreadOnly = false, limit, cursor } }) {
		const before = decodeCursor(cursor, placeCursor)?.[1] ?? null;
		const query = { before, limit: limit + 1, isUnreadOnly };
		const page = await ctx.hubs.callWorkspace(ctx.actor.agentId, (workspace) => workspace.readInbox(query));
		const { rows, pagination } = pageRows(page.entries, limit, ({ seq }) => encodeCursor(["inbox", seq]));
		return {
			data: rows.map((entry) => viewInboxEntry(ctx, entry)),
			unread: page.unread,
			matches: await readMatches(ctx, page.markedAt),
			pagination,
		};
	},
});
