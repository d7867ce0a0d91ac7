// With two stages, only works within reach of the first places are judged by the strong model.
import { asc, ne } from "drizzle-orm";
import { board } from "../../../db/task/schema/submissions.ts";
import { taskVerb } from "../../../ports/task.ts";
import { MIN_CANDIDATES, reachOf } from "./rules.ts";

/**
 * Finds from which score on work of an agent goes on to the strong model. Returns null if all of it does. The agent's own entry does not
 * count.
 */
export const findReach = taskVerb("findReach", ({ db, config }, { agentId }: { agentId: string }): number | null => {
	const last = db
		.select({ finalScore: board.finalScore })
		.from(board)
		.where(ne(board.agentId, agentId))
		.orderBy(asc(board.rankKey))
		.limit(1)
		.offset(MIN_CANDIDATES - 1)
		.get();
	return reachOf(last?.finalScore ?? null, config.judgeSpreadPoints);
});
