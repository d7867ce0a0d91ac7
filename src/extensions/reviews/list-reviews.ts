import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { readOwnTask, readTask } from "../../core/competition/tasks/store.ts";
import { appeals, reviews } from "../../db/task/schema/reviews.ts";
import { submissions } from "../../db/task/schema/submissions.ts";
import type { TaskRow } from "../../db/task/schema/task.ts";
import { AT, FINAL_SCORE, ID } from "../../domain/example-story.ts";
import { REVIEW_CAUSES, REVIEW_MS, type ReviewCause } from "../../domain/reviews.ts";
import { decidedSince } from "../../domain/task-status.ts";
import { appealView, exampleAppeal, viewAppeal } from "../../fields/appeal.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams, score, submissionId, timestamp, uuid } from "../../http/fields.ts";
import { decodeCursor, pageOf, pageQuery, viewPage } from "../../http/pagination.ts";
import { toIso } from "../../platform/clock.ts";
import { type TaskStore, taskVerb } from "../../ports/task.ts";
import { compareWorks } from "../similarity/compared-works.ts";
import type { Copy } from "../similarity/copies.ts";
import { findTies, listCauses } from "./causes.ts";

const listedReview = z
	.object({
		submission_id: submissionId,
		causes: z
			.array(z.enum(REVIEW_CAUSES))
			.describe(
				"Why a person should look at the submission. `appeal`: its agent appealed. `injection`: a judge reported that text in the submission tries to influence the judge. `spread`: the samples of its newest evaluation differ by a standard deviation of 10 points or more. `copy`: the submission is nearly the same as an earlier one by another party. `tie`: another submission has the same score, and one of them is among the first three.",
			),
		appeal: appealView.nullable().describe("The appeal. Null without one."),
		copy_of: z
			.object({
				submission_id: submissionId.describe("The earlier submission, by another party."),
				similarity: z.number().min(0).max(1).describe("How similar the text of the two submissions is, from 0 to 1."),
			})
			.nullable()
			.describe(
				"The earlier submission that is nearly the same. Only a hint: it does not change the score. Null if `causes` does not contain `copy`.",
			),
		final_score: score.describe("The current score of the submission."),
		created_at: timestamp.describe("When the newest cause occurred."),
	})
	.meta({ id: "ListedReview", description: "A submission that a person should look at, or that the owner has decided on." });

export const listReviews = endpoint({
	method: "get",
	path: "/api/v1/tasks/{id}/reviews",
	operationId: "listReviews",
	owner: "reviews",
	summary: "List the submissions that a person should look at",
	description:
		"Shows the task's owner the submissions to look at, newest cause first. With `status=decided`, lists submissions on which the owner has decided. An appeal after a decision opens the review again.",
	tags: ["Reviews"],
	auth: "key",
	rate: "general",
	params: idParams,
	query: z.object({
		status: z.enum(["open", "decided"]).default("open").describe("`open`: waiting for a decision."),
		...pageQuery.shape,
	}),
	response: {
		status: 200,
		description: "A page of submissions.",
		schema: pageOf(listedReview, "Submissions, newest cause first.").meta({
			id: "ReviewList",
			description: "A page of the reviews of a task.",
		}),
	},
	errors: ["NOT_FOUND", "FORBIDDEN"],
	page: "judging/appeals",
	examples: {
		params: { id: ID.task },
		query: { status: "open", limit: "20" },
		responses: {
			page: {
				value: {
					data: [
						{
							submission_id: ID.submission,
							causes: ["appeal"],
							appeal: exampleAppeal,
							copy_of: null,
							final_score: FINAL_SCORE,
							created_at: AT.appealed,
						},
					],
					pagination: { has_more: false, next_cursor: null },
				},
			},
		},
	},

	async handle(ctx, { params: { id: taskId }, query: { status, limit, cursor } }) {
		const [listedAt, submissionId] = decodeCursor(cursor, reviewCursor) ?? [null, null];
		const copies = status === "decided" ? new Map<string, Copy>() : await compareWorks(ctx, taskId);
		const before = listedAt === null ? null : { listedAt, submissionId };
		const rows = await readReviews(ctx, taskId, { by: ctx.actor.agentId, status, copies: [...copies], before, limit: limit + 1 });
		return viewPage(rows, limit, { view: ({ row }) => row, cursorOf: ({ at, row }) => [at, row.submission_id] });
	},
});

/** The last item of the previous page: when its newest cause arose, and its submission. */
const reviewCursor = z.tuple([z.number().int().min(0), uuid]);

interface ReviewListRow {
	readonly id: string;
	readonly finalScore: number;
	/** When the newest cause arose. */
	readonly at: number;
	readonly causes: ReviewCause[];
	readonly copyOf: Copy | null;
}

interface ReviewPosition {
	readonly listedAt: number;
	readonly submissionId: string;
}

