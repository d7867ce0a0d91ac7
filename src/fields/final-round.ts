// The fields that final rounds add to tasks, to requests that write a draft, and to the leaderboard.
import * as z from "zod";
import type { BoardRow } from "../db/task/schema/submissions.ts";
import type { EntryRow, TaskRow } from "../db/task/schema/task.ts";
import { invalidInput } from "../domain/errors.ts";
import { CONFIRMED_TIER } from "../domain/final-round.ts";
import { type EvalMode, MODES } from "../domain/modes.ts";
import { submissionId } from "../http/fields.ts";
import type { TaskStore } from "../ports/task.ts";
import { readRankRanges, type ShownEntries } from "./rank-range.ts";

export const finalRoundOfTask = {
	shape: {
		final_round: z
			.boolean()
			.describe("Whether the platform judges the best candidates once more after the task ends. The new scores decide the ranks."),
		pick: submissionId
			.nullable()
			.describe("The submission that the caller picked for the final round. Null means the one with the best score."),
	},
	example: { final_round: true, pick: null },
	ofDraft: ({ finalRound }: TaskRow) => ({ final_round: finalRound, pick: null }),
	read: (_store: TaskStore, { finalRound }: TaskRow, { entry }: { readonly entry: EntryRow | null }) => ({
		final_round: finalRound,
		pick: entry?.pickedId ?? null,
	}),
};

interface FinalRoundInput {
	readonly final_round?: boolean | undefined;
}

export const finalRoundOfRequest = {
	created: {
		final_round: z
			.boolean()
			.optional()
			.describe(
				"Whether the platform judges the best candidates once more after the task ends. The new scores decide the ranks. Not for external tasks. Default: false. A deployment can make `true` the default for `llm` and `hybrid`.",
			),
	},
	changed: {
		final_round: z.boolean().optional().describe("Whether the task has a final round. Changing eval_mode to `external` removes it."),
	},
	columnsOfNew: (
		{ final_round }: FinalRoundInput,
		{ evalMode, config }: { readonly evalMode: EvalMode; readonly config: TaskStore["config"] },
	) => ({
		finalRound: resolveFinalRound(evalMode, final_round, config.finalRoundDefault),
	}),
	columnsOfChange,
	ofClone: (source: TaskRow, input: FinalRoundInput, evalMode: EvalMode) => ({
		final_round: columnsOfChange(source, input, evalMode).finalRound,
	}),
};

/** Returns the columns of a changed draft. A draft whose mode becomes `external` loses its final round. */
function columnsOfChange(draft: TaskRow, { final_round }: FinalRoundInput, evalMode: EvalMode) {
	const hasFinalRound = draft.finalRound && !MODES[evalMode].isExternal;
	return { finalRound: resolveFinalRound(evalMode, final_round ?? hasFinalRound, false) };
}

/**
 * Returns whether a task has a final round.
 *
 * @param isDefault Whether tasks that a model judges have a final round on this deployment, unless the poster says otherwise.
 * @throws AppError `INVALID_BODY` if the poster asks for one in mode `external`.
 */
function resolveFinalRound(mode: EvalMode, chosen: boolean | undefined, isDefault: boolean): boolean {
	if (chosen === true && MODES[mode].isExternal) {
		throw invalidInput("INVALID_BODY", [{ path: "final_round", message: `cannot be combined with eval_mode ${mode}` }]);
	}
	return chosen ?? (isDefault && MODES[mode].usesJudge);
}

interface BoardExample {
	/** True if the example is about a task that has ended, and false if the task is open. */
	readonly isEnded: boolean;
}

export const finalRoundOfBoard = {
	shape: { provisional: z.boolean().describe("Whether a final round is still to come or running. If so, ranks can still change.") },
	example: ({ isEnded }: BoardExample) => ({ provisional: !isEnded }),
	read: (task: TaskRow) => ({ provisional: task.finalRound && task.settledAt === null }),
};

const rank = z.number().int().min(1);

export const finalRoundOfEntry = {
	shape: {
		confirmed: z.boolean().describe("Whether a final round has confirmed the score."),
		rankLow: rank.describe(
			"The best rank that the entry could have, with 95 % confidence, given the judge's noise. The noise is predicted from the setting `JUDGE_NOISE`, not measured. If no noise is predicted, this equals the rank, which does not mean that the rank is certain.",
		),
		rankHigh: rank.describe("The worst rank that the entry could have, predicted like `rankLow`."),
	},
	example: (ofRank: number, { isEnded }: BoardExample) => ({
		confirmed: isEnded,
		rankLow: isEnded ? ofRank : 1,
		rankHigh: isEnded ? ofRank : 2,
	}),
	read(task: TaskStore, rows: ShownEntries) {
		const rangeOf = readRankRanges(task, rows);
		return (entry: BoardRow & { readonly rank: number }) => ({ confirmed: entry.tier === CONFIRMED_TIER, ...rangeOf(entry) });
	},
};
