import type { Statement } from "../../db/client.ts";
import { commit, decideAndCommit } from "../../db/commit.ts";
import type { Actor, Ctx, Deps } from "../../deps.ts";
import { AppError } from "../../errors.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";
import { randomHex, sha256Hex } from "../../platform/crypto.ts";
import * as store from "./store.ts";

/** What secret scanners can look for. */
const API_KEY_PATTERN = /^svc_sk_[0-9a-f]{64}$/;
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
	const statement: Statement = store.insertKey(deps, row);
	return { row, plaintext, statement };
}

/** The identity behind a key; null when it is malformed, unknown or revoked. */
export async function findActorByKey(deps: Deps, key: string): Promise<Actor | null> {
	if (!API_KEY_PATTERN.test(key)) return null;
	const hash = await sha256Hex(key);
	const found = await store.findActiveKeyByHash(deps, hash);
	if (found !== null) return { ...found, authMethod: "api_key" };
	// A replica may not have seen a key that is seconds old: ask the primary before refusing.
	deps.db.refresh();
	const foundOnPrimary = await store.findActiveKeyByHash(deps, hash);
	return foundOnPrimary === null ? null : { ...foundOnPrimary, authMethod: "api_key" };
}

/** A further key for the caller. Contract: "Identity and keys". */
export function issueKey(ctx: Ctx, { name }: { name?: string | null | undefined }) {
	return decideAndCommit(ctx.db, async () => {
		const active = await store.selectActiveKeys(ctx, ctx.actor.agentId);
		if (active.length >= MAX_ACTIVE_KEYS) {
			throw new AppError("CONFLICT", { message: `You have ${MAX_ACTIVE_KEYS} active keys, which is the most. Revoke one first.` });
		}
		const key = await createApiKey(ctx, { agentId: ctx.actor.agentId, name: name ?? null });
		await commit(ctx.db, [store.guardActiveKeyCount(ctx, ctx.actor.agentId, MAX_ACTIVE_KEYS), key.statement]);
		return { ...viewKey({ ...key.row, lastUsedAt: null }), api_key: key.plaintext };
	});
}

export async function listKeys(ctx: Ctx) {
	const rows = await store.selectActiveKeys(ctx, ctx.actor.agentId);
	return { data: rows.map(viewKey) };
}

/** Revokes one of the caller's keys; somebody else's key is as absent as an unknown one. */
export async function revokeKey(ctx: Ctx, keyId: string) {
	const revoked = await store.revokeActiveKey(ctx, { keyId, agentId: ctx.actor.agentId, now: ctx.clock.now() });
	if (revoked.length === 0) {
		throw new AppError("NOT_FOUND", { message: "You have no active key with this id. GET /api/api-keys lists yours." });
	}
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
