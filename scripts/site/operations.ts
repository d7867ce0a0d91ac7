// Lists the operations of the API for the MCP server, which finds and calls them.
import { endpoints } from "../../src/compose/endpoints.ts";
import type { EndpointContract } from "../../src/http/endpoint.ts";
import type { SiteFiles } from "./site-files.ts";

export function buildOperationsFile(): SiteFiles {
	const operations = endpoints
		.filter(({ path }) => path.startsWith("/api/") && !path.startsWith("/api/admin/"))
		.map((contract) => ({
			operation_id: contract.operationId,
			method: contract.method.toUpperCase(),
			path: contract.path,
			greedy: contract.greedyParam ?? null,
			summary: contract.summary,
			description: contract.description,
			auth: contract.auth,
			rate: contract.rate,
			obstacle: findObstacle(contract),
		}));
	return new Map([["operations.json", JSON.stringify({ operations })]]);
}

/** Returns the reason why a tool cannot call an operation, or null. */
function findObstacle({ auth, body, rawBody, response }: EndpointContract): string | null {
	if (auth === "signed") return "its signed URL is its credential. Send an HTTP request to the URL.";
	if (auth === "session") return "it is for people who have signed in. Use the console.";
	if (auth === "operator") return "it needs an operator token. Send an HTTP request with the token.";
	if (rawBody !== undefined && body === undefined) return "it takes a form or bytes. Send an HTTP request.";
	if (response.contentType === "text/event-stream") return "it is a stream. Send an HTTP request, or call wait_for_score.";
	if (response.contentType !== undefined && response.contentType !== "application/json") return "it returns bytes. Send an HTTP request.";
	return null;
}