const readReviews = taskVerb(
	"readReviews",
	(
		store,
		{
			by,
			status,
			copies,
			...page
		}: {
			readonly by: string;
			readonly status: "open" | "decided";
			/** The submissions that are nearly the same as a submission of another party. */
			readonly copies: readonly (readonly [submissionId: string, copy: Copy])[];
			readonly before: ReviewPosition | null;
			readonly limit: number;
		},
	) => {
		const task = readOwnTask(store, by);
		const rows = status === "decided" ? selectDecided(store, page) : selectOpen(store, task, { ...page, copies: new Map(copies) });
		// One parameter has all ids, because a statement takes at most 100 parameters.
		const ids = JSON.stringify(rows.map(({ id }) => id));
		const isListed = sql`${appeals.submissionId} in (select value from json_each(${ids}))`;
		const appealRows = store.db.select().from(appeals).where(isListed).all();
		const appealOf = new Map(appealRows.map((row) => [row.submissionId, row]));
		return rows.map(({ id, causes, copyOf, finalScore, at }) => {
			const appeal = appealOf.get(id);
			const row = {
				submission_id: id,
				causes,
				appeal: appeal === undefined ? null : viewAppeal(store.id, appeal),
				copy_of: copyOf === null ? null : { submission_id: copyOf.submissionId, similarity: copyOf.similarity },
				final_score: finalScore,
				created_at: toIso(at),
			};
			return { at, row };
		});
	},
);

/**
 * Counts the submissions that a person should look at and can decide on, up to `limit`. Ignores copies, because finding them takes long.
 */
export function countOpenReviews(store: TaskStore, limit: number): number {
	const task = readTask(store);
	const since = decidedSince(task, store.now);
	if (since !== null && store.now > since + REVIEW_MS) return 0;
	return selectOpen(store, task, { before: null, limit, copies: new Map() }).length;
}

interface ReviewPage {
	readonly before: ReviewPosition | null;
	readonly limit: number;
}

const hasOpenAppeal = sql`exists (select 1 from ${appeals} as a where a.submission_id = s.id and a.decision is null)`;

/** Selects open reviews. Repeats the condition of the index on suspect submissions word for word, because SQLite uses it only then. */
function selectOpen(
	store: TaskStore,
	task: TaskRow,
	{ before, limit, copies }: ReviewPage & { readonly copies: ReadonlyMap<string, Copy> },
): ReviewListRow[] {
	const tiedSince = decidedSince(task, store.now);
	const rows = store.db.all<{
		readonly id: string;
		readonly finalScore: number;
		readonly at: number;
		readonly appeal: number | null;
		readonly injection: number | null;
		readonly spread: number | null;
		readonly copy: number | null;
		readonly tie: number | null;
	}>(sql`
		with copies (id) as (select value from json_each(${JSON.stringify([...copies.keys()])})),
			ties (id) as (select value from json_each(${JSON.stringify(findTies(store, task))})),
			suspects (id) as (
				select submission_id from appeals where decision is null
				union select id from submissions where injection_reported_at is not null or spread >= 10
				union select id from copies union select id from ties),
			listed as (
				select s.id as id, s.final_score as final_score,
					(select a.created_at from appeals as a where a.submission_id = s.id and a.decision is null) as appeal,
					s.injection_reported_at as injection,
					iif(s.spread >= 10, s.evaluated_at, null) as spread,
					iif(s.id in copies, coalesce(s.handed_in_at, s.created_at), null) as copy,
					iif(s.id in ties, ${tiedSince}, null) as tie
				from suspects join submissions as s on s.id = suspects.id
				where s.final_score is not null and s.voided_at is null
					and (${hasOpenAppeal} or not exists (select 1 from reviews as r where r.submission_id = s.id))),
			dated as (
				select *, max(coalesce(appeal, 0), coalesce(injection, 0), coalesce(spread, 0), coalesce(copy, 0), coalesce(tie, 0)) as at
				from listed)
		select id as "id", final_score as "finalScore", at as "at", appeal as "appeal", injection as "injection", spread as "spread",
			copy as "copy", tie as "tie"
		from dated where ${isBefore(sql`at`, sql`id`, before)}
		order by at desc, id desc limit ${limit}`);
	return rows.map(({ id, finalScore, at, ...times }) => ({
		id,
		finalScore,
		at,
		causes: listCauses(times),
		copyOf: copies.get(id) ?? null,
	}));
}

function isBefore(at: SQL, id: SQL, before: ReviewPosition | null): SQL {
	return before === null ? sql`true` : sql`(${at}, ${id}) < (${before.listedAt}, ${before.submissionId})`;
}

function selectDecided({ db }: TaskStore, { before, limit }: ReviewPage): ReviewListRow[] {
	const isListed = sql`${submissions.finalScore} is not null and not exists (select 1 from ${appeals} as a
		where a.submission_id = ${submissions.id} and a.decision is null)`;
	return db
		.select({
			id: reviews.submissionId,
			finalScore: sql<number>`${submissions.finalScore}`,
			at: reviews.listedAt,
			causes: reviews.causes,
			copyOf: reviews.copyOf,
		})
		.from(reviews)
		.innerJoin(submissions, eq(submissions.id, reviews.submissionId))
		.where(and(isListed, isBefore(sql`${reviews.listedAt}`, sql`${reviews.submissionId}`, before)))
		.orderBy(desc(reviews.listedAt), desc(reviews.submissionId))
		.limit(limit)
		.all();
}
