// A Task object has these parts: its verbs, the duties of its alarm, and the functions that follow its changes.
import { forgetReplies } from "../db/task/replies.ts";
import { addMember } from "../features/competition/access/join-task.ts";
import { readCompetitors } from "../features/competition/access/list-competitors.ts";
import { removeMember } from "../features/competition/access/remove-competitor.ts";
import { replaceCode } from "../features/competition/access/replace-invite-code.ts";
import { admitAttachment, attach } from "../features/competition/attachments/add-attachment.ts";
import { detach } from "../features/competition/attachments/delete-attachment.ts";
import { isAttached } from "../features/competition/attachments/download-attachment.ts";
import { readVisibleAttachments } from "../features/competition/attachments/list-attachments.ts";
import { beginCompiling, endCompiling, readForCompiling } from "../features/competition/compiling/compile-rubric.ts";
import { readRank } from "../features/competition/dashboard/get-stats.ts";
import { lacksPick, readUndecided } from "../features/competition/dashboard/list-waiting.ts";
import { readDryRun } from "../features/competition/dry-runs/get-dry-run.ts";
import { readDryRuns } from "../features/competition/dry-runs/list-dry-runs.ts";
import { admitDryRun, storeDryRun } from "../features/competition/dry-runs/start-dry-run.ts";
import { setReference } from "../features/competition/dry-runs/update-dry-run.ts";
import { readEvaluations } from "../features/competition/evaluation/list-evaluations.ts";
import { claim, finish, renew, superviseJobs } from "../features/competition/evaluation/loop.ts";
import { sendMessages } from "../features/competition/evaluation/messages.ts";
import { readScorable, writeOutsideScore } from "../features/competition/evaluation/post-external-score.ts";
import { findReach, pinImage, recordRun, reserveUnderCeiling } from "../features/competition/evaluation/record.ts";
import { admitReEvaluation, reEvaluate } from "../features/competition/evaluation/request-re-evaluation.ts";
import { pick } from "../features/competition/final-round/pick-submission.ts";
import { noteFunds } from "../features/competition/funds/funds.ts";
import { readBoard } from "../features/competition/leaderboard/read-board.ts";
import { close } from "../features/competition/lifecycle/close-task.ts";
import { extend } from "../features/competition/lifecycle/extend-task.ts";
import { publish } from "../features/competition/lifecycle/publish-task.ts";
import { settleWhenDue } from "../features/competition/lifecycle/settle.ts";
import { eraseTraces, listWork } from "../features/competition/operating/erase-agent.ts";
import { readRowsOf } from "../features/competition/operating/export-agent.ts";
import { inspect } from "../features/competition/operating/inspect-task.ts";
import {
	admitRetry,
	countJobs,
	judgeAgain,
	listJobsOfTask,
	lookAtCeilings,
	retryJobOfTask,
} from "../features/competition/operating/jobs.ts";
import { announce } from "../features/competition/operating/rebuild-directory.ts";
import { readSealedSecret, replaceSealedSecret } from "../features/competition/operating/reseal-tokens.ts";
import { findUnknown, readAge, renumber } from "../features/competition/operating/rewind-task.ts";
import { readPublic } from "../features/competition/public-reading/get-public-task.ts";
import { readPageParts } from "../features/competition/public-reading/page-parts.ts";
import { answer } from "../features/competition/questions/answer-question.ts";
import { ask, cardAsker, listAskers } from "../features/competition/questions/ask-question.ts";
import { removeQuestion } from "../features/competition/questions/delete-question.ts";
import { readQuestions } from "../features/competition/questions/list-questions.ts";
import { appeal } from "../features/competition/reviews/create-appeal.ts";
import { readAppeal } from "../features/competition/reviews/get-appeal.ts";
import { readReviews } from "../features/competition/reviews/list-reviews.ts";
import { decide, readReviewable } from "../features/competition/reviews/review-submission.ts";
import { keepIndexed } from "../features/competition/search/index-task.ts";
import { readIndexed } from "../features/competition/search/rebuild-index.ts";
import { readWorks } from "../features/competition/similarity/compared-works.ts";
import { readCheckable } from "../features/competition/submission-check/check-submission.ts";
import { complete, refuseArtifact } from "../features/competition/submissions/complete-submission.ts";
import { admitRegistration, register } from "../features/competition/submissions/create-submission.ts";
import { readExportPage } from "../features/competition/submissions/export-task.ts";
import { readArtifactKey } from "../features/competition/submissions/get-artifact.ts";
import { readStatus } from "../features/competition/submissions/get-submission-status.ts";
import { listOwn } from "../features/competition/submissions/list-submissions.ts";
import { listReceived } from "../features/competition/submissions/list-task-submissions.ts";
import { readUploadEnd } from "../features/competition/submissions/put-artifact.ts";
import { admitFiles, submit } from "../features/competition/submissions/quick-submit.ts";
import { readShown } from "../features/competition/submissions/read-submission.ts";
import { announceBytes } from "../features/competition/submissions/refresh-upload-url.ts";
import { hasSubmission } from "../features/competition/submissions/reservations.ts";
import { readUploadable, recordArtifact } from "../features/competition/submissions/uploads.ts";
import { voidWork } from "../features/competition/submissions/void-submission.ts";
import { remove } from "../features/competition/tasks/delete-task.ts";
import { findTestSuiteKey } from "../features/competition/tasks/download-test-suite.ts";
import { storeDraft } from "../features/competition/tasks/draft.ts";
import { readDetail } from "../features/competition/tasks/get-task.ts";
import { readShownSuite } from "../features/competition/tasks/list-public-cases.ts";
import { replaceCriteria } from "../features/competition/tasks/replace-rubric.ts";
import { setVisibility, takeDown } from "../features/competition/tasks/set-visibility.ts";
import { readOwn } from "../features/competition/tasks/store.ts";
import { collectObjects, deleteObjects } from "../features/competition/tasks/stored-objects.ts";
import { setTestSuite } from "../features/competition/tasks/test-suite.ts";
import { update } from "../features/competition/tasks/update-task.ts";
import { notifyFromTask } from "../features/events/inbox/notify.ts";
import { createPublisher, endStreams, publishBounty } from "../features/events/streams/publisher.ts";
import { readWatchedTask, unwatch, watch } from "../features/events/streams/topics.ts";
import { fanOutFromTask } from "../features/events/webhooks/fan-out.ts";
import type { TaskVerb } from "../ports/task.ts";
import type { TaskParts } from "./task-runtime.ts";

