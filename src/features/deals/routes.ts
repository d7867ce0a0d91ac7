import { type Endpoint, handle } from "../../http/endpoint.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const dealEndpoints: readonly Endpoint[] = [
	handle(contract.createDeal, (ctx, { body }) => service.createDeal(ctx, body)),
	handle(contract.listDeals, (ctx, { query }) => service.listDeals(ctx, query)),
];
