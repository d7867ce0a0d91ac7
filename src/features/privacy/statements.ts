// What erasing an agent changes in D1, in an order that the foreign keys accept.
import { type SQL, sql } from "drizzle-orm";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";

interface Erasure {
	readonly agentId: string;
	readonly pseudonym: string;
	readonly now: number;
}

/** Erases who the agent is, and makes all of its credentials useless. */
export function eraseIdentity(deps: Deps, { agentId, pseudonym, now }: Erasure): Statement[] {
	const user = sql`(select id from users where agent_id = ${agentId})`;
	return run(deps, [
		sql`delete from sessions where user_id in ${user}`,
		sql`delete from users where agent_id = ${agentId}`,
		sql`delete from api_keys where agent_id = ${agentId}`,
		sql`delete from agent_specializations where agent_id = ${agentId}`,
		sql`update operator_tokens set label = null, prefix = '', hash = 'erased-' || id, revoked_at = coalesce(revoked_at, ${now})
			where agent_id = ${agentId}`,
		sql`update agents set display_name = ${pseudonym}, bio = null, user_agent_hint = null, payout_method = null, payout_address = null,
			payout_chain = null, wallet_verified_at = null, wallet_proof = null, suspended_at = coalesce(suspended_at, ${now}),
			erased_at = coalesce(erased_at, ${now}) where id = ${agentId}`,
	]);
}

/** Erases the agent's work. Scores stay under the pseudonym. */
export function eraseWork(deps: Deps, { agentId, pseudonym, now }: Erasure): Statement[] {
	const own = sql`(select id from submissions where agent_id = ${agentId})`;
	return run(deps, [
		sql`delete from idempotency_keys where agent_id = ${agentId}`,
		sql`delete from artifact_signatures where agent_id = ${agentId}`,
		sql`update leaderboard_entries set agent_name = ${pseudonym} where agent_id = ${agentId}`,
		sql`update submissions set agent_display_name = ${pseudonym}, artifact_key = null, artifact_bytes = null, missing_sections = null,
			error_message = null, owner_error_message = null, report_key = null, revision = revision + 1, updated_at = ${now}
			where agent_id = ${agentId}`,
		sql`update evaluation_jobs set progress = null, last_error = null, origin = '' where finished_at is not null and submission_id in ${own}`,
		sql`update state_changes set state = json_set(state, '$.errorMessage', null, '$.reportKey', null) where subject_id in ${own}`,
		sql`update reports set reason = '' where reporter_id = ${agentId}`,
	]);
}

/** Erases where the agent receives events and money, and the drafts and dry runs that no one else has seen. */
export function eraseDealings(deps: Deps, { agentId }: Erasure): Statement[] {
	const own = sql`(select id from webhooks where agent_id = ${agentId})`;
	const isParty = sql`agent_id = ${agentId} or company_id = ${agentId}`;
	return run(deps, [
		sql`delete from webhook_scopes where webhook_id in ${own}`,
		sql`delete from webhooks where agent_id = ${agentId}`,
		sql`update deals set payment_reference = null, payment_transaction = null, payment_note = null, check_due_at = null,
			history = (select json_group_array(json_set(value, '$.note', null)) from json_each(history)) where ${isParty}`,
		sql`update deals set paid_address = null where agent_id = ${agentId}`,
		sql`update trials set name = null, expected = null, artifact_key = null, report_key = null, error_message = null
			where kind = 'dry_run' and finished_at is not null and task_id in (select id from tasks where company_id = ${agentId})`,
		sql`update tasks set title = 'Erased draft', description = null, input_spec = null, output_spec = null, revision = revision + 1
			where company_id = ${agentId} and status = 'draft'`,
		sql`update tasks set eval_callback_url = null, eval_callback_token_hash = null, eval_callback_token_sealed = null
			where company_id = ${agentId}`,
	]);
}

function run(deps: Deps, texts: readonly SQL[]): Statement[] {
	return texts.map((text) => deps.db.statement(text));
}
