// Final-only criteria, which only the final round judges. Everyone except the owner can read their text only after the round has ended.
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
				"Whether only the final round judges the criterion, so that no one can optimize for it. Until the round has ended, others see only its weight. Requires `final_round`, and at least one criterion that is not final-only.",
			),
	},
	columns: ({ final_only: held }: { readonly final_only: boolean }) => ({ held }),
	check: assertFinalOnly,
	shape: {
		final_only: z
			.boolean()
			.describe(
				"Whether only the final round judges the criterion. Until the round has ended, everyone except the owner sees a name such as `Hidden criterion 1` and no text.",
			),
		commitment: sha256
			.optional()
			.describe(
				"Only for a final-only criterion of a published task: the SHA-256 of the canonical JSON of `{salt, name, description, checks, evidence, whole_checks}`. It commits the owner to a criterion that others cannot see yet.",
			),
		salt: z
			.string()
			.regex(/^[0-9a-f]{32}$/)
			.optional()
			.describe("The salt with which anyone can recompute `commitment`. Only for a final-only criterion, once the final round has ended."),
	},
	example: { final_only: false },
	read: ({ held, commitment, salt }: CriterionRow) => ({
		final_only: held,
		...(commitment === null ? {} : { commitment }),
		...(salt === null ? {} : { salt }),
	}),
};

/** The tolerance for rounding in a sum of floating-point weights. */
const FLOAT_NOISE = 1e-9;

/** The maximum total weight of criteria that only the final round judges. */
export const MAX_HIDDEN_WEIGHT = 50;

/**
 * Checks the criteria that only the final round judges.
 *
 * @throws AppError `INVALID_BODY` if the task has such criteria but no final round, or no other criteria. `INVALID_WEIGHTS` if their total
 * weight is too large.
 */
function assertFinalOnly(
	criteria: readonly { readonly held: boolean; readonly weight: number }[],
	{ finalRound }: { readonly finalRound: boolean },
): void {
	const first = criteria.findIndex(({ held }) => held);
	if (first === -1) return;
	if (!finalRound) throw invalidInput("INVALID_BODY", [{ path: `criteria[${first}].final_only`, message: "needs final_round" }]);
	if (criteria.every(({ held }) => held)) {
		throw invalidInput("INVALID_BODY", [{ path: "criteria", message: "must contain a criterion that is not final_only" }]);
	}
	const hidden = criteria.reduce((sum, { held, weight }) => sum + (held ? weight : 0), 0);
	if (hidden > MAX_HIDDEN_WEIGHT + FLOAT_NOISE) {
		const message = `the weights of final_only criteria add up to ${Math.round(hidden * 100) / 100}, but the maximum is ${MAX_HIDDEN_WEIGHT}`;
		throw invalidInput("INVALID_WEIGHTS", [{ path: "criteria", message }]);
	}
}
