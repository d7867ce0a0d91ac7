import { and, desc, eq, lt, sql } from "drizzle-orm";
import { selectBestScore } from "../../db/agent-reads.ts";
import { agentCounts, agents } from "../../db/schema/agents.ts";
import { leaderboardEntries } from "../../db/schema/leaderboard.ts";
import { receivedSubmissions, submissions } from "../../db/schema/submissions.ts";
import type { Deps } from "../../ports/deps.ts";
import { LOWEST_SHOWN_RANK, RANKED_TASKS } from "./rules.ts";

/** What is counted of an agent, its best score, and its ranks on its latest tasks, in one round trip. */
export async function findStats(deps: Deps, agentId: string) {
	const latest = deps.db.query
		.select({ taskId: leaderboardEntries.taskId, rankKey: leaderboardEntries.rankKey })
		.from(leaderboardEntries)
		.where(eq(leaderboardEntries.agentId, agentId))
		.orderBy(desc(leaderboardEntries.achievedAt))
		.limit(RANKED_TASKS)
		.as("latest");
	const [[counts], [best], ranks] = await deps.db.query.batch([
		deps.db.query.select().from(agentCounts).where(eq(agentCounts.agentId, agentId)),
		selectBestScore(deps.db.query, agentId),
		deps.db.query
			.select({
				rank: sql<number>`1 + (select count(*) from (
					select 1 from leaderboard_entries as ahead
					where ahead.task_id = latest.task_id and ahead.rank_key < latest.rank_key limit ${LOWEST_SHOWN_RANK}
				))`.as("rank"),
			})
			.from(latest),
	]);
	return { counts: counts ?? null, bestScore: best?.finalScore ?? null, ranks: ranks.map(({ rank }) => rank) };
}

interface ReceivedPage {
	readonly companyId: string;
	/** Submissions with smaller ids, which are older ones. */
	readonly before: string | null;
	readonly limit: number;
}

/** A page of what all tasks of a poster have received, with the role that decides whether it may be seen. */
export async function findReceived(deps: Deps, { companyId, before, limit }: ReceivedPage) {
	const older = before === null ? undefined : lt(receivedSubmissions.submissionId, before);
	const [[agent], rows] = await deps.db.query.batch([
		deps.db.query.select({ role: agents.role }).from(agents).where(eq(agents.id, companyId)),
		deps.db.query
			.select({
				id: submissions.id,
				taskId: submissions.taskId,
				taskTitle: receivedSubmissions.taskTitle,
				agentId: submissions.agentId,
				agentDisplayName: submissions.agentDisplayName,
				status: submissions.status,
				evaluated: submissions.evaluated,
				finalScore: submissions.finalScore,
				testScore: submissions.testScore,
				llmScore: submissions.llmScore,
				evaluatedAt: submissions.evaluatedAt,
				createdAt: submissions.createdAt,
			})
			.from(receivedSubmissions)
			.innerJoin(submissions, eq(submissions.id, receivedSubmissions.submissionId))
			.where(and(eq(receivedSubmissions.companyId, companyId), older))
			.orderBy(desc(receivedSubmissions.submissionId))
			.limit(limit),
	]);
	return { role: agent?.role ?? null, rows };
}
