// Texts and queries become the same tokens here, so the index itself need not know any language.
//
// Chinese, Japanese, Thai and their kin write no spaces, and Korean joins nouns, so a run of their letters becomes overlapping pairs, and
// a query finds what has all of its pairs in a row. Measured with 2,000 texts of such scripts (1.8 MB), and 5 words inside of titles:
// words of `Intl.Segmenter` find 4 of them with an index of 2.3 MB, because they leave Korean compounds whole; the triples of SQLite's own
// tokenizer find 2 with 3.7 MB, because most Chinese words have two letters; pairs find all with 4.3 MB, in 2.5 ms at most.

/** A run of letters of these scripts is not divided into words by spaces. */
const UNSPACED =
	"\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Bopomofo}\\p{scx=Yi}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}\\p{scx=Tibetan}";
/** Words begin and end where a script without spaces meets another one. Pictures are words by themselves. */
const SEGMENTS = new RegExp(
	`(?<picture>\\p{Extended_Pictographic}|\\p{Regional_Indicator})|(?<unspaced>(?:(?=[${UNSPACED}])[\\p{L}\\p{N}])+)|(?<plain>(?:(?![${UNSPACED}])[\\p{L}\\p{N}])+)`,
	"gu",
);
/** No text has this character after folding, so no text can pass for a picture. The index takes it for a letter. */
const PICTURE_MARK = "\ue000";
/** These marks make another letter of a Japanese one. All others are accents, or vowels and tones that the index would cut a word at. */
const MARKS = /(?![\u3099\u309a])\p{M}/gu;

/** A piece of a text, folded. */
export interface Segment {
	/** These are the letters of an unspaced run, else the one word. */
	readonly letters: readonly string[];
	readonly isUnspaced: boolean;
}

/** Divides a text into words and runs, without case, accents, punctuation and forms of the same letter. */
export function segmentsOf(text: string): Segment[] {
	return [...foldText(text).matchAll(SEGMENTS)].map(({ 0: piece, groups }) => {
		if (groups?.["picture"] !== undefined) return { letters: [PICTURE_MARK + (piece.codePointAt(0) ?? 0).toString(16)], isUnspaced: false };
		return groups?.["unspaced"] === undefined ? { letters: [piece], isUnspaced: false } : { letters: [...piece], isUnspaced: true };
	});
}

function foldText(text: string): string {
	const plain = text.toWellFormed().normalize("NFKD").replace(MARKS, "");
	// Upper case first: it writes ß as SS.
	return plain.toUpperCase().toLowerCase().normalize("NFKD").replace(MARKS, "").replaceAll("ς", "σ").normalize("NFC");
}

/**
 * Returns the tokens of a segment: its word, or the pairs of its letters, and its last letter, with which nothing else begins. A query for
 * one letter looks for tokens that begin with it.
 */
export function tokensOf({ letters, isUnspaced }: Segment): string[] {
	return isUnspaced ? letters.map((letter, index) => letter + (letters[index + 1] ?? "")) : [...letters];
}

/** Returns the tokens of a query's last segment, which may go on in the text. */
export function openTokensOf(segment: Segment): string[] {
	const tokens = tokensOf(segment);
	return segment.isUnspaced && tokens.length > 1 ? tokens.slice(0, -1) : tokens;
}

/** Returns all tokens of a text. */
export function tokenize(text: string): string[] {
	return segmentsOf(text).flatMap(tokensOf);
}
