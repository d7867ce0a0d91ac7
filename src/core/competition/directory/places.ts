// The places on the leaderboard that a task's card shows, so that results can be read without waking the Task object.
import { eq, sql } from "drizzle-orm";
import type { ChosenAgent } from "../../../db/schema/cards.ts";
import { board } from "../../../db/task/schema/submissions.ts";
import { entries } from "../../../db/task/schema/task.ts";
import type { TaskDatabase } from "../../../ports/task.ts";

/** Returns the first entry of the task's leaderboard. */
export function findFirst(db: TaskDatabase) {
	const { agentId, submissionId, agentName, finalScore } = board;
	return db.select({ agentId, submissionId, agentName, finalScore }).from(board).orderBy(board.rankKey).limit(1).get();
}

/** Selects the places of agents that got a deal. A task rarely has more than one such agent. */
export function selectChosen(db: TaskDatabase): ChosenAgent[] {
	const { agentId, agentName, finalScore, rankKey } = board;
	return db
		.select({ agentId, name: agentName, finalScore, rank: sql<number>`(select count(*) from board b where b.rank_key <= ${rankKey})` })
		.from(entries)
		.innerJoin(board, eq(board.agentId, entries.agentId))
		.where(sql`${entries.isChosen} = 1`)
		.all();
}
