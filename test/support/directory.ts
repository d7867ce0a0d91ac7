// Changes the directory (D1) as another isolate or an operator's command does, so that this isolate remembers the old state.
import { env } from "cloudflare:workers";
import { queryAll, queryOne } from "./storage.ts";

export async function setTier(agentId: string, tier: string): Promise<void> {
	await env.DB.prepare("update agents set tier = ? where id = ?").bind(tier, agentId).run();
}

export async function suspendElsewhere(agentId: string): Promise<void> {
	await env.DB.prepare("update agents set suspended_at = 1 where id = ?").bind(agentId).run();
}

export async function revokeKeysElsewhere(agentId: string): Promise<void> {
	await env.DB.prepare("update api_keys set revoked_at = ? where agent_id = ?").bind(Date.now(), agentId).run();
}

export async function revokeTokenElsewhere(tokenId: string): Promise<void> {
	await env.DB.prepare("update operator_tokens set revoked_at = ? where id = ?").bind(Date.now(), tokenId).run();
}

export async function endSessionsElsewhere(userId: string): Promise<void> {
	await env.DB.prepare("delete from sessions where user_id = ?").bind(userId).run();
}

/** Returns the payloads of the recorded events of a type that contain a text, oldest first. */
export async function listEvents(type: string, text: string): Promise<unknown[]> {
	const rows = await queryAll<{ payload: string }>(
		"select payload from _recorded_events where type = ? and payload like ? order by id",
		type,
		`%${text}%`,
	);
	return rows.map(({ payload }) => JSON.parse(payload));
}

/** Returns the payloads of all recorded events that contain a text. */
export async function listEventsAbout(text: string): Promise<unknown[]> {
	return queryAll("select payload from _recorded_events where payload like ?", `%${text}%`);
}

/** Returns the submissions that count towards an operator token this month, and the units that were reserved for them. */
export async function readOperatorUsage(tokenId: string): Promise<{ readonly used: number; readonly units: number } | null> {
	const units = "(select count(*) from operator_units where operator_token_id = ?1)";
	return queryOne(`select used, ${units} as units from operator_usage where operator_token_id = ?1`, tokenId);
}
