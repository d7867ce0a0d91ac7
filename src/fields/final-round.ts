// Final rounds give these fields to the board: whether its order can still change, and how sure each rank is.
import * as z from "zod";
import type { BoardRow } from "../db/task/schema/submissions.ts";
import type { TaskRow } from "../db/task/schema/task.ts";
import { isProvisional } from "../domain/evaluation-rounds.ts";
import type { TaskStore } from "../ports/task.ts";
import { readRankRanges, type ShownEntries } from "./rank-range.ts";

interface BoardExample {
	/** If false, the task is open, and the noise leaves the order of its two entries open. */
	readonly isEnded: boolean;
}

export const finalRoundOfBoard = {
	shape: { provisional: z.boolean().describe("Whether a final round is still to come or running, so that ranks may change.") },
	example: ({ isEnded }: BoardExample) => ({ provisional: !isEnded }),
	read: (task: TaskRow) => ({ provisional: isProvisional(task) }),
};

const rank = z.number().int().min(1);

export const finalRoundOfEntry = {
	shape: {
		confirmed: z.boolean().describe("Whether a final round has confirmed the score."),
		rankLow: rank.describe("The best rank that is possible at 95 %, given the noise of judging. Equals the rank if no model judges."),
		rankHigh: rank.describe("The worst rank that is possible at 95 %, given the noise of judging. Equals the rank if no model judges."),
	},
	example: (ofRank: number, { isEnded }: BoardExample) => ({
		confirmed: isEnded,
		rankLow: isEnded ? ofRank : 1,
		rankHigh: isEnded ? ofRank : 2,
	}),
	read(task: TaskStore, shown: ShownEntries) {
		const rangeOf = readRankRanges(task, shown);
		return (entry: BoardRow & { readonly rank: number }) => ({ confirmed: entry.confirmed, ...rangeOf(entry) });
	},
};
