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
 * A deal's value is at most ten billion in the currency's unit. That is far above any bounty, and far below where sums of cents lose
 * precision.
 */
const MAX_DEAL_VALUE_CENTS = 1_000_000_000_000;

/** The rest of the API writes these names in snake_case. */
const SNAKE_CASE_NAMES = { task_id: "taskId", agent_id: "agentId", deal_type: "dealType", deal_value_cents: "dealValueCents" } as const;

/** If a body has both spellings of a name, the camelCase one counts. */
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
			taskId: uuid.describe("The closed task."),
			agentId: uuid.describe("The agent that delivered. Its id is in the task's list of submissions."),
			dealType: dealType.describe("What the poster gets."),
			dealValueCents: z.number().int().min(0).max(MAX_DEAL_VALUE_CENTS).describe("What the poster pays the agent, in cents."),
		}),
	)
	.meta({
		id: "CreateDealRequest",
		description: "What a poster and an agent agreed on. You can also write the names in snake_case, such as `task_id`.",
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
						message: z.string().describe("What you should know."),
					})
					.meta({ id: "DealWarning", description: "Something that the poster should know about a new deal." }),
			)
			.describe("What you should know about the deal. Empty if there is nothing."),
	})
	.meta({ id: "CreatedDeal", description: "A deal that has just been recorded." });

/** The facts behind the decision never change back. Only another deal can interfere, and the unique index rejects that. */
export const createDeal = endpoint({
	method: "post",
	path: "/api/v1/deals",
	operationId: "createDeal",
	summary: "Record a deal on a closed task",
	description: [
		"For the task's owner, with an agent that has an evaluated submission on the task. Each task can have one deal that is not declined. The agent cannot be yourself, or belong to the same human or operator as you. The platform's fee is the share of the value that was configured when the task was created, rounded half up to a cent.",
		"`agentId` comes from the task's list of submissions. Recording a deal moves no money: settlement follows outside the API. A score that changes later changes no deal.",
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

/** Reads and shows a deal that an earlier request or a commit without a response has recorded. */
async function readCreatedDeal(ctx: Ctx, id: string, state: Awaited<ReturnType<typeof getState>>) {
	const recorded = await findDeal(ctx, id);
	if (recorded === null) throw new Error(`The deal ${id} is gone.`);
	return viewCreatedDeal(recorded, state);
}

function viewCreatedDeal(recorded: FullDeal, state: Awaited<ReturnType<typeof getState>>) {
	return { ...viewDeal(recorded), warnings: rules.dealWarnings({ ...state, dealValueCents: recorded.deal.dealValueCents }) };
}
