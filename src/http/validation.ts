import type { FieldFault } from "../domain/errors.ts";

const MAX_FAULTS = 20;
const MAX_NAME_CHARACTERS = 200;

/** What zod finds wrong with an input. */
export interface Faults {
	readonly issues: readonly {
		readonly code?: string;
		/** The names that a strict object does not know. */
		readonly keys?: readonly string[];
		readonly format?: unknown;
		readonly path: readonly PropertyKey[];
		readonly message: string;
	}[];
}

/** A schema's complaints as the API lists them: `path` like `criteria[3].weight`, empty for the whole input. */
export function faultsOf(error: Faults): FieldFault[] {
	const faults = error.issues.flatMap(({ code, keys, path, message }) =>
		code === "unrecognized_keys" && keys !== undefined
			? keys.map((key) => ({
					path: formatPath([...path, key.slice(0, MAX_NAME_CHARACTERS)]),
					message: "is not a field that this call takes",
				}))
			: [{ path: formatPath(path), message }],
	);
	return faults.slice(0, MAX_FAULTS);
}

function formatPath(path: readonly PropertyKey[]): string {
	return path.reduce<string>((text, part) => {
		if (typeof part === "number") return `${text}[${part}]`;
		return text === "" ? String(part) : `${text}.${String(part)}`;
	}, "");
}
