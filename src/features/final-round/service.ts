import { commit, decideAndCommit } from "../../db/commit.ts";
import { guardTaskRevision } from "../../db/conditions.ts";
import { AppError } from "../../domain/errors.ts";
import type { DomainEvent } from "../../domain/events.ts";
import { recordEvents } from "../../events/outbox.ts";
import { describeError } from "../../platform/log.ts";
import type { CommitItem } from "../../ports/database.ts";
import type { Deps, RecordedEvent } from "../../ports/deps.ts";
import * as rules from "../competition/final-round/rules.ts";
import { enqueueEvaluation, newEvaluationJob } from "../evaluation/service.ts";
import { readJudgement, shareEvaluation } from "../evaluation/sharing.ts";
import { confirmLeaderboardEntries } from "../leaderboard/service.ts";
import { groupNearIdentical } from "../similarity/service.ts";
import { settleTask } from "../tasks/service.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

/** Candidates that one commit takes on: few enough for D1's limits in a round of any size. */
const PAGE = 20;

/** Whether an event may let a round take its next step. */
function concernsRound(event: DomainEvent): boolean {
	switch (event.type) {
		case "task.status_changed":
			return event.to !== "open";
		case "evaluation.completed":
			return event.round === "final";
		case "submission.completed":
		case "submission.failed":
		case "final_round.candidate_failed":
			return true;
		default:
			return false;
	}
}

/** A listener of the outbox, for every event that a round can wait for. */
export async function followRounds(deps: Deps, { event }: Pick<RecordedEvent, "event">): Promise<null> {
	if (concernsRound(event)) await advanceRound(deps, event.taskId);
	return null;
}

/** Steps of one call, so that a large round leaves queries to the rest of its invocation. Its next events and the sweep continue. */
const MAX_STEPS = 10;

/**
 * Takes the steps that a task's final round can take now. Repeated and parallel calls take each step once.
 * Contract: additions, "Final round".
 */
export async function advanceRound(deps: Deps, taskId: string): Promise<void> {
	try {
		for (let step = 0; step < MAX_STEPS; step += 1) {
			const mayContinue = await decideAndCommit(deps.db, () => takeStep(deps, taskId));
			if (!mayContinue) return;
		}
	} catch (error) {
		// Other calls have taken the steps and continue. The sweep does the rest.
		if (!(error instanceof AppError && error.code === "CONFLICT")) throw error;
	}
}

/** Returns whether there may be another step. */
async function takeStep(deps: Deps, taskId: string): Promise<boolean> {
	const round = await store.findRound(deps, taskId);
	if (round?.roundStatus === "waiting") return beginJudging(deps, round);
	if (round?.roundStatus !== "judging") return false;
	if (!round.hasPending) return endRound(deps, round);
	const withoutJob = await store.selectWithoutJob(deps, taskId, PAGE);
	if (withoutJob.length > 0) return createJobs(deps, round, withoutJob);
	const judged = await store.selectJudged(deps, taskId, PAGE);
	return judged.length > 0 && endCandidates(deps, round, judged);
}

/** Candidates whose files are compared, the best ones. Others share a judgement only if their artifacts are equal. */
const MAX_COMPARED = 2000;

/** Chooses the candidates, once all provisional scores are known. */
async function beginJudging(deps: Deps, round: store.Round): Promise<boolean> {
	const now = deps.clock.now();
	if (!rules.canBegin(round, now)) return false;
	const { rows, widest } = await store.findFrontRunners(deps, round.id);
	const candidates = rules.selectCandidates(rows, widest);
	const compared = candidates.slice(0, MAX_COMPARED).map(({ submissionId }) => submissionId);
	const nearIdentical = await groupNearIdentical(deps, compared);
	await commit(deps.db, [
		guardTaskRevision(deps.db, round),
		statements.guardQuiet(deps, round.id, { areUploadsOver: rules.areUploadsOver(round, now) }),
		...statements.insertCandidates(deps, round.id, rules.shareJudgements(candidates, { nearIdentical, widest })),
		statements.setRoundStatus(deps, round.id, "judging"),
	]);
	return true;
}

type WithoutJob = Awaited<ReturnType<typeof store.selectWithoutJob>>;

