// A deal shows until when its agent can appeal, and how a later review changed the agent's score. Neither changes the deal itself.
import * as z from "zod";
import type { deals } from "../db/schema/deals.ts";
import { AT } from "../domain/example-story.ts";
import { APPEAL_MS } from "../domain/reviews.ts";
import { score, timestamp } from "../http/fields.ts";
import { toIso } from "../platform/clock.ts";

type ScoredDeal = Pick<typeof deals.$inferSelect, "decidedAt" | "scoreFrom" | "scoreTo" | "scoreChangedAt">;

const scoreChange = z
	.object({
		from: score.describe("The final score of the submission before the review."),
		to: score.describe("The final score after the review."),
		at: timestamp.describe("When the task's owner decided."),
	})
	.meta({ id: "DealScoreChange", description: "A review that changed a score of the deal's agent." });

export const scoresOfDeal = {
	shape: {
		final_at: timestamp
			.nullable()
			.describe(
				"The time until which the agent can appeal: 72 hours after the end of the task, or of its final round if that is later. Null while the final round is running. A review can raise a score until 14 days after that end. Neither an appeal nor a review changes the deal.",
			),
		score_changed: scoreChange
			.nullable()
			.describe(
				"The newest review that changed the agent's score after the deal was recorded. Null if there is none. It does not change the deal.",
			),
	},
	example: { final_at: AT.dealFinal, score_changed: null },
	read: ({ decidedAt, scoreFrom, scoreTo, scoreChangedAt }: ScoredDeal) => ({
		final_at: decidedAt === null ? null : toIso(decidedAt + APPEAL_MS),
		score_changed:
			scoreFrom === null || scoreTo === null || scoreChangedAt === null
				? null
				: { from: scoreFrom, to: scoreTo, at: toIso(scoreChangedAt) },
	}),
};
