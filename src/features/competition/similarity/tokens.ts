// Splits a file into the tokens that are compared: without comments, white space and case.

import { findComments } from "../../judging/artifacts/comments.ts";

/**
 * Matches a letter of a script without spaces between words, a word, or one other character. Words are cut at 256 letters, because the
 * regular expression needs stack for each of them.
 */
const TOKEN =
	/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]|[[\p{L}\p{M}\p{N}_$]--[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]]{1,256}|\S/gv;

/**
 * Splits a text into tokens in lower case, in time linear in its length. Characters that are not visible do not count.
 *
 * @param path Its extension says which comments the file may have.
 */
export function* tokensOf(path: string, text: string): Generator<string, void> {
	const visible = foldComments(path, text)
		.replace(/\p{Cf}/gu, "")
		.toLowerCase();
	for (const [token] of visible.matchAll(TOKEN)) yield token;
}

/** Replaces each comment by a space. */
function foldComments(path: string, text: string): string {
	const parts: string[] = [];
	let kept = 0;
	for (const { from, to } of findComments(path, text)) {
		parts.push(text.slice(kept, from));
		kept = to;
	}
	parts.push(text.slice(kept));
	return parts.join(" ");
}
