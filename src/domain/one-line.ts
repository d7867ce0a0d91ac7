/**
 * Part of a character class: control characters, and characters that override or isolate the direction of text.
 * Each of them can make one line look like another line.
 */
export const HIDDEN_CHARACTERS = "\\x00-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069";
const ONE_LINE = new RegExp(`^[^${HIDDEN_CHARACTERS}]*$`);

/** The rule of {@link isOneLine}, in words for error messages. */
export const ONE_LINE_RULE = "must be one line without control characters and without characters that override or isolate its direction";

/** Returns true if text is safe to show as a name or a title. Plain directional marks, such as U+200F, are allowed. */
export function isOneLine(value: string): boolean {
	return ONE_LINE.test(value);
}

/** Part of a character class: white space, format characters, and letters without a glyph. */
const INVISIBLE_CHARACTERS = "\\s\\u00ad\\u061c\\u115f\\u1160\\u180e\\u200b-\\u200f\\u2060-\\u2064\\u2800\\u3164\\ufeff\\uffa0";
const BLANK_LINE = new RegExp(`^[${INVISIBLE_CHARACTERS}]+$`);
const SHOWN = `[^${HIDDEN_CHARACTERS}]*`;
/** The pattern in the OpenAPI document for one visible line of text. It avoids look-ahead, which few languages support. */
export const VISIBLE_LINE = `^${SHOWN}[^${INVISIBLE_CHARACTERS}${HIDDEN_CHARACTERS}]${SHOWN}$`;
/** The pattern in the OpenAPI document for text with a visible character. */
export const VISIBLE_CHARACTER = `[^${INVISIBLE_CHARACTERS}]`;
export const VISIBLE_RULE = "must have a visible character";

/** Returns true if the text is invisible. A name made of spaces would be a link that no one can see. */
export function isBlank(value: string): boolean {
	return BLANK_LINE.test(value);
}
