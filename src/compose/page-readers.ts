// The functions that read the tasks which pages show.
import { getPublicLeaderboard as getPublicBoard } from "../features/competition/leaderboard/read-board.ts";
import { listNewestTasks as listNewestCards } from "../features/competition/public-reading/newest-tasks.ts";
import { getPublicTask as getPublicTaskObject } from "../features/competition/public-reading/public-task.ts";
import { listPublicTasks as listPublicCards } from "../features/competition/tasks/list-tasks.ts";
import type { PageReaders } from "../features/pages/readers.ts";
import { getPublicLeaderboard, getPublicTask, listNewestTasks } from "../features/public-reading/service.ts";
import { searchOpenTasks } from "../features/search/service.ts";
import { listPublicTasks } from "../features/tasks/lists.ts";
import { usesTaskObjects } from "./house.ts";

const tableReaders: PageReaders = { getPublicLeaderboard, getPublicTask, listNewestTasks, listPublicTasks, searchOpenTasks };

const objectReaders: PageReaders = {
	...tableReaders,
	getPublicLeaderboard: getPublicBoard,
	getPublicTask: getPublicTaskObject,
	listNewestTasks: listNewestCards,
	listPublicTasks: listPublicCards,
};

export const pageReaders = usesTaskObjects ? objectReaders : tableReaders;
