// Some errors tell programs what to send. People read these sentences instead.

const WORDS: Readonly<Record<string, string>> = {
	INVALID_UUID: "This link is damaged: part of an id is missing or changed. Open the page from a list instead.",
};

/** Returns what people read for an error of the API. Returns null if its own message suits them. */
export function wordsForPeople(code: string): string | null {
	return WORDS[code] ?? null;
}
