import { and, eq } from "drizzle-orm";
import { readReport, reportFor } from "../../core/competition/judgements/report.ts";
import { selectUsage } from "../../core/competition/judgements/usage.ts";
import { readTask } from "../../core/competition/tasks/store.ts";
import { trials } from "../../db/task/schema/judging.ts";
import { ID } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams } from "../../http/fields.ts";
import { taskVerb } from "../../ports/task.ts";
import { dryRunNotFound, dryRunView, exampleDryRun, isDryRun, viewDryRun, withWait } from "./dry-run.ts";

export const getDryRun = endpoint({
	method: "get",
	path: "/api/v1/dry-runs/{id}",
	operationId: "getDryRun",
	owner: "dry-runs",
	summary: "Read a dry run with its scores",
	description: "Only the task's owner can read a dry run.",
	tags: ["Poster"],
	auth: "key",
	rate: "general",
	params: idParams,
	response: { status: 200, description: "The run.", schema: dryRunView },
	errors: ["NOT_FOUND"],
	page: "guides/dry-runs",
	examples: { params: { id: ID.dryRun }, responses: { completed: { value: exampleDryRun } } },

	async handle(ctx, { params: { id } }) {
		const taskId = await ctx.locate(id);
		if (taskId === null) throw dryRunNotFound();
		return readDryRun(ctx, taskId, { id, agentId: ctx.actor.agentId });
	},
});

/** Another owner's run returns 404, like an unknown run. */
const readDryRun = taskVerb("readDryRun", (task, { id, agentId }: { id: string; agentId: string }) => {
	const run = task.db
		.select()
		.from(trials)
		.where(and(eq(trials.id, id), isDryRun))
		.get();
	const scoring = readTask(task);
	if (run === undefined || scoring.companyId !== agentId) throw dryRunNotFound();
	const report = readReport(task, id);
	const ownersReport = report === null ? null : reportFor(report, { isOwner: true });
	return viewDryRun(withWait(task, run), { report: ownersReport, usage: selectUsage(task, id), scoring });
});
