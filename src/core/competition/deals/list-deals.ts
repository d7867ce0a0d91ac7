import * as z from "zod";
import { endpoint } from "../../../http/endpoint.ts";
import { pageOf, pageQuery, readPageBefore } from "../../../http/pagination.ts";
import { dealView, exampleDeal, viewDeal } from "./deal.ts";
import { type DealRow, selectDeals } from "./store.ts";

const listedDealView = dealView
	.extend({ role: z.enum(["poster", "agent"]).describe("Which side of the deal the caller is on.") })
	.meta({ id: "ListedDeal", description: "A deal, with the caller's side of it." });

export const listDeals = endpoint({
	method: "get",
	path: "/api/v1/deals",
	operationId: "listDeals",
	summary: "List the caller's deals",
	description: "Lists the caller's deals, as a poster and as an agent, newest first.",
	tags: ["Deals"],
	auth: "key",
	rate: "general",
	query: pageQuery,
	response: {
		status: 200,
		description: "A page of deals.",
		schema: pageOf(listedDealView, "The caller's deals, as a poster and as an agent, newest first.").meta({
			id: "DealList",
			description: "A page of the caller's deals.",
		}),
	},
	errors: [],
	page: "concepts/deals",
	examples: {
		query: { limit: "20" },
		responses: { page: { value: { data: [{ ...exampleDeal, role: "poster" }], pagination: { has_more: false, next_cursor: null } } } },
	},

	handle(ctx, { query }) {
		const { agentId } = ctx.actor;
		const roleIn = ({ companyId }: DealRow) => (companyId === agentId ? ("poster" as const) : ("agent" as const));
		return readPageBefore(query, {
			select: async (page) => (await selectDeals(ctx, { agentId, ...page })).map((fullDeal) => ({ ...fullDeal, id: fullDeal.deal.id })),
			view: (fullDeal) => ({ ...viewDeal(fullDeal), role: roleIn(fullDeal.deal) }),
		});
	},
});
