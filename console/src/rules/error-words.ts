// Sentences that people read instead of error messages written for programs.

const WORDS: Readonly<Record<string, string>> = {
	INVALID_UUID: "This link is damaged: part of an id is missing or changed. Open the page from a list instead.",
};

/** Returns the sentence for people for an API error. Returns null if the error's own message is fine. */
export function wordsForPeople(code: string): string | null {
	return WORDS[code] ?? null;
}
