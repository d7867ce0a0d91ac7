// Updates countdowns by the server's clock, because the reader's clock may be wrong.
import { formatCountdown } from "../../src/extensions/pages/rules.ts";

const SECOND_MS = 1_000;
let aheadMs = 0;

/** Sets every `data-countdown` to the time left until its ISO time, once a second. */
export function startCountdowns(): void {
	if (document.querySelector("[data-countdown]") === null) return;
	setInterval(tick, SECOND_MS);
	tick();
}

/** @param serverTime The server's time, in ISO 8601. */
export function setServerTime(serverTime: string): void {
	aheadMs = Date.parse(serverTime) - Date.now();
	tick();
}

function tick(): void {
	for (const place of document.querySelectorAll<HTMLElement>("[data-countdown]")) {
		const leftMs = Date.parse(place.dataset["countdown"] ?? "") - Date.now() - aheadMs;
		const text = leftMs > 0 ? formatCountdown(leftMs) : "closing";
		if (place.textContent !== text) place.textContent = text;
	}
}
