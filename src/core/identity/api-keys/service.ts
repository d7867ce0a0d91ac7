import type { Actor } from "../../../domain/actor.ts";
import { apiKeyOf, isPossibleKey, RANDOM_KEY_DIGITS } from "../../../domain/credentials.ts";
import { MINUTE_MS, SECOND_MS } from "../../../platform/clock.ts";
import { randomHex, sha256Hex } from "../../../platform/crypto.ts";
import { RecentMisses } from "../../../platform/recent.ts";
import type { Statement } from "../../../ports/database.ts";
import type { Ctx, Deps } from "../../../ports/deps.ts";
import { noteSwitches } from "../switches/service.ts";
import { isLastUseStale } from "./rules.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

const PREFIX_LENGTH = 16;

/** Creates an API key, and the statement that stores its hash. The plaintext is never stored. */
export async function newApiKey(deps: Deps, { agentId, name }: { readonly agentId: string; readonly name: string | null }) {
	const plaintext = apiKeyOf(randomHex(RANDOM_KEY_DIGITS / 2));
	const row = {
		id: deps.ids.next(),
		agentId,
		name,
		hash: await sha256Hex(plaintext),
		prefix: plaintext.slice(0, PREFIX_LENGTH),
		createdAt: deps.clock.now(),
	};
	return { row, plaintext, statement: statements.insertKey(deps, row) };
}

/** Finds the identity behind a key. Returns null if the key is malformed, unknown or revoked, or its operator token is revoked. */
export async function findActorByKey(deps: Deps, key: string): Promise<Actor | null> {
	return isPossibleKey(key) ? recallActor(deps, key, readKey) : null;
}

/**
 * Finds a bearer credential by its SHA-256, and returns its actor and the switches. Returns null if the credential is unknown or has ended.
 */
export type ReadActor = (
	deps: Deps,
	hash: string,
) => Promise<{ readonly actor: Actor; readonly switchesSeen: Parameters<typeof noteSwitches>[1]; saveUse(now: number): void } | null>;

/** Finds the actor behind a bearer credential. For some seconds, the isolate remembers the actor, or that there is no such credential. */
export async function recallActor(deps: Deps, credential: string, read: ReadActor): Promise<Actor | null> {
	const hash = await sha256Hex(credential);
	const now = deps.clock.now();
	const cached = knownKeys.find(hash, now);
	if (cached !== null || missedKeys.has(hash, now)) return cached;
	const actor = (await readOnce(deps, hash, read)) ?? (await readAgain(deps, hash, read));
	if (actor === null) missedKeys.note(hash, deps.clock.now());
	return actor;
}

/**
 * A credential that is seconds old may not have reached the replica. So the primary is read before a credential is rejected, unless the
 * first read already asked the primary.
 */
async function readAgain(deps: Deps, hash: string, read: ReadActor): Promise<Actor | null> {
	if (!deps.db.use.hasAskedReplica) return null;
	deps.db.refresh();
	return readOnce(deps, hash, read);
}

async function readOnce(deps: Deps, hash: string, read: ReadActor): Promise<Actor | null> {
	const now = deps.clock.now();
	const row = await read(deps, hash);
	if (row === null || knownKeys.isRevoked(row.actor)) return null;
	noteSwitches(deps, row.switchesSeen, now);
	knownKeys.remember(hash, row.actor, now);
	row.saveUse(now);
	return row.actor;
}

const readKey: ReadActor = async (deps, hash) => {
	const row = await store.findActiveKey(deps, hash);
	if (row === null) return null;
	const { lastUsedAt, switchesSeen, ...facts } = row;
	return {
		actor: { ...facts, authMethod: "api_key", session: null, grant: null },
		switchesSeen,
		saveUse(now) {
			if (isLastUseStale(lastUsedAt, now)) deps.background(store.saveLastUse({ db: deps.db.fork() }, { keyId: facts.keyId, now }));
		},
	};
};

/**
 * Reads an active key's agent, and the ids of all active keys of that agent. Returns null if the key is not active. Bypasses the isolate's
 * cache and reads the primary.
 */
export async function readKeyHolder(deps: Deps, key: string) {
	if (!isPossibleKey(key)) return null;
	deps.db.refresh();
	return store.findKeyHolder(deps, await sha256Hex(key));
}

/**
 * Builds the statements that revoke every key of an agent except this one. They fail if another request has changed the agent's keys in the
 * meantime.
 */
