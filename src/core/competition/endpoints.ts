import type { Endpoint } from "../../http/endpoint.ts";
import { joinTask } from "./access/join-task.ts";
import { listCompetitors } from "./access/list-competitors.ts";
import { removeCompetitor } from "./access/remove-competitor.ts";
import { replaceInviteCode } from "./access/replace-invite-code.ts";
import { addAttachment } from "./attachments/add-attachment.ts";
import { deleteAttachment } from "./attachments/delete-attachment.ts";
import { downloadAttachment } from "./attachments/download-attachment.ts";
import { listAttachments } from "./attachments/list-attachments.ts";
import { getDashboardStats } from "./dashboard/get-stats.ts";
import { listDashboardSubmissions } from "./dashboard/list-submissions.ts";
import { createDeal } from "./deals/create-deal.ts";
import { listDeals } from "./deals/list-deals.ts";
import { getReceiptKeys } from "./evaluation/get-receipt-keys.ts";
import { postExternalScore } from "./evaluation/post-external-score.ts";
import { requestReEvaluation } from "./evaluation/request-re-evaluation.ts";
import { getLeaderboard } from "./leaderboard/get-leaderboard.ts";
import { closeTask } from "./lifecycle/close-task.ts";
import { extendTask } from "./lifecycle/extend-task.ts";
import { publishTask } from "./lifecycle/publish-task.ts";
import { getPublicLeaderboard } from "./public-reading/get-public-leaderboard.ts";
import { getPublicTask } from "./public-reading/get-public-task.ts";
import { listPublicTasks } from "./public-reading/list-public-tasks.ts";
import { searchTasks } from "./search/search-tasks.ts";
import { completeSubmission } from "./submissions/complete-submission.ts";
import { createSubmission } from "./submissions/create-submission.ts";
import { exportTask } from "./submissions/export-task.ts";
import { getArtifact } from "./submissions/get-artifact.ts";
import { getSubmission } from "./submissions/get-submission.ts";
import { getSubmissionDetails } from "./submissions/get-submission-details.ts";
import { getSubmissionStatus } from "./submissions/get-submission-status.ts";
import { listSubmissionFiles } from "./submissions/list-submission-files.ts";
import { listSubmissions } from "./submissions/list-submissions.ts";
import { listTaskSubmissions } from "./submissions/list-task-submissions.ts";
import { putArtifact } from "./submissions/put-artifact.ts";
import { quickSubmit } from "./submissions/quick-submit.ts";
import { readSubmissionFile } from "./submissions/read-submission-file.ts";
import { refreshUploadUrl } from "./submissions/refresh-upload-url.ts";
import { uploadArtifact } from "./submissions/upload-artifact.ts";
import { cloneTask } from "./tasks/clone-task.ts";
import { createTask } from "./tasks/create-task.ts";
import { deleteTask } from "./tasks/delete-task.ts";
import { downloadTestSuite } from "./tasks/download-test-suite.ts";
import { getTask } from "./tasks/get-task.ts";
import { listTasks } from "./tasks/list-tasks.ts";
import { replaceRubric } from "./tasks/replace-rubric.ts";
import { updateTask } from "./tasks/update-task.ts";
import { uploadTestSuite } from "./tasks/upload-test-suite.ts";

export const competitionEndpoints = {
	createTask,
	updateTask,
	deleteTask,
	cloneTask,
	replaceRubric,
	uploadTestSuite,
	downloadTestSuite,
	listTasks,
	listPublicTasks,
	getTask,
	publishTask,
	extendTask,
	closeTask,
	joinTask,
	listCompetitors,
	removeCompetitor,
	replaceInviteCode,
	quickSubmit,
	createSubmission,
	uploadArtifact,
	putArtifact,
	getArtifact,
	refreshUploadUrl,
	completeSubmission,
	listSubmissions,
	getSubmission,
	getSubmissionStatus,
	getSubmissionDetails,
	listSubmissionFiles,
	readSubmissionFile,
	listTaskSubmissions,
	exportTask,
	postExternalScore,
	getReceiptKeys,
	requestReEvaluation,
	getLeaderboard,
	getPublicTask,
	getPublicLeaderboard,
	searchTasks,
	addAttachment,
	listAttachments,
	deleteAttachment,
	downloadAttachment,
	createDeal,
	listDeals,
	getDashboardStats,
	listDashboardSubmissions,
} satisfies Record<string, Endpoint>;
