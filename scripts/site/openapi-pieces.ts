// Cuts the OpenAPI document into pieces: one operation, one operation for a tool that calls it, or the operations of one tag.
// Each piece has the components that it refers to.
import * as z from "zod";
import type { SiteFiles } from "./site-files.ts";

const METHODS = ["get", "put", "post", "delete", "patch"] as const;

const operation = z.looseObject({ operationId: z.string(), tags: z.array(z.string()) });
const documentParts = z.looseObject({
	tags: z.array(z.looseObject({ name: z.string() })),
	paths: z.record(z.string(), z.record(z.string(), z.unknown())),
	components: z.record(z.string(), z.record(z.string(), z.unknown())),
});

const calledOperation = operation.extend({ responses: z.record(z.string(), z.looseObject({})) });

type ApiDocument = z.infer<typeof documentParts>;
type Operation = z.infer<typeof operation>;

/**
 * Builds the pieces: the whole document without `webhooks` (`openapi/operations.json`), two files for each operation
 * (`openapi/{operationId}.json` and `openapi/calls/{operationId}.json`), and one for each tag, in lower case with hyphens
 * (`openapi/tags/{tag}.json`).
 */
export function buildOpenApiPieces(whole: unknown): SiteFiles {
	const api = documentParts.parse(whole);
	const files: SiteFiles = new Map([["openapi/operations.json", JSON.stringify(pieceOf(api, () => true))]]);
	for (const { operationId } of operationsOf(api)) {
		files.set(`openapi/${operationId}.json`, JSON.stringify(pieceOf(api, (candidate) => candidate.operationId === operationId)));
		files.set(`openapi/calls/${operationId}.json`, JSON.stringify(callOf(api, operationId)));
	}
	for (const { name } of api.tags) {
		const piece = pieceOf(api, ({ tags }) => tags.includes(name));
		files.set(`openapi/tags/${name.toLowerCase().replaceAll(" ", "-")}.json`, JSON.stringify(piece));
	}
	return files;
}

function operationsOf({ paths }: ApiDocument): Operation[] {
	return Object.values(paths).flatMap((item) => METHODS.flatMap((method) => (method in item ? [operation.parse(item[method])] : [])));
}

function pieceOf(api: ApiDocument, isWanted: (operation: Operation) => boolean) {
	const { webhooks: _, ...rest } = api;
	const paths = Object.fromEntries(Object.entries(api.paths).flatMap(([path, item]) => pathPiece(path, item, isWanted)));
	const usedTags = new Set(operationsOf({ ...api, paths }).flatMap(({ tags }) => tags));
	const { securitySchemes = {} } = api.components;
	const components = { ...selectComponents(api, paths), securitySchemes };
	return { ...rest, tags: api.tags.filter(({ name }) => usedTags.has(name)), paths, components };
}

/**
 * Returns an operation for a tool. Omits errors, headers and keys, because the tool sends the key, and its own errors say what to do. Each
 * word costs the model tokens.
 */
function callOf(api: ApiDocument, operationId: string) {
	const { paths: whole } = pieceOf(api, (candidate) => candidate.operationId === operationId);
	const paths = Object.fromEntries(
		Object.entries(whole).map(([path, item]) => [
			path,
			Object.fromEntries(Object.entries(item).map(([key, part]) => [key, METHODS.some((method) => method === key) ? forCall(part) : part])),
		]),
	);
	return { openapi: api["openapi"], paths, components: selectComponents(api, paths) };
}

function forCall(part: unknown) {
	const { security: _, tags: __, externalDocs: ___, responses, ...described } = calledOperation.parse(part);
	const successes = Object.entries(responses).filter(([status]) => status < "300");
	return { ...described, responses: Object.fromEntries(successes.map(([status, { headers: _, ...response }]) => [status, response])) };
}

function pathPiece(path: string, item: Readonly<Record<string, unknown>>, isWanted: (operation: Operation) => boolean) {
	const isLeftOut = (key: string) => METHODS.some((method) => method === key) && !isWanted(operation.parse(item[key]));
	const kept = Object.entries(item).filter(([key]) => !isLeftOut(key));
	return kept.some(([key]) => METHODS.some((method) => method === key)) ? [[path, Object.fromEntries(kept)] as const] : [];
}

/** Selects the components that these paths refer to, and those that these components refer to in turn. */
function selectComponents(api: ApiDocument, paths: unknown): ApiDocument["components"] {
	const selected: ApiDocument["components"] = {};
	const waiting = [...referencesIn(paths)];
	for (let reference = waiting.pop(); reference !== undefined; reference = waiting.pop()) {
		const [kind = "", name = ""] = reference.split("/");
		if (selected[kind]?.[name] !== undefined) continue;
		const component = api.components[kind]?.[name];
		selected[kind] = { ...selected[kind], [name]: component };
		waiting.push(...referencesIn(component));
	}
	return selected;
}

/**
 * Returns the references in a part, such as `schemas/Task` for `"$ref": "#/components/schemas/Task"` or for a `mapping` in a discriminator.
 */
function referencesIn(part: unknown): Set<string> {
	return new Set([...JSON.stringify(part ?? null).matchAll(/"#\/components\/([\w-]+\/[\w.-]+)"/g)].map(([, reference = ""]) => reference));
}
