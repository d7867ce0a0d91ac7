import { and, asc, eq, gt, type SQL, sql } from "drizzle-orm";
import { prepareRead } from "../../db/prepared.ts";
import { countBefore, rankOf } from "../../db/ranks.ts";
import { leaderboardEntries as entries } from "../../db/schema/leaderboard.ts";
import { tasks } from "../../db/schema/tasks.ts";
import type { Deps } from "../../ports/deps.ts";

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
