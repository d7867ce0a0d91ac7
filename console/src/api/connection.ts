// The frame shows this state of the connection to the platform, so that a waiting page says why it waits.
import { useSyncExternalStore } from "react";

interface Connection {
	readonly isOffline: boolean;
	/** The platform rejects requests until this time, in milliseconds since the epoch. It is 0 if it does not. */
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

/** Remembers how long the platform rejects requests. The client repeats a rejected request after the time in `Retry-After`. */
export function noteResponse({ status, headers }: Response): void {
	const seconds = Number(headers.get("Retry-After") ?? 0);
	if (status === 429 && seconds > 0 && seconds <= 60) change({ isOffline: false, waitsUntil: Date.now() + seconds * 1000 });
	// Another request that went through does not shorten the wait of the rejected one. The time itself ends it.
	else change({ isOffline: false });
}

/** A request that the page itself has cancelled says nothing about the connection. */
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
