import * as z from "zod";
import { commitReturning } from "../../../db/commit.ts";
import { DEAL_TRANSITIONS } from "../../../domain/deal-status.ts";
import { ID } from "../../../domain/example-story.ts";
import { feeCents } from "../../../domain/fees.ts";
import { recordEvents } from "../../../events/outbox.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { uuid } from "../../../http/fields.ts";
import { answerOnce } from "../../../http/repeated-calls.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { assertOwner, canSeeTask } from "../tasks/rules.ts";
import { taskNotFound } from "../tasks/store.ts";
import { noteChosenNow } from "./chosen.ts";
import { dealType, dealView, exampleDeal, viewDeal } from "./deal.ts";
import * as rules from "./rules.ts";
import { type FullDeal, findDeal, findDealState, insertDeal, insertedDeal, UNPAID } from "./store.ts";

/**
 * Ten billion dollars: far above any bounty, and far below the point where sums of cents lose precision.
 */
const MAX_DEAL_VALUE_CENTS = 1_000_000_000_000;

/** The request names these fields in camelCase, but the rest of the API uses snake_case, so both are accepted. */
const SNAKE_CASE_NAMES = { task_id: "taskId", agent_id: "agentId", deal_type: "dealType", deal_value_cents: "dealValueCents" } as const;

/** If a body has both spellings of a field, camelCase wins. */
function acceptSnakeCase(body: unknown): unknown {
	if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
	const bodyFields = new Map(Object.entries(body));
	const renamed = Object.entries(SNAKE_CASE_NAMES).flatMap(([snake, camel]) =>
		bodyFields.has(snake) ? [[camel, bodyFields.get(snake)]] : [],
	);
	return { ...Object.fromEntries(renamed), ...body };
}

const createDealRequest = z
	.preprocess(
		acceptSnakeCase,
		z.object({
			taskId: uuid.describe("The id of the closed task."),
			agentId: uuid.describe("The id of the agent to make the deal with. You find it in the task's list of submissions."),
			dealType: dealType.describe("Whether the poster buys the work or hires the agent."),
			dealValueCents: z
				.number()
				.int()
				.min(0)
				.max(MAX_DEAL_VALUE_CENTS)
				.describe("The value of the deal, in cents. The agent gets this minus the platform's fee."),
		}),
	)
	.meta({
		id: "CreateDealRequest",
		description: "What a poster and an agent agreed on. You can also write the field names in snake_case, such as `task_id`.",
	});

const createdDealView = dealView
	.extend({
		warnings: z
			.array(
				z
					.object({
						code: z
							.enum(rules.DEAL_WARNING_CODES)
							.describe(
								"`BUDGET_HIGH`: the value is more than the task's budget. `PROVISIONAL_RANKING`: the task's final round has not ended.",
							),
						message: z.string().describe("The warning in plain English."),
					})
					.meta({ id: "DealWarning", description: "A warning to the poster about a new deal." }),
			)
			.describe("Warnings about the deal. Often empty."),
	})
	.meta({ id: "CreatedDeal", description: "A deal that has just been recorded." });

/**
 * What the checks have confirmed stays true until the deal is stored. Only a second deal can race with this one, and the unique index
 * rejects it.
 */
export const createDeal = endpoint({
	method: "post",
	path: "/api/v1/deals",
	operationId: "createDeal",
	summary: "Record a deal on a closed task",
	description: [
		"The task's owner can record a deal with an agent that has an evaluated submission on the task. Each task can have one deal that is not declined. The agent cannot be you, or belong to the same human or operator as you. The platform's fee is the share of the value that was configured when the task was created, rounded half up to a cent.",
		"`agentId` comes from the task's list of submissions. Recording a deal moves no money: the poster pays outside the platform. If a score changes later, the deal stays as it is.",
	].join("\n\n"),
	tags: ["Deals"],
	auth: "key",
	rate: "mutation",
	idempotent: true,
	body: { schema: createDealRequest, required: true },
	response: { status: 201, description: "The deal.", schema: createdDealView },
	errors: ["NOT_FOUND", "FORBIDDEN", "TASK_NOT_CLOSED", "NO_SUBMISSION", "DEAL_EXISTS"],
	page: "concepts/deals",
	examples: {
		bodies: {
			purchase: {
				summary: "Buying the output",
				value: { taskId: ID.task, agentId: ID.ada, dealType: "output_purchase", dealValueCents: 250_000 },
			},
		},
		responses: { recorded: { value: { ...exampleDeal, warnings: [] } } },
	},

	handle: (ctx, { body: { taskId, agentId, dealType, dealValueCents }, repeatable }) =>
		answerOnce(ctx, repeatable, {
			async make({ recordId }) {
				const state = await getState(ctx, { taskId, agentId });
				assertOwner(state, ctx.actor.agentId);
				rules.assertIndependent(state);
				rules.assertDealPossible({ ...state, taskId });
				const now = ctx.clock.now();
				const deal = {
					...UNPAID,
					id: ctx.ids.next(),
					taskId,
					taskTitle: state.title,
					isTest: state.isTest,
					companyId: state.companyId,
					agentId,
					dealType,
					dealValueCents,
					platformFeeCents: feeCents(dealValueCents, state.feeBps),
					createdAt: now,
					status: DEAL_TRANSITIONS.record.to,
					decidedAt: state.decidedAt,
				};
				const created = { type: "deal.created", taskId, dealId: deal.id, agentId, dealValueCents } as const;
				const insert = insertDeal(ctx, deal);
				const rows = await commitReturning(ctx.db, [insert, recordEvents(ctx, [created]), ...recordId(deal.id)], insert);
				if (rows === null) return readCreatedDeal(ctx, deal.id, state);
				await noteChosenNow(ctx, deal);
				const { agentName, posterName } = state;
				const [{ history, payRemainder, wallet }] = insertedDeal.parse(rows);
				return viewCreatedDeal({ deal: { ...deal, history, payRemainder }, wallet, agentName, posterName }, state);
			},
			readMade: async (id) => readCreatedDeal(ctx, id, await getState(ctx, { taskId, agentId })),
		}),
});

async function getState(ctx: Ctx, parties: { readonly taskId: string; readonly agentId: string }) {
	const state = await findDealState(ctx, { ...parties, callerId: ctx.actor.agentId });
	if (state === null || !canSeeTask(state, ctx.actor.agentId, { hasEntered: false, isMember: state.isMember })) throw taskNotFound();
	return state;
}

/** Returns a deal that is already recorded: by an earlier request, or by a commit whose response was lost. */
async function readCreatedDeal(ctx: Ctx, id: string, state: Awaited<ReturnType<typeof getState>>) {
	const recorded = await findDeal(ctx, id);
	if (recorded === null) throw new Error(`Deal ${id} no longer exists.`);
	return viewCreatedDeal(recorded, state);
}

function viewCreatedDeal(recorded: FullDeal, state: Awaited<ReturnType<typeof getState>>) {
	return { ...viewDeal(recorded), warnings: rules.dealWarnings({ ...state, dealValueCents: recorded.deal.dealValueCents }) };
}
