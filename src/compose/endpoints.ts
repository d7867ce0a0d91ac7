import { operations } from "#platform";
import type { Endpoint } from "../http/endpoint.ts";

export { operations };

export type OperationId = keyof typeof operations;

export const endpoints: readonly Endpoint[] = Object.values(operations);
const byId: ReadonlyMap<string, Endpoint> = new Map(Object.entries(operations));

/** Returns the endpoint with this operation id. Null if its extension is not part of this platform. */
export function findEndpoint(operationId: string): Endpoint | null {
	return byId.get(operationId) ?? null;
}
