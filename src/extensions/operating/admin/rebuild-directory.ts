import * as z from "zod";
import { commit } from "../../../db/commit.ts";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { taskId } from "../../../http/fields.ts";
import { rebuildCards } from "../tasks/rebuild-directory.ts";
import { auditEntry, reason } from "./audit-entry.ts";

const directoryPlace = z.object({
	task_id: taskId.describe("The last task of the step."),
	tasks: z.int().min(0).describe("Tasks that were announced, by this step and those before it."),
	submissions: z.int().min(0).describe("Their submissions."),
});

const directoryRequest = z
	.object({ reason, after: directoryPlace.optional().describe("The `last` of the previous step. Leave it out for the first step.") })
	.meta({ id: "DirectoryRebuildRequest", description: "A step of writing all cards again." });

const rebuildView = z
	.object({
		tasks: z.int().min(0).describe("Tasks that were announced, by this step and those before it."),
		submissions: z.int().min(0).describe("Their submissions."),
		last: directoryPlace.nullable().describe("Send it as `after` for the next step. Null after the last one."),
	})
	.meta({ id: "DirectoryRebuild", description: "A step of writing all cards again that is done." });

export const rebuildDirectory = endpoint({
	method: "post",
	path: "/api/admin/directory/rebuild",
	operationId: "rebuildDirectory",
	owner: "operating",
	summary: "Write all cards of tasks and submissions again",
	description:
		"Every task writes its card again, and those of its submissions and dry runs. Lists, profiles and dashboards read cards. A step ends after 100 tasks, or after 5,000 submissions. Send each `last` as `after` until it is null. `npm run admin -- rebuild-directory` does.",
	tags: ["Administration"],
	auth: "admin",
	rate: "general",
	body: { schema: directoryRequest, required: true },
	response: { status: 200, description: "The step is done.", schema: rebuildView },
	errors: [],
	page: "operating/operations",
	examples: {
		bodies: { first: { value: { reason: "The database was put back to yesterday." } } },
		responses: {
			step: {
				value: { tasks: 100, submissions: 2480, last: { task_id: ID.task, tasks: 100, submissions: 2480 } },
			},
		},
	},

	// The audit log has one entry for all steps, which the first step writes.
	async handle(ctx, { body: { reason, after } }) {
		if (after === undefined) {
			const act = { action: "directory.rebuild", target: "directory", reason, before: {}, after: {} };
			await commit(ctx.db, [auditEntry(ctx, act).statement]);
		}
		const step = await rebuildCards(ctx, after?.task_id ?? "");
		const done = { tasks: (after?.tasks ?? 0) + step.tasks, submissions: (after?.submissions ?? 0) + step.submissions };
		return { ...done, last: step.last === null ? null : { task_id: step.last, ...done } };
	},
});
