// The query parameter `fields`, with which callers request only some fields of a response.
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

/** For contracts with `fields`: the fields that only some responses have. */
export interface Selectable {
	/** Fields that every caller can name. A response that lacks such a field is returned without it. */
	readonly sometimes: readonly string[];
}

/**
 * Returns the named fields of a response. A field whose value is undefined may be named, because this caller gets it at other times.
 *
 * @throws AppError `VALIDATION_ERROR` for an empty list, and for names that this caller does not get.
 */
export function selectFields(body: object, names: string, { sometimes }: Selectable): object {
	const fields = new Map(Object.entries(body));
	const wanted = [...new Set(names.split(","))];
	const unknown = wanted.find((name) => !fields.has(name) && !sometimes.includes(name));
	if (unknown !== undefined) {
		const message = `names ${JSON.stringify(unknown.slice(0, 100))}, which is not a field of this response. Its fields are ${[...fields.keys()].filter((name) => fields.get(name) !== undefined).join(", ")}.`;
		throw invalidInput("VALIDATION_ERROR", [{ path: "fields", message }]);
	}
	return Object.fromEntries(wanted.flatMap((name) => (fields.has(name) ? [[name, fields.get(name)]] : [])));
}
