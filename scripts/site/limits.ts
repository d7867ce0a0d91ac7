// Fills in the limits that texts state as `{limit:NAME}`. scripts/openapi/limits.ts names them.

import limits from "../../docs/limits.json" with { type: "json" };
import { identityOfDeployment } from "./package-identity.ts";
import { nameWheel } from "./python.ts";

const texts: ReadonlyMap<string, string> = new Map(Object.entries(limits));

/** Fills in limits and `{wheel}`, the file name of the Python package. @throws Error that names a limit that does not exist. */
export function fillLimits(text: string): string {
	const named = text.includes("{wheel}") ? text.replaceAll("{wheel}", nameWheel(identityOfDeployment(process.env))) : text;
	return named.replace(/\{limit:([^{}]*)\}/g, (_, name: string) => {
		const limit = texts.get(name);
		if (limit === undefined) throw new Error(`There is no limit "${name}". scripts/openapi/limits.ts lists them.`);
		return limit;
	});
}
