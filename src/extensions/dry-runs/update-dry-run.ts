import { and, eq } from "drizzle-orm";
import * as z from "zod";
import { readTask, touchDraft } from "../../core/competition/tasks/store.ts";
import { trials } from "../../db/task/schema/judging.ts";
import { ID } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams } from "../../http/fields.ts";
import { taskVerb } from "../../ports/task.ts";
import { dryRunNotFound, exampleListedDryRun, isDryRun, listedDryRunView, viewListedDryRun, withWait } from "./dry-run.ts";
import { assertCanRefer } from "./rules.ts";
import { countOtherReferences } from "./trials.ts";

export const updateDryRun = endpoint({
	method: "patch",
	path: "/api/v1/dry-runs/{id}",
	operationId: "updateDryRun",
	owner: "dry-runs",
	summary: "Mark a dry run as a reference",
	description:
		"Only the owner of a draft can mark references. A reference is a case of the judge check. The case passes if the judge's mean score over the criteria with an `expected` score is at most 15 points below yours. If three times the standard deviation of a score from one sample is more than 15 points, that value is the limit instead. The judge never sees a reference while judging submissions. A task has at most 4.",
	tags: ["Poster"],
	auth: "key",
	rate: "general",
	params: idParams,
	body: {
		schema: z
			.object({ reference: z.boolean().describe("Whether the run is a reference, which requires `expected` scores.") })
			.meta({ id: "DryRunChange", description: "Changes to a dry run." }),
		required: true,
	},
	response: { status: 200, description: "The run.", schema: listedDryRunView },
	errors: ["NOT_FOUND", "CONFLICT", "WRONG_EVAL_MODE"],
	page: "guides/dry-runs",
	examples: {
		params: { id: ID.dryRun },
		bodies: { reference: { value: { reference: true } } },
		responses: { reference: { value: { ...exampleListedDryRun, reference: true } } },
	},

	async handle(ctx, { params: { id }, body: { reference } }) {
		const taskId = await ctx.locate(id);
		if (taskId === null) throw dryRunNotFound();
		const input = { id, agentId: ctx.actor.agentId, reference };
		return setReference(ctx, taskId, input);
	},
});

/** Another owner's run returns 404, like an unknown run. */
const setReference = taskVerb("setReference", (store, { id, agentId, reference }: { id: string; agentId: string; reference: boolean }) => {
	const isRun = and(eq(trials.id, id), isDryRun);
	const run = store.db.select().from(trials).where(isRun).get();
	const task = readTask(store);
	if (run === undefined || task.companyId !== agentId) throw dryRunNotFound();
	// A run that stops being a reference needs no expectations, and does not count towards the maximum.
	assertCanRefer(task, reference ? { expected: run.expected, others: countOtherReferences(store, id) } : { expected: {}, others: 0 });
	store.db.update(trials).set({ reference }).where(isRun).run();
	touchDraft(store);
	return viewListedDryRun(withWait(store, { ...run, reference }));
});
