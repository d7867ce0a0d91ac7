import type { z } from "zod";
import type { FieldFault } from "../domain/errors.ts";

const MAX_FAULTS = 20;
const MAX_NAME_CHARACTERS = 200;

/** What zod reports about invalid input. */
export interface Faults {
	readonly issues: readonly {
		readonly code?: string;
		/** The names of fields that a strict object does not allow. */
		readonly keys?: readonly string[];
		readonly format?: unknown;
		readonly path: readonly PropertyKey[];
		readonly message: string;
	}[];
}

/** Converts a schema's issues to the API's faults. `path` is like `criteria[3].weight`, and empty for the whole input. */
export function faultsOf(error: Faults): FieldFault[] {
	const faults = error.issues.flatMap(({ code, keys, path, message }) =>
		code === "unrecognized_keys" && keys !== undefined
			? keys.map((key) => ({
					path: formatPath([...path, key.slice(0, MAX_NAME_CHARACTERS)]),
					message: "is not a field of this request",
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

/**
 * Describes what is wrong with a value, in words that follow the field's name: "is required", "must be at most 100". A schema's own
 * messages take precedence. Returns undefined to keep zod's message.
 */
export function describeIssue(issue: Parameters<z.core.$ZodErrorMap>[0]): string | undefined {
	switch (issue.code) {
		case "invalid_type":
			return issue.input === undefined ? "is required" : `must be ${TYPES[issue.expected] ?? issue.expected}`;
		case "too_small":
			return describeBound(issue, { bound: Number(issue.minimum), inclusive: "at least", exclusive: "more than" });
		case "too_big":
			return describeBound(issue, { bound: Number(issue.maximum), inclusive: "at most", exclusive: "less than" });
		case "invalid_format":
			return FORMATS[issue.format] ?? "has the wrong format";
		case "not_multiple_of":
			return `must be a multiple of ${issue.divisor}`;
		case "invalid_value":
			return issue.input === undefined
				? `is required and ${describeValues(issue.values.map(String))}`
				: describeValues(issue.values.map(String));
		case "invalid_union":
			return issue.input === undefined ? "is required" : describeForms(issue.errors);
		case "unrecognized_keys":
			return "has fields that this request does not accept";
		case "invalid_key":
		case "invalid_element":
		case "custom":
			return "is not valid";
		default:
			return undefined;
	}
}

/**
 * If all alternatives with the value's type find the same fault in it, describes this fault, because "neither a word nor a list of words"
 * would not help.
 */
function describeForms(forms: readonly Faults["issues"][]): string {
	const faults = forms.flatMap(([first]) => (first !== undefined && !isWrongType(first) ? [first] : []));
	const [fault] = faults;
	const isClear = fault?.path.length === 0 && faults.every(({ message }) => message === fault.message);
	return isClear ? fault.message : "does not match any of the accepted forms";
}

function isWrongType({ code, path }: Faults["issues"][number]): boolean {
	return code === "invalid_type" && path.length === 0;
}

const TYPES: Readonly<Record<string, string>> = {
	string: "text",
	number: "a number",
	int: "a whole number",
	boolean: "true or false",
	array: "a list",
	object: "an object",
	record: "an object",
	null: "null",
};

const FORMATS: Readonly<Record<string, string>> = {
	uuid: "must be a UUID",
	url: "must be a URL",
	email: "must be an email address",
};

function describeBound(
	issue: { readonly origin: string; readonly inclusive?: boolean },
	{ bound, inclusive, exclusive }: { readonly bound: number; readonly inclusive: string; readonly exclusive: string },
): string {
	const relation = issue.inclusive === false ? exclusive : inclusive;
	const unit = UNITS[issue.origin];
	if (unit === undefined) return `must be ${relation} ${bound}`;
	if (bound === 1 && relation === "at least") return "must not be empty";
	return `must have ${relation} ${bound} ${bound === 1 ? unit : `${unit}s`}`;
}

const UNITS: Readonly<Record<string, string>> = { string: "character", array: "item", set: "item", map: "item" };

function describeValues(values: readonly string[]): string {
	return values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(", ")}`;
}
