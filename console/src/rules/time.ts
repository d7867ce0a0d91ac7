// Reads and writes times as people do.

const MINUTE_MS = 60_000;

/** Writes a time as `<input type="datetime-local">` has it, in the reader's zone. */
export function toLocalInput(ms: number): string {
	const date = new Date(ms);
	return new Date(ms - date.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}

/** Reads the ISO time of a `<input type="datetime-local">`. Returns null while it is not complete. */
export function fromLocalInput(value: string): string | null {
	const ms = Date.parse(value);
	return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
