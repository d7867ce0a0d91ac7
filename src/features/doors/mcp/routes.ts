import { type Endpoint, handle } from "../../../http/endpoint.ts";
import * as contract from "./contract.ts";
import { describeServer, handleMessage } from "./service.ts";
import { describeResource } from "./sign-in.ts";

export const mcpEndpoints: readonly Endpoint[] = [
	handle(contract.callMcp, (ctx, { request, query }) => handleMessage(ctx, request, { mustSignIn: query.sign_in === "required" })),
	handle(contract.getMcpCard, async (ctx) => describeServer(ctx)),
	handle(contract.getMcpServerCard, async (ctx) => describeServer(ctx)),
	handle(contract.getMcpResourceMetadata, async (ctx) => describeResource(ctx)),
];
