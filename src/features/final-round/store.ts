import { and, asc, eq, isNotNull, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import { isPickable } from "../../db/conditions.ts";
import { leaderboardEntries as entries } from "../../db/schema/leaderboard.ts";
import { finalCandidates as candidates } from "../../db/schema/rounds.ts";
import { evaluations, hasRunningSubmission, evaluationJobs as jobs, submissions } from "../../db/schema/submissions.ts";
import { taskEntries, tasks } from "../../db/schema/tasks.ts";
import type { Deps } from "../../ports/deps.ts";
import { bandBelowLeader, MIN_CANDIDATES, UPLOAD_GRACE_MS } from "../competition/final-round/rules.ts";

const hasRegistered = (taskId: SQL) => sql`exists (select 1 from submissions where task_id = ${taskId} and status = 'registered')`;

/** What a step of a round depends on. */
export async function findRound(deps: Deps, taskId: string) {
	const [row] = await deps.db.query
		.select({
			id: tasks.id,
			revision: tasks.revision,
			evalMode: tasks.evalMode,
			evalTimeoutSeconds: tasks.evalTimeoutSeconds,
			roundStatus: tasks.roundStatus,
			closedBy: tasks.closedBy,
			deadline: tasks.deadline,
			hasRunning: sql<number>`${hasRunningSubmission(taskId)}`.as("has_running"),
			hasRegistered: sql<number>`${hasRegistered(sql`${taskId}`)}`.as("has_registered"),
			hasPending: sql<number>`exists (select 1 from final_candidates where task_id = ${taskId} and outcome is null)`.as("has_pending"),
		})
		.from(tasks)
		.where(eq(tasks.id, taskId));
	if (row === undefined) return null;
	return { ...row, hasRunning: row.hasRunning === 1, hasRegistered: row.hasRegistered === 1, hasPending: row.hasPending === 1 };
}

export type Round = NonNullable<Awaited<ReturnType<typeof findRound>>>;

/** The entries of a leaderboard that may take part, best first, each with the submission that its agent goes in with, and the largest spread of all. */
export async function findFrontRunners(deps: Deps, taskId: string) {
	const ofTask = eq(entries.taskId, taskId);
	const [[leader], [widest]] = await deps.db.query.batch([
		deps.db.query
			.select({ finalScore: entries.finalScore, spread: entries.spread })
			.from(entries)
			.where(ofTask)
			.orderBy(asc(entries.rankKey))
			.limit(1),
		deps.db.query
			.select({ spread: sql<number | null>`max(${entries.spread})`.as("widest") })
			.from(entries)
			.where(ofTask),
	]);
	const spread = widest?.spread ?? null;
	const least = (leader?.finalScore ?? 0) - bandBelowLeader(leader?.spread ?? null, spread, spread);
	const first = sql`${entries.rankKey} in (select rank_key from leaderboard_entries where task_id = ${taskId} order by rank_key limit ${MIN_CANDIDATES})`;
	const rows = await deps.db.query
		.select({
			agentId: entries.agentId,
			finalScore: entries.finalScore,
			spread: entries.spread,
			/** The candidate's score. A pick can score lower than the entry. */
			own: {
				finalScore: sql<number>`${submissions.finalScore}`.as("own_final_score"),
				spread: sql<number | null>`${submissions.spread}`.as("own_spread"),
			},
			submissionId: submissions.id,
			artifactSha256: submissions.artifactSha256,
			handedInAt: sql<number>`coalesce(${submissions.handedInAt}, ${submissions.createdAt})`.as("candidate_handed_in_at"),
		})
		.from(entries)
		.leftJoin(taskEntries, and(eq(taskEntries.taskId, entries.taskId), eq(taskEntries.agentId, entries.agentId)))
		.innerJoin(submissions, eq(submissions.id, sql`coalesce(${taskEntries.pickedId}, ${entries.submissionId})`))
		.where(and(ofTask, or(sql`${entries.finalScore} >= ${least}`, first)))
		.orderBy(asc(entries.rankKey));
	return { rows, widest: spread };
}

/** Candidates that need a job and have none, with the number of their last evaluation. */
export async function selectWithoutJob(deps: Deps, taskId: string, limit: number) {
	return deps.db.query
		.select({ submissionId: candidates.submissionId, iteration: submissions.iteration })
		.from(candidates)
		.innerJoin(submissions, eq(submissions.id, candidates.submissionId))
		.where(
			and(
				eq(candidates.taskId, taskId),
				isNull(candidates.outcome),
				isNull(candidates.jobId),
				eq(candidates.judgedId, candidates.submissionId),
			),
		)
		.limit(limit);
}

/**
 * Candidates whose judging has ended and that do not know it, with the evaluation; null for one that failed. Where the judged
 * submission has forfeited, those that share its judgement need their own.
 */
export async function selectJudged(deps: Deps, taskId: string, limit: number) {
	return deps.db.query
		.select({
			agentId: candidates.agentId,
			submissionId: candidates.submissionId,
			judgedId: candidates.judgedId,
			iteration: submissions.iteration,
			artifactSha256: submissions.artifactSha256,
			evaluationId: sql<string | null>`${evaluations.id}`.as("evaluation_id"),
			isJudgedForfeited: sql<number>`exists (select 1 from final_candidates f where f.task_id = ${taskId}
				and f.agent_id = (select agent_id from submissions where id = ${candidates.judgedId}) and f.outcome = 'forfeited')`.as(
				"is_judged_forfeited",
			),
		})
		.from(candidates)
		.innerJoin(submissions, eq(submissions.id, candidates.submissionId))
		.innerJoin(jobs, and(eq(jobs.id, candidates.jobId), isNotNull(jobs.finishedAt)))
		.leftJoin(
			evaluations,
			and(eq(jobs.outcome, "scored"), eq(evaluations.submissionId, jobs.submissionId), eq(evaluations.iteration, jobs.iteration)),
		)
		.where(and(eq(candidates.taskId, taskId), isNull(candidates.outcome)))
		.limit(limit);
}

export type JudgedCandidate = Awaited<ReturnType<typeof selectJudged>>[number];

/** The origin that a submission's earlier jobs had. Only deployments without `PUBLIC_URL`, which are local, need it. */
export async function findOrigin(deps: Deps, taskId: string): Promise<string> {
	const [row] = await deps.db.query
		.select({ origin: jobs.origin })
		.from(jobs)
		.innerJoin(submissions, eq(submissions.id, jobs.submissionId))
		.where(eq(submissions.taskId, taskId))
		.limit(1);
	return row?.origin ?? "";
}

/** Tasks whose round can take a step that was missed. */
export async function selectStuckRounds(deps: Deps, { now, limit }: { now: number; limit: number }): Promise<string[]> {
	const isOwnersEnd = or(eq(tasks.closedBy, "owner"), lt(tasks.deadline, now - UPLOAD_GRACE_MS + 1));
	const canBegin = sql`round_status = 'waiting' and not exists (select 1 from submissions where task_id = ${tasks.id} and status = 'running')
		and (${isOwnersEnd} or not ${hasRegistered(sql`${tasks.id}`)})`;
	const pending = sql`select 1 from final_candidates c left join evaluation_jobs j on j.id = c.job_id where c.task_id = ${tasks.id} and c.outcome is null`;
	const canGoOn = sql`round_status = 'judging'
		and (not exists (${pending}) or exists (${pending} and (j.id is null or j.finished_at is not null)))`;
	const rows = await deps.db.query
		.select({ id: tasks.id })
		.from(tasks)
		.where(sql`round_status in ('waiting','judging') and ((${canBegin}) or (${canGoOn}))`)
		.limit(limit);
	return rows.map(({ id }) => id);
}

export interface PickedSubmission {
	readonly taskId: string;
	readonly agentId: string;
	/** Null clears the pick. */
	readonly submissionId: string | null;
}

/** What a pick depends on. A submission counts as evaluated when it has a score, as on the leaderboard. */
export async function findPickState(deps: Deps, pick: PickedSubmission) {
	const [row] = await deps.db.query
		.select({
			id: tasks.id,
			companyId: tasks.companyId,
			status: tasks.status,
			hidden: tasks.hidden,
			deadline: tasks.deadline,
			revision: tasks.revision,
			finalRound: tasks.finalRound,
			roundStatus: tasks.roundStatus,
			isOwnAndEvaluated: sql<number>`${isPickable(pick)}`.as("is_own_and_evaluated"),
		})
		.from(tasks)
		.where(eq(tasks.id, pick.taskId));
	return row === undefined ? null : { ...row, isOwnAndEvaluated: row.isOwnAndEvaluated === 1 };
}
