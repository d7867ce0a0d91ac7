import type { EndpointContract } from "./endpoint.ts";

/**
 * Converts a contract's `/a/{id}` to Hono's syntax. A greedy parameter becomes `*`, because Hono's fast router does not support patterns
 * next to literal segments. For the same reason `/{id}.svg` becomes `/:id`, and a literal next to a parameter becomes `*`.
 */
export function routePathOf({ path, greedyParam, isBesideParam }: EndpointContract): string {
	if (isBesideParam === true) return path.replace(/\{(\w+)\}/g, ":$1").replace(/[^/]+$/, "*");
	return path.replace(/\{(\w+)\}(\.\w+)?/g, (_, name: string) => (name === greedyParam ? "*" : `:${name}`));
}

/** Matches ids in paths. */
export const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

/** Inserts the ids of a request's path into a string: `/tasks/{id}/rubric` becomes the path for this task. */
export function fillIds(text: string, path: string): string {
	return text.replace(/\/([\w-]+)\/\{\w+\}/g, (placeholder, segment: string) => {
		const id = new RegExp(`/${segment}/(${UUID})(?:/|$)`, "i").exec(path)?.[1];
		return id === undefined ? placeholder : `/${segment}/${id}`;
	});
}

/** Returns what follows the parameter in the last segment of a path, as `.svg` does in `/{id}.svg`. */
export function suffixOf({ path }: EndpointContract): string {
	return /\}(\.\w+)$/.exec(path)?.[1] ?? "";
}

/** Returns true if a path belongs to a contract. Does not compare the method. */
export type PathMatcher = (contract: EndpointContract, path: string) => boolean;

/**
 * For a greedy contract, leaves out two kinds of paths that its route's `*` also matches: a path with an empty rest, and the literal path
 * of another contract. hono/method-not-allowed only reads the routes. With it, `DELETE /files/quota` would return 404 instead of 405, and
 * `/files` would seem to allow DELETE.
 */
export function createPathMatcher(contracts: readonly EndpointContract[]): PathMatcher {
	const literalPaths = new Set(contracts.map(({ path }) => path).filter((path) => !path.includes("{")));
	return (contract, path) => hasFormOf(contract, path) && !(contract.greedyParam !== undefined && literalPaths.has(path));
}

function hasFormOf(contract: EndpointContract, path: string): boolean {
	const { path: template, greedyParam } = contract;
	const suffix = suffixOf(contract);
	if (suffix !== "" && (!path.endsWith(suffix) || path.endsWith(`/${suffix}`))) return false;
	const expected = template.split("/");
	const actual = path.split("/");
	const isLongEnough = greedyParam === undefined ? actual.length === expected.length : actual.length >= expected.length;
	return isLongEnough && expected.every((part, index) => part === actual[index] || (part.startsWith("{") && actual[index] !== ""));
}
