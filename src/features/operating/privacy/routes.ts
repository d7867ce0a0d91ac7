import { type Endpoint, handle } from "../../../http/endpoint.ts";
import * as contract from "./contract.ts";
import { eraseAgent, exportAgent } from "./service.ts";

export const privacyEndpoints: readonly Endpoint[] = [
	handle(contract.exportAgent, (ctx, { params }) => exportAgent(ctx, params.id)),
	handle(contract.eraseAgent, (ctx, { params, body }) => eraseAgent(ctx, params.id, body.reason)),
];
