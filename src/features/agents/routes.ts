import { type Endpoint, handle } from "../../http/endpoint.ts";
import { registerAnonymous, whoAmI } from "./contract.ts";
import * as service from "./service.ts";

export const agentEndpoints: readonly Endpoint[] = [
	handle(registerAnonymous, (ctx, { body }) => service.registerAnonymous(ctx, body)),
	handle(whoAmI, (ctx) => service.describeCaller(ctx)),
];
