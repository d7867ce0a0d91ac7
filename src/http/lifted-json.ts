// Reads JSON and leaves long strings in the bytes of the body. JSON.parse would hold a large body three times: as bytes,
// as text and as values. Text and values double in size when one character is not Latin-1.
import { LongText } from "../domain/long-text.ts";
import { randomHex } from "../platform/crypto.ts";

/** Longer than any string of a body that is not content: 100 characters have 1,200 bytes when each is an escaped pair. */
const LONG_BYTES = 1_280;
/**
 * What is left of the body without its long strings: room for 2,000 files that are just not long, with the longest paths. JSON of
 * this size can still become 20 times as large in memory.
 */
const MAX_SKELETON_BYTES = 4 * 1_048_576;
const DECODED_AT_ONCE_BYTES = 65_536;

const [QUOTE, BACKSLASH, COLON, SPACE, LETTER_U] = [0x22, 0x5c, 0x3a, 0x20, 0x75];

/**
 * Parses JSON and gives every long string that is a value as a {@link LongText}. It overwrites `bytes`, which then belong to
 * these texts.
 *
 * @throws SyntaxError for invalid JSON, and when more than 4 MB remain without the long strings. TypeError for invalid UTF-8.
 */
export function parseLiftedJson(bytes: Uint8Array): unknown {
	assertUtf8(bytes);
	const prefix = `\0${randomHex(8)}:`;
	const texts: LongText[] = [];
	const skeleton = new Skeleton();
	let copied = 0;
	for (let quote = bytes.indexOf(QUOTE); quote !== -1; ) {
		const end = findStringEnd(bytes, quote + 1);
		if (end - quote > LONG_BYTES && !isKey(bytes, end + 1)) {
			skeleton.add(bytes.subarray(copied, quote));
			skeleton.addText(JSON.stringify(`${prefix}${texts.length}`));
			texts.push(unescapeInPlace(bytes.subarray(quote + 1, end)));
			copied = end + 1;
		}
		quote = bytes.indexOf(QUOTE, end + 1);
	}
	skeleton.add(bytes.subarray(copied));
	const json = skeleton.text();
	if (texts.length === 0) return JSON.parse(json);
	return JSON.parse(json, (_, value) =>
		typeof value === "string" && value.startsWith(prefix) ? texts[Number(value.slice(prefix.length))] : value,
	);
}

class Skeleton {
	readonly #decoder = new TextDecoder();
	#text = "";
	#bytes = 0;

	add(part: Uint8Array): void {
		this.#bytes += part.byteLength;
		if (this.#bytes > MAX_SKELETON_BYTES) throw new SyntaxError("more than 4 MB besides the contents of long strings");
		this.#text += this.#decoder.decode(part);
	}

	addText(text: string): void {
		this.#text += text;
	}

	text(): string {
		return this.#text;
	}
}

function assertUtf8(bytes: Uint8Array): void {
	const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
	for (let at = 0; at < bytes.byteLength; at += DECODED_AT_ONCE_BYTES) {
		decoder.decode(bytes.subarray(at, at + DECODED_AT_ONCE_BYTES), { stream: true });
	}
	decoder.decode();
}

/** Returns the index of the closing quote of a string whose content starts at `start`. */
function findStringEnd(bytes: Uint8Array, start: number): number {
	for (let quote = bytes.indexOf(QUOTE, start); quote !== -1; quote = bytes.indexOf(QUOTE, quote + 1)) {
		let first = quote;
		while (first > start && bytes[first - 1] === BACKSLASH) first -= 1;
		if ((quote - first) % 2 === 0) return quote;
	}
	throw new SyntaxError("Unterminated string in JSON");
}

function isKey(bytes: Uint8Array, after: number): boolean {
	let at = after;
	while (isSpace(bytes[at])) at += 1;
	return bytes[at] === COLON;
}

function isSpace(byte: number | undefined): boolean {
	return byte === SPACE || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

const SIMPLE_ESCAPES: ReadonlyMap<number, number> = new Map(
	Object.entries({ '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }).map(([letter, character]) => [
		letter.charCodeAt(0),
		character.charCodeAt(0),
	]),
);

/** Replaces the escapes of a string by what they mean, which is never longer. */
function unescapeInPlace(content: Uint8Array): LongText {
	const encoder = new TextEncoder();
	let isWellFormed = true;
	let written = 0;
	for (let read = 0; read < content.byteLength; ) {
		const byte = content[read] ?? 0;
		if (byte < SPACE) throw new SyntaxError("Bad control character in string literal in JSON");
		if (byte !== BACKSLASH) {
			content[written] = byte;
			written += 1;
			read += 1;
			continue;
		}
		const letter = content[read + 1] ?? 0;
		const simple = SIMPLE_ESCAPES.get(letter);
		if (simple !== undefined) {
			content[written] = simple;
			written += 1;
			read += 2;
			continue;
		}
		if (letter !== LETTER_U) throw new SyntaxError("Bad escaped character in JSON");
		const { character, length } = readUnicodeEscape(content, read);
		isWellFormed &&= character.isWellFormed();
		written += encoder.encodeInto(character, content.subarray(written, read + length)).written;
		read += length;
	}
	return new LongText(content.subarray(0, written), isWellFormed);
}

/** Reads one `\uXXXX`, or two that are a surrogate pair. */
function readUnicodeEscape(content: Uint8Array, at: number): { character: string; length: number } {
	const first = readHex(content, at);
	if (first === null) throw new SyntaxError("Bad Unicode escape in JSON");
	const isHigh = first >= 0xd800 && first < 0xdc00;
	const second = isHigh && content[at + 6] === BACKSLASH && content[at + 7] === LETTER_U ? readHex(content, at + 6) : null;
	if (second !== null && second >= 0xdc00 && second < 0xe000) return { character: String.fromCharCode(first, second), length: 12 };
	return { character: String.fromCharCode(first), length: 6 };
}

function readHex(content: Uint8Array, at: number): number | null {
	const digits = String.fromCharCode(...content.subarray(at + 2, at + 6));
	return /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : null;
}
