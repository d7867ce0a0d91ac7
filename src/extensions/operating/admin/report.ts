import * as z from "zod";
import { AT, ID } from "../../../domain/example-story.ts";
import { submissionId, taskId, timestamp } from "../../../http/fields.ts";
import { toIso } from "../../../platform/clock.ts";
import type { ReportRow } from "./store.ts";

export const reportFields = {
	id: z.uuid().describe("The report's id."),
	task_id: taskId.nullable().describe("The task that was reported. Null if the report is about a submission."),
	submission_id: submissionId.nullable().describe("The submission that was reported. Null if the report is about a task."),
	reason: z.string().describe("What is wrong with it."),
	created_at: timestamp.describe("When it was reported."),
};

/** Additional fields for operators. */
export const resolutionFields = {
	resolved_at: timestamp.nullable().describe("When an operator resolved it. Null while it is open."),
	resolution: z.string().nullable().describe("The operator's reason. Null while it is open."),
};

export const exampleReport = {
	id: "01a25a0f-5b40-7c11-8a6e-0d6f2c1b9a70",
	task_id: ID.task,
	submission_id: null,
	reason: "The task asks for malware.",
	created_at: AT.dealt,
};

export function viewReport(row: ReportRow) {
	return {
		id: row.id,
		task_id: row.taskId,
		submission_id: row.submissionId,
		reason: row.reason,
		created_at: toIso(row.createdAt),
	};
}
