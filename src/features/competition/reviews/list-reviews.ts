import { inArray, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { appeals, reviews } from "../../../db/task/schema/submissions.ts";
import { REVIEW_CAUSES, type ReviewCause } from "../../../domain/evaluation-rounds.ts";
import { AT, FINAL_SCORE, ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams, score, submissionId, timestamp } from "../../../http/fields.ts";
import { pageOf, pageQuery, readPageBefore } from "../../../http/pagination.ts";
import { toIso } from "../../../platform/clock.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { compareWorks } from "../similarity/compared-works.ts";
import { appealView, exampleAppeal, viewAppeal } from "../submissions/appeal.ts";
import { readOwnTask, readTask } from "../tasks/store.ts";
import { findCopies, findTies, listCauses } from "./causes.ts";
import { WIDE_SPREAD_POINTS } from "./rules.ts";

const listedReview = z
	.object({
		submission_id: submissionId,
		causes: z
			.array(z.enum(REVIEW_CAUSES))
			.describe(
				"Why a person should look at it. `appeal`: its agent objects. `injection`: a judge reported text that tries to influence it. `spread`: the score has a standard deviation of 10 points or more. `copy`: the work is nearly the same as another party's. `tie`: the score equals another one, and one of them is among the first three.",
			),
		appeal: appealView.nullable().describe("The appeal. Null without one."),
		final_score: score.describe("The score of the submission now."),
		created_at: timestamp.describe("When the submission was created."),
	})
	.meta({ id: "ListedReview", description: "A submission that a person should look at, or that the owner has decided on." });

export const listReviews = endpoint({
	method: "get",
	path: "/api/v1/tasks/{id}/reviews",
	operationId: "listReviews",
	summary: "List the submissions that a person should look at",
	description:
		"For the task's owner, newest submission first. With `status=decided` the list has those on which the owner has decided. An appeal after a decision opens the review again.",
	tags: ["Reviews"],
	auth: "key",
	rate: "general",
	params: idParams,
	query: z.object({
		status: z.enum(["open", "decided"]).default("open").describe("`open` waits for a decision."),
		...pageQuery.shape,
	}),
	response: {
		status: 200,
		description: "A page of submissions.",
		schema: pageOf(listedReview, "Submissions, newest first.").meta({ id: "ReviewList", description: "A page of the reviews of a task." }),
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
							final_score: FINAL_SCORE,
							created_at: AT.submitted,
						},
					],
					pagination: { has_more: false, next_cursor: null },
				},
			},
		},
	},

	handle: (ctx, { params: { id: taskId }, query: { status, ...query } }) =>
		readPageBefore(query, {
			async select(page) {
				const copies = status === "decided" ? [] : findCopies(await compareWorks(ctx, taskId));
				return readReviews(ctx, taskId, { by: ctx.actor.agentId, status, copies, ...page });
			},
			view: ({ id, ...review }) => ({ submission_id: id, ...review }),
		}),
});

interface ReviewListRow {
	readonly id: string;
	readonly finalScore: number;
	readonly createdAt: number;
	readonly causes: ReviewCause[];
}

const readReviews = taskVerb(
	"readReviews",
	(
		task,
		{
			by,
			status,
			copies,
			before,
			limit,
		}: {
			readonly by: string;
			readonly status: "open" | "decided";
			/** These submissions are nearly the same as one of another party. */
			readonly copies: readonly string[];
			readonly before: string | null;
			readonly limit: number;
		},
	) => {
		const found = readOwnTask(task, by);
		const isOlder = before === null ? sql`true` : sql`s.id < ${before}`;
		const page = { isOlder, limit };
		const rows = status === "decided" ? selectDecided(task, page) : selectOpen(task, { ...page, copies, ties: findTies(task, found) });
		const ids = rows.map(({ id }) => id);
		const appealRows = ids.length === 0 ? [] : task.db.select().from(appeals).where(inArray(appeals.submissionId, ids)).all();
		const appealOf = new Map(appealRows.map((row) => [row.submissionId, row]));
		return rows.map(({ id, causes, finalScore, createdAt }) => {
			const appeal = appealOf.get(id);
			return {
				id,
				causes,
				appeal: appeal === undefined ? null : viewAppeal(task.id, appeal),
				final_score: finalScore,
				created_at: toIso(createdAt),
			};
		});
	},
);

/** Counts the submissions that a person should look at, up to `limit`. It leaves out copies, because finding them takes long. */
export function countOpenReviews(task: TaskStore, limit: number): number {
	return selectOpen(task, { isOlder: sql`true`, limit, copies: [], ties: findTies(task, readTask(task)) }).length;
}

interface ReviewPage {
	/** Builds a condition on a submission `s`. */
	readonly isOlder: SQL;
	readonly limit: number;
}

const hasOpenAppeal = sql`exists (select 1 from ${appeals} as a where a.submission_id = s.id and a.decision is null)`;

/** The query repeats the condition of the partial index on suspect submissions word for word, because SQLite uses the index only then. */
function selectOpen(
	{ db }: TaskStore,
	{ isOlder, limit, copies, ties }: ReviewPage & { readonly copies: readonly string[]; readonly ties: readonly string[] },
): ReviewListRow[] {
	const rows = db.all<{
		readonly id: string;
		readonly finalScore: number;
		readonly createdAt: number;
		readonly appeal: number;
		readonly injection: number;
		readonly spread: number | null;
		readonly copy: number;
		readonly tie: number;
	}>(sql`
		with copies (id) as (select value from json_each(${JSON.stringify(copies)})),
			ties (id) as (select value from json_each(${JSON.stringify(ties)})),
			listed (id) as (
				select submission_id from appeals where decision is null
				union select id from submissions where injection_reported = 1 or spread >= 10
				union select id from copies union select id from ties)
		select s.id as "id", s.final_score as "finalScore", s.created_at as "createdAt", ${hasOpenAppeal} as "appeal",
			s.injection_reported as "injection", s.spread as "spread", s.id in copies as "copy", s.id in ties as "tie"
		from listed join submissions as s on s.id = listed.id
		where s.final_score is not null and s.voided_at is null and ${isOlder}
			and (${hasOpenAppeal} or not exists (select 1 from reviews as r where r.submission_id = s.id))
		order by s.id desc limit ${limit}`);
	return rows.map(({ id, finalScore, createdAt, spread, ...flags }) => {
		const { appeal, injection, copy, tie } = flags;
		const isWide = (spread ?? 0) >= WIDE_SPREAD_POINTS;
		const causes = listCauses({ appeal: appeal === 1, injection: injection === 1, spread: isWide, copy: copy === 1, tie: tie === 1 });
		return { id, finalScore, createdAt, causes };
	});
}

function selectDecided({ db }: TaskStore, { isOlder, limit }: ReviewPage): ReviewListRow[] {
	const rows = db.all<Omit<ReviewListRow, "causes"> & { readonly causes: string }>(sql`
		select s.id as "id", s.final_score as "finalScore", s.created_at as "createdAt", r.causes as "causes"
		from ${reviews} as r join submissions as s on s.id = r.submission_id
		where s.final_score is not null and not ${hasOpenAppeal} and ${isOlder}
		order by r.submission_id desc limit ${limit}`);
	return rows.map((row) => ({ ...row, causes: z.array(z.enum(REVIEW_CAUSES)).parse(JSON.parse(row.causes)) }));
}