export function revokeOtherKeys(
	deps: Deps,
	{ agentId, keyId, activeKeyIds }: { readonly agentId: string; readonly keyId: string; readonly activeKeyIds: readonly string[] },
): Statement[] {
	return [
		statements.guardActiveKeys(deps, agentId, activeKeyIds),
		...statements.deactivateOtherKeys(deps, { agentId, keptKeyId: keyId, now: deps.clock.now() }),
	];
}

/**
 * Makes this isolate reject credentials at once. An id identifies a key, an operator token (for all keys of its children) or a grant (for
 * all its access tokens), or is the hash of one access token. Other isolates learn of this from the database.
 */
export function stopKeys(deps: Deps, ids: readonly string[]): void {
	for (const id of ids) knownKeys.revoke(id, deps.clock.now());
}

/** Builds statements that fail if the caller's key was revoked, because an isolate may remember a revoked key for some seconds. */
export function guardCallersKey(ctx: Ctx): Statement[] {
	return ctx.actor.keyId === null ? [] : [statements.guardKeyActive(ctx, ctx.actor.keyId)];
}

/** Returns true if this isolate has just revoked the key or its operator token. A replica may not know of the revocation yet. */
export function isKeyStopped(key: Pick<Actor, "keyId" | "operatorTokenId">): boolean {
	return knownKeys.isRevoked(key);
}

/** Forgets an agent in this isolate's cache, so that a change of its name or tier takes effect at once. */
export function forgetKnownAgent(agentId: string): void {
	knownKeys.forgetAgent(agentId);
}

/** How long an actor stays cached. With the delay of a replica, other isolates notice a revocation well within the promised 10 seconds. */
export const KEY_CACHE_TTL_MS = 5 * SECOND_MS;
/** How long a revocation is remembered. No database read that began before the revocation takes this long. */
const REVOCATION_MEMORY_MS = MINUTE_MS;
const MAX_ACTORS = 10_000;

type Revocable = Pick<Actor, "keyId" | "operatorTokenId"> & Partial<Pick<Actor, "grant">>;

/** Lists the ids whose revocation ends an actor's credential. */
function idsOf({ keyId, operatorTokenId, grant }: Revocable): string[] {
	return [keyId, operatorTokenId, grant?.id, grant?.tokenHash, grant?.keyId].filter((id) => id !== null && id !== undefined);
}

/**
 * Caches actors by the hash of their key or access token, in memory. A revocation that is recorded here takes effect at once, even if a
 * replica still returns the key.
 */
export class KeyCache {
	readonly #actors = new Map<string, { readonly actor: Actor; readonly at: number }>();
	readonly #revocations = new Map<string, number>();

	/** Returns the actor if it was cached within the last {@link KEY_CACHE_TTL_MS}, or null. */
	find(hash: string, now: number): Actor | null {
		const entry = this.#actors.get(hash);
		if (entry === undefined) return null;
		const age = now - entry.at;
		if (age >= 0 && age < KEY_CACHE_TTL_MS) return entry.actor;
		this.#actors.delete(hash);
		return null;
	}

	remember(hash: string, actor: Actor, now: number): void {
		if (this.isRevoked(actor)) return;
		const oldest = this.#actors.size >= MAX_ACTORS ? this.#actors.keys().next().value : undefined;
		if (oldest !== undefined) this.#actors.delete(oldest);
		this.#actors.set(hash, { actor, at: now });
	}

	/** Returns true if the credential, or anything that it depends on, was revoked through this cache a short while ago. */
	isRevoked(actor: Revocable): boolean {
		return idsOf(actor).some((id) => this.#revocations.has(id));
	}

	/** Records that a key, a grant, an access token or an operator token has been revoked. */
	revoke(id: string, now: number): void {
		for (const [earlier, at] of this.#revocations) {
			if (now - at > REVOCATION_MEMORY_MS) this.#revocations.delete(earlier);
		}
		this.#revocations.set(id, now);
		this.#forget((actor) => idsOf(actor).includes(id));
	}

	/** Makes the next request with any of an agent's keys read the agent again. */
	forgetAgent(agentId: string): void {
		this.#forget((actor) => actor.agentId === agentId);
	}

	#forget(isAffected: (actor: Actor) => boolean): void {
		for (const [hash, { actor }] of this.#actors) {
			if (isAffected(actor)) this.#actors.delete(hash);
		}
	}
}

/**
 * Credentials that were not found a few seconds ago, and are not looked up again for now. This does not affect new keys, because no one can
 * present a key before the response that contains it.
 */
const missedKeys = new RecentMisses();

/** The isolate's cache of keys. Entries are short-lived, because a revocation by another isolate does not reach this cache. */
const knownKeys = new KeyCache();
