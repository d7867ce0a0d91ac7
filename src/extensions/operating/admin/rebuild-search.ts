import * as z from "zod";
import { rebuildIndex } from "../../../core/competition/search/rebuild-index.ts";
import { commit } from "../../../db/commit.ts";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { taskId } from "../../../http/fields.ts";
import { auditEntry, reason } from "./audit-entry.ts";

const rebuildPlace = z.object({
	published_at: z.int().min(0).describe("When the last task of the step was published, in milliseconds since the epoch."),
	task_id: taskId.describe("The last task of the step."),
	indexed_tasks: z.int().min(0).describe("Number of tasks added to the index in this step and the steps before it."),
});

const rebuildRequest = z
	.object({ reason, after: rebuildPlace.optional().describe("The `last` of the previous step. Omit it in the first step.") })
	.meta({ id: "SearchRebuildRequest", description: "A step of refilling the search index." });

const rebuildView = z
	.object({
		indexed_tasks: z.int().min(0).describe("Number of tasks added to the index in this step and the steps before it."),
		last: rebuildPlace.nullable().describe("Send this as `after` in the next step. Null after the last step."),
	})
	.meta({ id: "SearchRebuild", description: "A finished step of refilling the search index." });

export const rebuildSearch = endpoint({
	method: "post",
	path: "/api/admin/search/rebuild",
	operationId: "rebuildSearch",
	owner: "operating",
	summary: "Refill the search index",
	description:
		"Fills the search index from the tasks, in steps of 2,000 tasks. The first step empties it, so until the last step, searches find only some of the tasks. Send each `last` as `after` until it is null. `npm run admin -- rebuild-search` runs all steps for you.",
	tags: ["Administration"],
	auth: "admin",
	rate: "general",
	body: { schema: rebuildRequest, required: true },
	response: { status: 200, description: "The step is done.", schema: rebuildView },
	errors: ["NOT_READY"],
	page: "operating/operations",
	examples: {
		bodies: { first: { value: { reason: "The database of the index was deleted." } } },
		responses: {
			step: {
				value: { indexed_tasks: 2000, last: { published_at: 1_793_263_600_000, task_id: ID.task, indexed_tasks: 2000 } },
			},
		},
	},

	// The first step empties the index and writes the one audit log entry that covers all steps.
	async handle(ctx, { body: { reason, after } }) {
		if (after === undefined) {
			const act = { action: "search.rebuild", target: "search", reason, before: {}, after: {} };
			await commit(ctx.db, [auditEntry(ctx, act).statement]);
		}
		const place = after === undefined ? null : { publishedAt: after.published_at, id: after.task_id };
		const { added, last } = await rebuildIndex(ctx, place);
		const indexed = (after?.indexed_tasks ?? 0) + added;
		return {
			indexed_tasks: indexed,
			last: last === null ? null : { published_at: last.publishedAt, task_id: last.id, indexed_tasks: indexed },
		};
	},
});
