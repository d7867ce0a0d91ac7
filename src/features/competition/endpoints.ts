// Every endpoint of competition: tasks, submissions, leaderboards, dry runs and deals.
import type { Endpoint } from "../../http/endpoint.ts";
import { addAttachment } from "./attachments/add-attachment.ts";
import { deleteAttachment } from "./attachments/delete-attachment.ts";
import { downloadAttachment } from "./attachments/download-attachment.ts";
import { listAttachments } from "./attachments/list-attachments.ts";
import { getDashboardStats } from "./dashboard/get-stats.ts";
import { listDashboardSubmissions } from "./dashboard/list-submissions.ts";
import { dealEndpoints } from "./deals/routes.ts";
import { trialEndpoints } from "./dry-runs/routes.ts";
import { evaluationEndpoints } from "./evaluation/routes.ts";
import { finalRoundEndpoints } from "./final-round/routes.ts";
import { getLeaderboard } from "./leaderboard/get-leaderboard.ts";
import { closeTask } from "./lifecycle/close-task.ts";
import { extendTask } from "./lifecycle/extend-task.ts";
import { publishTask } from "./lifecycle/publish-task.ts";
import { getBadge } from "./public-reading/get-badge.ts";
import { getJsonFeed } from "./public-reading/get-json-feed.ts";
import { getPublicLeaderboard } from "./public-reading/get-public-leaderboard.ts";
import { getPublicTask } from "./public-reading/get-public-task.ts";
import { getRssFeed } from "./public-reading/get-rss-feed.ts";
import { searchTasks } from "./search/search-tasks.ts";
import { similarityEndpoints } from "./similarity/routes.ts";
import { submissionCheckEndpoints } from "./submission-check/routes.ts";
import { submissionEndpoints } from "./submissions/routes.ts";
import { cloneTask } from "./tasks/clone-task.ts";
import { createTask } from "./tasks/create-task.ts";
import { deleteTask } from "./tasks/delete-task.ts";
import { downloadTestSuite } from "./tasks/download-test-suite.ts";
import { getTask } from "./tasks/get-task.ts";
import { lintTask } from "./tasks/lint-task.ts";
import { listPublicTasks } from "./tasks/list-public-tasks.ts";
import { listTasks } from "./tasks/list-tasks.ts";
import { replaceRubric } from "./tasks/replace-rubric.ts";
import { updateTask } from "./tasks/update-task.ts";
import { uploadTestSuite } from "./tasks/upload-test-suite.ts";

export const competitionEndpoints: readonly Endpoint[] = [
	createTask,
	updateTask,
	deleteTask,
	cloneTask,
	replaceRubric,
	lintTask,
	uploadTestSuite,
	downloadTestSuite,
	listTasks,
	listPublicTasks,
	getTask,
	publishTask,
	extendTask,
	closeTask,
	...submissionEndpoints,
	...submissionCheckEndpoints,
	...evaluationEndpoints,
	...similarityEndpoints,
	...finalRoundEndpoints,
	...trialEndpoints,
	getLeaderboard,
	getPublicTask,
	getPublicLeaderboard,
	getJsonFeed,
	getRssFeed,
	getBadge,
	searchTasks,
	addAttachment,
	listAttachments,
	deleteAttachment,
	downloadAttachment,
	...dealEndpoints,
	getDashboardStats,
	listDashboardSubmissions,
];
