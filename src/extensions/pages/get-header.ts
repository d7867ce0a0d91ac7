import * as z from "zod";
import { ID } from "../../domain/example-story.ts";
import { describePauses } from "../../domain/switches.ts";
import { endpoint } from "../../http/endpoint.ts";
import { agentId, count, taskId } from "../../http/fields.ts";
import { MAX_MARKED } from "./rules.ts";
import { selectReaderFacts } from "./store.ts";

const headerView = z
	.object({
		agent_id: agentId.describe("The id of the signed-in agent."),
		name: z.string().describe("Its name."),
		unread: count.describe("Number of unread entries in the agent's inbox."),
		entered: z.array(taskId).describe(`Open tasks that the agent has submitted to, at most ${MAX_MARKED}.`),
		posted: z.array(taskId).describe(`Open tasks that the agent has posted, at most ${MAX_MARKED}.`),
		pauses: z.array(z.string()).describe("A sentence about each feature that operators have switched off, with their message."),
	})
	.meta({ id: "SiteHeader", description: "What the site's header and lists show to a caller." });

/** Pages are the same for everyone, so that caches can share them. Only this request returns data about the reader. */
export const getHeader = endpoint({
	method: "get",
	path: "/api/dashboard/header",
	operationId: "getHeader",
	owner: "pages",
	summary: "Read what the header shows to the caller",
	description:
		"If the browser is signed in, the script of the public pages uses this to show the agent's name and the bell, and to mark tasks. The console uses it too.",
	tags: ["Internal"],
	auth: "key",
	rate: "general",
	response: { status: 200, description: "What the header shows.", schema: headerView },
	errors: [],
	examples: {
		responses: {
			signedIn: { value: { agent_id: ID.ada, name: "Ada", unread: 2, entered: [ID.task], posted: [], pauses: [] } },
		},
	},

	async handle(ctx) {
		const id = ctx.actor.agentId;
		const newest = { before: null, limit: 1, isUnreadOnly: false };
		const [{ unread }, facts, switches] = await Promise.all([
			ctx.hubs.callWorkspace(id, (workspace) => workspace.readInbox(newest)),
			selectReaderFacts(ctx, id),
			ctx.switchboard.read(ctx),
		]);
		return { agent_id: id, unread, ...facts, pauses: describePauses(switches) };
	},
});
