// Parses and formats times for people.

const MINUTE_MS = 60_000;

/** Formats a time for `<input type="datetime-local">`, in the reader's time zone. */
export function toLocalInput(ms: number): string {
	const date = new Date(ms);
	return new Date(ms - date.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}

/** Returns the ISO time of an `<input type="datetime-local">`, or null while it is incomplete. */
export function fromLocalInput(value: string): string | null {
	const ms = Date.parse(value);
	return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
