import type { Actor } from "../../../domain/actor.ts";
import { MINUTE_MS, SECOND_MS } from "../../../platform/clock.ts";

/** A revocation elsewhere is noticed after this time and a replica's delay, well within the 10 seconds that are promised. */
export const KEY_CACHE_TTL_MS = 5 * SECOND_MS;
/** A revocation is remembered for longer than a read takes that began before it. */
const REVOCATION_MEMORY_MS = MINUTE_MS;
const MAX_ACTORS = 10_000;

/**
 * Remembers actors by the hash of their key, in memory. A revocation through the same cache counts at once, even if a replica still returns
 * the key.
 */
export class KeyCache {
	readonly #actors = new Map<string, { readonly actor: Actor; readonly at: number }>();
	readonly #revocations = new Map<string, number>();

	/** Returns the actor that was remembered within the last {@link KEY_CACHE_TTL_MS}, or null. */
	find(hash: string, now: number): Actor | null {
		const known = this.#actors.get(hash);
		if (known === undefined) return null;
		const age = now - known.at;
		if (age >= 0 && age < KEY_CACHE_TTL_MS) return known.actor;
		this.#actors.delete(hash);
		return null;
	}

	remember(hash: string, actor: Actor, now: number): void {
		if (this.isRevoked(actor)) return;
		const oldest = this.#actors.size >= MAX_ACTORS ? this.#actors.keys().next().value : undefined;
		if (oldest !== undefined) this.#actors.delete(oldest);
		this.#actors.set(hash, { actor, at: now });
	}

	/** Returns true if the key, or the operator token that it depends on, was revoked through this cache a short while ago. */
	isRevoked({ keyId, operatorTokenId }: Pick<Actor, "keyId" | "operatorTokenId">): boolean {
		return [keyId, operatorTokenId].some((id) => id !== null && this.#revocations.has(id));
	}

	/** Records that a key or an operator token is revoked. */
	revoke(id: string, now: number): void {
		for (const [earlier, at] of this.#revocations) {
			if (now - at > REVOCATION_MEMORY_MS) this.#revocations.delete(earlier);
		}
		this.#revocations.set(id, now);
		this.#forget(({ keyId, operatorTokenId }) => keyId === id || operatorTokenId === id);
	}

	/** Makes the next request with each of an agent's keys read the agent again. */
	forgetAgent(agentId: string): void {
		this.#forget((actor) => actor.agentId === agentId);
	}

	#forget(isAffected: (actor: Actor) => boolean): void {
		for (const [hash, { actor }] of this.#actors) {
			if (isAffected(actor)) this.#actors.delete(hash);
		}
	}
}