/** Lists verbs of any input and output by name. `callTask` knows their types. */
function byName(verbs: readonly TaskVerb<never, unknown>[]): TaskParts["verbs"] {
	return new Map(verbs.map((verb) => [verb.name, verb]));
}

export const TASK_PARTS: TaskParts = {
	verbs: byName([
		...[storeDraft, readDetail, readOwn, update, remove, replaceCriteria, setTestSuite, findTestSuiteKey],
		...[setVisibility, takeDown, readForCompiling, beginCompiling, endCompiling, setReference],
		...[publish, extend, close],
		...[addMember, readCompetitors, removeMember, replaceCode],
		...[admitFiles, submit, admitRegistration, register, readUploadable, announceBytes, recordArtifact, complete, refuseArtifact, voidWork],
		...[readShown, readStatus, readArtifactKey, readUploadEnd, listOwn, listReceived, readExportPage, hasSubmission],
		readCheckable,
		readBoard,
		readIndexed,
		pick,
		readWorks,
		readRank,
		readUndecided,
		lacksPick,
		...[admitAttachment, attach, readVisibleAttachments, readShownSuite, isAttached, detach],
		...[readPublic, readPageParts, noteFunds],
		...[appeal, readAppeal, readReviews, readReviewable, decide],
		...[ask, answer, removeQuestion, readQuestions, listAskers],
		...[watch, unwatch, readWatchedTask],
		...[announce, inspect, readAge, renumber, findUnknown, listWork, eraseTraces, readRowsOf],
		...[readSealedSecret, replaceSealedSecret, listJobsOfTask, countJobs, lookAtCeilings, admitRetry, retryJobOfTask, judgeAgain],
		...[admitDryRun, storeDryRun, readDryRun, readDryRuns],
		...[claim, renew, finish, recordRun, pinImage, reserveUnderCeiling, findReach],
		...[readEvaluations, admitReEvaluation, reEvaluate, readScorable, writeOutsideScore],
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
