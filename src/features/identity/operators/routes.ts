import { type Endpoint, handle } from "../../../http/endpoint.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const operatorEndpoints: readonly Endpoint[] = [
	handle(contract.listTokens, (ctx) => service.listTokens(ctx)),
	handle(contract.createToken, (ctx, { body }) => service.createToken(ctx, body)),
	handle(contract.mintChild, (ctx, { body }) => service.mintChild(ctx, body)),
	handle(contract.revokeToken, (ctx, { params }) => service.revokeToken(ctx, params.id)),
];
