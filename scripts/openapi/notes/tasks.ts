import { TASK } from "../../../src/domain/example-story.ts";
import { searchTasks } from "../../../src/features/competition/search/contract.ts";
import { notesOn } from "./operation-notes.ts";

export const taskNotes = [
	notesOn(searchTasks, {
		page: "guides/search",
		query: { query: 'csv OR "bank export"', status: "open", category: TASK.category, limit: "20" },
		responses: { found: { value: { data: [{ ...TASK, rank: 2 }], has_more: false, next_cursor: null } } },
	}),
];
