import * as z from "zod";
import { commit } from "../../../db/commit.ts";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { taskId } from "../../../http/fields.ts";
import { rebuildCards } from "../tasks/rebuild-directory.ts";
import { auditEntry, reason } from "./audit-entry.ts";

const directoryPlace = z.object({
	task_id: taskId.describe("The last task of the step."),
	tasks: z.int().min(0).describe("Number of tasks whose cards were rewritten in this step and the steps before it."),
	submissions: z.int().min(0).describe("Number of submissions of these tasks."),
});

const directoryRequest = z
	.object({ reason, after: directoryPlace.optional().describe("The `last` of the previous step. Omit it in the first step.") })
	.meta({ id: "DirectoryRebuildRequest", description: "A step of rewriting all cards." });

const rebuildView = z
	.object({
		tasks: z.int().min(0).describe("Number of tasks whose cards were rewritten in this step and the steps before it."),
		submissions: z.int().min(0).describe("Number of submissions of these tasks."),
		last: directoryPlace.nullable().describe("Send this as `after` in the next step. Null after the last step."),
	})
	.meta({ id: "DirectoryRebuild", description: "A finished step of rewriting all cards." });

export const rebuildDirectory = endpoint({
	method: "post",
	path: "/api/admin/directory/rebuild",
	operationId: "rebuildDirectory",
	owner: "operating",
	summary: "Rewrite all cards of tasks and submissions",
	description:
		"Every task rewrites its card, and the cards of its submissions and dry runs. Lists, profiles and dashboards read cards. A step ends after 100 tasks, or after 5,000 submissions. Send each `last` as `after` until it is null. `npm run admin -- rebuild-directory` runs all steps for you.",
	tags: ["Administration"],
	auth: "admin",
	rate: "general",
	body: { schema: directoryRequest, required: true },
	response: { status: 200, description: "The step is done.", schema: rebuildView },
	errors: [],
	page: "operating/operations",
	examples: {
		bodies: { first: { value: { reason: "The database was restored to yesterday's state." } } },
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
