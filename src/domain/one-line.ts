/**
 * What a character class must contain to match control characters, line and paragraph separators, and characters that override or isolate
 * the direction of text. With such characters, a line can look like a different one.
 */
export const HIDDEN_CHARACTERS = "\\x00-\\x1f\\x7f-\\x9f\\u2028-\\u202e\\u2066-\\u2069";
const ONE_LINE = new RegExp(`^[^${HIDDEN_CHARACTERS}]*$`);

/** The rule of {@link isOneLine}, in words for error messages. */
export const ONE_LINE_RULE =
	"must be one line, without control characters and without characters that override or isolate the text direction";

/** Returns true if text has none of {@link HIDDEN_CHARACTERS}, so that it is safe as a name or a title. Allows marks such as U+200F. */
export function isOneLine(value: string): boolean {
	return ONE_LINE.test(value);
}

/** What a character class must contain to match white space, format characters, and letters without a glyph. */
const INVISIBLE_CHARACTERS = "\\s\\u00ad\\u061c\\u115f\\u1160\\u180e\\u200b-\\u200f\\u2060-\\u2064\\u2800\\u3164\\ufeff\\uffa0";
const BLANK_LINE = new RegExp(`^[${INVISIBLE_CHARACTERS}]+$`);
const SHOWN = `[^${HIDDEN_CHARACTERS}]*`;
/** The pattern in the OpenAPI document for one visible line of text. It has no look-ahead, which not every language supports. */
export const VISIBLE_LINE = `^${SHOWN}[^${INVISIBLE_CHARACTERS}${HIDDEN_CHARACTERS}]${SHOWN}$`;
/** The pattern in the OpenAPI document for text with a visible character. */
export const VISIBLE_CHARACTER = `[^${INVISIBLE_CHARACTERS}]`;
export const VISIBLE_RULE = "must have a visible character";

/** Returns true if all characters of the text are invisible. A link with such a name could not be seen. */
export function isBlank(value: string): boolean {
	return BLANK_LINE.test(value);
}
