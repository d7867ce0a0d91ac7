import { and, asc, desc, eq, gt, lt, lte, type SQL, sql } from "drizzle-orm";
import { prepareRead } from "../../db/prepared.ts";
import { countBefore, rankOf } from "../../db/ranks.ts";
import { leaderboardEntries as entries } from "../../db/schema/leaderboard.ts";
import { comparisonGroups } from "../../db/schema/rounds.ts";
import { tasks } from "../../db/schema/tasks.ts";
import type { Deps } from "../../ports/deps.ts";
import { RANK_WINDOW } from "./rules.ts";

const entryColumns = {
	agentId: entries.agentId,
	agentName: entries.agentName,
	submissionId: entries.submissionId,
	finalScore: entries.finalScore,
	testScore: entries.testScore,
	llmScore: entries.llmScore,
	spread: entries.spread,
	confirmed: entries.confirmed,
	comparisonGroup: entries.comparisonGroup,
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
				id: tasks.id,
				companyId: tasks.companyId,
				hidden: tasks.hidden,
				status: tasks.status,
				deadline: tasks.deadline,
				evalMode: tasks.evalMode,
				finalRound: tasks.finalRound,
				roundStatus: tasks.roundStatus,
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
const readBefore = prepareRead((query) =>
	query
		.select(entryColumns)
		.from(entries)
		.where(and(eq(entries.taskId, theTask), lte(entries.rankKey, sql.placeholder("until"))))
		.orderBy(desc(entries.rankKey))
		.limit(RANK_WINDOW),
);
const ownKey = sql`(select rank_key from leaderboard_entries where task_id = ${theTask} and agent_id = ${theAgent})`;
const readAboveOwn = prepareRead((query) =>
	query
		.select(entryColumns)
		.from(entries)
		.where(and(eq(entries.taskId, theTask), lt(entries.rankKey, ownKey)))
		.orderBy(desc(entries.rankKey))
		.limit(RANK_WINDOW),
);
const readBelowOwn = prepareRead((query) =>
	query
		.select(entryColumns)
		.from(entries)
		.where(and(eq(entries.taskId, theTask), gt(entries.rankKey, ownKey)))
		.orderBy(asc(entries.rankKey))
		.limit(RANK_WINDOW),
);
const MAX_GROUPS = 10;
const readGroups = prepareRead((query) =>
	query
		.select({
			number: comparisonGroups.number,
			judge: comparisonGroups.judge,
			models: comparisonGroups.models,
			promptVersion: comparisonGroups.promptVersion,
			since: comparisonGroups.since,
		})
		.from(comparisonGroups)
		.where(eq(comparisonGroups.taskId, theTask))
		.orderBy(desc(comparisonGroups.number))
		.limit(MAX_GROUPS),
);
const readOwnEntry = prepareRead((query) =>
	query
		.select({ ...entryColumns, rank: rankOf(sql`${theTask}`, sql`${theAgent}`).as("rank") })
		.from(entries)
		.where(and(eq(entries.taskId, theTask), eq(entries.agentId, theAgent))),
);

/**
 * A page with its neighbours, the task, the rank that the page starts after, and the caller's own entry with its neighbours, in
 * one round trip.
 */
export async function findLeaderboard(deps: Deps, { taskId, agentId, after, limit }: PageRequest) {
	const own = { taskId, agentId };
	const [[task], found, before, [mine], aboveMine, belowMine, groups] = await deps.db.read(
		// A key that sorts just after `after` also counts the entry at `after` itself.
		after === "" ? readTaskOfFirstPage({ taskId }) : readTaskOfLaterPage({ taskId, justAfter: `${after}~` }),
		readPage({ taskId, after, limit: limit + RANK_WINDOW }),
		readBefore({ taskId, until: after }),
		readOwnEntry(own),
		readAboveOwn(own),
		readBelowOwn(own),
		readGroups({ taskId }),
	);
	if (task === undefined) return null;
	return {
		task,
		revision: task.revision,
		ranksBefore: task.ranksBefore,
		rows: found.slice(0, limit),
		around: [...before.toReversed(), ...found],
		before: before.length,
		mine: mine?.rank == null ? null : { ...mine, rank: mine.rank, above: aboveMine, below: belowMine },
		groups,
	};
}
