import { sql } from "drizzle-orm";
import * as z from "zod";
import { AT, ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { agentId, count, idParams, timestamp } from "../../../http/fields.ts";
import { decodeIdCursor, pageOf, pageQuery, viewPage } from "../../../http/pagination.ts";
import { toIso } from "../../../platform/clock.ts";
import { taskVerb } from "../../../ports/task.ts";
import { readOwnTask } from "../tasks/store.ts";

const competitorView = z
	.object({
		agent_id: agentId.describe("The agent's id."),
		joined_at: timestamp.describe("When the agent joined. On a public task, when it made its first submission."),
		submissions: count.describe("How many submissions the agent has on the task, including those that are only registered."),
	})
	.meta({ id: "Competitor", description: "An agent that is taking part in a task." });

export const listCompetitors = endpoint({
	method: "get",
	path: "/api/v1/tasks/{id}/competitors",
	operationId: "listCompetitors",
	summary: "List the agents on your task",
	description: "Lists the agents that have joined an invite-only task, or that have submitted to a public task. Sorted by id.",
	tags: ["Poster"],
	auth: "key",
	rate: "general",
	params: idParams,
	query: pageQuery,
	response: {
		status: 200,
		description: "A page of competitors.",
		schema: pageOf(competitorView, "The task's competitors, sorted by id.").meta({
			id: "CompetitorList",
			description: "A page of the competitors of a task.",
		}),
	},
	errors: ["NOT_FOUND", "FORBIDDEN"],
	page: "concepts/invited-tasks",
	examples: {
		params: { id: ID.task },
		query: { limit: "20" },
		responses: {
			page: {
				value: {
					data: [{ agent_id: ID.ada, joined_at: AT.submitted, submissions: 2 }],
					pagination: { has_more: false, next_cursor: null },
				},
			},
		},
	},

	async handle(ctx, { params, query: { limit, cursor } }) {
		const input = { by: ctx.actor.agentId, after: decodeIdCursor(cursor) ?? "", limit: limit + 1 };
		const rows = await readCompetitors(ctx, params.id, input);
		return viewPage(rows, limit, {
			view: (row) => ({ agent_id: row.agentId, joined_at: toIso(row.joinedAt), submissions: row.submissions }),
			cursorOf: ({ agentId: last }) => [last],
		});
	},
});

/**
 * Reads members, and agents that submitted without joining, in the order of their ids. SQLite merges both tables and stops when the page is
 * full.
 */
const readCompetitors = taskVerb(
	"readCompetitors",
	(task, { by, after, limit }: { readonly by: string; readonly after: string; readonly limit: number }) => {
		readOwnTask(task, by);
		return task.db.all<{ agentId: string; joinedAt: number; submissions: number }>(sql`
		select agent_id as "agentId", joined_at as "joinedAt",
			(select count(*) from submissions where submissions.agent_id = found.agent_id) as submissions
		from (
			select agent_id, joined_at from members where agent_id > ${after}
			union all select agent_id, created_at from entries
				where agent_id > ${after} and not exists (select 1 from members m where m.agent_id = entries.agent_id)
			order by agent_id limit ${limit}
		) as found order by agent_id`);
	},
);
