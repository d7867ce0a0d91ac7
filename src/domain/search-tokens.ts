// Splits text and queries into tokens in the same way, so the index itself does not need to know any language.
//
// Chinese, Japanese, Thai and similar scripts have no spaces between words, and Korean joins nouns. So a run of their letters becomes
// overlapping pairs, and a query finds text that contains all of its pairs in a row. We measured this with 2,000 documents in such scripts
// (1.8 MB), and searched for 5 words inside titles. The words of `Intl.Segmenter` find 4 of them with an index of 2.3 MB, because they
// leave Korean compounds whole. The trigrams of SQLite's own tokenizer find 2 with 3.7 MB, because most Chinese words have two characters.
// Pairs find all 5 with 4.3 MB, in at most 2.5 ms.

/** Scripts that do not separate words by spaces. */
const UNSPACED =
	"\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Bopomofo}\\p{scx=Yi}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}\\p{scx=Tibetan}";
/** Matches an emoji, a run of letters of {@link UNSPACED} scripts, or a word of other scripts. */
const SEGMENTS = new RegExp(
	`(?<picture>\\p{Extended_Pictographic}|\\p{Regional_Indicator})|(?<unspaced>(?:(?=[${UNSPACED}])[\\p{L}\\p{N}])+)|(?<plain>(?:(?![${UNSPACED}])[\\p{L}\\p{N}])+)`,
	"gu",
);
/** The first character of an emoji's token. The index treats it as a letter, and no other token contains it. */
const PICTURE_MARK = "\ue000";
/**
 * Matches all combining marks except the two that turn a Japanese letter into another letter. The marks are accents, or vowels and tones at
 * which the index would split a word.
 */
const MARKS = /(?![\u3099\u309a])\p{M}/gu;

/** A piece of text: an emoji, a word, or a run of letters of scripts that do not separate words by spaces. */
export interface Segment {
	/** The letters of a run. For a word or an emoji, a single element: the word, or the emoji's token. */
	readonly letters: readonly string[];
	readonly isUnspaced: boolean;
}

/** Splits text into segments, and removes differences of case, accents, punctuation and variants of the same letter. */
export function segmentsOf(text: string): Segment[] {
	return [...foldText(text).matchAll(SEGMENTS)].map(({ 0: piece, groups }) => {
		if (groups?.["picture"] !== undefined) return { letters: [PICTURE_MARK + (piece.codePointAt(0) ?? 0).toString(16)], isUnspaced: false };
		return groups?.["unspaced"] === undefined ? { letters: [piece], isUnspaced: false } : { letters: [...piece], isUnspaced: true };
	});
}

function foldText(text: string): string {
	const plain = text.toWellFormed().normalize("NFKD").replace(MARKS, "");
	// Changing to upper case first turns ß into SS.
	return plain.toUpperCase().toLowerCase().normalize("NFKD").replace(MARKS, "").replaceAll("ς", "σ").normalize("NFC");
}

/**
 * Returns the tokens of a segment: the word, or each letter of a run joined with the next letter. The last letter is a token by itself. So
 * every letter begins a token, and a query for one letter looks for tokens that begin with it.
 */
export function tokensOf({ letters, isUnspaced }: Segment): string[] {
	return isUnspaced ? letters.map((letter, index) => letter + (letters[index + 1] ?? "")) : [...letters];
}

/** Returns the tokens of a query's last segment. Omits the last letter of a run by itself, because the run may continue in a text. */
export function openTokensOf(segment: Segment): string[] {
	const tokens = tokensOf(segment);
	return segment.isUnspaced && tokens.length > 1 ? tokens.slice(0, -1) : tokens;
}

export function tokenize(text: string): string[] {
	return segmentsOf(text).flatMap(tokensOf);
}
