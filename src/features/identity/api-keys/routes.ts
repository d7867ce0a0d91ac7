import { type Endpoint, handle } from "../../../http/endpoint.ts";
import { createKey, listKeys, revokeKey } from "./contract.ts";
import * as service from "./service.ts";

export const apiKeyEndpoints: readonly Endpoint[] = [
	handle(createKey, (ctx, { body }) => service.issueKey(ctx, body)),
	handle(listKeys, (ctx) => service.listKeys(ctx)),
	handle(revokeKey, (ctx, { query }) => service.revokeKey(ctx, query.id)),
];
