/**
 * Finds the positions of a string in another, in time linear in both lengths (Knuth-Morris-Pratt). Both strings come from strangers, and
 * `indexOf` can take seconds for a string with many near matches.
 *
 * @param wanted The string to find. It must not be empty.
 * @param end The search ends at this index of `text`.
 */
export function* occurrencesOf(
	wanted: string,
	{ text, end = text.length }: { readonly text: string; readonly end?: number },
): Generator<number, void> {
	const borders = bordersOf(wanted);
	for (let at = 0, matched = 0; at < end; at += 1) {
		const code = text.charCodeAt(at);
		while (matched > 0 && wanted.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0;
		if (wanted.charCodeAt(matched) === code) matched += 1;
		if (matched < wanted.length) continue;
		yield at + 1 - matched;
		matched = borders[matched - 1] ?? 0;
	}
}

/** Returns, for each prefix of a string, the length of the longest shorter string with which the prefix both begins and ends. */
function bordersOf(text: string): Int32Array {
	const borders = new Int32Array(text.length);
	let length = 0;
	for (let at = 1; at < text.length; at += 1) {
		const code = text.charCodeAt(at);
		while (length > 0 && text.charCodeAt(length) !== code) length = borders[length - 1] ?? 0;
		if (text.charCodeAt(length) === code) length += 1;
		borders[at] = length;
	}
	return borders;
}
