// A final round takes these steps: it begins, and it ends. Between them the judging of each candidate ends (`judge-candidates.ts`).
import { and, asc, eq, or, sql } from "drizzle-orm";
import { jobs } from "../../../db/task/schema/judging.ts";
import {
	board,
	type EvaluationRow,
	evaluations,
	finalCandidates,
	isNotCompleted,
	submissions,
} from "../../../db/task/schema/submissions.ts";
import { entries, type TaskRow } from "../../../db/task/schema/task.ts";
import { predictNoise, SAMPLE_COUNTS } from "../../../domain/checks.ts";
import { MODES } from "../../../domain/modes.ts";
import { SUBMISSION_TRANSITIONS } from "../../../domain/submission-status.ts";
import { UPLOAD_GRACE_MS } from "../../../domain/task-status.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { confirmEntries } from "../leaderboard/entries.ts";
import { compareSubmissions } from "../similarity/signed-work.ts";
import { updateSubmission } from "../submissions/store.ts";
import { readCriteria, readTask, updateTaskRow } from "../tasks/store.ts";
import { judgeContests, scoreContests } from "./break-ties.ts";
import { judgeCandidates } from "./judge-candidates.ts";
import * as rules from "./rules.ts";

/**
 * Takes the steps that the task's final round can take now. The task's end and the end of each evaluation
 * call this. Contract: additions, "Final round".
 */
export function advanceRound(task: TaskStore): void {
	if (canBegin(task, readTask(task))) beginJudging(task);
	if (canEnd(task, readTask(task)) && !judgeContests(task)) endRound(task);
}

/**
 * Computes when the round can take a step that no verb takes: after the time for uploads. In milliseconds since the epoch; null for never.
 */
export function roundDueAt(task: TaskStore, found: TaskRow): number | null {
	if (canBegin(task, found) || canEnd(task, found)) return task.now;
	const isWaitingForUploads = found.roundStatus === "waiting" && !isBeingJudged(task);
	return isWaitingForUploads ? found.deadline + UPLOAD_GRACE_MS : null;
}

function canBegin(task: TaskStore, found: TaskRow): boolean {
	if (found.roundStatus !== "waiting") return false;
	return rules.canBegin({ ...found, hasRunning: isBeingJudged(task), hasRegistered: hasRegistered(task) }, task.now);
}

function canEnd({ db }: TaskStore, { roundStatus }: TaskRow): boolean {
	if (roundStatus !== "judging") return false;
	return (
		db
			.select({ id: finalCandidates.submissionId })
			.from(finalCandidates)
			.where(sql`outcome is null or tie_status in ('open', 'comparing')`)
			.limit(1)
			.get() === undefined
	);
}

/** A submission that waits for a spending ceiling does not count, because it may wait for a day, and a flood of them would hold up the round. */
function isBeingJudged({ db }: TaskStore): boolean {
	const waits = sql`exists (select 1 from ${jobs} where ${jobs.subjectId} = ${submissions.id} and ${jobs.kind} = 'evaluation' and ${jobs.ceilingSince} is not null)`;
	const isRunning = and(eq(submissions.status, "running"), isNotCompleted, sql`not ${waits}`);
	return db.select({ id: submissions.id }).from(submissions).where(isRunning).limit(1).get() !== undefined;
}

function hasRegistered({ db }: TaskStore): boolean {
	const isRegistered = and(eq(submissions.status, "registered"), isNotCompleted);
	return db.select({ id: submissions.id }).from(submissions).where(isRegistered).limit(1).get() !== undefined;
}

/** Only the files of this number of the best candidates are compared. Others share a judgement only if their artifacts are equal. */
const MAX_COMPARED = 1000;

/** Chooses the candidates, once all provisional scores are known. */
function beginJudging(task: TaskStore): void {
	const { rows, widest } = findFrontRunners(task);
	const candidates = rules.selectCandidates(rows, widest);
	const compared = candidates.slice(0, MAX_COMPARED).map(({ submissionId }) => submissionId);
	for (const { agentId, submissionId, judgedId } of rules.shareJudgements(candidates, compareSubmissions(task, compared))) {
		task.db.insert(finalCandidates).values({ agentId, submissionId, judgedId }).run();
	}
	updateTaskRow(task, { roundStatus: "judging" });
	judgeCandidates(task);
}

/** Selects the entries that may take part, best first, each with the submission that enters the round, and the spread to assume. */
function findFrontRunners(task: TaskStore) {
	const { db } = task;
	const largest = db
		.select({ spread: sql<number | null>`max(${board.spread})` })
		.from(board)
		.get();
	const { evalMode, llmWeight } = readTask(task);
	const widest = rules.assumeSpread(largest?.spread ?? null, {
		llmWeight: MODES[evalMode].usesJudge ? llmWeight : 0,
		spread: predictNoise({
			noise: task.config.judgeNoise,
			criteria: readCriteria(task).map(({ weight, checks }) => ({ weight, checks: checks.length })),
			...{ samples: SAMPLE_COUNTS.usual, share: 100 },
		}),
	});
	const leader = db.select().from(board).orderBy(asc(board.rankKey)).limit(1).get();
	const least = (leader?.finalScore ?? 0) - rules.bandBelowLeader(leader?.spread ?? null, widest, widest);
	const isFirst = sql`${board.rankKey} in (select rank_key from board order by rank_key limit ${rules.MIN_CANDIDATES})`;
	const rows = db
		.select({
			agentId: board.agentId,
			finalScore: board.finalScore,
			spread: board.spread,
			submissionId: submissions.id,
			artifactSha256: submissions.artifactSha256,
			handedInAt: sql<number>`coalesce(${submissions.handedInAt}, ${submissions.createdAt})`,
		})
		.from(board)
		.innerJoin(entries, eq(entries.agentId, board.agentId))
		.innerJoin(submissions, eq(submissions.id, sql`coalesce(${entries.pickedId}, ${board.submissionId})`))
		.where(or(sql`${board.finalScore} >= ${least}`, isFirst))
		.orderBy(asc(board.rankKey))
		.all();
	return { rows, widest };
}

/** Gives the candidates' submissions their confirmed scores, and ranks by them. */
function endRound(task: TaskStore): void {
	const confirmed = task.db
		.select({ evaluation: evaluations })
		.from(finalCandidates)
		.innerJoin(
			evaluations,
			sql`${evaluations.submissionId} = ${finalCandidates.submissionId} and ${evaluations.id} = ${finalCandidates.evaluationId}`,
		)
		.all();
	const settled = scoreContests(task);
	for (const { evaluation } of confirmed) {
		confirmScore(task, { ...evaluation, finalScore: settled.get(evaluation.submissionId) ?? evaluation.finalScore });
	}
	updateTaskRow(task, { roundStatus: "ended" });
	confirmEntries(task);
	task.record({ type: "final_round.ended", taskId: task.id });
}

function confirmScore(task: TaskStore, evaluation: EvaluationRow): void {
	const { finalScore, testScore, llmScore, containerScore, spread, comparisonGroup } = evaluation;
	updateSubmission(task, evaluation.submissionId, {
		status: SUBMISSION_TRANSITIONS.score.to,
		evaluated: true,
		...{ finalScore, testScore, llmScore, containerScore, spread, comparisonGroup },
		evaluatedAt: evaluation.createdAt,
		shownEvaluationId: evaluation.id,
		reviewed: false,
		errorMessage: null,
		ownerErrorMessage: null,
		failure: null,
	});
}
