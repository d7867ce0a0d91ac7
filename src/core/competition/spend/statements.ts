// The ledger of money in the directory. A job reserves before its first call to a model, and settles once; repeating either changes
// nothing. Reservations that are never settled expire.
import { sql } from "drizzle-orm";
import type { Statement } from "../../../ports/database.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { ScopePart } from "./rules.ts";

/** Identifies a reservation. Only the claim that made it can settle it. */
export interface ReservationKey {
	readonly job: string;
	readonly claim: number;
}

export interface NewReservation extends ReservationKey {
	readonly day: string;
	readonly parts: readonly ScopePart[];
	readonly expiresAt: number;
}

/**
 * Adds a reservation to the sums of its scopes. If one of them is full, the constraint `reservation_has_room` makes the batch fail. A
 * repeated batch fails on the primary key.
 */
export function insertReservation(deps: Deps, { job, claim, day, parts, expiresAt }: NewReservation): Statement[] {
	const scopes = JSON.stringify(parts.map(({ scope, amount, share }) => ({ scope, amount, share })));
	const lacks = sql`select 1 from json_each(${JSON.stringify(parts)}) part left join judge_days on scope = part.value->>'scope' and day = ${day}
		where coalesce(settled + reserved, 0) + (part.value->>'amount') > part.value->>'most'`;
	// A repeated reservation must fail on its primary key, not on a ceiling that the first reservation may have used up.
	const own = sql`select 1 from reservations where job = ${job} and claim = ${claim}`;
	return [
		deps.db.statement(sql`insert into reservations (job, claim, day, scopes, has_room, expires_at)
			values (${job}, ${claim}, ${day}, ${scopes}, exists (${own}) or not exists (${lacks}), ${expiresAt})`),
		deps.db.statement(sql`
			insert into judge_days (scope, day, settled, reserved, evaluations, input_tokens, output_tokens)
			select value->>'scope', ${day}, 0, value->>'amount', 0, 0, 0 from json_each(${scopes}) where true
			on conflict (day, scope) do update set reserved = reserved + excluded.reserved`),
	];
}

/** The actual cost of a job. */
export interface Settlement {
	readonly costMicroUsd: number;
	readonly evaluations: number;
	readonly inputTokens: number;
	readonly outputTokens: number;
}

/** Replaces a claim's reservation with the actual cost. Changes nothing if it was settled or has expired. */
export function settleReservation(deps: Deps, { job, claim }: ReservationKey, settlement: Settlement): Statement[] {
	const { costMicroUsd, evaluations, inputTokens, outputTokens } = settlement;
	const isOwn = sql`job = ${job} and claim = ${claim}`;
	return [
		deps.db.statement(sql`
			update judge_days set reserved = reserved - part.amount, settled = settled + cast(round(${costMicroUsd} * part.share) as integer),
				evaluations = evaluations + ${evaluations}, input_tokens = input_tokens + ${inputTokens}, output_tokens = output_tokens + ${outputTokens}
			from (select day, value->>'scope' as scope, value->>'amount' as amount, value->>'share' as share
				from reservations, json_each(reservations.scopes) where ${isOwn}) part
			where judge_days.scope = part.scope and judge_days.day = part.day`),
		deps.db.statement(sql`delete from reservations where ${isOwn}`),
	];
}

/** Releases the reservations of consumers that died. */
export function expireReservations(deps: Deps, { expiredAt }: { readonly expiredAt: number }): Statement[] {
	return [
		deps.db.statement(sql`
			update judge_days set reserved = reserved - part.amount
			from (select day, value->>'scope' as scope, sum(value->>'amount') as amount
				from reservations, json_each(reservations.scopes) where expires_at <= ${expiredAt} group by 1, 2) part
			where judge_days.scope = part.scope and judge_days.day = part.day`),
		deps.db.statement(sql`delete from reservations where expires_at <= ${expiredAt}`),
	];
}

/** Deletes the rows before `beforeDay`, and payers' rows of the days `payerDays`, so that no one can follow a network over weeks. */
export function deleteJudgeDays(
	deps: Deps,
	{ beforeDay, payerDays, limit }: { readonly beforeDay: string; readonly payerDays: readonly string[]; readonly limit: number },
): Statement {
	const isPayer = sql`scope >= 'payer:' and scope < 'payer;'`;
	return deps.db.statement(sql`
		delete from judge_days where (day, scope) in (
			select day, scope from judge_days where day < ${beforeDay}
			union all select day, scope from judge_days where day in (select value from json_each(${JSON.stringify(payerDays)})) and ${isPayer}
			limit ${limit})`);
}
