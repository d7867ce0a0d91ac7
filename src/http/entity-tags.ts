import * as z from "zod";
import { parseEntityTags } from "../domain/entity-tags.ts";
import { headerText, MAX_HEADER_CHARACTERS } from "./fields.ts";

/** Accepts the same strings as {@link parseEntityTags}. */
const ENTITY_TAGS_PATTERN = '^\\s*(\\*|(W/)?"[^"]*"(\\s*,\\s*(W/)?"[^"]*")*)\\s*$';

/** Returns the schema of a header that contains `*` or a list of entity tags. */
export function entityTags(description: string) {
	return headerText
		.transform((header, context) => {
			const tags = parseEntityTags(header);
			if (tags !== null) return tags;
			context.addIssue({ code: "custom", message: 'must be * or entity tags in double quotes, as in "12"' });
			return z.NEVER;
		})
		.optional()
		.meta({ description, override: { type: "string", minLength: 1, maxLength: MAX_HEADER_CHARACTERS, pattern: ENTITY_TAGS_PATTERN } });
}
