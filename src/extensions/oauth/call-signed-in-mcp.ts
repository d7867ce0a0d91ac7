import { credentialRefused } from "../../http/authenticate.ts";
import { endpoint } from "../../http/endpoint.ts";
import { MESSAGES, respondToMessage } from "../mcp/call-mcp.ts";
import { SIGNED_IN_MCP_PATH } from "./rules.ts";

export const callSignedInMcp = endpoint({
	method: "post",
	path: SIGNED_IN_MCP_PATH,
	operationId: "callSignedInMcp",
	owner: "oauth",
	summary: "Talk to the MCP server, signed in from the first message on",
	description:
		"The same server as `/mcp`. Requests without a token or key always return 401 with `WWW-Authenticate`, for hosted clients that sign in only after such a response.",
	...MESSAGES,

	async handle(ctx, { request }) {
		if (!request.headers.has("Authorization")) throw credentialRefused();
		return respondToMessage(ctx, request);
	},
});
