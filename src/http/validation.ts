import type { z } from "zod";
import type { FieldFault } from "../domain/errors.ts";

const MAX_FAULTS = 20;

/** A schema's complaints as the API lists them: `path` like `criteria[3].weight`, empty for the whole input. */
export function faultsOf(error: z.ZodError): FieldFault[] {
	return error.issues.slice(0, MAX_FAULTS).map((issue) => ({ path: formatPath(issue.path), message: issue.message }));
}

function formatPath(path: readonly PropertyKey[]): string {
	return path.reduce<string>((text, part) => {
		if (typeof part === "number") return `${text}[${part}]`;
		return text === "" ? String(part) : `${text}.${String(part)}`;
	}, "");
}
