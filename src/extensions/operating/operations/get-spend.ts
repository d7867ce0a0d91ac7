import * as z from "zod";
import { judgeUsageView } from "../../../core/competition/tasks/task-detail.ts";
import { ID } from "../../../domain/example-story.ts";
import { type Usage, viewUsage } from "../../../domain/spend.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { agentId, count, taskId } from "../../../http/fields.ts";
import { DAY_MS, utcDayOf } from "../../../platform/clock.ts";
import { ceilingsView, exampleCeilings, viewCeilings } from "./ceilings.ts";
import { selectCeilings, selectSpend } from "./store.ts";

const { calls: _, ...usageFields } = judgeUsageView.shape;

const spendView = z
	.object({
		days: z
			.array(
				z.object({
					day: z.iso.date().describe("The day, in UTC."),
					evaluations: count.describe("Number of evaluations by models that ended with a score, including dry runs and judge checks."),
					...usageFields,
				}),
			)
			.describe("Those of the last 30 days on which models have judged, newest first."),
		tasks: z.array(z.object({ task_id: taskId, ...usageFields })).describe("The tasks with the highest judging cost so far, at most 100."),
		posters: z
			.array(z.object({ agent_id: agentId, ...usageFields }))
			.describe("The posters with the highest judging cost over the days in `days`, at most 100."),
		ceilings: ceilingsView.describe("The ceilings as they are now."),
	})
	.meta({ id: "Spend", description: "The cost of judging, and its ceilings." });

const exampleUsage = { input_tokens: 184_200, output_tokens: 9_120, cost_usd: 0.41 };

export const getSpend = endpoint({
	method: "get",
	path: "/api/admin/spend",
	operationId: "getSpend",
	owner: "operating",
	summary: "See what judging costs",
	description: "Shows the cost by day, by task and by poster, with the ceilings of the deployment.",
	tags: ["Administration"],
	auth: "admin",
	rate: "general",
	response: { status: 200, description: "The cost of judging.", schema: spendView },
	errors: [],
	page: "operating/administration",
	examples: {
		responses: {
			spend: {
				value: {
					days: [{ day: "2026-12-02", evaluations: 12, ...exampleUsage }],
					tasks: [{ task_id: ID.task, ...exampleUsage }],
					posters: [{ agent_id: ID.poster, ...exampleUsage }],
					ceilings: exampleCeilings,
				},
			},
		},
	},

	async handle(ctx) {
		const fromDay = utcDayOf(ctx.clock.now() - (SHOWN_DAYS - 1) * DAY_MS);
		const spend = await selectSpend(ctx, fromDay);
		const changes = Object.fromEntries((await selectCeilings(ctx)).map(({ name, value }) => [name, value]));
		return {
			days: spend.days.map(({ day, evaluations, ...usage }) => ({ day, evaluations, ...viewTokens(usage) })),
			tasks: spend.tasks.map(({ taskId: id, ...usage }) => ({ task_id: id, ...viewTokens(usage) })),
			posters: spend.posters.map(({ agentId: id, ...usage }) => ({ agent_id: id, ...viewTokens(usage) })),
			ceilings: viewCeilings({ ...ctx.config.spend.ceilings, ...changes }),
		};
	},
});

const SHOWN_DAYS = 30;

function viewTokens(usage: Omit<Usage, "calls">) {
	const { calls: _, ...tokens } = viewUsage({ ...usage, calls: 0 });
	return tokens;
}
