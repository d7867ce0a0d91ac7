import type { EndpointContract } from "./endpoint.ts";

/**
 * Writes a contract's `/a/{id}` as Hono does. A greedy parameter becomes `*`, because Hono's fast router supports no pattern next to
 * literal segments. For the same reason `/{id}.svg` becomes `/:id`, and a literal next to a parameter becomes `*`.
 */
export function routePathOf({ path, greedyParam, isBesideParam }: EndpointContract): string {
	if (isBesideParam === true) return path.replace(/\{(\w+)\}/g, ":$1").replace(/[^/]+$/, "*");
	return path.replace(/\{(\w+)\}(\.\w+)?/g, (_, name: string) => (name === greedyParam ? "*" : `:${name}`));
}

/** Ids in paths have this form. */
export const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

/** Puts the ids of a request's path into a text about it: `/tasks/{id}/rubric` becomes the path of this task. */
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

/** Returns true if a path belongs to a contract. The method does not matter. */
export type PathMatcher = (contract: EndpointContract, path: string) => boolean;

/**
 * Separates greedy contracts from other paths that `*` matches: an empty rest, and the literal paths next to it.
 * hono/method-not-allowed cannot, because it reads the routes: it leaves `DELETE /files/quota` a 404 and allows DELETE on `/files`.
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
