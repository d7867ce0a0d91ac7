// A cache of reports in this isolate's memory. The report under a key never changes.

const MAX_CHARACTERS = 4_000_000;
/** One long report must not push out all others. */
const MAX_CHARACTERS_OF_ONE = 250_000;

/** Keeps the reports that were read last, up to a bounded size. */
export class ReportCache<Report> {
	readonly #reports = new Map<string, { readonly report: Report; readonly characters: number }>();
	#characters = 0;

	find(key: string): Report | null {
		const known = this.#reports.get(key);
		if (known === undefined) return null;
		this.#reports.delete(key);
		this.#reports.set(key, known);
		return known.report;
	}

	/** @param characters The length of the report as JSON. */
	remember(key: string, report: Report, characters: number): void {
		if (characters > MAX_CHARACTERS_OF_ONE || this.#reports.has(key)) return;
		this.#reports.set(key, { report, characters });
		this.#characters += characters;
		for (const [oldest, { characters: freed }] of this.#reports) {
			if (this.#characters <= MAX_CHARACTERS) return;
			this.#reports.delete(oldest);
			this.#characters -= freed;
		}
	}
}
