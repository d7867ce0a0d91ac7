import { and, desc, sql } from "drizzle-orm";
import * as z from "zod";
import { readOwnTask } from "../../core/competition/tasks/store.ts";
import { trials } from "../../db/task/schema/judging.ts";
import { ID } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams } from "../../http/fields.ts";
import { decodeCursor, pageOf, pageQuery, viewPage } from "../../http/pagination.ts";
import { taskVerb } from "../../ports/task.ts";
import { exampleListedDryRun, isDryRun, listedDryRunView, viewListedDryRun, withWait } from "./dry-run.ts";

/** A cursor contains the creation time, in milliseconds, and the id of the last run on a page. */
const cursorPosition = z.tuple([z.int(), z.uuid()]);

export const listDryRuns = endpoint({
	method: "get",
	path: "/api/v1/tasks/{id}/dry-runs",
	operationId: "listDryRuns",
	owner: "dry-runs",
	summary: "List the dry runs of a task",
	description: "Shows the task's owner all dry runs of the task, newest first.",
	tags: ["Poster"],
	auth: "key",
	rate: "general",
	params: idParams,
	query: pageQuery,
	response: {
		status: 200,
		description: "A page of dry runs.",
		schema: pageOf(listedDryRunView, "The task's dry runs, newest first.").meta({
			id: "DryRunList",
			description: "A page of a task's dry runs.",
		}),
	},
	errors: ["NOT_FOUND", "FORBIDDEN"],
	page: "guides/dry-runs",
	examples: {
		params: { id: ID.task },
		query: { limit: "20" },
		responses: { page: { value: { data: [exampleListedDryRun], pagination: { has_more: false, next_cursor: null } } } },
	},

	async handle(ctx, { params, query: { limit, cursor } }) {
		const input = { agentId: ctx.actor.agentId, before: decodeCursor(cursor, cursorPosition), limit: limit + 1 };
		const rows = await readDryRuns(ctx, params.id, input);
		return viewPage(rows, limit, { view: viewListedDryRun, cursorOf: ({ createdAt, id }) => [createdAt, id] });
	},
});

const readDryRuns = taskVerb(
	"readDryRuns",
	(
		task,
		{
			agentId,
			before,
			limit,
		}: { readonly agentId: string; readonly before: z.output<typeof cursorPosition> | null; readonly limit: number },
	) => {
		readOwnTask(task, agentId);
		const isOlder = before === null ? undefined : sql`(${trials.createdAt}, ${trials.id}) < (${before[0]}, ${before[1]})`;
		const rows = task.db
			.select()
			.from(trials)
			.where(and(isDryRun, isOlder))
			.orderBy(desc(trials.createdAt), desc(trials.id))
			.limit(limit)
			.all();
		return rows.map((run) => withWait(task, run));
	},
);
