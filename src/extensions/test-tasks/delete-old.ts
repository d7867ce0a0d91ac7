import { destroyTask } from "../../core/competition/tasks/delete-task.ts";
import { readTask } from "../../core/competition/tasks/store.ts";
import type { TaskDuty } from "../../ports/task.ts";
import { KEPT_MS } from "./rules.ts";

/** Deletes a test task in any status, with all of its data. */
export const deleteOldTest: TaskDuty = {
	name: "delete_test",
	isInRealTime: true,
	dueAt: (task) => {
		const { isTest, createdAt } = readTask(task);
		return isTest ? createdAt + KEPT_MS : null;
	},
	run: destroyTask,
};
