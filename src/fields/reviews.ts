// Reviews in submissions, lists and the leaderboard: the owner's decision on a score, and the agent's appeal.
import { eq, sql } from "drizzle-orm";
import * as z from "zod";
import type { submissionCards } from "../db/schema/cards.ts";
import { prepareOnce } from "../db/task/prepared.ts";
import { type ReviewRow, reviews } from "../db/task/schema/reviews.ts";
import type { BoardRow, SubmissionRow } from "../db/task/schema/submissions.ts";
import { reviewDecision } from "../domain/events.ts";
import { score, timestamp } from "../http/fields.ts";
import { toIso } from "../platform/clock.ts";
import type { TaskStore } from "../ports/task.ts";
import { appealStatus, appealView, findAppeal, viewAppeal } from "./appeal.ts";

const reviewView = z
	.object({
		decision: reviewDecision,
		from: score.nullable().describe("The final score before the review. Null if the scores stay the same."),
		to: score.nullable().describe("The final score after the review. Null if the scores stay the same."),
		criteria: z.array(z.string()).nullable().describe("The criteria whose scores changed. Null if the scores stay the same."),
		reason: z.string().describe("The reason for the owner's decision."),
		decided_at: timestamp.describe("When the owner decided."),
	})
	.meta({ id: "Review", description: "The task owner's decision on a submission." });

const reviewQuery = prepareOnce((db) =>
	db
		.select()
		.from(reviews)
		.where(eq(reviews.submissionId, sql.placeholder("submissionId")))
		.prepare(),
);

/** Returns the owner's last decision on a submission, or null if there is none. */
export function findReview({ db }: TaskStore, submissionId: string): ReviewRow | null {
	return reviewQuery(db).get({ submissionId }) ?? null;
}

/** Returns the fields about the owner's last decision. A decision that changed scores is shown only while its score counts (`reviewed`). */
function viewReview(reviewed: boolean, review: ReviewRow | null) {
	if (review === null || (review.decision === "changed" && !reviewed)) return { reviewed, review: null };
	const { decision, change, reason, decidedAt } = review;
	const { from, to, criteria } = (decision === "changed" ? change : null) ?? { from: null, to: null, criteria: null };
	return {
		reviewed,
		review: { decision, from, to, criteria: criteria === null ? null : [...criteria], reason, decided_at: toIso(decidedAt) },
	};
}

export const reviewsOfScore = {
	shape: {
		reviewed: z.boolean().describe("Whether the score is from a review by the task's owner."),
		review: reviewView
			.nullable()
			.describe("The task owner's decision in the last review. Null if there was none, and once a later evaluation has replaced it."),
	},
	example: { reviewed: false, review: null },
	read: (task: TaskStore, { id, isByPerson }: SubmissionRow) => viewReview(isByPerson, findReview(task, id)),
};

export const reviewsOfSubmission = {
	shape: { appeal: appealView.nullable().describe("The agent's appeal against the score. Null if there is none.") },
	example: { appeal: null },
	read(task: TaskStore, { id }: SubmissionRow) {
		const appeal = findAppeal(task, id);
		return { appeal: appeal === null ? null : viewAppeal(task.id, appeal) };
	},
};

type CardDetails = NonNullable<(typeof submissionCards.$inferSelect)["details"]>;
type AppealStatus = z.infer<typeof appealStatus>;

export const reviewsOfListed = {
	shape: {
		appeal_status: appealStatus.nullable().describe("The state of the appeal against the submission's score. Null if there is none."),
	},
	example: { appeal_status: null },
	columns: {
		appealStatus: sql<AppealStatus | null>`(select coalesce(decision, 'open') from appeals where appeals.submission_id = submissions.id)`,
	},
	ofCard: (details: CardDetails | null) => ({ appealStatus: details?.appeal ?? null }),
	card: ({ appealStatus }: { readonly appealStatus: AppealStatus | null }) => (appealStatus === null ? {} : { appeal: appealStatus }),
	view: ({ appealStatus }: { readonly appealStatus: AppealStatus | null }) => ({ appeal_status: appealStatus }),
};

const boardReviewView = z
	.object({
		from: score.describe("The final score before the review."),
		to: score.describe("The final score after the review."),
		criteria: z.array(z.string()).describe("The criteria whose scores have changed."),
		reason: z.string().describe("The reason for the owner's decision."),
		decided_at: timestamp.describe("When the owner decided."),
	})
	.meta({ id: "BoardReview", description: "A review that changed a score." });

export const reviewsOfEntry = {
	shape: {
		reviewed: z.boolean().describe("Whether the task's owner changed the score in a review."),
		review: boardReviewView.nullable().describe("What the review changed. Null unless `reviewed` is true."),
	},
	example: { reviewed: false, review: null },
	read(task: TaskStore, entries: readonly BoardRow[]) {
		const decided = readReviewsOf(task, entries);
		return ({ submissionId, isByPerson }: BoardRow) => ({
			reviewed: isByPerson,
			review: viewBoardReview(isByPerson ? decided.get(submissionId) : undefined),
		});
	},
};

/** Reads the owner's decisions on those of the entries whose scores are from a person, keyed by submission id. */
function readReviewsOf({ db }: TaskStore, entries: readonly BoardRow[]): ReadonlyMap<string, ReviewRow> {
	const ids = entries.flatMap(({ submissionId, isByPerson }) => (isByPerson ? [submissionId] : []));
	if (ids.length === 0) return new Map();
	const isOne = sql`${reviews.submissionId} in (select value from json_each(${JSON.stringify(ids)}))`;
	const rows = db.select().from(reviews).where(isOne).all();
	return new Map(rows.map((row) => [row.submissionId, row]));
}

function viewBoardReview(review: ReviewRow | undefined) {
	const change = review?.change ?? null;
	if (change === null) return null;
	const { from, to, criteria, reason, decidedAt } = change;
	return { from, to, criteria: [...criteria], reason, decided_at: toIso(decidedAt) };
}
