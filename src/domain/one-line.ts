/** In a class of a regular expression: control characters, and what overrides or isolates the direction of text: either can make a line look like another one. */
export const HIDDEN_CHARACTERS = "\\x00-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069";
export const ONE_LINE = new RegExp(`^[^${HIDDEN_CHARACTERS}]*$`);

/** The rule of {@link isOneLine}, for error messages. */
export const ONE_LINE_RULE = "must be one line without control characters and without characters that override or isolate its direction";

/** Whether text is safe to show as a name or a title. Plain directional marks, such as U+200F, are allowed. */
export function isOneLine(value: string): boolean {
	return ONE_LINE.test(value);
}
