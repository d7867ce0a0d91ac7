// What pages show of tasks, and which functions read it.
import type { getPublicLeaderboard, getPublicTask, listNewestTasks } from "../public-reading/service.ts";
import type { searchOpenTasks } from "../search/service.ts";
import type { listPublicTasks } from "../tasks/lists.ts";

export interface PageReaders {
	readonly getPublicLeaderboard: typeof getPublicLeaderboard;
	readonly getPublicTask: typeof getPublicTask;
	readonly listNewestTasks: typeof listNewestTasks;
	readonly listPublicTasks: typeof listPublicTasks;
	readonly searchOpenTasks: typeof searchOpenTasks;
}
