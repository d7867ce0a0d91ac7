/** This part of a character class has control characters, and characters that override or isolate the direction of text, because each can make a line look like another one. */
export const HIDDEN_CHARACTERS = "\\x00-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069";
const ONE_LINE = new RegExp(`^[^${HIDDEN_CHARACTERS}]*$`);

/** Error messages word the rule of {@link isOneLine} like this. */
export const ONE_LINE_RULE = "must be one line without control characters and without characters that override or isolate its direction";

/** Returns true if text is safe to show as a name or a title. Plain directional marks, such as U+200F, are allowed. */
export function isOneLine(value: string): boolean {
	return ONE_LINE.test(value);
}

/** This part of a character class has white space, format characters, and letters without a glyph. */
const INVISIBLE_CHARACTERS = "\\s\\u00ad\\u061c\\u115f\\u1160\\u180e\\u200b-\\u200f\\u2060-\\u2064\\u2800\\u3164\\ufeff\\uffa0";
const BLANK_LINE = new RegExp(`^[${INVISIBLE_CHARACTERS}]+$`);
const SHOWN = `[^${HIDDEN_CHARACTERS}]*`;
/** The OpenAPI document says by this pattern that text is one line that can be seen. Few languages look ahead in patterns. */
export const VISIBLE_LINE = `^${SHOWN}[^${INVISIBLE_CHARACTERS}${HIDDEN_CHARACTERS}]${SHOWN}$`;
export const VISIBLE_RULE = "must have a visible character";

/** Returns true if no one can see the text. A name of spaces would be a link without words. */
export function isBlank(value: string): boolean {
	return BLANK_LINE.test(value);
}
