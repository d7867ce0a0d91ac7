// With the query parameter `fields`, a caller that needs little of a response gets little of it.
import * as z from "zod";
import { invalidInput } from "../domain/errors.ts";

const MAX_CHARACTERS = 500;

export const fieldsParameter = z
	.string()
	.max(MAX_CHARACTERS)
	.regex(/^\w+(,\w+)*$/, "must be names of fields, separated by commas without spaces")
	.optional()
	.describe(
		"The top-level fields to return, separated by commas without spaces. Default: all of them. A client that validates responses against this document will report the omitted fields as missing.",
	);

/** A contract with `fields` names the fields that only some responses have. */
export interface Selectable {
	/** Every caller can name these although this response does not have them. They are left out then. */
	readonly sometimes: readonly string[];
}

/**
 * Returns the named fields of a response. A field of the body that is undefined is one that this caller gets at other times.
 *
 * @throws AppError `VALIDATION_ERROR` for an empty list, and for names that this caller does not get.
 */
export function selectFields(body: object, names: string, { sometimes }: Selectable): object {
	const fields = new Map(Object.entries(body));
	const wanted = [...new Set(names.split(","))];
	const unknown = wanted.find((name) => !fields.has(name) && !sometimes.includes(name));
	if (unknown !== undefined) {
		const message = `names ${JSON.stringify(unknown.slice(0, 100))}, which is not a field of this response. It has ${[...fields.keys()].filter((name) => fields.get(name) !== undefined).join(", ")}.`;
		throw invalidInput("VALIDATION_ERROR", [{ path: "fields", message }]);
	}
	return Object.fromEntries(wanted.flatMap((name) => (fields.has(name) ? [[name, fields.get(name)]] : [])));
}
