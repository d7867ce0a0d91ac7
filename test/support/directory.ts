// Changes the directory (D1) as another isolate or an operator's command does, so that this isolate remembers the old state.
import { env } from "cloudflare:workers";
import { count, queryAll, queryOne } from "./storage.ts";

export async function setTier(agentId: string, tier: string): Promise<void> {
	await env.DB.prepare("update agents set tier = ? where id = ?").bind(tier, agentId).run();
}

export async function suspendElsewhere(agentId: string): Promise<void> {
	await noteEnds("select ? as id", agentId);
	await env.DB.prepare("update agents set suspended_at = 1 where id = ?").bind(agentId).run();
}

export async function revokeKeysElsewhere(agentId: string): Promise<void> {
	await noteEnds("select id from api_keys where agent_id = ?", agentId);
	await env.DB.prepare("update api_keys set revoked_at = ? where agent_id = ?").bind(Date.now(), agentId).run();
}

export async function revokeKeyElsewhere(keyId: string): Promise<void> {
	await noteEnds("select ? as id", keyId);
	await env.DB.prepare("update api_keys set revoked_at = ? where id = ?").bind(Date.now(), keyId).run();
}

/** Hides the cards of an agent's tasks, as a suspension does. */
export async function hideCards(agentId: string): Promise<void> {
	await env.DB.prepare("update task_cards set hidden = 1 where company_id = ?").bind(agentId).run();
}

/** Returns what the sweep still has to do about an agent. */
export function listStandingChanges(agentId: string): Promise<unknown[]> {
	return queryAll("select id from standing_changes where agent_id = ?", agentId);
}

/** Records that credentials have ended, as every commit does that ends them. */
async function noteEnds(ended: string, holder: string): Promise<void> {
	await env.DB.prepare(`insert or ignore into credential_ends (at, id) select ${Date.now()}, ended.id from (${ended}) ended`)
		.bind(holder)
		.run();
}

/** Returns the ids of credentials and agents whose end is recorded. */
export async function listCredentialEnds(): Promise<string[]> {
	return (await queryAll<{ id: string }>("select id from credential_ends")).map(({ id }) => id);
}

/** Returns the hashes of the sessions of a human, or of an agent's keys. */
export async function listSessionHashes(holder: { readonly userId: string } | { readonly agentId: string }): Promise<string[]> {
	const [condition, id] =
		"userId" in holder ? ["user_id = ?", holder.userId] : ["key_id in (select id from api_keys where agent_id = ?)", holder.agentId];
	return (await queryAll<{ hash: string }>(`select hash from sessions where ${condition}`, id)).map(({ hash }) => hash);
}

/** Changes the directory back to the state before a revocation, as a replica may still show it. */
export async function forgetRevocation(keyId: string): Promise<void> {
	await env.DB.prepare("update api_keys set revoked_at = null where id = ?").bind(keyId).run();
}

/** Puts an agent under a human, as a claim does, without the claim's other effects. */
export async function linkToHuman(agentId: string, userId: string): Promise<void> {
	await env.DB.prepare("update agents set user_id = ? where id = ?").bind(userId, agentId).run();
}

/** Deletes the cards that say who has joined invite-only tasks. */
export async function loseMembers(): Promise<void> {
	await env.DB.prepare("delete from member_cards").run();
}

export async function forgetNetworkUsage(): Promise<void> {
	await env.DB.prepare("delete from network_usage").run();
}

export async function revokeTokenElsewhere(tokenId: string): Promise<void> {
	await noteEnds("select ? as id", tokenId);
	await env.DB.prepare("update operator_tokens set revoked_at = ? where id = ?").bind(Date.now(), tokenId).run();
}

export async function endSessionsElsewhere(userId: string): Promise<void> {
	await noteEnds("select hash as id from sessions where user_id = ?", userId);
	await env.DB.prepare("delete from sessions where user_id = ?").bind(userId).run();
}

/** Returns the payloads of the recorded events of this type that contain this text, oldest first. */
export async function listEvents(type: string, text: string): Promise<unknown[]> {
	const rows = await queryAll<{ payload: string }>(
		"select payload from _recorded_events where type = ? and payload like ? order by id",
		type,
		`%${text}%`,
	);
	return rows.map(({ payload }) => JSON.parse(payload));
}

/** Returns the payloads of all recorded events that contain this text. */
export async function listEventsAbout(text: string): Promise<unknown[]> {
	return queryAll("select payload from _recorded_events where payload like ?", `%${text}%`);
}

/** Returns the submissions that count towards an operator token this month, and the units that were reserved for them. */
export async function readOperatorUsage(tokenId: string): Promise<{ readonly used: number; readonly units: number } | null> {
	const units = "(select count(*) from operator_units where operator_token_id = ?1)";
	return queryOne(`select used, ${units} as units from operator_usage where operator_token_id = ?1`, tokenId);
}

/** Returns when a key of the agent was last used, according to the directory. Null if it was never used. */
export async function readLastUse(agentId: string): Promise<number | null> {
	return (await queryOne<{ at: number | null }>("select last_used_at as at from api_keys where agent_id = ?", agentId))?.at ?? null;
}

/** Returns what is stored of a credential. */
export function readStoredKey(agentId: string): Promise<Readonly<Record<string, unknown>> | null> {
	return queryOne("select * from api_keys where agent_id = ?", agentId);
}

export function readStoredToken(tokenId: string): Promise<Readonly<Record<string, unknown>> | null> {
	return queryOne("select * from operator_tokens where id = ?", tokenId);
}

/** Returns the stored response to a request with an Idempotency-Key. */
export function readStoredReply(caller: string): Promise<{ readonly response_encrypted: string | null } | null> {
	return queryOne("select response_encrypted from replies where caller = ?", caller);
}

/** Returns what the platform counts for networks. */
export function readNetworkUsage(): Promise<{ readonly kind: string; readonly used: number }[]> {
	return queryAll("select * from network_usage");
}

export function countSessions(userId: string): Promise<number> {
	return count("select count(*) from sessions where user_id = ?", userId);
}

/** Counts the humans whom a sign-in service has named, or those of one subject. */
export function countHumans(issuer: string, subject: string | null = null): Promise<number> {
	return count("select count(*) from users where issuer = ?1 and subject = coalesce(?2, subject)", issuer, subject);
}

export function countUsedChallenges(): Promise<number> {
	return count("select count(*) from used_challenges");
}

/** Deletes what the deployment has recorded about its judge: the judge's health, and the probes of each model. */
export async function forgetJudge(): Promise<void> {
	await env.DB.batch([env.DB.prepare("delete from judge_health"), env.DB.prepare("delete from model_probes")]);
}

/** Returns the tallies of the probes of a model, or null if it was never probed. */
export async function readProbes(model: string, role: "judge" | "confirmer"): Promise<unknown> {
	const row = await queryOne<{ tallies: string }>("select tallies from model_probes where model = ? and role = ?", model, role);
	return row === null ? null : JSON.parse(row.tallies);
}

/** Returns what judging has cost the deployment in all, and what is reserved, in millionths of a US dollar. */
export async function readDeploymentSpend(): Promise<{ readonly settled: number; readonly reserved: number }> {
	const sums =
		"select coalesce(sum(settled), 0) as settled, coalesce(sum(reserved), 0) as reserved from judge_days where scope = 'deployment'";
	return (await queryOne<{ settled: number; reserved: number }>(sums)) ?? { settled: 0, reserved: 0 };
}