async function createJobs(deps: Deps, round: store.Round, candidates: WithoutJob): Promise<boolean> {
	const baseUrl = deps.config.publicUrl ?? (await store.findOrigin(deps, round.id));
	const jobs = candidates.map(({ submissionId, iteration }) => {
		const next = iteration + 1;
		const job = newEvaluationJob({ ...deps, baseUrl }, { submissionId, iteration: next, round: "final", task: round });
		const items = [
			job.statement,
			statements.assignJob(deps, round.id, { judgedId: submissionId, jobId: job.id }),
			statements.updateIteration(deps, submissionId, next),
		];
		return { id: job.id, items };
	});
	const submissionIds = candidates.map(({ submissionId }) => submissionId);
	await commit(deps.db, [
		statements.guardCandidates(deps, round.id, { submissionIds, lack: "job_id" }),
		...jobs.flatMap(({ items }) => items),
	]);
	for (const { id } of jobs) deps.background(enqueueEvaluation(deps, id));
	return true;
}

/**
 * Records how the judging of candidates ended, and gives those that share a judgement an evaluation of their own. A submission that
 * made its judging fail decides nothing for them: each of them is judged.
 */
async function endCandidates(deps: Deps, round: store.Round, candidates: readonly store.JudgedCandidate[]): Promise<boolean> {
	const { ended = [], again = [] } = Object.groupBy(candidates, ({ isJudgedForfeited }) => (isJudgedForfeited === 1 ? "again" : "ended"));
	const groups = [...Map.groupBy(ended, ({ judgedId }) => judgedId).values()];
	const shared = (await Promise.all(groups.map((group) => shareJudgement(deps, round.id, group)))).flat();
	const submissionIds = candidates.map(({ submissionId }) => submissionId);
	const events = shared.flatMap(({ event }) => (event === null ? [] : [event]));
	await commit(deps.db, [
		statements.guardCandidates(deps, round.id, { submissionIds, lack: "outcome" }),
		...shared.flatMap(({ items }) => items),
		...shared.map(({ agentId, evaluationId }) => statements.endCandidate(deps, round.id, { agentId, evaluationId })),
		...[...new Set(again.map(({ judgedId }) => judgedId))].map((judgedId) => statements.judgeAlone(deps, round.id, judgedId)),
		...(events.length === 0 ? [] : [recordEvents(deps, events)]),
	]);
	return true;
}

interface Shared {
	readonly agentId: string;
	readonly evaluationId: string | null;
	readonly items: readonly CommitItem[];
	readonly event: DomainEvent<"evaluation.completed"> | null;
}

/** @param candidates Those that share one judgement. */
async function shareJudgement(deps: Deps, taskId: string, candidates: readonly store.JudgedCandidate[]): Promise<Shared[]> {
	const isShared = ({ submissionId, judgedId, evaluationId }: store.JudgedCandidate) => evaluationId !== null && submissionId !== judgedId;
	const own = candidates.filter((candidate) => !isShared(candidate));
	const sharers = candidates.filter(isShared);
	const ended = own.map(({ agentId, evaluationId }) => ({ agentId, evaluationId, items: [], event: null }));
	const [first] = sharers;
	if (first?.evaluationId == null) return ended;
	const judgement = await readJudgement(deps, { evaluationId: first.evaluationId, submissionId: first.judgedId });
	const shared = sharers.map(async ({ agentId, submissionId, artifactSha256, iteration: last }) => {
		const iteration = last + 1;
		const { evaluationId, items } = await shareEvaluation(deps, judgement, { submissionId, iteration, artifactSha256 });
		return {
			agentId,
			evaluationId,
			items: [...items, statements.updateIteration(deps, submissionId, iteration)],
			event: { type: "evaluation.completed", taskId, submissionId, agentId, evaluationId, round: "final" } as const,
		};
	});
	return [...ended, ...(await Promise.all(shared))];
}

/** Confirms all ranks in one change. */
async function endRound(deps: Deps, round: store.Round): Promise<boolean> {
	await commit(deps.db, [
		guardTaskRevision(deps.db, round),
		statements.guardAllEnded(deps, round.id),
		statements.confirmScores(deps, round.id),
		statements.setRoundStatus(deps, round.id, "ended"),
		confirmLeaderboardEntries(deps, round.id),
		recordEvents(deps, [{ type: "final_round.ended", taskId: round.id }]),
	]);
	await settleTask(deps, round.id);
	return false;
}

const SWEEP_BATCH = 50;

/** The safety net: takes the steps that were missed because a consumer died, and those that only time allows. */
export async function sweepRounds(deps: Deps): Promise<void> {
	for (const taskId of await store.selectStuckRounds(deps, { now: deps.clock.now(), limit: SWEEP_BATCH })) {
		try {
			await advanceRound(deps, taskId);
		} catch (error) {
			// Some rounds advance only by the sweep, so one that fails must not stop the others.
			deps.log.error("final_round_failed", { task_id: taskId, ...describeError(error) });
		}
	}
}
