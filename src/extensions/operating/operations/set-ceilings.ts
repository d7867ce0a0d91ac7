import * as z from "zod";
import { forgetLimits } from "../../../core/competition/spend/service.ts";
import { commit, decideAndCommit } from "../../../db/commit.ts";
import { CEILINGS, type CeilingChanges, type CeilingName, MICRO_USD } from "../../../domain/spend.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { auditEntry, EXAMPLE_AUDIT_ID, reason } from "../admin/audit-entry.ts";
import { CEILING_FIELDS, ceilingNames, ceilingsView, exampleCeilings, viewCeilings } from "./ceilings.ts";
import { replaceCeilings } from "./statements.ts";
import { selectCeilings } from "./store.ts";
import { lookAtCeilingsOfTasks } from "./task-jobs.ts";

const HOW = "Null removes the ceiling.";
const usd = z.number().min(0.01).max(1_000_000_000).nullable().optional();

const ceilingsRequest = z
	.object({
		task_usd: usd.describe(`Maximum cost of judging a task, in US dollars. ${HOW}`),
		task_budget_percent: z
			.number()
			.min(0.01)
			.max(100)
			.nullable()
			.optional()
			.describe(`Maximum cost of judging a task, as a percentage of its budget. ${HOW}`),
		poster_day_usd: usd.describe(`Maximum cost of judging all tasks of a poster in a UTC day, in US dollars. ${HOW}`),
		deployment_day_usd: usd.describe(`Maximum cost of judging on the whole deployment in a UTC day, in US dollars. ${HOW}`),
		as_configured: z
			.array(z.enum(ceilingNames))
			.min(1)
			.max(ceilingNames.length)
			.optional()
			.describe("These ceilings are reset to their configured values. Other values for them in this request are ignored."),
		reason,
	})
	.refine(({ reason: _, ...fields }) => Object.values(fields).some((value) => value !== undefined), {
		path: [],
		message: "name at least one ceiling",
	})
	.meta({
		id: "CeilingsRequest",
		description: "The ceilings to set. The others stay as they are.",
		adds: { anyOf: [...ceilingNames, "as_configured"].map((name) => ({ required: [name] })) },
	});

const ceilingsSetView = z
	.object({
		ceilings: ceilingsView.describe("The ceilings after the change."),
		audit_id: z.uuid().describe("The id of the entry in the audit log."),
	})
	.meta({ id: "CeilingsSet", description: "The ceilings after a change." });

export const setCeilings = endpoint({
	method: "put",
	path: "/api/admin/spend/ceilings",
	operationId: "setCeilings",
	owner: "operating",
	summary: "Set the spending ceilings for judging",
	description:
		"The new ceilings apply to evaluations that begin at least 10 seconds later. Evaluations that are waiting because of a ceiling then check whether it still stops them.",
	tags: ["Administration"],
	auth: "admin",
	rate: "general",
	body: { schema: ceilingsRequest, required: true },
	response: { status: 200, description: "The ceilings after the change.", schema: ceilingsSetView },
	errors: ["CONFLICT"],
	page: "operating/administration",
	examples: {
		bodies: {
			lower: {
				value: { deployment_day_usd: 50, as_configured: ["task_usd"], reason: "The budget of this month is nearly used up." },
			},
		},
		responses: {
			lower: { value: { ceilings: { ...exampleCeilings, deployment_day_usd: 50 }, audit_id: EXAMPLE_AUDIT_ID } },
		},
	},

	// If two operators act at the same time, their changes are applied one after the other.
	async handle(ctx, { body: { reason: why, ...body } }) {
		const changes = toChanges(body);
		const reset = (body.as_configured ?? []).map((name) => CEILING_FIELDS[name]);
		const set = await decideAndCommit(ctx.db, async () => {
			ctx.db.refresh();
			const rows = await selectCeilings(ctx);
			const before: CeilingChanges = Object.fromEntries(rows.map(({ name, value }) => [name, value]));
			const after: CeilingChanges = Object.fromEntries(
				CEILINGS.flatMap((name) => {
					const value = changes[name] === undefined ? before[name] : changes[name];
					return value === undefined || reset.includes(name) ? [] : [[name, value]];
				}),
			);
			const audit = auditEntry(ctx, { action: "ceilings.set", target: "ceilings", reason: why, before, after });
			await commit(ctx.db, [...replaceCeilings(ctx, before, after), audit.statement]);
			forgetLimits();
			return { ceilings: viewCeilings({ ...ctx.config.spend.ceilings, ...after }), audit_id: audit.id };
		});
		await lookAtCeilingsOfTasks(ctx);
		return set;
	},
});

/** Null removes the ceiling, and undefined leaves it as it is. */
type CeilingValue = number | null | undefined;

function toChanges(body: Omit<z.output<typeof ceilingsRequest>, "reason">): Readonly<Partial<Record<CeilingName, CeilingValue>>> {
	const toMicro = (value: CeilingValue): CeilingValue => (typeof value === "number" ? Math.round(value * MICRO_USD) : value);
	return {
		task_micro_usd: toMicro(body.task_usd),
		task_budget_percent: body.task_budget_percent,
		poster_day_micro_usd: toMicro(body.poster_day_usd),
		deployment_day_micro_usd: toMicro(body.deployment_day_usd),
	};
}
