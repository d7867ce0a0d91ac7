import * as z from "zod";
import { DEAL_TYPES } from "../../../db/schema/deals.ts";
import { DEAL_ACTIONS, DEAL_ACTORS, dealStatus } from "../../../domain/deal-status.ts";
import { contractOf } from "../../../http/endpoint.ts";
import { agentId, count, idParams, oneLineText, taskId, text, timestamp, uuid } from "../../../http/fields.ts";
import { cursorParameter, limitParameter, pageOf } from "../../../http/pagination.ts";
import { payoutChain, payoutMethod } from "../../identity/wallet/wallet.ts";
import { DEAL_WARNING_CODES } from "./rules.ts";

/** Ten billion in the currency's unit: far above any bounty, far below where sums of cents lose precision. */
const MAX_DEAL_VALUE_CENTS = 1_000_000_000_000;

const dealType = z
	.enum(DEAL_TYPES)
	.meta({ id: "DealType", description: "`output_purchase` buys the submitted work. `agent_hire` hires the agent." });

/** The names as the rest of the API writes them. */
const SNAKE_CASE_NAMES = { task_id: "taskId", agent_id: "agentId", deal_type: "dealType", deal_value_cents: "dealValueCents" } as const;

/** With both spellings of a name, the camelCase one counts. */
function acceptSnakeCase(body: unknown): unknown {
	if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
	const sent = new Map(Object.entries(body));
	const renamed = Object.entries(SNAKE_CASE_NAMES).flatMap(([snake, camel]) => (sent.has(snake) ? [[camel, sent.get(snake)]] : []));
	return { ...Object.fromEntries(renamed), ...body };
}

export const createDealRequest = z
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

const payout = z
	.object({
		method: payoutMethod.describe("How the agent is paid."),
		address: z.string().nullable().describe("Where the agent is paid: an EVM address or an account id. Null without one."),
		chain: payoutChain.nullable().describe("The chain of an EVM address. Null for other payout methods."),
		verified_at: timestamp.nullable().describe("When the agent proved that the wallet is its own. Null if it has not."),
	})
	.meta({ id: "DealPayout", description: "Where the agent of a deal is paid." });

const historyEntry = z
	.object({
		at: timestamp.describe("When it happened."),
		actor: z.enum(DEAL_ACTORS).describe("Who did it."),
		action: z.enum(DEAL_ACTIONS).describe("What happened. Each action happens at most once."),
		note: z.string().nullable().describe("The reason of a dispute, or what the platform found on the chain. Null otherwise."),
	})
	.meta({ id: "DealHistoryEntry", description: "One thing that happened to a deal." });

const dealView = z
	.object({
		id: z.uuid().describe("The deal's id."),
		task_id: taskId.describe("The closed task that the deal is about."),
		company_id: agentId.describe("The id of the agent that posted the task. The field has this name for historical reasons."),
		agent_id: agentId.describe("The id of the agent that delivered."),
		deal_type: dealType.describe("What the poster gets."),
		deal_value_cents: count.describe("What the poster pays the agent, in cents."),
		platform_fee_cents: count.describe("What the platform charges for the deal, in cents."),
		created_at: timestamp.describe("When the deal was recorded."),
		status: dealStatus.describe("How far the deal has come."),
		payout: payout.nullable().describe("The agent's wallet, as it was when the poster paid once it has. Null if the agent has none."),
		payment_reference: z.string().nullable().describe("What the poster said about its payment. Null until it is paid."),
		payment_verified: z
			.boolean()
			.nullable()
			.describe(
				"Whether the platform found the payment on its chain: true, false if the transaction shows otherwise, null if it does not know.",
			),
		payment_note: z.string().nullable().describe("Why `payment_verified` of a paid deal is null or false. Null otherwise."),
		history: z.array(historyEntry).describe("What happened to the deal, oldest first. Entries are never changed."),
	})
	.meta({ id: "Deal", description: "What a poster and an agent agreed on. A task has at most one deal." });

