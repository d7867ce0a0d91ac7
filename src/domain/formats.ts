// Formats money, sizes and times for public pages, the console and the command line, so that they look the same everywhere.
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "./durations.ts";

const dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });

/** Formats cents as dollars: `$500`, `$1,234.50`. */
export function formatCents(cents: number): string {
	return dollars.format(cents / 100).replace(/\.00$/, "");
}

/** Formats a score with two decimals, so that columns align: `87.50`. */
export function formatScore(score: number): string {
	return score.toFixed(2);
}

const instants = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });

/** Formats a time for readers in any time zone: `22 Nov 2026, 14:00 UTC`. */
export function formatInstant(time: string | number): string {
	return `${instants.format(typeof time === "string" ? Date.parse(time) : time)} UTC`;
}

/** Formats a difference of scores or points with its sign: `+4.50`, `-2.00`, `0.00`. */
export function formatChange(points: number): string {
	const text = formatScore(points);
	if (Number(text) === 0) return formatScore(0);
	return points > 0 ? `+${text}` : text;
}

const numbers = new Intl.NumberFormat("en-US");

/** Formats a number with thousands separators: `12,500`. */
export function formatCount(count: number): string {
	return numbers.format(count);
}

/** Formats dollars with two to four decimals, for amounts that may be less than a cent: `$0.0042`, `$12.50`. */
export function formatUsd(usd: number): string {
	return `$${usd.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 4 })}`;
}

const MOMENT = { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short" } as const;

/** Formats a time in the reader's time zone: `22 Nov 2026, 15:00 CET`. */
export function formatDateTime(time: string | number): string {
	return new Intl.DateTimeFormat("en-GB", MOMENT).format(typeof time === "string" ? Date.parse(time) : time);
}

const days = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

/** Formats a UTC day such as `2026-11-22`, or the day of a time, in the form `22 Nov`. */
export function formatDay(day: string | number): string {
	return days.format(typeof day === "string" ? Date.parse(day) : day);
}

/** Formats a size: `900 B`, `4.2 KB`, `1.5 MB`. */
export function formatBytes(bytes: number): string {
	if (bytes < 1024) return `${bytes} B`;
	return bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 ** 2).toFixed(1)} MB`;
}

/**
 * Formats a duration with its two largest units, rounded down: `6 d 23 h`, `4 min 10 s`.
 *
 * @param ms Milliseconds, 0 or more.
 * @param smallest `minute` shows no seconds, for text that is cached: `4 min`, `under 1 min`.
 */
export function formatTimeLeft(ms: number, smallest: "second" | "minute" = "second"): string {
	const days = Math.floor(ms / DAY_MS);
	const hours = Math.floor((ms % DAY_MS) / HOUR_MS);
	const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS);
	if (days > 0) return `${days} d ${hours} h`;
	if (hours > 0) return `${hours} h ${minutes} min`;
	if (smallest === "minute") return minutes > 0 ? `${minutes} min` : "under 1 min";
	const seconds = Math.floor((ms % MINUTE_MS) / SECOND_MS);
	return minutes > 0 ? `${minutes} min ${seconds} s` : `${seconds} s`;
}
