// The clock of a test task, as a field of the task.
import type { TaskRow } from "../db/task/schema/task.ts";
import { timestamp } from "../http/fields.ts";
import { toIso } from "../platform/clock.ts";
import type { TaskStore } from "../ports/task.ts";

export const clockOfTask = {
	shape: {
		clock: timestamp
			.nullable()
			.describe("The current time of a test task, which its owner can advance. Null for drafts and for all other tasks."),
	},
	example: { clock: null },
	ofDraft: () => ({ clock: null }),
	read: ({ now }: TaskStore, { isTest, status }: TaskRow) => ({ clock: isTest && status !== "draft" ? toIso(now) : null }),
};
