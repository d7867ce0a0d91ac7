import { type Endpoint, handle } from "../../../http/endpoint.ts";
import * as contract from "./contract.ts";
import { payDeal } from "./payment.ts";
import * as service from "./service.ts";

export const dealEndpoints: readonly Endpoint[] = [
	handle(contract.createDeal, (ctx, { body }) => service.createDeal(ctx, body)),
	handle(contract.listDeals, (ctx, { query }) => service.listDeals(ctx, query)),
	handle(contract.getDeal, (ctx, { params }) => service.getDeal(ctx, params.id)),
	handle(contract.acceptDeal, (ctx, { params }) => service.acceptDeal(ctx, params.id)),
	handle(contract.payDeal, (ctx, { params, body }) => payDeal(ctx, params.id, body.payment_reference)),
	handle(contract.confirmDeal, (ctx, { params }) => service.confirmDeal(ctx, params.id)),
	handle(contract.disputeDeal, (ctx, { params, body }) => service.disputeDeal(ctx, params.id, body.reason)),
];
