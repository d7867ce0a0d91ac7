import { commit, decideAndCommit } from "../../db/commit.ts";
import type { Actor } from "../../domain/actor.ts";
import { API_KEY_PATTERN } from "../../domain/credentials.ts";
import { AppError } from "../../domain/errors.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";
import { randomHex, sha256Hex } from "../../platform/crypto.ts";
import type { Ctx, Deps } from "../../ports/deps.ts";
import { KeyCache } from "./key-cache.ts";
import { isLastUseStale } from "./rules.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

const PREFIX_LENGTH = 16;
const MAX_ACTIVE_KEYS = 50;

interface NewKey {
	readonly agentId: string;
	readonly name: string | null;
}

/** Makes a key and the statement that stores its hash. The plaintext exists nowhere else. */
export async function createApiKey(deps: Deps, { agentId, name }: NewKey) {
	const plaintext = `svc_sk_${randomHex(32)}`;
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

/** What this isolate knows of keys. Every isolate has its own, which is why entries are short-lived. */
const knownKeys = new KeyCache();

/** The identity behind a key; null when it is malformed, unknown or revoked, or its operator token is. */
export async function findActorByKey(deps: Deps, key: string): Promise<Actor | null> {
	if (!API_KEY_PATTERN.test(key)) return null;
	const hash = await sha256Hex(key);
	const now = deps.clock.now();
	const known = knownKeys.find(hash, now);
	if (known !== null) return known;
	const found = await findActiveKey(deps, hash);
	if (found === null || knownKeys.isRevoked(found)) return null;
	const { lastUsedAt, ...facts } = found;
	const actor: Actor = { ...facts, authMethod: "api_key", session: null };
	knownKeys.remember(hash, actor, now);
	if (isLastUseStale(lastUsedAt, now)) deps.background(store.saveLastUse({ db: deps.db.fork() }, { keyId: facts.keyId, now }));
	return actor;
}

async function findActiveKey(deps: Deps, hash: string) {
	const found = await store.findActiveKeyByHash(deps, hash);
	if (found !== null) return found;
	// A replica may not have seen a key that is seconds old: ask the primary before refusing.
	deps.db.refresh();
	return store.findActiveKeyByHash(deps, hash);
}

/** Lets changes of an agent's name or tier reach its keys at once in this isolate. */
export function forgetKnownAgent(agentId: string): void {
	knownKeys.forgetAgent(agentId);
}

/** Stops the keys of an operator token's children at once in this isolate. The database stops them everywhere. */
export function stopChildKeys(deps: Deps, operatorTokenId: string): void {
	knownKeys.revoke(operatorTokenId, deps.clock.now());
}

/** A further key for the caller. Contract: "Identity and keys". */
export function issueKey(ctx: Ctx, { name }: { name?: string | null | undefined }) {
	return decideAndCommit(ctx.db, async () => {
		const active = await store.selectActiveKeys(ctx, ctx.actor.agentId);
		if (active.length >= MAX_ACTIVE_KEYS) {
			throw new AppError("CONFLICT", { message: `You have ${MAX_ACTIVE_KEYS} active keys, which is the most. Revoke one first.` });
		}
		const key = await createApiKey(ctx, { agentId: ctx.actor.agentId, name: name ?? null });
		await commit(ctx.db, [statements.guardActiveKeyCount(ctx, ctx.actor.agentId, MAX_ACTIVE_KEYS), key.statement]);
		return { ...viewKey({ ...key.row, lastUsedAt: null }), api_key: key.plaintext };
	});
}

export async function listKeys(ctx: Ctx) {
	const rows = await store.selectActiveKeys(ctx, ctx.actor.agentId);
	return { data: rows.map(viewKey) };
}

/** Revokes one of the caller's keys. Another agent's key is 404, like an unknown one. */
export async function revokeKey(ctx: Ctx, keyId: string) {
	if (!(await store.revokeActiveKey(ctx, { keyId, agentId: ctx.actor.agentId, now: ctx.clock.now() }))) {
		throw new AppError("NOT_FOUND", { message: "You have no active key with this id. GET /api/api-keys lists yours." });
	}
	knownKeys.revoke(keyId, ctx.clock.now());
	return { id: keyId, revoked: true as const };
}

function viewKey(row: Pick<store.ApiKeyRow, "id" | "name" | "prefix" | "createdAt" | "lastUsedAt">) {
	return {
		id: row.id,
		name: row.name,
		prefix: row.prefix,
		created_at: toIso(row.createdAt),
		last_used_at: toIsoOrNull(row.lastUsedAt),
	};
}
