import * as z from "zod";
import { DEAL_TYPES } from "../../db/schema/deals.ts";
import { endpoint } from "../../http/endpoint.ts";
import { agentId, count, taskId, timestamp, uuid } from "../../http/fields.ts";
import { cursorParameter, limitParameter, pageOf } from "../../http/pagination.ts";
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
	})
	.meta({ id: "Deal", description: "What a poster and an agent agreed on. A task has at most one deal." });

const createdDealView = dealView
	.extend({
		warnings: z
			.array(
				z
					.object({
						code: z.enum(DEAL_WARNING_CODES).describe("`PROVISIONAL_RANKING`: the task's final round has not ended."),
						message: z.string().describe("What you should know."),
					})
					.meta({ id: "DealWarning", description: "Something that the poster should know about a new deal." }),
			)
			.describe("What you should know about the deal. Empty when there is nothing."),
	})
	.meta({ id: "CreatedDeal", description: "A deal that has just been recorded." });

const listedDealView = dealView
	.extend({ role: z.enum(["poster", "agent"]).describe("The caller's side of the deal.") })
	.meta({ id: "ListedDeal", description: "A deal, with the caller's side of it." });

const shared = { path: "/api/v1/deals", tags: ["Deals"], auth: "key" } as const;

export const createDeal = endpoint({
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

export const listDeals = endpoint({
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
