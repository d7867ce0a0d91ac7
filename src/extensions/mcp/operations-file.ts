// Reads the list of the API's operations, which scripts/site/operations.ts builds from the contracts.
import * as z from "zod";
import type { PublicCtx } from "../../ports/deps.ts";

const operationsFile = z.object({
	operations: z.array(
		z.object({
			operation_id: z.string(),
			method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"]),
			path: z.string(),
			/** The name of a parameter that may contain slashes. */
			greedy: z.string().nullable(),
			summary: z.string(),
			description: z.string(),
			auth: z.string(),
			rate: z.enum(["general", "search", "mutation", "submission", "none"]),
			/** Why the operation cannot be called as a tool. Null if it can. */
			obstacle: z.string().nullable(),
		}),
	),
});

export type Operation = z.infer<typeof operationsFile>["operations"][number];

export async function readOperations({ assets }: PublicCtx): Promise<readonly Operation[]> {
	return (await assets.readJson("operations.json", operationsFile)).operations;
}

/** Returns null if the operation does not exist. */
export async function findOperation(ctx: PublicCtx, operationId: string): Promise<Operation | null> {
	return (await readOperations(ctx)).find(({ operation_id }) => operation_id === operationId) ?? null;
}

const REQUEST = /\b(GET|POST|PUT|PATCH|DELETE) (\/api\/[\w./{}-]*[\w}])/g;

/** Replaces the requests in a message with operation ids, because clients of this server call operations through a tool. */
export async function nameOperations(ctx: PublicCtx, message: string): Promise<string> {
	if (message.search(REQUEST) === -1) return message;
	const operations = (await readOperations(ctx)).filter(({ obstacle }) => obstacle === null);
	return message.replace(REQUEST, (request, method: string, path: string) => {
		const match = operations.find((operation) => operation.method === method && isPathOf(operation.path, path));
		return match === undefined ? request : `call_operation ${match.operation_id}`;
	});
}

function isPathOf(template: string, path: string): boolean {
	const [expected, given] = [template.split("/"), path.split("/")];
	return expected.length === given.length && expected.every((part, index) => part.startsWith("{") || part === given[index]);
}
