import { type SQL, sql } from "drizzle-orm";
import { guard } from "../../db/commit.ts";
import { endStanding, noteEnds } from "../../db/credential-ends.ts";
import { deviceRequests, grants, oauthClients, userCodeTries } from "../../db/schema/oauth.ts";
import { endWebhooks, handOverWebhooks } from "../../db/webhook-ends.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";
import { MAX_GRANTS_OF_AGENT, MAX_WRONG_USER_CODES } from "./rules.ts";

type Store = Pick<Deps, "db" | "clock">;

/** Stores a client, or updates it to what its document says now. */
export function upsertClient({ db }: Store, row: typeof oauthClients.$inferInsert): Statement {
	const { record, fetchedAt } = row;
	return db.query.insert(oauthClients).values(row).onConflictDoUpdate({ target: oauthClients.id, set: { record, fetchedAt } });
}

/** Stores a grant, with the passkey that opened the session, if one did. */
export function insertGrant(
	{ db }: Store,
	{ sessionHash, ...row }: typeof grants.$inferInsert & { readonly sessionHash: string },
): Statement {
	return db.query.insert(grants).values({ ...row, credentialId: sql`(select credential_id from sessions where hash = ${sessionHash})` });
}

/** Guard: the agent has fewer than the maximum number of grants. */
export function guardGrantCount({ db }: Store, agentId: string): Statement {
	return guard(db, sql`(select count(*) from grants where agent_id = ${agentId}) < ${MAX_GRANTS_OF_AGENT}`);
}

/** Ends grants with their access tokens, webhooks and open streams. Their clients are kept for a while. */
function endGrants(deps: Store, condition: SQL): Statement[] {
	return [
		...endStanding(deps, sql`select id from grants where ${condition}`),
		noteUnused(deps, { condition, now: deps.clock.now() }),
		deps.db.statement(sql`delete from grants where ${condition}`),
	];
}

/**
 * Records when grants of a client ended. If none is left, the client stays for a while, because it may ask again. Must run before the
 * statement that ends the grants.
 */
function noteUnused({ db }: Pick<Deps, "db">, { condition, now }: { condition: SQL; now: number }): Statement {
	return db.statement(sql`update oauth_clients set unused_since = ${now} where id in (select client_id from grants where ${condition})`);
}

export function endGrantsOfKeys(deps: Store, keys: readonly string[]): Statement[] {
	return endGrants(deps, sql`key in (select value from json_each(${JSON.stringify(keys)}))`);
}

/** Guard: the grant exists. */
export function guardGrant({ db }: Store, key: string): Statement {
	return guard(db, sql`exists (select 1 from grants where key = ${key})`);
}

/** Guard: the session exists, the key that it depends on is active, and the agent is not suspended. */
export function guardGranter({ db, clock }: Store, by: { sessionHash: string; keyId: string | null; agentId: string }): Statement {
	return guard(
		db,
		sql`exists (select 1 from sessions where hash = ${by.sessionHash} and expires_at > ${clock.now()})
			and (${by.keyId} is null or exists (select 1 from api_keys where id = ${by.keyId} and revoked_at is null))
			and exists (select 1 from agents where id = ${by.agentId} and suspended_at is null)`,
	);
}

/** Stores an access token of a grant, and records that the grant is in use. */
export function insertToken(
	{ db }: Store,
	{ key, hash, scope, expiresAt, now }: { key: string; hash: string; scope: string; expiresAt: number; now: number },
): Statement[] {
	return [
		db.statement(sql`insert into access_tokens (hash, grant_id, scope, expires_at)
			select ${hash}, id, ${scope}, ${expiresAt} from grants where key = ${key}`),
		db.statement(sql`update grants set activated_at = coalesce(activated_at, ${now}), last_used_at = ${now} where key = ${key}`),
	];
}

/** Changes the key of a device's grant from the name of the request's object to the key of its tokens. */
export function renameGrant({ db }: Store, { from, to }: { from: string; to: string }): Statement {
	return db.statement(sql`update grants set key = ${to} where key = ${from}`);
}

/**
 * Ends access tokens of a grant, and notifies open streams.
 *
 * @param hashes The SHA-256 of each token in hex.
 */
export function endTokens(deps: Store, { grantId, hashes }: { grantId: string; hashes: readonly string[] }): Statement[] {
	const condition = sql`grant_id = ${grantId} and hash in (select value from json_each(${JSON.stringify(hashes)}))`;
	return [
		noteEnds(deps, sql`select hash as id from access_tokens where ${condition}`),
		deps.db.statement(sql`delete from access_tokens where ${condition}`),
	];
}

