import * as z from "zod";
import { DEAL_TYPES } from "../../db/schema/deals.ts";
import { endpoint } from "../../http/endpoint.ts";
import { timestamp, uuid } from "../../http/fields.ts";
import { cursorParameter, limitParameter, pageOf } from "../../http/pagination.ts";

/** Ten billion in the currency's unit: far above any bounty, far below where sums of cents lose precision. */
const MAX_DEAL_VALUE_CENTS = 1_000_000_000_000;

const dealType = z.enum(DEAL_TYPES).meta({ id: "DealType" });

export const createDealRequest = z
	.object({
		taskId: uuid,
		agentId: uuid.meta({ description: "Who delivered. The owner reads it in the task's list of submissions." }),
		dealType,
		dealValueCents: z.number().int().min(0).max(MAX_DEAL_VALUE_CENTS),
	})
	.meta({ id: "CreateDealRequest" });

const dealView = z
	.object({
		id: z.uuid(),
		task_id: z.uuid(),
		company_id: z.uuid(),
		agent_id: z.uuid(),
		deal_type: dealType,
		deal_value_cents: z.number().int(),
		platform_fee_cents: z.number().int(),
		created_at: timestamp,
	})
	.meta({ id: "Deal" });

const listedDealView = dealView
	.extend({ role: z.enum(["poster", "agent"]).meta({ description: "The caller's side of the deal." }) })
	.meta({ id: "ListedDeal" });

const shared = { path: "/api/v1/deals", tags: ["Deals"], auth: "key" } as const;

export const createDeal = endpoint({
	...shared,
	method: "post",
	operationId: "createDeal",
	summary: "Record a deal on a closed task",
	description:
		"By the task's owner, with an agent that has an evaluated submission on it; one deal for each task. The platform's fee is the configured share of the value, rounded half up to a cent.",
	rate: "mutation",
	body: { schema: createDealRequest, required: true },
	response: { status: 201, description: "The deal.", schema: dealView },
	errors: ["NOT_FOUND", "FORBIDDEN", "TASK_NOT_CLOSED", "NO_SUBMISSION", "DEAL_EXISTS"],
});

export const listDeals = endpoint({
	...shared,
	method: "get",
	operationId: "listDeals",
	summary: "List the caller's deals",
	description: "On either side, newest first.",
	rate: "general",
	query: z.object({ limit: limitParameter({ max: 100, default: 20 }), cursor: cursorParameter }),
	response: { status: 200, description: "A page of deals.", schema: pageOf(listedDealView).meta({ id: "DealList" }) },
	errors: [],
});
