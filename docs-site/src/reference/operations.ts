// Names the operations, whose pages have their names in small letters.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT_ROOT } from "../project-root.ts";

let names: ReadonlyMap<string, string> | undefined;

/** Returns the `operationId` of a page such as `reference/operations/createtask`, or null for other pages. */
export function operationIdOf(slug: string): string | null {
	names ??= readNames();
	const name = /^reference\/operations\/([^/]+)$/.exec(slug)?.[1];
	return (name === undefined ? undefined : names.get(name)) ?? null;
}

function readNames(): ReadonlyMap<string, string> {
	const document: { paths: Record<string, Record<string, { operationId?: string }>> } = JSON.parse(
		readFileSync(join(PROJECT_ROOT, "docs", "openapi.json"), "utf8"),
	);
	const ids = Object.values(document.paths).flatMap((methods) => Object.values(methods).flatMap(({ operationId }) => operationId ?? []));
	return new Map(ids.map((id) => [id.toLowerCase(), id]));
}
