// The state of the connection to the platform. The frame shows it, so that the reader knows why a page is waiting.
import { useSyncExternalStore } from "react";

interface Connection {
	readonly isOffline: boolean;
	/** When the platform will accept requests again, in milliseconds since the epoch. 0 if it accepts them now. */
	readonly waitsUntil: number;
}

let current: Connection = { isOffline: false, waitsUntil: 0 };
const listeners = new Set<() => void>();

function change(next: Partial<Connection>): void {
	const changed = { ...current, ...next };
	if (changed.isOffline === current.isOffline && changed.waitsUntil === current.waitsUntil) return;
	current = changed;
	for (const listener of listeners) listener();
}

/** Records that the platform can be reached. After a 429, also records when it will accept requests again, if that is within a minute. */
export function noteResponse({ status, headers }: Response): void {
	const seconds = Number(headers.get("Retry-After") ?? 0);
	if (status === 429 && seconds > 0 && seconds <= 60) change({ isOffline: false, waitsUntil: Date.now() + seconds * 1000 });
	// The success of another request does not shorten the wait. Only time ends it.
	else change({ isOffline: false });
}

/** Records that the platform could not be reached. A request that the page itself cancelled says nothing about the connection. */
export function noteFailure(error: unknown): void {
	if (!(error instanceof DOMException)) change({ isOffline: true });
}

window.addEventListener("offline", () => change({ isOffline: true }));
window.addEventListener("online", () => change({ isOffline: false }));

export function useConnection(): Connection {
	return useSyncExternalStore(
		(onChange) => {
			listeners.add(onChange);
			return () => listeners.delete(onChange);
		},
		() => current,
	);
}
