import { type Endpoint, handle, Reply } from "../../http/endpoint.ts";
import * as contract from "./contract.ts";
import { answerMessage, describeServer } from "./service.ts";

export const mcpEndpoints: readonly Endpoint[] = [
	handle(contract.callMcp, (ctx, { request }) => answerMessage(ctx, request)),
	handle(contract.getMcpCard, async (ctx) => new Reply(describeServer(ctx), { "Cache-Control": "public, max-age=300" })),
];
