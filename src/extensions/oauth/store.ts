import { and, desc, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import { LAST_USE_RESOLUTION_MS } from "../../core/identity/api-keys/rules.ts";
import { bearerColumns } from "../../db/active-keys.ts";
import { forgetRows } from "../../db/expired-rows.ts";
import { isSuspended } from "../../db/parties.ts";
import { prepareRead } from "../../db/prepared.ts";
import { agents } from "../../db/schema/agents.ts";
import { accessTokens, deviceRequests, grants, oauthClients } from "../../db/schema/oauth.ts";
import { operatorTokens } from "../../db/schema/operators.ts";
import { SECOND_MS } from "../../platform/clock.ts";
import type { Deps } from "../../ports/deps.ts";
import { MAX_GRANTS_OF_AGENT, REFRESH_TOKEN_TTL_SECONDS, UNUSED_CLIENT_TTL_MS, UNUSED_GRANT_TTL_MS } from "./rules.ts";
import { deleteExpired } from "./statements.ts";

const readToken = prepareRead((query) =>
	query
		.select({
			...bearerColumns,
			grantId: sql<string>`${grants.id}`.as("grant_id"),
			scope: accessTokens.scope,
			expiresAt: sql<number>`${accessTokens.expiresAt}`.as("token_expires_at"),
			grantKeyId: sql<string | null>`${grants.keyId}`.as("grant_key_id"),
			lastUsedAt: sql<number | null>`${grants.lastUsedAt}`.as("grant_last_used_at"),
		})
		.from(accessTokens)
		.innerJoin(grants, eq(grants.id, accessTokens.grantId))
		.innerJoin(agents, eq(agents.id, grants.agentId))
		.leftJoin(operatorTokens, eq(operatorTokens.id, agents.operatorTokenId))
		.where(
			and(
				eq(accessTokens.hash, sql.placeholder("hash")),
				sql`${accessTokens.expiresAt} > ${sql.placeholder("now")}`,
				isNull(operatorTokens.revokedAt),
			),
		),
);

/**
 * Reads an access token with its grant, its agent and the operators' switches in one call, as for an API key. Returns null for an unknown
 * token.
 */
export async function findToken({ db, clock }: Deps, hash: string) {
	const [[row]] = await db.read(readToken({ hash, now: clock.now() }));
	return row ?? null;
}

export async function saveGrantUse({ db }: Pick<Deps, "db">, { grantId, now }: { grantId: string; now: number }): Promise<void> {
	await db.query.update(grants).set({ lastUsedAt: now }).where(eq(grants.id, grantId));
}

export async function findClient({ db }: Deps, id: string) {
	const [row] = await db.query.select().from(oauthClients).where(eq(oauthClients.id, id));
	return row ?? null;
}

/** Reads a grant whose agent is allowed to act, with the record of its client. */
export async function findUsableGrant(deps: Deps, key: string) {
	deps.db.refresh();
	return findGrant(deps, eq(grants.key, key));
}

/** Returns the agent of a grant by the grant's id, if the agent is allowed to act. */
export async function findGrantHolder(deps: Deps, id: string): Promise<string | null> {
	return (await findGrant(deps, eq(grants.id, id)))?.agentId ?? null;
}

async function findGrant({ db }: Deps, condition: SQL) {
	const [row] = await db.query
		.select({
			id: sql<string>`${grants.id}`.as("grant_id"),
			agentId: grants.agentId,
			clientId: grants.clientId,
			record: oauthClients.record,
		})
		.from(grants)
		.innerJoin(agents, eq(agents.id, grants.agentId))
		.leftJoin(operatorTokens, eq(operatorTokens.id, agents.operatorTokenId))
		.leftJoin(oauthClients, eq(oauthClients.id, grants.clientId))
		.where(
			and(condition, isNull(operatorTokens.revokedAt), sql`not ${isSuspended(sql`${agents.suspendedAt}`, sql`${operatorTokens.agentId}`)}`),
		);
	return row ?? null;
}

/** A person can manage the grants of all their agents. A key can manage those of its own agent. */
export interface GrantReach {
	readonly userId: string | null;
	readonly agentId: string;
}

/** Returns the condition for grants that the caller can manage. */
function isWithinReach({ userId, agentId }: GrantReach): SQL {
	return userId === null ? sql`agent_id = ${agentId}` : sql`agent_id in (select id from agents where user_id = ${userId})`;
}

/** The maximum number of connected programs in the list. A person may have several agents, each with the maximum number of grants. */
const MAX_LISTED = 1_000;

/** Returns true if an agent has the maximum number of grants. */
export async function hasAllGrants({ db }: Deps, agentId: string): Promise<boolean> {
	return (await db.query.$count(grants, eq(grants.agentId, agentId))) >= MAX_GRANTS_OF_AGENT;
}

/** Lists the grants that programs use, newest first. */
export async function selectGrants({ db }: Deps, reach: GrantReach) {
	return db.query
		.select()
		.from(grants)
		.where(and(isWithinReach(reach), isNotNull(grants.activatedAt)))
		.orderBy(desc(grants.id))
		.limit(MAX_LISTED);
}

/** Finds the key of a grant that the caller can manage. */
export async function findGrantKey({ db }: Deps, id: string, reach: GrantReach): Promise<string | null> {
	const [row] = await db.query
		.select({ key: grants.key })
		.from(grants)
		.where(and(eq(grants.id, id), isWithinReach(reach)));
	return row?.key ?? null;
}

/** Finds the object of a device's request by its user code. */
export async function findDeviceObject({ db, clock }: Deps, codeHmac: string): Promise<string | null> {
	const [row] = await db.query
		.select({ object: deviceRequests.object })
		.from(deviceRequests)
		.where(and(eq(deviceRequests.codeHmac, codeHmac), sql`expires_at > ${clock.now()}`));
	return row?.object ?? null;
}

/** Deletes expired tokens and codes, grants that were never used or whose refresh token has expired, and unused clients. */
export async function forgetExpired({ db, clock }: Deps): Promise<void> {
	const now = clock.now();
	const [clientsBefore, unusedBefore] = [now - UNUSED_CLIENT_TTL_MS, now - UNUSED_GRANT_TTL_MS];
	const usedBefore = now - REFRESH_TOKEN_TTL_SECONDS * SECOND_MS - LAST_USE_RESOLUTION_MS;
	await forgetRows(db, async (limit) => {
		const [first, ...others] = deleteExpired({ db, clock }, { now, clientsBefore, unusedBefore, usedBefore, limit });
		if (first !== undefined) await db.query.batch([first, ...others]);
	});
}
