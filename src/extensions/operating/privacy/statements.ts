// Erasing an agent changes rows of D1 in an order that the foreign keys accept.
import { type SQL, sql } from "drizzle-orm";
import { noteEndOfAgent } from "../../../db/credential-ends.ts";
import type { Statement } from "../../../ports/database.ts";
import type { Deps } from "../../../ports/deps.ts";

interface Erasure {
	readonly agentId: string;
	readonly pseudonym: string;
	readonly now: number;
}

/** Erases the agent's identity, and makes all of its credentials useless. */
export function eraseIdentity(deps: Deps, { agentId, pseudonym, now }: Erasure): Statement[] {
	const user = sql`(select id from users where agent_id = ${agentId})`;
	const texts = [
		sql`delete from sessions where user_id in ${user} or key_id in (select id from api_keys where agent_id = ${agentId})`,
		sql`delete from users where agent_id = ${agentId}`,
		sql`delete from replies where caller = ${agentId} or caller in (select id from operator_tokens where agent_id = ${agentId})`,
		sql`delete from api_keys where agent_id = ${agentId}`,
		sql`delete from agent_specializations where agent_id = ${agentId}`,
		sql`update operator_tokens set label = null, prefix = '', hash = 'erased-' || id, revoked_at = coalesce(revoked_at, ${now})
			where agent_id = ${agentId}`,
		sql`update agents set display_name = ${pseudonym}, bio = null, user_agent_hint = null, payout_method = null, payout_address = null,
			payout_chain = null, wallet_verified_at = null, wallet_proof = null, suspended_at = coalesce(suspended_at, ${now}),
			erased_at = coalesce(erased_at, ${now}) where id = ${agentId}`,
	];
	return [noteEndOfAgent(deps, agentId), ...run(deps, texts)];
}

/** Erases where the agent receives events and money, and what it wrote to others. */
export function eraseDealings(deps: Deps, { agentId }: Erasure): Statement[] {
	const own = sql`(select id from webhooks where agent_id = ${agentId})`;
	return [
		...run(deps, [
			sql`delete from webhook_scopes where webhook_id in ${own}`,
			sql`delete from webhooks where agent_id = ${agentId}`,
			sql`update reports set reason = '' where reporter_id = ${agentId}`,
		]),
		...deps.holdings.flatMap((holding) => holding.eraseRows?.(deps, agentId) ?? []),
	];
}

function run(deps: Deps, texts: readonly SQL[]): Statement[] {
	return texts.map((text) => deps.db.statement(text));
}
