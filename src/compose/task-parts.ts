// A Task object has these parts: its verbs, the duties of its alarm, and the functions that follow its changes.
import { attachmentVerbs } from "../features/competition/attachments/routes.ts";
import { dashboardVerbs } from "../features/competition/dashboard/routes.ts";
import { trialVerbs } from "../features/competition/dry-runs/routes.ts";
import { evaluationDuties, evaluationFollowers, evaluationVerbs } from "../features/competition/evaluation/routes.ts";
import { finalRoundVerbs } from "../features/competition/final-round/routes.ts";
import { leaderboardVerbs } from "../features/competition/leaderboard/routes.ts";
import { close } from "../features/competition/lifecycle/close-task.ts";
import { extend } from "../features/competition/lifecycle/extend-task.ts";
import { publish } from "../features/competition/lifecycle/publish-task.ts";
import { settleWhenDue } from "../features/competition/lifecycle/settle.ts";
import { operatingVerbs } from "../features/competition/operating/routes.ts";
import { publicReadingVerbs } from "../features/competition/public-reading/routes.ts";
import { followTask } from "../features/competition/search/follow-task.ts";
import { searchVerbs } from "../features/competition/search/routes.ts";
import { similarityVerbs } from "../features/competition/similarity/routes.ts";
import { submissionCheckVerbs } from "../features/competition/submission-check/routes.ts";
import { submissionDuties, submissionVerbs } from "../features/competition/submissions/routes.ts";
import { collectObjects } from "../features/competition/tasks/collect.ts";
import { remove } from "../features/competition/tasks/delete-task.ts";
import { findTestSuiteKey } from "../features/competition/tasks/download-test-suite.ts";
import { storeDraft } from "../features/competition/tasks/draft.ts";
import { readDetail } from "../features/competition/tasks/get-task.ts";
import { replaceCriteria } from "../features/competition/tasks/replace-rubric.ts";
import { setVisibility, takeDown } from "../features/competition/tasks/set-visibility.ts";
import { readOwn } from "../features/competition/tasks/store.ts";
import { deleteObjects } from "../features/competition/tasks/stored-objects.ts";
import { setTestSuite } from "../features/competition/tasks/test-suite.ts";
import { update } from "../features/competition/tasks/update-task.ts";
import { streamFollowers, streamListeners, streamVerbs } from "../features/events/streams/routes.ts";
import { fanOutFromTask } from "../features/events/task-webhooks/follow-task.ts";
import type { TaskVerb } from "../ports/task.ts";
import type { TaskParts } from "./task-runtime.ts";

/** Lists verbs of any input and output by name. `callTask` knows their types. */
function byName(verbs: readonly TaskVerb<never, unknown>[]): TaskParts["verbs"] {
	return new Map(verbs.map((verb) => [verb.name, verb]));
}

export const TASK_PARTS: TaskParts = {
	verbs: byName([
		...[storeDraft, readDetail, readOwn, update, remove, replaceCriteria, setTestSuite, findTestSuiteKey],
		...[setVisibility, takeDown],
		...[publish, extend, close],
		...submissionVerbs,
		...submissionCheckVerbs,
		...leaderboardVerbs,
		...finalRoundVerbs,
		...similarityVerbs,
		...searchVerbs,
		...dashboardVerbs,
		...attachmentVerbs,
		...publicReadingVerbs,
		...streamVerbs,
		...operatingVerbs,
		...evaluationVerbs,
		...trialVerbs,
	]),
	duties: [settleWhenDue, collectObjects, ...submissionDuties, ...evaluationDuties],
	createFollowers: () => [...evaluationFollowers, ...streamFollowers()],
	listeners: [...streamListeners, fanOutFromTask, followTask],
	deleteStored: deleteObjects,
};
