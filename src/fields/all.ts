// Extensions add these fields to the views of the core, which imports them as "#fields". They are spread one by one, so that the compiler
// knows every field. A platform without extensions has none.ts instead.
import type { TaskStore } from "../ports/task.ts";
import { judgeCheckOfTask } from "./judge-check.ts";
import { questionsOfTask } from "./questions.ts";

/** Fields of a task's detail. `ofDraft` is what a draft shows that was just made. */
export const taskFields = {
	shape: { ...judgeCheckOfTask.shape, ...questionsOfTask.shape },
	example: { ...judgeCheckOfTask.example, ...questionsOfTask.example },
	ofDraft: { ...judgeCheckOfTask.ofDraft, ...questionsOfTask.ofDraft },
	read: (task: TaskStore, viewer: { readonly isOwner: boolean }) => ({
		...judgeCheckOfTask.read(task, viewer),
		...questionsOfTask.read(task),
	}),
};

/** Fields of a task as everyone may read it. */
export const publicTaskFields = {
	shape: judgeCheckOfTask.shape,
	example: judgeCheckOfTask.ofDraft,
	read: (task: TaskStore) => judgeCheckOfTask.read(task, { isOwner: false }),
};
