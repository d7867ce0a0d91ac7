// The resource Appeal, which endpoints of the extension `reviews` return, and which the submission shows too.
import { eq, sql } from "drizzle-orm";
import * as z from "zod";
import { prepareOnce } from "../db/task/prepared.ts";
import { type AppealRow, appeals } from "../db/task/schema/reviews.ts";
import { AT, ID } from "../domain/example-story.ts";
import { submissionId, taskId, timestamp } from "../http/fields.ts";
import { toIso, toIsoOrNull } from "../platform/clock.ts";
import type { TaskStore } from "../ports/task.ts";

export const appealStatus = z
	.enum(["open", "upheld", "changed"])
	.describe("`open`: the owner has not decided yet. `upheld`: the scores stay the same. `changed`: the owner changed scores.");

export const appealView = z
	.object({
		id: z.uuid().describe("The appeal's id."),
		submission_id: submissionId,
		task_id: taskId,
		criterion_name: z.string().nullable().describe("The criterion that the appeal is about. Null if it is about the whole score."),
		reason: z.string().describe("Why the agent thinks the score is wrong."),
		status: appealStatus,
		decision_reason: z.string().nullable().describe("The reason for the owner's decision. Null while the appeal is open."),
		decided_at: timestamp.nullable().describe("When the owner decided. Null while the appeal is open."),
		created_at: timestamp.describe("When the agent appealed."),
	})
	.meta({ id: "Appeal", description: "An agent's objection to the score of its submission." });

export const exampleAppeal = {
	id: ID.appeal,
	submission_id: ID.submission,
	task_id: ID.task,
	criterion_name: "Tests",
	reason: "Broken quoting is tested for all five banks: see tests/quoting_test.py.",
	status: "open",
	decision_reason: null,
	decided_at: null,
	created_at: AT.appealed,
} as const;

export const exampleDecidedAppeal = {
	...exampleAppeal,
	status: "changed",
	decision_reason: "The judge has missed tests/quoting_test.py.",
	decided_at: AT.reviewed,
} as const;

export function findAppeal({ db }: TaskStore, submissionId: string): AppealRow | null {
	return appealQuery(db).get({ submissionId }) ?? null;
}

const appealQuery = prepareOnce((db) =>
	db
		.select()
		.from(appeals)
		.where(eq(appeals.submissionId, sql.placeholder("submissionId")))
		.prepare(),
);

export function viewAppeal(taskId: string, row: AppealRow): z.input<typeof appealView> {
	return {
		id: row.id,
		submission_id: row.submissionId,
		task_id: taskId,
		criterion_name: row.criterionName,
		reason: row.reason,
		status: row.decision ?? "open",
		decision_reason: row.decisionReason,
		decided_at: toIsoOrNull(row.decidedAt),
		created_at: toIso(row.createdAt),
	};
}