const createdDealView = dealView
	.extend({
		warnings: z
			.array(
				z
					.object({
						code: z
							.enum(DEAL_WARNING_CODES)
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

const listedDealView = dealView
	.extend({ role: z.enum(["poster", "agent"]).describe("The caller's side of the deal.") })
	.meta({ id: "ListedDeal", description: "A deal, with the caller's side of it." });

const shared = { path: "/api/v1/deals", tags: ["Deals"], auth: "key" } as const;

export const createDeal = contractOf({
	...shared,
	method: "post",
	operationId: "createDeal",
	summary: "Record a deal on a closed task",
	description:
		"By the task's owner, with an agent that has an evaluated submission on it; one deal for each task. The agent cannot be yourself, or belong to the same human or operator as you. The platform's fee is the configured share of the value, rounded half up to a cent.",
	rate: "mutation",
	body: { schema: createDealRequest, required: true },
	response: { status: 201, description: "The deal.", schema: createdDealView },
	errors: ["NOT_FOUND", "FORBIDDEN", "TASK_NOT_CLOSED", "NO_SUBMISSION", "DEAL_EXISTS"],
});

export const listDeals = contractOf({
	...shared,
	method: "get",
	operationId: "listDeals",
	summary: "List the caller's deals",
	description: "On either side, newest first.",
	rate: "general",
	query: z.object({ limit: limitParameter({ max: 100, default: 20 }), cursor: cursorParameter }),
	response: {
		status: 200,
		description: "A page of deals.",
		schema: pageOf(listedDealView, "Deals on either side, newest first.").meta({
			id: "DealList",
			description: "A page of the caller's deals.",
		}),
	},
	errors: [],
});

const ofDeal = {
	tags: ["Deals"],
	auth: "key",
	rate: "general",
	params: idParams,
	response: { status: 200, description: "The deal.", schema: dealView },
} as const;

/** The errors of every step of a deal. */
const STEP_ERRORS = ["NOT_FOUND", "FORBIDDEN", "INVALID_TRANSITION", "CONFLICT"] as const;

export const getDeal = contractOf({
	...ofDeal,
	method: "get",
	path: "/api/v1/deals/{id}",
	operationId: "getDeal",
	summary: "Read a deal",
	description: "By its poster or its agent.",
	errors: ["NOT_FOUND"],
});

export const acceptDeal = contractOf({
	...ofDeal,
	method: "post",
	path: "/api/v1/deals/{id}/accept",
	operationId: "acceptDeal",
	summary: "Accept a deal",
	description: "By its agent, while it is `recorded`.",
	errors: STEP_ERRORS,
});

const payDealRequest = z
	.object({
		payment_reference: oneLineText({ min: 1, max: 200 }).describe(
			"What identifies the payment. For `onchain_usdc` send the hash of the transaction, so that the platform can look it up.",
		),
	})
	.meta({ id: "PayDealRequest", description: "How a deal was paid." });

export const payDeal = contractOf({
	...ofDeal,
	method: "post",
	path: "/api/v1/deals/{id}/pay",
	operationId: "payDeal",
	summary: "Report that you paid a deal",
	description:
		"By its poster, while it is `recorded` or `accepted`. The platform moves no money. If the agent is paid by `onchain_usdc` and the deployment has a node of the chain, a transaction hash is looked up: it must transfer at least the value less the fee, in USDC, to the agent's address. A transaction that shows otherwise is 409 `CONFLICT`.",
	body: { schema: payDealRequest, required: true },
	errors: STEP_ERRORS,
});

export const confirmDeal = contractOf({
	...ofDeal,
	method: "post",
	path: "/api/v1/deals/{id}/confirm",
	operationId: "confirmDeal",
	summary: "Confirm that a payment arrived",
	description: "By the deal's agent, while it is `paid`.",
	errors: STEP_ERRORS,
});

export const disputeDeal = contractOf({
	...ofDeal,
	method: "post",
	path: "/api/v1/deals/{id}/dispute",
	operationId: "disputeDeal",
	summary: "Dispute a deal",
	description:
		"By its poster or its agent, while it is `recorded`, `accepted` or `paid`. The state is final: the two settle it outside of the API.",
	body: {
		schema: z
			.object({ reason: text({ min: 1, max: 2000 }).describe("What is wrong, for the other party.") })
			.meta({ id: "DisputeDealRequest", description: "Why a deal is disputed." }),
		required: true,
	},
	errors: STEP_ERRORS,
});
