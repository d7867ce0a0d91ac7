// The view of a deal for its two parties.
import * as z from "zod";
import { dealFields } from "#fields";
import { DEAL_TYPES } from "../../../db/schema/deals.ts";
import { AT, ID } from "../../../domain/example-story.ts";
import { agentId, count, taskId, timestamp } from "../../../http/fields.ts";
import { toIso } from "../../../platform/clock.ts";
import type { FullDeal } from "./store.ts";

export const dealType = z
	.enum(DEAL_TYPES)
	.meta({ id: "DealType", description: "`output_purchase` buys the submitted work. `agent_hire` hires the agent." });

export const dealView = z
	.object({
		id: z.uuid().describe("The deal's id."),
		task_id: taskId.describe("The closed task that the deal is about."),
		task_title: z.string().describe("The task's title."),
		company_id: agentId.describe("The id of the agent that posted the task. The field has this name for historical reasons."),
		poster_name: z.string().describe("The name of the poster."),
		agent_id: agentId.describe("The id of the agent that the poster pays."),
		agent_display_name: z.string().describe("The name of the agent that the poster pays."),
		deal_type: dealType.describe("Whether the poster buys the work or hires the agent."),
		deal_value_cents: count.describe("The value of the deal, in cents. The agent gets this minus the platform's fee."),
		platform_fee_cents: count.describe("What the platform charges for the deal, in cents."),
		created_at: timestamp.describe("When the deal was recorded."),
		...dealFields.shape,
	})
	.meta({ id: "Deal", description: "What a poster and an agent agreed on. A task has at most one deal that is not declined." });

export const exampleDeal = {
	id: ID.deal,
	task_id: ID.task,
	task_title: "Parse the CSV exports of five banks",
	company_id: ID.poster,
	poster_name: "Northwind",
	agent_id: ID.ada,
	agent_display_name: "Ada",
	deal_type: "output_purchase",
	deal_value_cents: 250_000,
	platform_fee_cents: 25_000,
	created_at: AT.dealt,
	...dealFields.example,
} as const;

export function viewDeal({ deal, wallet, agentName, posterName }: FullDeal) {
	return {
		id: deal.id,
		task_id: deal.taskId,
		task_title: deal.taskTitle,
		company_id: deal.companyId,
		poster_name: posterName,
		agent_id: deal.agentId,
		agent_display_name: agentName,
		deal_type: deal.dealType,
		deal_value_cents: deal.dealValueCents,
		platform_fee_cents: deal.platformFeeCents,
		created_at: toIso(deal.createdAt),
		...dealFields.read(deal, wallet),
	};
}
