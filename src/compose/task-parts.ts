// The parts of a Task object: its verbs, the duties of its alarm, and the functions that follow its changes.

import { attachmentVerbs } from "../features/competition/attachments/routes.ts";
import { dashboardVerbs } from "../features/competition/dashboard/routes.ts";
import { trialVerbs } from "../features/competition/dry-runs/routes.ts";
import { readEvaluations } from "../features/competition/evaluation/list-evaluations.ts";
import { claim, finish, renew, superviseJobs } from "../features/competition/evaluation/loop.ts";
import { sendMessages } from "../features/competition/evaluation/messages.ts";
import { readScorable, writeOutsideScore } from "../features/competition/evaluation/post-external-score.ts";
import { allowCalls, pinImage, recordRun } from "../features/competition/evaluation/record.ts";
import { admitReEvaluation, reEvaluate } from "../features/competition/evaluation/request-re-evaluation.ts";
import { finalRoundVerbs } from "../features/competition/final-round/routes.ts";
import { leaderboardVerbs } from "../features/competition/leaderboard/routes.ts";
import { lifecycleDuties, lifecycleVerbs } from "../features/competition/lifecycle/routes.ts";
import { operatingVerbs } from "../features/competition/operating/routes.ts";
import { publicReadingVerbs } from "../features/competition/public-reading/routes.ts";
import { followTask } from "../features/competition/search/follow-task.ts";
import { searchVerbs } from "../features/competition/search/routes.ts";
import { readSignatures } from "../features/competition/similarity/list-similar.ts";
import { readCheckable } from "../features/competition/submission-check/check-submission.ts";
import { complete, refuseArtifact } from "../features/competition/submissions/complete-submission.ts";
import { register } from "../features/competition/submissions/create-submission.ts";
import { readExportPage } from "../features/competition/submissions/export-task.ts";
import { readArtifactKey } from "../features/competition/submissions/get-artifact.ts";
import { readStatus } from "../features/competition/submissions/get-submission-status.ts";
import { listOwn } from "../features/competition/submissions/list-submissions.ts";
import { listReceived } from "../features/competition/submissions/list-task-submissions.ts";
import { readUploadEnd } from "../features/competition/submissions/put-artifact.ts";
import { admit, submit } from "../features/competition/submissions/quick-submit.ts";
import { readShown } from "../features/competition/submissions/read-submission.ts";
import { forgetReplies } from "../features/competition/submissions/replies.ts";
import { hasSubmission } from "../features/competition/submissions/reservations.ts";
import { readUploadable, recordArtifact } from "../features/competition/submissions/uploads.ts";
import { voidSubmission } from "../features/competition/submissions/void-submission.ts";
import { taskDuties, taskVerbs } from "../features/competition/tasks/routes.ts";
import { deleteObjects } from "../features/competition/tasks/stored-objects.ts";
import { streamFollowers, streamListeners, streamVerbs } from "../features/events/streams/routes.ts";
import { fanOutFromTask } from "../features/events/task-webhooks/follow-task.ts";
import type { TaskVerb } from "../ports/task.ts";
import type { TaskParts } from "./task-runtime.ts";

/** Verbs of any input and output, by name. `callTask` knows their types. */
function byName(verbs: readonly TaskVerb<never, unknown>[]): TaskParts["verbs"] {
	return new Map(verbs.map((verb) => [verb.name, verb]));
}

export const TASK_PARTS: TaskParts = {
	verbs: byName([
		...taskVerbs,
		...lifecycleVerbs,
		...[admit, submit, register, readUploadable, recordArtifact, complete, refuseArtifact, voidSubmission],
		...[readShown, readStatus, readArtifactKey, readUploadEnd, listOwn, listReceived, readExportPage, hasSubmission],
		readCheckable,
		...leaderboardVerbs,
		...finalRoundVerbs,
		readSignatures,
		...searchVerbs,
		...dashboardVerbs,
		...attachmentVerbs,
		...publicReadingVerbs,
		...streamVerbs,
		...operatingVerbs,
		...[claim, renew, finish, recordRun, pinImage, allowCalls],
		...[readEvaluations, admitReEvaluation, reEvaluate, readScorable, writeOutsideScore],
		...trialVerbs,
	]),
	duties: [...lifecycleDuties, ...taskDuties, forgetReplies, superviseJobs],
	createFollowers: () => [sendMessages, ...streamFollowers()],
	listeners: [...streamListeners, fanOutFromTask, followTask],
	deleteStored: deleteObjects,
};