export function insertDeviceRequest({ db }: Store, row: typeof deviceRequests.$inferInsert): Statement {
	return db.query.insert(deviceRequests).values(row);
}

/** Guard: no grant has this key. */
export function guardNoGrant({ db }: Store, key: string): Statement {
	return guard(db, sql`not exists (select 1 from grants where key = ${key})`);
}

/** Guard: the same holder has already made this grant. */
export function guardSameGrant(
	{ db }: Store,
	{ key, agentId, keyId = null }: Pick<typeof grants.$inferInsert, "key" | "agentId" | "keyId">,
): Statement {
	return guard(db, sql`exists (select 1 from grants where key = ${key} and agent_id = ${agentId} and key_id is ${keyId})`);
}

export function insertUserCodeTry({ db }: Store, row: typeof userCodeTries.$inferInsert): Statement {
	return db.query.insert(userCodeTries).values(row);
}

export function deleteUserCodeTry({ db }: Store, id: string): Statement {
	return db.statement(sql`delete from user_code_tries where id = ${id}`);
}

/**
 * Ends the grants that a new grant replaces: those of the same program for the same agent, with the same redirect URI, or without one if
 * the new grant belongs to a device. The new grant takes over their webhooks.
 */
export function endReplaced(
	deps: Store,
	{ id, agentId, clientId, redirectUri }: Pick<typeof grants.$inferInsert, "id" | "agentId" | "clientId" | "redirectUri">,
): Statement[] {
	const isReplaced = sql`agent_id = ${agentId} and client_id = ${clientId} and redirect_uri is ${redirectUri ?? null}`;
	const successor = { dependsOn: id, credentialId: null };
	return [handOverWebhooks(deps, sql`select id from grants where ${isReplaced}`, successor), ...endGrants(deps, isReplaced)];
}

export function endGrantsOfAgent(deps: Store, agentId: string): Statement[] {
	return endGrants(deps, sql`agent_id = ${agentId}`);
}

/** @param agents Selects ids in a column `id`. */
export function endGrantsOfAgents(deps: Store, agents: SQL): Statement[] {
	return endGrants(deps, sql`agent_id in (select ended.id from (${agents}) ended)`);
}

/**
 * Makes grants independent of keys if they were made in a session that one of these passkeys opened.
 *
 * @param credentials Selects the ids of the passkeys in a column `id`.
 */
export function confirmGrants({ db }: Store, credentials: SQL): Statement[] {
	return [db.statement(sql`update grants set key_id = null where credential_id in (select confirmed.id from (${credentials}) confirmed)`)];
}

/** Ends the grants that were made in sessions which depended on the given keys. @param keys Selects their ids in a column `id`. */
export function endGrantsMadeWith(deps: Store, keys: SQL): Statement[] {
	return endGrants(deps, sql`key_id in (select ended.id from (${keys}) ended)`);
}

/** Guard: the network has entered fewer than the maximum number of wrong user codes. */
export function guardUserCodeTries({ db, clock }: Store, network: string): Statement {
	const tries = sql`(select count(*) from user_code_tries where network = ${network} and expires_at > ${clock.now()})`;
	return guard(db, sql`${tries} < ${MAX_WRONG_USER_CODES}`);
}

/** Deletes a limited number of expired rows from each table. The times are in milliseconds since the epoch. */
export function deleteExpired(
	{ db, clock }: Store,
	{
		now,
		clientsBefore,
		unusedBefore,
		usedBefore,
		limit,
	}: Readonly<Record<"now" | "clientsBefore" | "unusedBefore" | "usedBefore" | "limit", number>>,
): Statement[] {
	const isUnused = sql`id in (select id from grants where activated_at is null and created_at <= ${unusedBefore} limit ${limit})`;
	const isIdle = sql`id in (select id from grants where last_used_at <= ${usedBefore} limit ${limit})`;
	return [
		db.statement(sql`delete from access_tokens where hash in (select hash from access_tokens where expires_at <= ${now} limit ${limit})`),
		db.statement(
			sql`delete from device_requests where code_hmac in (select code_hmac from device_requests where expires_at <= ${now} limit ${limit})`,
		),
		db.statement(sql`delete from user_code_tries where id in (select id from user_code_tries where expires_at <= ${now} limit ${limit})`),
		...[isUnused, isIdle].flatMap((condition) => [
			endWebhooks({ db, clock }, sql`depends_on in (select id from grants where ${condition})`),
			noteUnused({ db }, { condition, now }),
			db.statement(sql`delete from grants where ${condition}`),
		]),
		db.statement(sql`delete from oauth_clients where id in (select id from oauth_clients c where unused_since <= ${clientsBefore}
			and not exists (select 1 from grants g where g.client_id = c.id) limit ${limit})`),
	];
}
