// Chooses who takes part in a final round, based on the provisional leaderboard.
import { asc, eq, sql } from "drizzle-orm";
import { readTask } from "../../core/competition/tasks/store.ts";
import { noiseBySamples, readNoisy } from "../../db/task/noise.ts";
import type { finalCandidates } from "../../db/task/schema/final-round.ts";
import { signatures } from "../../db/task/schema/similarity.ts";
import { board, submissions } from "../../db/task/schema/submissions.ts";
import { entries } from "../../db/task/schema/task.ts";
import type { TaskStore } from "../../ports/task.ts";
import { selectBand } from "./band.ts";
import { shareJudgement } from "./equal-files.ts";

/** Each agent enters with the submission that it picked, or with its best. */
export function chooseCandidates(task: TaskStore): (typeof finalCandidates.$inferInsert)[] {
	const noisy = readNoisy(task, readTask(task));
	const deviation = noiseBySamples(task.config, noisy)(noisy.usualSamples);
	const entered = selectEntries(task).map((entry) => ({ ...entry, deviation, filesSha256: entry.filesSha256 ?? entry.artifactSha256 }));
	const { candidates } = selectBand(entered);
	return shareJudgement(candidates).map(({ agentId, submissionId, judgedId }, place) => ({ agentId, submissionId, judgedId, place }));
}

function selectEntries({ db }: TaskStore) {
	return db
		.select({
			agentId: board.agentId,
			finalScore: board.finalScore,
			submissionId: submissions.id,
			artifactSha256: submissions.artifactSha256,
			filesSha256: signatures.filesSha256,
			acceptedAt: sql<number>`coalesce(${submissions.handedInAt}, ${submissions.createdAt})`,
		})
		.from(board)
		.innerJoin(entries, eq(entries.agentId, board.agentId))
		.innerJoin(submissions, eq(submissions.id, sql`coalesce(${entries.pickedId}, ${board.submissionId})`))
		.leftJoin(signatures, eq(signatures.submissionId, submissions.id))
		.orderBy(asc(board.rankKey))
		.all();
}
