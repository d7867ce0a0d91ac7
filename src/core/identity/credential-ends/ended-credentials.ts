import type { Actor } from "../../../domain/actor.ts";
import { MINUTE_MS, SECOND_MS } from "../../../platform/clock.ts";
import type { EndedCredentials } from "../../../ports/deps.ts";
import { selectEndsSince } from "./store.ts";

const FRESH_MS = 15 * SECOND_MS;
/** If a read takes longer than this, the stream that started it may no longer exist, so another stream may read. */
const MARK_MS = 5 * SECOND_MS;
/**
 * How far back a read looks. It must cover the time between the recorded end and its commit, and the time for which a new stream may still
 * use a cached credential.
 */
const SHOWN_MS = 2 * MINUTE_MS;

/**
 * Keeps the isolate's list of ended credentials. Streams share only the result of a read, because the runtime does not let a request wait
 * for another request.
 */
export function createEndedCredentials(): EndedCredentials {
	let ids: ReadonlySet<string> = new Set();
	let readAt: number | null = null;
	let markedAt: number | null = null;
	return {
		readAt: () => readAt,
		includes: (actor) => credentialsOf(actor).some((id) => ids.has(id)),
		async refresh(deps) {
			const now = deps.clock.now();
			if (isYounger(readAt, FRESH_MS, now) || isYounger(markedAt, MARK_MS, now)) return;
			markedAt = now;
			try {
				const ended = new Set(await selectEndsSince(deps, now - SHOWN_MS));
				// A read that took longer than {@link MARK_MS} must not replace the result of a later one.
				if (markedAt === now) [ids, readAt] = [ended, now];
			} finally {
				if (markedAt === now) markedAt = null;
			}
		},
	};
}

/** Returns true if `at` was less than `ms` ago. Returns false if the clock has gone back, as it may in tests. */
function isYounger(at: number | null, ms: number, now: number): boolean {
	return at !== null && now >= at && now - at < ms;
}

function credentialsOf({ agentId, keyId, operatorTokenId, session, grant }: Actor): string[] {
	const ids = [agentId, keyId, operatorTokenId, session?.hash ?? null, grant?.id ?? null, grant?.tokenHash ?? null];
	return ids.filter((id) => id !== null);
}
