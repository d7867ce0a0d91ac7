// Times as people read them.

const MINUTE_MS = 60_000;

/** A time as `<input type="datetime-local">` has it, in the reader's zone. */
export function toLocalInput(ms: number): string {
	const date = new Date(ms);
	return new Date(ms - date.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}

/** The ISO time of a `<input type="datetime-local">`; null while it is not complete. */
export function fromLocalInput(value: string): string | null {
	const ms = Date.parse(value);
	return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
