// A Task object has these parts: its verbs, the duties of its alarm, and the functions that follow its changes.
import { forgetReplies } from "../db/task/replies.ts";
import { addMember } from "../features/competition/access/join-task.ts";
import { readCompetitors } from "../features/competition/access/list-competitors.ts";
import { removeMember } from "../features/competition/access/remove-competitor.ts";
import { replaceCode } from "../features/competition/access/replace-invite-code.ts";
import { admitAttachment, storeAttachment } from "../features/competition/attachments/add-attachment.ts";
import { removeAttachment } from "../features/competition/attachments/delete-attachment.ts";
import { isAttached } from "../features/competition/attachments/download-attachment.ts";
import { readVisibleAttachments } from "../features/competition/attachments/list-attachments.ts";
import { countCompiling, readForCompiling } from "../features/competition/compiling/compile-rubric.ts";
import { readRank } from "../features/competition/dashboard/get-stats.ts";
import { lacksPick, readUndecided } from "../features/competition/dashboard/list-waiting.ts";
import { readDryRun } from "../features/competition/dry-runs/get-dry-run.ts";
import { readDryRuns } from "../features/competition/dry-runs/list-dry-runs.ts";
import { admitDryRun, storeDryRun } from "../features/competition/dry-runs/start-dry-run.ts";
import { setReference } from "../features/competition/dry-runs/update-dry-run.ts";
import { readEvaluations } from "../features/competition/evaluation/list-evaluations.ts";
import { claimJob, finishJob, renewJob, superviseJobs } from "../features/competition/evaluation/loop.ts";
import { sendMessages } from "../features/competition/evaluation/messages.ts";
import { readScorable, writeOutsideScore } from "../features/competition/evaluation/post-external-score.ts";
import { allowCalls, findReach, pinImage, recordRun } from "../features/competition/evaluation/record.ts";
import { admitReEvaluation, reEvaluateWork } from "../features/competition/evaluation/request-re-evaluation.ts";
import { pickWork } from "../features/competition/final-round/pick-submission.ts";
import { readBoard } from "../features/competition/leaderboard/read-board.ts";
import { closeOwnTask } from "../features/competition/lifecycle/close-task.ts";
import { extendOwnTask } from "../features/competition/lifecycle/extend-task.ts";
import { publishOwnTask } from "../features/competition/lifecycle/publish-task.ts";
import { settleWhenDue } from "../features/competition/lifecycle/settle.ts";
import { eraseTraces, listWork } from "../features/competition/operating/erase-agent.ts";
import { readRowsOf } from "../features/competition/operating/export-agent.ts";
import { inspectTables } from "../features/competition/operating/inspect-task.ts";
import {
	admitRetry,
	countJobs,
	judgeWorkAgain,
	listJobsOfTask,
	lookAtCeilings,
	retryJobOfTask,
} from "../features/competition/operating/jobs.ts";
import { announceCards } from "../features/competition/operating/rebuild-directory.ts";
import { readSealedSecret, replaceSealedSecret } from "../features/competition/operating/reseal-tokens.ts";
import { findUnknownIds, raiseRevisions, readAge } from "../features/competition/operating/rewind-task.ts";
import { readPublicParts } from "../features/competition/public-reading/get-public-task.ts";
import { readPageParts } from "../features/competition/public-reading/page-parts.ts";
import { storeAnswer } from "../features/competition/questions/answer-question.ts";
import { cardAsker, listAskers, storeQuestion } from "../features/competition/questions/ask-question.ts";
import { removeQuestion } from "../features/competition/questions/delete-question.ts";
import { readQuestions } from "../features/competition/questions/list-questions.ts";
import { storeAppeal } from "../features/competition/reviews/create-appeal.ts";
import { readAppeal } from "../features/competition/reviews/get-appeal.ts";
import { readReviews } from "../features/competition/reviews/list-reviews.ts";
import { readReviewable, storeReview } from "../features/competition/reviews/review-submission.ts";
import { keepIndexed } from "../features/competition/search/index-task.ts";
import { readIndexedTask } from "../features/competition/search/rebuild-index.ts";
import { readWorks } from "../features/competition/similarity/compared-works.ts";
import { readCheckable } from "../features/competition/submission-check/check-submission.ts";
import { completeWork, refuseArtifact } from "../features/competition/submissions/complete-submission.ts";
import { admitRegistration, registerSubmission } from "../features/competition/submissions/create-submission.ts";
import { readExportPage } from "../features/competition/submissions/export-task.ts";
import { readArtifactKey } from "../features/competition/submissions/get-artifact.ts";
import { readSubmissionStatus } from "../features/competition/submissions/get-submission-status.ts";
import { listOwnSubmissions } from "../features/competition/submissions/list-submissions.ts";
import { listReceivedSubmissions } from "../features/competition/submissions/list-task-submissions.ts";
import { readUploadEnd } from "../features/competition/submissions/put-artifact.ts";
import { admitFiles, submitFiles } from "../features/competition/submissions/quick-submit.ts";
import { readShownSubmission } from "../features/competition/submissions/read-submission.ts";
import { announceBytes } from "../features/competition/submissions/refresh-upload-url.ts";
import { hasSubmission } from "../features/competition/submissions/reservations.ts";
import { readUploadable, recordArtifact } from "../features/competition/submissions/uploads.ts";
import { voidWork } from "../features/competition/submissions/void-submission.ts";
import { removeTask } from "../features/competition/tasks/delete-task.ts";
import { findTestSuiteKey } from "../features/competition/tasks/download-test-suite.ts";
import { storeDraft } from "../features/competition/tasks/draft.ts";
import { readTaskDetail } from "../features/competition/tasks/get-task.ts";
import { readShownSuite } from "../features/competition/tasks/list-public-cases.ts";
import { replaceCriteria } from "../features/competition/tasks/replace-rubric.ts";
import { setVisibility, takeDown } from "../features/competition/tasks/set-visibility.ts";
import { readOwnRubric } from "../features/competition/tasks/store.ts";
import { collectObjects, deleteObjects } from "../features/competition/tasks/stored-objects.ts";
import { setTestSuite } from "../features/competition/tasks/test-suite.ts";
import { updateOwnTask } from "../features/competition/tasks/update-task.ts";
import { notifyFromTask } from "../features/events/inbox/notify.ts";
import { createPublisher, endStreams, publishBounty } from "../features/events/streams/publisher.ts";
import { readWatchedTask, unwatchTask, watchTask } from "../features/events/streams/topics.ts";
import { fanOutFromTask } from "../features/events/webhooks/fan-out.ts";
import type { TaskVerb } from "../ports/task.ts";
import type { TaskParts } from "./task-runtime.ts";

