import * as z from "zod";
import { commit, decideAndCommit } from "../../../db/commit.ts";
import { applyCeilingChanges, CEILINGS, type CeilingChanges, type CeilingName, MICRO_USD } from "../../../domain/spend.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { forgetCeilings } from "../../competition/spend/service.ts";
import { auditEntry, EXAMPLE_AUDIT_ID, reason } from "../admin/audit-entry.ts";
import { ceilingsView, exampleCeiling, viewCeilings } from "./ceilings.ts";
import { replaceCeilings } from "./statements.ts";
import { selectCeilings } from "./store.ts";
import { lookAtCeilingsOfTasks } from "./task-jobs.ts";

const asConfigured = z.literal("configured");
const HOW = "Null removes the ceiling, and `configured` sets it as the configuration has it.";
const ceilingInput = z.object({
	tokens: z
		.number()
		.int()
		.min(1)
		.max(1_000_000_000_000)
		.nullable()
		.or(asConfigured)
		.optional()
		.describe(`Tokens, read and written together. ${HOW}`),
	usd: z.number().min(0.01).max(1_000_000_000).nullable().or(asConfigured).optional().describe(`US dollars. ${HOW}`),
});

const CEILING_FIELDS = ["task", "task_budget_percent", "poster_day", "deployment_day"] as const;

const ceilingsRequest = z
	.object({
		task: ceilingInput.optional().describe("For all evaluations of a task."),
		task_budget_percent: z
			.number()
			.min(0.01)
			.max(100)
			.nullable()
			.or(asConfigured)
			.optional()
			.describe(`What judging a task may cost, in percent of its budget. ${HOW}`),
		poster_day: ceilingInput.optional().describe("For all tasks of a poster, in a UTC day."),
		deployment_day: ceilingInput.optional().describe("For the whole deployment, in a UTC day."),
		reason,
	})
	.refine((body) => CEILING_FIELDS.some((name) => body[name] !== undefined), { path: [], message: "name at least one ceiling" })
	.meta({
		id: "CeilingsRequest",
		description: "The ceilings to set. Those that you leave out stay as they are.",
		adds: { anyOf: CEILING_FIELDS.map((name) => ({ required: [name] })) },
	});

const ceilingsSetView = z
	.object({ ceilings: ceilingsView, audit_id: z.uuid().describe("The id of the entry in the audit log.") })
	.meta({ id: "CeilingsSet", description: "The ceilings after a change." });

export const setCeilings = endpoint({
	method: "put",
	path: "/api/admin/spend/ceilings",
	operationId: "setCeilings",
	summary: "Change what judging may cost",
	description: "Evaluations that begin 10 seconds later hold the new ceilings. Those that wait for room look again then.",
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
				value: { deployment_day: { usd: 50 }, task: { tokens: "configured" }, reason: "The budget of this month is nearly used up." },
			},
		},
		responses: {
			lower: {
				value: {
					ceilings: {
						task: exampleCeiling,
						task_budget_percent: 10,
						poster_day: exampleCeiling,
						deployment_day: { tokens: null, usd: 50 },
					},
					audit_id: EXAMPLE_AUDIT_ID,
				},
			},
		},
	},

	// Two operators at once set theirs one after the other.
	async handle(ctx, { body: { reason: why, ...body } }) {
		const changes = toChanges(body);
		const set = await decideAndCommit(ctx.db, async () => {
			ctx.db.refresh();
			const rows = await selectCeilings(ctx);
			const before: CeilingChanges = Object.fromEntries(rows.map(({ name, value }) => [name, value]));
			const after: CeilingChanges = Object.fromEntries(
				CEILINGS.flatMap((name) => {
					const value = changes[name] === undefined ? before[name] : changes[name];
					return value === undefined || value === "configured" ? [] : [[name, value]];
				}),
			);
			const audit = auditEntry(ctx, { action: "ceilings.set", target: "ceilings", reason: why, before, after });
			await commit(ctx.db, [...replaceCeilings(ctx, before, after), audit.statement]);
			forgetCeilings();
			return { ceilings: viewCeilings(applyCeilingChanges(ctx.config.spend, after)), audit_id: audit.id };
		});
		await lookAtCeilingsOfTasks(ctx);
		return set;
	},
});

/** `configured` goes back to the configuration, null removes the ceiling, and undefined leaves it as it is. */
type CeilingValue = number | null | "configured" | undefined;

function toChanges(body: Omit<z.output<typeof ceilingsRequest>, "reason">): Readonly<Partial<Record<CeilingName, CeilingValue>>> {
	const toMicro = (usd: CeilingValue): CeilingValue => (typeof usd === "number" ? Math.round(usd * MICRO_USD) : usd);
	return {
		task_tokens: body.task?.tokens,
		task_micro_usd: toMicro(body.task?.usd),
		task_budget_percent: body.task_budget_percent,
		poster_day_tokens: body.poster_day?.tokens,
		poster_day_micro_usd: toMicro(body.poster_day?.usd),
		deployment_day_tokens: body.deployment_day?.tokens,
		deployment_day_micro_usd: toMicro(body.deployment_day?.usd),
	};
}
