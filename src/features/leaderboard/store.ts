import { and, asc, eq, gt, type SQL, sql } from "drizzle-orm";
import { prepareRead } from "../../db/prepared.ts";
import { leaderboardEntries as entries } from "../../db/schema/leaderboard.ts";
import { tasks } from "../../db/schema/tasks.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";
import { COUNTED_PREFIXES, LONGEST_COUNTED_PREFIX } from "./rules.ts";

/**
 * Brings an agent's entry on a task up to date with its best scored submission.
 * The rank key sorts as the leaderboard does: hundredths below 100 points, time of submission, submission.
 */
export function refreshEntry(deps: Deps, taskId: string, agentId: string): Statement {
	return deps.db.statement(sql`
		insert into leaderboard_entries (task_id, agent_id, submission_id, agent_name, final_score, test_score, llm_score, achieved_at, rank_key)
		select task_id, agent_id, id, agent_display_name, final_score, test_score, llm_score, created_at,
			printf('%04x%011x', 10000 - cast(round(final_score * 100) as integer), created_at) || id
		from submissions
		where task_id = ${taskId} and agent_id = ${agentId} and final_score is not null
		order by final_score desc, created_at, id
		limit 1
		on conflict (task_id, agent_id) do update set
			submission_id = excluded.submission_id, agent_name = excluded.agent_name, final_score = excluded.final_score,
			test_score = excluded.test_score, llm_score = excluded.llm_score, achieved_at = excluded.achieved_at, rank_key = excluded.rank_key`);
}

/**
 * How many entries of a task sort before `rankKey`: a sum over the counted prefixes, then the few that share the longest one.
 * The cross join keeps SQLite from reading all counters of the task instead of one short range for each length.
 */
function countBefore(taskId: SQL, rankKey: SQL): SQL<number> {
	const levels = JSON.stringify(COUNTED_PREFIXES);
	return sql<number>`(
		coalesce((
			select sum(c.agents) from json_each(${levels}) as l
			cross join leaderboard_counts as c on c.task_id = ${taskId} and c.prefix_length = l.value->>0
				and c.prefix >= substr(${rankKey}, 1, l.value->>1) and c.prefix < substr(${rankKey}, 1, l.value->>0)
		), 0) + (
			select count(*) from leaderboard_entries as e
			where e.task_id = ${taskId} and e.rank_key >= substr(${rankKey}, 1, ${LONGEST_COUNTED_PREFIX}) and e.rank_key < ${rankKey}
		))`;
}

/** The rank that an agent holds on a task, or null without an entry, for use in another query's columns. */
export function rankOf(taskId: SQL, agentId: SQL): SQL<number | null> {
	return sql<number | null>`(
		select 1 + ${countBefore(sql`mine.task_id`, sql`mine.rank_key`)}
		from leaderboard_entries as mine where mine.task_id = ${taskId} and mine.agent_id = ${agentId})`;
}

const entryColumns = {
	agentId: entries.agentId,
	agentName: entries.agentName,
	submissionId: entries.submissionId,
	finalScore: entries.finalScore,
	testScore: entries.testScore,
	llmScore: entries.llmScore,
	rankKey: entries.rankKey,
};

interface PageRequest {
	readonly taskId: string;
	readonly agentId: string;
	/** Rank key of the last entry of the page before; empty for the first page. */
	readonly after: string;
	readonly limit: number;
}

const theTask = sql.placeholder("taskId");
const theAgent = sql.placeholder("agentId");

function prepareBoardTask(ranksBefore: SQL<number>) {
	return prepareRead((query) =>
		query
			.select({
				companyId: tasks.companyId,
				status: tasks.status,
				deadline: tasks.deadline,
				evalMode: tasks.evalMode,
				ranksBefore: ranksBefore.as("ranks_before"),
				revision: sql<number>`coalesce((select revision from leaderboard_revisions where task_id = ${theTask}), 0)`.as("revision"),
			})
			.from(tasks)
			.where(eq(tasks.id, theTask)),
	);
}

const readTaskOfFirstPage = prepareBoardTask(sql<number>`0`);
const readTaskOfLaterPage = prepareBoardTask(countBefore(sql`${theTask}`, sql`${sql.placeholder("justAfter")}`));
const readPage = prepareRead((query) =>
	query
		.select(entryColumns)
		.from(entries)
		.where(and(eq(entries.taskId, theTask), gt(entries.rankKey, sql.placeholder("after"))))
		.orderBy(asc(entries.rankKey))
		.limit(sql.placeholder("limit")),
);
const readOwnEntry = prepareRead((query) =>
	query
		.select({ ...entryColumns, rank: rankOf(sql`${theTask}`, sql`${theAgent}`).as("rank") })
		.from(entries)
		.where(and(eq(entries.taskId, theTask), eq(entries.agentId, theAgent))),
);

/** A page with the task, the rank that the page starts after, and the caller's own entry, in one round trip. */
export async function findLeaderboard(deps: Deps, { taskId, agentId, after, limit }: PageRequest) {
	const [[task], rows, [mine]] = await deps.db.read(
		// A key that sorts just after `after` also counts the entry at `after` itself.
		after === "" ? readTaskOfFirstPage({ taskId }) : readTaskOfLaterPage({ taskId, justAfter: `${after}~` }),
		readPage({ taskId, after, limit }),
		readOwnEntry({ taskId, agentId }),
	);
	if (task === undefined) return null;
	return { task, rows, mine: mine ?? null };
}

export type EntryRow = NonNullable<Awaited<ReturnType<typeof findLeaderboard>>>["rows"][number];
