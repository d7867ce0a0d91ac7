import { isOver } from "../../domain/deadline.ts";
import { AppError } from "../../domain/errors.ts";
import type { RoundStatus } from "../../domain/evaluation-rounds.ts";
import type { TaskStatus } from "../../domain/task-status.ts";
import { HOUR_MS } from "../../platform/clock.ts";

/** The least number of candidates; all agents take part if there are fewer. Contract: additions, "Final round". */
export const MIN_CANDIDATES = 10;
const BAND_DEVIATIONS = 3;
const MIN_BAND_POINTS = 5;

interface BoardEntry {
	readonly finalScore: number;
	/** The standard deviation of the score in points; null where nothing shows it. */
	readonly spread: number | null;
}

/**
 * How far below the leader an entry still takes part, in points: three standard deviations of the difference of the two scores.
 * The leader's own deviation would not do: many evaluations make it small, which would shut out those that were judged once.
 *
 * @param widest The largest spread on the leaderboard, used where one is unknown; null where none is known.
 */
export function bandBelowLeader(leader: number | null, entry: number | null, widest: number | null): number {
	const deviation = Math.hypot(leader ?? widest ?? 0, entry ?? widest ?? 0);
	return Math.max(MIN_BAND_POINTS, BAND_DEVIATIONS * deviation);
}

/** The entries that take part in a final round: those that may be behind the leader only because of noise. `entries` are best first. */
export function selectCandidates<Entry extends BoardEntry>(entries: readonly Entry[], widest: number | null): Entry[] {
	const [leader] = entries;
	if (leader === undefined) return [];
	return entries.filter(({ finalScore, spread }, index) => {
		return index < MIN_CANDIDATES || leader.finalScore - finalScore <= bandBelowLeader(leader.spread, spread, widest);
	});
}

interface Work {
	readonly submissionId: string;
	/** Null for an artifact without a hash. */
	readonly artifactSha256: string | null;
	readonly createdAt: number;
}

/**
 * Which submission is judged for each candidate: the earliest of those with the same work.
 *
 * @param nearIdentical Groups of submissions that are nearly the same. Groups may overlap.
 */
export function shareJudgements<Candidate extends Work>(
	candidates: readonly Candidate[],
	nearIdentical: readonly (readonly string[])[] = [],
) {
	const judged = new Map<string, string>();
	const sorted = candidates.toSorted((a, b) => a.createdAt - b.createdAt || (a.submissionId < b.submissionId ? -1 : 1));
	const byHash = Map.groupBy(sorted, ({ artifactSha256, submissionId }) => artifactSha256 ?? submissionId);
	const groups = [...[...byHash.values()].map((group) => group.map(({ submissionId }) => submissionId)), ...nearIdentical];
	const groupsOf = Map.groupBy(
		groups.flatMap((group) => group.map((id) => ({ id, group }))),
		({ id }) => id,
	);
	for (const { submissionId } of sorted) {
		if (judged.has(submissionId)) continue;
		const twins = (groupsOf.get(submissionId) ?? []).flatMap(({ group }) => group);
		for (const twin of [submissionId, ...twins]) if (!judged.has(twin)) judged.set(twin, submissionId);
	}
	return candidates.map((candidate) => ({ ...candidate, judgedId: judged.get(candidate.submissionId) ?? candidate.submissionId }));
}

/** How long after the deadline a registered submission may still be completed. Contract: ruling "Tasks". */
export const UPLOAD_GRACE_MS = HOUR_MS;

interface EndedTask {
	readonly closedBy: "owner" | "deadline" | null;
	readonly deadline: number;
}

/** Whether a registered submission can no longer be completed. */
export function areUploadsOver({ closedBy, deadline }: EndedTask, now: number): boolean {
	return closedBy === "owner" || isOver({ deadline: deadline + UPLOAD_GRACE_MS }, now);
}

interface WaitingRound extends EndedTask {
	readonly hasRunning: boolean;
	/** Whether a submission is registered and not completed. */
	readonly hasRegistered: boolean;
}

/** Whether everything that can still get a provisional score has it. */
export function canBegin(round: WaitingRound, now: number): boolean {
	return !round.hasRunning && (!round.hasRegistered || areUploadsOver(round, now));
}

interface PickedTask {
	readonly status: TaskStatus;
	readonly deadline: number;
	readonly finalRound: boolean;
	readonly roundStatus: RoundStatus | null;
}

/** @throws AppError `CONFLICT`, `TASK_NOT_OPEN` or `TASK_CLOSED`, in this order. */
export function assertPickable(task: PickedTask, now: number): void {
	if (!task.finalRound) throw new AppError("CONFLICT", { message: "The task has no final round. The best score of each agent counts." });
	if (task.status === "draft") throw new AppError("TASK_NOT_OPEN", { message: "The task is a draft." });
	if (task.status !== "open" || isOver(task, now)) {
		throw new AppError("TASK_CLOSED", { message: "Picks were accepted until the task's end." });
	}
}
