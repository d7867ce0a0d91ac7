import { commit, decideAndCommit, unlessStale } from "../../../db/commit.ts";
import type { Actor } from "../../../domain/actor.ts";
import { API_KEY_PATTERN } from "../../../domain/credentials.ts";
import { AppError } from "../../../domain/errors.ts";
import { credentialRefused } from "../../../http/authenticate.ts";
import { toIso, toIsoOrNull } from "../../../platform/clock.ts";
import { randomHex, sha256Hex } from "../../../platform/crypto.ts";
import type { Statement } from "../../../ports/database.ts";
import type { Ctx, Deps } from "../../../ports/deps.ts";
import { noteSwitches } from "../switches/service.ts";
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
	const known = knownKeys.find(hash, now) ?? (await readKey(deps, hash));
	if (known !== null) return known;
	// A replica may not have seen a key that is seconds old: ask the primary before refusing.
	deps.db.refresh();
	return readKey(deps, hash);
}

/** The holder of an active key. This isolate knows them for some seconds. */
async function readKey(deps: Deps, hash: string): Promise<Actor | null> {
	const now = deps.clock.now();
	const row = await store.findActiveKey(deps, hash);
	if (row === null || knownKeys.isRevoked(row)) return null;
	const { lastUsedAt, switchesSeen, ...facts } = row;
	noteSwitches(deps, switchesSeen, now);
	const actor = { ...facts, authMethod: "api_key", session: null } as const;
	knownKeys.remember(hash, actor, now);
	if (isLastUseStale(lastUsedAt, now)) deps.background(store.saveLastUse({ db: deps.db.fork() }, { keyId: facts.keyId, now }));
	return actor;
}

/**
 * The identity behind a key as the database has it now, with the ids of its agent's active keys; null when there is none.
 * Nothing that this isolate remembers decides here.
 */
export async function readKeyHolder(deps: Deps, key: string) {
	if (!API_KEY_PATTERN.test(key)) return null;
	deps.db.refresh();
	return store.findKeyHolder(deps, await sha256Hex(key));
}

interface KeyHolder {
	readonly agentId: string;
	readonly keyId: string;
	readonly activeKeyIds: readonly string[];
}

/** Statements that revoke every key of a holder except the presented one. They fail if another request has changed the keys since. */
export function revokeOtherKeys(deps: Deps, { agentId, keyId, activeKeyIds }: KeyHolder): Statement[] {
	return [
		statements.guardActiveKeys(deps, agentId, activeKeyIds),
		statements.deactivateOtherKeys(deps, { agentId, keptKeyId: keyId, now: deps.clock.now() }),
	];
}

/** Rejects keys at once in this isolate. The database stops them everywhere. */
export function stopKeys(deps: Deps, keyIds: readonly string[]): void {
	for (const id of keyIds) knownKeys.revoke(id, deps.clock.now());
}

/** Statements that fail unless the caller's key is still active: an isolate may remember a revoked key for some seconds. */
export function guardCallersKey(ctx: Ctx): Statement[] {
	return ctx.actor.keyId === null ? [] : [statements.guardKeyActive(ctx, ctx.actor.keyId)];
}

/** Forgets an agent in this isolate's cache, so that changes of its name or tier take effect at once. */
export function forgetKnownAgent(agentId: string): void {
	knownKeys.forgetAgent(agentId);
}

/** Stops the keys of an operator token's children at once in this isolate. The database stops them everywhere. */
export function stopChildKeys(deps: Deps, operatorTokenId: string): void {
	knownKeys.revoke(operatorTokenId, deps.clock.now());
}

/**
 * Creates another key for the caller. Contract: "Identity and keys".
 *
 * @throws AppError `CONFLICT` at 50 active keys; `unauthorized` for a revoked key, which must not create a successor.
 */
export function issueKey(ctx: Ctx, { name }: { name?: string | null | undefined }) {
	return decideAndCommit(ctx.db, async () => {
		const active = await store.selectActiveKeys(ctx, ctx.actor.agentId);
		if (await isCallersKeyRevoked(ctx, active)) throw credentialRefused();
		if (active.length >= MAX_ACTIVE_KEYS) {
			throw new AppError("CONFLICT", {
				message: `You have ${MAX_ACTIVE_KEYS} active keys, the maximum. GET /api/api-keys lists them.`,
			});
		}
		const key = await createApiKey(ctx, { agentId: ctx.actor.agentId, name: name ?? null });
		const guards = [statements.guardActiveKeyCount(ctx, ctx.actor.agentId, MAX_ACTIVE_KEYS), ...guardCallersKey(ctx)];
		await commit(ctx.db, [...guards, key.statement]);
		return { ...viewKey({ ...key.row, lastUsedAt: null }), api_key: key.plaintext };
	});
}

/** A replica may not have seen a key that is seconds old: only the primary can say that it is missing. */
async function isCallersKeyRevoked(ctx: Ctx, active: readonly store.ApiKeyRow[]): Promise<boolean> {
	const { keyId, agentId } = ctx.actor;
	const isAmong = (keys: readonly store.ApiKeyRow[]) => keyId === null || keys.some(({ id }) => id === keyId);
	if (isAmong(active)) return false;
	ctx.db.refresh();
	return !isAmong(await store.selectActiveKeys(ctx, agentId));
}

export async function listKeys(ctx: Ctx) {
	const rows = await store.selectActiveKeys(ctx, ctx.actor.agentId);
	return { data: rows.map(viewKey) };
}

/** Revokes one of the caller's keys. Another agent's key is 404, like an unknown one. */
export async function revokeKey(ctx: Ctx, keyId: string) {
	const revocation = statements.revokeKey(ctx, { keyId, agentId: ctx.actor.agentId, now: ctx.clock.now() });
	if (!(await unlessStale(() => commit(ctx.db, revocation)))) {
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
