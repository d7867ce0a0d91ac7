// A test task shows what its clock says.
import type { TaskRow } from "../db/task/schema/task.ts";
import { timestamp } from "../http/fields.ts";
import { toIso } from "../platform/clock.ts";
import type { TaskStore } from "../ports/task.ts";

export const clockOfTask = {
	shape: {
		clock: timestamp
			.nullable()
			.describe("The current time of a test task, which its owner can advance. Null for a draft and for every other task."),
	},
	example: { clock: null },
	ofDraft: () => ({ clock: null }),
	read: ({ now }: TaskStore, { isTest, status }: TaskRow) => ({ clock: isTest && status !== "draft" ? toIso(now) : null }),
};
