// Schemas of fields that all contracts share.
import * as z from "zod";
import { PAYOUT_METHODS } from "../db/schema/agents.ts";
import { PAYOUT_CHAINS } from "../domain/chains.ts";
import { isBlank, isOneLine, ONE_LINE_RULE, VISIBLE_CHARACTER, VISIBLE_LINE, VISIBLE_RULE } from "../domain/one-line.ts";

export { agentId, count, score, submissionId, taskId, timestamp } from "../domain/fields.ts";

/** Returns a schema for text that can be stored and read back unchanged. Lengths are in Unicode code points, as in JSON Schema. */
export function text(bounds: LengthBounds) {
	return bounded(z.string(), bounds);
}

/** Returns a schema for {@link text} that has at least one visible character. It may have several lines. */
export function visibleText(bounds: LengthBounds) {
	return text(bounds)
		.refine((value) => !isBlank(value), VISIBLE_RULE)
		.meta({ ...lengthKeywords(bounds), pattern: VISIBLE_CHARACTER });
}

/** Returns a schema for {@link text} on one line, such as a title or a name. */
export function oneLineText(bounds: LengthBounds) {
	return text(bounds)
		.refine(isOneLine, ONE_LINE_RULE)
		.refine((value) => !isBlank(value), VISIBLE_RULE)
		.meta({ ...lengthKeywords(bounds), pattern: VISIBLE_LINE });
}

/**
 * Returns a schema for text that is stored in lower case. The limit applies to the lower-case text, which may be longer: some capital
 * letters become two characters.
 */
export function lowerCaseOneLineText(bounds: LengthBounds) {
	return bounded(z.string().toLowerCase(), bounds)
		.refine(isOneLine, ONE_LINE_RULE)
		.refine((value) => !isBlank(value), VISIBLE_RULE)
		.meta({ ...lengthKeywords(bounds), pattern: VISIBLE_LINE });
}

interface LengthBounds {
	readonly min?: number;
	readonly max: number;
}

function lengthKeywords({ min = 0, max }: LengthBounds) {
	return { minLength: min, maxLength: max };
}

function bounded(string: z.ZodString, bounds: LengthBounds) {
	const { min = 0, max } = bounds;
	return string
		.refine(isStorableText, "must not contain NUL characters or lone surrogates")
		.refine(
			(value) => hasLength(value, min, max),
			min === 0 ? `must have at most ${max} characters` : `must have ${min} to ${max} characters`,
		)
		.meta(lengthKeywords(bounds));
}

/** Returns true if a string survives UTF-8 and SQLite: no lone surrogates and no NUL. */
export function isStorableText(value: string): boolean {
	return value.isWellFormed() && !value.includes("\0");
}

function hasLength(value: string, min: number, max: number): boolean {
	// Each code point has one or two UTF-16 units, so most strings need no counting.
	if (value.length < min || value.length > max * 2) return false;
	if (value.length <= max && value.length >= min * 2) return true;
	const length = [...value].length;
	return length >= min && length <= max;
}

/** The category of a task, by which agents filter and subscribe. */
export const category = lowerCaseOneLineText({ min: 1, max: 64 });

/** A URL to which the platform sends requests. `findTargetFault` checks what depends on the deployment. */
export const targetUrl = text({ min: 1, max: 2048 }).meta({ format: "uri", pattern: "^https?://" });

/** With this query parameter, lists and streams omit tasks with a smaller budget. */
export const minBudgetCents = z
	.string()
	.regex(/^\d{1,15}$/, "must be a whole number of at least 0")
	.transform(Number)
	.optional()
	.meta({
		description: "Only tasks with at least this budget, in cents.",
		override: { type: "integer", minimum: 0, maximum: 999_999_999_999_999 },
	});

/** Returns a schema for a query parameter that can occur more than once. The result is a list. */
export function repeatable<Schema extends z.ZodType>(schema: Schema, description: string) {
	const list = z.array(schema).max(50);
	return z
		.union([schema.transform((one) => [one]), list])
		.optional()
		.describe(description);
}

/** The maximum length of a header. No client needs more. */
export const MAX_HEADER_CHARACTERS = 4_096;
export const headerText = z.string().max(MAX_HEADER_CHARACTERS);

/** Returns a schema for bytes in standard base64. White space is allowed, and padding is optional. Decoding checks the rest. */
export function base64Text(maxLength: number) {
	return z.string().meta({ contentEncoding: "base64", maxLength, pattern: "^[A-Za-z0-9+/\\s]*(=\\s*){0,2}$" });
}

export const uuid = z.uuid().toLowerCase();

/** The last instant that a request can name. Years with five digits do not fit into the API's ISO 8601 format. */
export const LAST_INSTANT_MS = Date.parse("9999-12-31T23:59:59.999Z");

const DATE_TIME_RULE = "must be an ISO 8601 date-time with a time zone, such as 2027-01-31T12:00:00Z";

/** An instant in a request: ISO 8601 with `Z` or an offset, parsed to milliseconds since the epoch. */
export const instant = z.iso
	.datetime({ offset: true, error: ({ input }) => (input === undefined ? undefined : DATE_TIME_RULE) })
	.transform((iso) => Date.parse(iso))
	.refine((ms) => Number.isSafeInteger(ms), "must be a date that exists")
	.refine((ms) => ms <= LAST_INSTANT_MS, "must be before the year 10000");

export const idParams = z.object({ id: uuid });

// Fields of responses that mean the same in many schemas, like those in domain/fields.ts.
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
export const nextMessage = z.string().describe("What happens next, as a sentence for people.");

export const payoutMethod = z
	.enum(PAYOUT_METHODS)
	.describe(
		"How payouts are made. `onchain_usdc` and `coinbase_commerce` are live. `stripe_crypto` and `stripe_usd` are not available yet.",
	);
export const payoutChain = z.enum(PAYOUT_CHAINS).meta({ id: "PayoutChain", description: "A chain on which USDC can be paid out." });
