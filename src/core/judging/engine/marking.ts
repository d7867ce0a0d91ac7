// Makes a submission's text safe to show to a model: removes invisible characters and marks each line.

/** Longer lines are shown in pieces, each with its own mark, so that no character is far from a mark. */
const MAX_PIECE_LENGTH = 1_000;
const LONG_PIECE = new RegExp(`.{1,${MAX_PIECE_LENGTH}}`, "gsu");

/** Joiners, direction controls, tag characters, variation selectors and fillers are invisible and can carry hidden text. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;
/** Control characters except tabs and line ends. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\0-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]/g;
const LINE_END = /\r\n|\n|\r/;
/** Only some programs end a line at these characters, so here they start a new piece of the same line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: vertical tab and form feed are among them
const SOFT_LINE_END = /[\u2028\u2029\u0085\x0b\x0c]/;

/** Removes invisible and control characters. */
export function cleanText(raw: string): {
	readonly text: string;
	/** The number of removed characters, not counting a byte-order mark at the start. */
	readonly removed: number;
} {
	const text = raw.startsWith("\ufeff") ? raw.slice(1) : raw;
	let removed = 0;
	const remove = () => {
		removed += 1;
		return "";
	};
	// Replaces halves of surrogate pairs, because a strict JSON parser would reject them, and the call would fail.
	return { text: text.toWellFormed().replace(INVISIBLE, remove).replace(CONTROL, remove), removed };
}

/** Puts text on one line. Otherwise, the text after a line break would look like another line of the prompt. */
export function cleanLine(raw: string, maxLength: number): string {
	const line = cleanText(raw).text.split(LINE_END).join(" ").split(SOFT_LINE_END).join(" ");
	return line.length > maxLength ? `${cutText(line, maxLength)}…` : line;
}

/** Cuts text to a maximum length, but never inside a surrogate pair. */
export function cutText(text: string, maxLength: number): string {
	return text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, "");
}

/** Splits text into lines as editors do, so that line numbers match theirs. */
export function splitLines(text: string): string[] {
	const lines = text.split(LINE_END);
	if (lines.at(-1) === "") lines.pop();
	return lines;
}

/** Splits a line into the pieces that are shown. Counts code points, so that it cuts no surrogate pair. */
export function splitPieces(line: string): string[] {
	return line.split(SOFT_LINE_END).flatMap((part) => (part.length <= MAX_PIECE_LENGTH ? [part] : (part.match(LONG_PIECE) ?? [])));
}
