// Criteria can be judged by the final round only. Others than the owner read their text once the round has ended.
import * as z from "zod";
import type { CriterionRow } from "../db/task/schema/task.ts";
import { invalidInput } from "../domain/errors.ts";
import { sha256 } from "../http/fields.ts";

export const finalOnlyOfCriterion = {
	input: {
		final_only: z
			.boolean()
			.default(false)
			.describe(
				"Whether only the final round judges the criterion, so that no one can tune to it. Until the round has ended, others see only its weight. Needs `final_round`, and another criterion that is not final only.",
			),
	},
	columns: ({ final_only: held }: { readonly final_only: boolean }) => ({ held }),
	check: assertFinalOnly,
	shape: {
		final_only: z
			.boolean()
			.describe(
				"Whether only the final round judges the criterion. Until the round has ended, everyone but the owner sees the name `Hidden criterion 1` and so on, and no text.",
			),
		commitment: sha256
			.optional()
			.describe(
				"Only for a final-only criterion of a published task: the SHA-256 of the canonical JSON of `{salt, name, description, checks, evidence, whole_checks}`. It commits the owner to the text that others cannot see yet.",
			),
		salt: z
			.string()
			.regex(/^[0-9a-f]{32}$/)
			.optional()
			.describe("Only for a final-only criterion after the final round: with it, `commitment` can be computed again."),
	},
	example: { final_only: false },
	read: ({ held, commitment, salt }: CriterionRow) => ({
		final_only: held,
		...(commitment === null ? {} : { commitment }),
		...(salt === null ? {} : { salt }),
	}),
};

/** Weights are sums of floating-point numbers, which miss their result by less than this. */
const FLOAT_NOISE = 1e-9;

/** Criteria that only the final round judges may have this much of the weight together. */
export const MAX_HIDDEN_WEIGHT = 50;

/**
 * Checks the criteria that only the final round judges.
 *
 * @throws AppError `INVALID_BODY` if there are some without a final round, or no others, `INVALID_WEIGHTS` if they have too much weight.
 */
function assertFinalOnly(
	criteria: readonly { readonly held: boolean; readonly weight: number }[],
	{ finalRound }: { readonly finalRound: boolean },
): void {
	const first = criteria.findIndex(({ held }) => held);
	if (first === -1) return;
	if (!finalRound) throw invalidInput("INVALID_BODY", [{ path: `criteria[${first}].final_only`, message: "needs final_round" }]);
	if (criteria.every(({ held }) => held)) {
		throw invalidInput("INVALID_BODY", [{ path: "criteria", message: "must have a criterion that is not final_only" }]);
	}
	const hidden = criteria.reduce((sum, { held, weight }) => sum + (held ? weight : 0), 0);
	if (hidden > MAX_HIDDEN_WEIGHT + FLOAT_NOISE) {
		const message = `criteria with final_only may weigh at most ${MAX_HIDDEN_WEIGHT} together, these weigh ${Math.round(hidden * 100) / 100}`;
		throw invalidInput("INVALID_WEIGHTS", [{ path: "criteria", message }]);
	}
}
