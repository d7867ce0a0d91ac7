import type { Context } from "hono";
import { tryDecodeURIComponent } from "hono/utils/url";
import type { EndpointContract } from "./endpoint.ts";

/**
 * A contract's `/a/{id}` as Hono writes it. What a greedy parameter stands for is matched by a wildcard, because the fast one of Hono's
 * routers takes no pattern beside literal segments; {@link readPathParams} reads it. It takes line breaks too, which are the contract's to refuse.
 */
export function routePathOf({ path, greedyParam }: EndpointContract): string {
	return path.replace(/\{(\w+)\}/g, (_, name: string) => (name === greedyParam ? "*" : `:${name}`));
}

/** The decoded parameters of a request's path; null when a greedy one is empty, which is an address of its own or none. */
export function readPathParams(c: Context, { path, greedyParam }: EndpointContract): Record<string, string> | null {
	if (greedyParam === undefined) return c.req.param();
	const rest = c.req.path.slice(path.length - `{${greedyParam}}`.length);
	return rest === "" ? null : { [greedyParam]: tryDecodeURIComponent(rest) };
}

/** Whether a path could be one of a contract's, whatever the method. */
export function matchesPath({ path: template, greedyParam }: EndpointContract, path: string): boolean {
	const expected = template.split("/");
	const actual = path.split("/");
	const isLongEnough = greedyParam === undefined ? actual.length === expected.length : actual.length >= expected.length;
	return isLongEnough && expected.every((part, index) => part === actual[index] || (part.startsWith("{") && actual[index] !== ""));
}
