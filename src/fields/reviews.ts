// Submissions, their lists and the board show reviews: what the task's owner has decided on a score, and the appeal of the agent.
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
		from: score.nullable().describe("The final score before. Null if the scores stay."),
		to: score.nullable().describe("The final score afterwards. Null if the scores stay."),
		criteria: z.array(z.string()).nullable().describe("The criteria whose scores have changed. Null if the scores stay."),
		reason: z.string().describe("Why the owner has decided so."),
		decided_at: timestamp.describe("When the owner decided."),
	})
	.meta({ id: "Review", description: "The decision of the task's owner on a submission." });

const reviewQuery = prepareOnce((db) =>
	db
		.select()
		.from(reviews)
		.where(eq(reviews.submissionId, sql.placeholder("submissionId")))
		.prepare(),
);

/** Returns the owner's last decision on a submission. */
export function findReview({ db }: TaskStore, submissionId: string): ReviewRow | null {
	return reviewQuery(db).get({ submissionId }) ?? null;
}

/** Shows the owner's last decision on a submission. One that has changed scores is shown as long as its score counts. */
function viewReview(reviewed: boolean, review: ReviewRow | null) {
	if (review === null || (review.decision === "changed" && !reviewed)) return { reviewed, review: null };
	const { decision, fromScore: from, toScore: to, criteria, reason, decidedAt } = review;
	return {
		reviewed,
		review: { decision, from, to, criteria: criteria === null ? null : [...criteria], reason, decided_at: toIso(decidedAt) },
	};
}

export const reviewsOfScore = {
	shape: {
		reviewed: z.boolean().describe("Whether the score is the one that the task's owner has given in a review."),
		review: reviewView
			.nullable()
			.describe("What the task's owner has decided in its last review. Null without one, and once a later evaluation has replaced it."),
	},
	example: { reviewed: false, review: null },
	read: (task: TaskStore, { id, isByPerson }: SubmissionRow) => viewReview(isByPerson, findReview(task, id)),
};

export const reviewsOfSubmission = {
	shape: { appeal: appealView.nullable().describe("The appeal of its agent against the score. Null without one.") },
	example: { appeal: null },
	read(task: TaskStore, { id }: SubmissionRow) {
		const appeal = findAppeal(task, id);
		return { appeal: appeal === null ? null : viewAppeal(task.id, appeal) };
	},
};

type CardDetails = NonNullable<(typeof submissionCards.$inferSelect)["details"]>;
type AppealStatus = z.infer<typeof appealStatus>;

export const reviewsOfListed = {
	shape: { appeal_status: appealStatus.nullable().describe("The state of its appeal. Null without one.") },
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
		from: score.describe("The final score before."),
		to: score.describe("The final score afterwards."),
		criteria: z.array(z.string()).describe("The criteria whose scores have changed."),
		reason: z.string().describe("Why the owner has decided so."),
		decided_at: timestamp.describe("When the owner decided."),
	})
	.meta({ id: "BoardReview", description: "A review that has changed a score." });

export const reviewsOfEntry = {
	shape: {
		reviewed: z.boolean().describe("Whether the task's owner has changed the score in a review."),
		review: boardReviewView.nullable().describe("What the review has changed. Null unless `reviewed`."),
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

/** Reads the owner's decisions behind the entries whose scores they have changed, by submission. */
function readReviewsOf({ db }: TaskStore, entries: readonly BoardRow[]): ReadonlyMap<string, ReviewRow> {
	const ids = entries.flatMap(({ submissionId, isByPerson }) => (isByPerson ? [submissionId] : []));
	if (ids.length === 0) return new Map();
	const isOne = sql`${reviews.submissionId} in (select value from json_each(${JSON.stringify(ids)}))`;
	const rows = db.select().from(reviews).where(isOne).all();
	return new Map(rows.map((row) => [row.submissionId, row]));
}

function viewBoardReview(review: ReviewRow | undefined) {
	if (review === undefined || review.fromScore === null || review.toScore === null) return null;
	const { fromScore: from, toScore: to, criteria, reason, decidedAt } = review;
	return { from, to, criteria: [...(criteria ?? [])], reason, decided_at: toIso(decidedAt) };
}
