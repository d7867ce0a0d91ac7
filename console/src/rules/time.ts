// Times as people read them.

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Two units of a length of time: "6 d 23 h", "4 min 10 s". */
export function formatTimeLeft(ms: number): string {
	const days = Math.floor(ms / DAY_MS);
	const hours = Math.floor((ms % DAY_MS) / HOUR_MS);
	const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS);
	const seconds = Math.floor((ms % MINUTE_MS) / SECOND_MS);
	if (days > 0) return `${days} d ${hours} h`;
	if (hours > 0) return `${hours} h ${minutes} min`;
	if (minutes > 0) return `${minutes} min ${seconds} s`;
	return `${seconds} s`;
}

/** A time in the reader's zone: "22 Nov 2026, 08:04". */
export function formatDateTime(iso: string): string {
	return new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" }).format(new Date(iso));
}

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
