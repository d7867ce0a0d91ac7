import { asc, gte, sql } from "drizzle-orm";
import { queueHours, spendCeilings } from "../../../db/schema/administration.ts";
import { bytesOf, textOf } from "../../../db/schema/id-bytes.ts";
import { isTroubled } from "../../../db/schema/webhooks.ts";
import type { Failure } from "../../../domain/failures.ts";
import { DEPLOYMENT } from "../../../domain/spend.ts";
import type { PageBefore } from "../../../ports/database.ts";
import type { Deps } from "../../../ports/deps.ts";
import { MAX_BUSY_TASKS } from "./rules.ts";

const FAILED = sql`submission_cards where status = 'evaluation_failed'`;

/**
 * Finds tasks whose objects have unfinished evaluations. Returns at most 500 tasks, those with the oldest evaluations, because these
 * determine the queue's age and which jobs are stuck. The evaluations of a final round are as old as the end of their task.
 */
export async function selectBusyTaskIds(deps: Deps): Promise<string[]> {
	const rows = await deps.db.query.all<{ id: string }>(sql`
		select id from (
			select ${textOf("task_id")} as id, created_at as since from submission_cards indexed by submission_cards_running
			where status = 'running'
			union all select id, deadline as since from task_cards indexed by task_cards_unsettled
				where settled_at is null and status in ('evaluating', 'closed'))
		group by id order by min(since) limit ${MAX_BUSY_TASKS}`);
	return rows.map(({ id }) => id);
}

/** Finds the tasks of one page of the submissions whose last evaluation failed. The page begins before a submission's id, newest first. */
export async function selectFailedTaskIds(deps: Deps, { before, limit }: PageBefore): Promise<string[]> {
	const isBefore = before === null ? sql`` : sql` and id < ${bytesOf(before)}`;
	const page = sql`select task_id from ${FAILED}${isBefore} order by id desc limit ${limit}`;
	const rows = await deps.db.query.all<{ id: string }>(sql`select distinct ${textOf("task_id")} as id from (${page})`);
	return rows.map(({ id }) => id);
}

/** Selects a page of the submissions whose last evaluation failed with the given class since the given time, oldest first. */
export async function selectFailedSince(
	deps: Deps,
	{ failure, since, after, limit }: { failure: Failure; since: number; after: string | null; limit: number },
): Promise<string[]> {
	const isAfter = after === null ? sql`` : sql` and id > ${bytesOf(after)}`;
	const rows = await deps.db.query.all<{ id: string }>(sql`
		select ${textOf("id")} as id from ${FAILED}${isAfter}
		and details->>'failure' = ${failure} and coalesce(details->>'failedAt', created_at) >= ${since} order by submission_cards.id limit ${limit}`);
	return rows.map(({ id }) => id);
}

/** Reads the ceilings that operators have changed. */
export async function selectCeilings(deps: Deps) {
	return deps.db.query.select().from(spendCeilings);
}

interface UsageRow {
	readonly inputTokens: number;
	readonly outputTokens: number;
	readonly costMicroUsd: number | null;
}

const SUMS = sql`sum(input_tokens) as "inputTokens", sum(output_tokens) as "outputTokens", sum(settled) as "costMicroUsd"`;
const MOST_SHOWN = 100;

/** Reads what judging has cost since a day. */
export async function selectSpend(deps: Deps, fromDay: string) {
	const [days, tasks, posters] = await Promise.all([
		deps.db.query.all<UsageRow & { day: string; evaluations: number }>(sql`
			select day, evaluations, input_tokens as "inputTokens", output_tokens as "outputTokens", settled as "costMicroUsd"
			from judge_days where scope = ${DEPLOYMENT} and day >= ${fromDay} order by day desc`),
		deps.db.query.all<UsageRow & { taskId: string }>(sql`
			select task_id as "taskId", input_tokens as "inputTokens", output_tokens as "outputTokens", cost_micro_usd as "costMicroUsd"
			from usage_cards order by coalesce(cost_micro_usd, 0) desc, input_tokens + output_tokens desc limit ${MOST_SHOWN}`),
		deps.db.query.all<UsageRow & { agentId: string }>(sql`
			select substr(scope, 8) as "agentId", ${SUMS} from judge_days where scope >= 'poster:' and scope < 'poster;' and day >= ${fromDay}
			group by scope order by sum(settled) desc limit ${MOST_SHOWN}`),
	]);
	return { days, tasks, posters };
}

/** Counts the evaluations that ended with a score, by UTC day. Counts only submissions from a first id on. */
async function countScoredByDay(deps: Deps, firstId: string) {
	return deps.db.query.all<{ day: string; evaluations: number }>(sql`
		select date(evaluated_at / 1000, 'unixepoch') as day, count(*) as evaluations from submission_cards
		where id >= ${bytesOf(firstId)} and evaluated_at is not null and is_test = 0 group by 1`);
}

/** Counts what is waiting outside of tasks, in one round trip. */
export async function readBacklog(deps: Deps): Promise<{ deliveries: number; oldestDelivery: number | null; outbox: number }> {
	const [row] = await deps.db.query.all<{ deliveries: number; oldestDelivery: number | null; outbox: number }>(sql`
		select coalesce(sum(waiting_deliveries), 0) as deliveries, min(waiting_since) as "oldestDelivery",
			(select coalesce(sum(json_array_length(events)), 0) from outbox) as outbox
		from webhooks where ${isTroubled}`);
	return row ?? { deliveries: 0, oldestDelivery: null, outbox: 0 };
}

/** Counts the failed evaluations of submissions from a first id on, by the class of the fault. */
export async function countFailures(deps: Deps, { since, firstId }: { since: number; firstId: string }) {
	return deps.db.query.all<{ failure: string; jobs: number }>(sql`
		select coalesce(details->>'failure', 'unknown') as failure, count(*) as jobs from ${FAILED} and id >= ${bytesOf(firstId)}
		and coalesce(details->>'failedAt', created_at) >= ${since} group by 1`);
}

/** Counts by UTC day the evaluations that ended with a score, and the submissions whose evaluation failed. Test tasks do not count. */
export async function countByDay(deps: Deps, firstId: string) {
	const [judged, failed] = await Promise.all([
		countScoredByDay(deps, firstId),
		deps.db.query.all<{ day: string; evaluations: number }>(sql`
			select date(created_at / 1000, 'unixepoch') as day, count(*) as evaluations from ${FAILED}
			and id >= ${bytesOf(firstId)} and is_test = 0 group by 1`),
	]);
	return { judged, failed };
}

/** Reads the longest queue and the longest wait of each hour since `first`, oldest hour first. */
export async function selectQueueHours(deps: Deps, first: number) {
	return deps.db.query.select().from(queueHours).where(gte(queueHours.hour, first)).orderBy(asc(queueHours.hour));
}