/** Lists verbs of any input and output by name. `callTask` knows their types. */
function byName(verbs: readonly TaskVerb<never, unknown>[]): TaskParts["verbs"] {
	return new Map(verbs.map((verb) => [verb.name, verb]));
}

export const TASK_PARTS: TaskParts = {
	verbs: byName([
		...[storeDraft, readTaskDetail, readOwnRubric, updateOwnTask, removeTask, replaceCriteria, setTestSuite, findTestSuiteKey],
		...[setVisibility, takeDown, readForCompiling, countCompiling, setReference],
		...[publishOwnTask, extendOwnTask, closeOwnTask],
		...[addMember, readCompetitors, removeMember, replaceCode],
		...[
			admitFiles,
			submitFiles,
			admitRegistration,
			registerSubmission,
			readUploadable,
			announceBytes,
			recordArtifact,
			completeWork,
			refuseArtifact,
			voidWork,
		],
		...[
			readShownSubmission,
			readSubmissionStatus,
			readArtifactKey,
			readUploadEnd,
			listOwnSubmissions,
			listReceivedSubmissions,
			readExportPage,
			hasSubmission,
		],
		readCheckable,
		readBoard,
		readIndexedTask,
		pickWork,
		readWorks,
		readRank,
		readUndecided,
		lacksPick,
		...[admitAttachment, storeAttachment, readVisibleAttachments, readShownSuite, isAttached, removeAttachment],
		...[readPublicParts, readPageParts],
		...[storeAppeal, readAppeal, readReviews, readReviewable, storeReview],
		...[storeQuestion, storeAnswer, removeQuestion, readQuestions, listAskers],
		...[watchTask, unwatchTask, readWatchedTask],
		...[announceCards, inspectTables, readAge, raiseRevisions, findUnknownIds, listWork, eraseTraces, readRowsOf],
		...[readSealedSecret, replaceSealedSecret, listJobsOfTask, countJobs, lookAtCeilings, admitRetry, retryJobOfTask, judgeWorkAgain],
		...[admitDryRun, storeDryRun, readDryRun, readDryRuns],
		...[claimJob, renewJob, finishJob, recordRun, pinImage, allowCalls, findReach],
		...[readEvaluations, admitReEvaluation, reEvaluateWork, readScorable, writeOutsideScore],
	]),
	createFollowers: () => [sendMessages, createPublisher()],
	listeners: [
		{ name: "askers", listen: cardAsker },
		{ name: "bounties", listen: publishBounty },
		{ name: "streams", listen: endStreams },
		{ name: "webhooks", listen: fanOutFromTask },
		{ name: "inboxes", listen: notifyFromTask },
	],
	duties: [settleWhenDue, collectObjects, forgetReplies, superviseJobs, keepIndexed],
	deleteStored: deleteObjects,
};
