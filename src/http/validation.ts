import type { FieldFault } from "../domain/errors.ts";

const MAX_FAULTS = 20;

/** What zod finds wrong with an input. */
export interface Faults {
	readonly issues: readonly {
		readonly code?: string;
		readonly format?: unknown;
		readonly path: readonly PropertyKey[];
		readonly message: string;
	}[];
}

/** A schema's complaints as the API lists them: `path` like `criteria[3].weight`, empty for the whole input. */
export function faultsOf(error: Faults): FieldFault[] {
	return error.issues.slice(0, MAX_FAULTS).map((issue) => ({ path: formatPath(issue.path), message: issue.message }));
}

function formatPath(path: readonly PropertyKey[]): string {
	return path.reduce<string>((text, part) => {
		if (typeof part === "number") return `${text}[${part}]`;
		return text === "" ? String(part) : `${text}.${String(part)}`;
	}, "");
}
