// The parts of a Task object: its verbs, the duties of its alarm, and the functions that follow its changes.
import { attachmentVerbs } from "../features/competition/attachments/routes.ts";
import { dashboardVerbs } from "../features/competition/dashboard/routes.ts";
import { trialVerbs } from "../features/competition/dry-runs/routes.ts";
import { evaluationDuties, evaluationFollowers, evaluationVerbs } from "../features/competition/evaluation/routes.ts";
import { finalRoundVerbs } from "../features/competition/final-round/routes.ts";
import { leaderboardVerbs } from "../features/competition/leaderboard/routes.ts";
import { lifecycleDuties, lifecycleVerbs } from "../features/competition/lifecycle/routes.ts";
import { operatingVerbs } from "../features/competition/operating/routes.ts";
import { publicReadingVerbs } from "../features/competition/public-reading/routes.ts";
import { followTask } from "../features/competition/search/follow-task.ts";
import { searchVerbs } from "../features/competition/search/routes.ts";
import { similarityVerbs } from "../features/competition/similarity/routes.ts";
import { submissionCheckVerbs } from "../features/competition/submission-check/routes.ts";
import { submissionDuties, submissionVerbs } from "../features/competition/submissions/routes.ts";
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
	duties: [...lifecycleDuties, ...taskDuties, ...submissionDuties, ...evaluationDuties],
	createFollowers: () => [...evaluationFollowers, ...streamFollowers()],
	listeners: [...streamListeners, fanOutFromTask, followTask],
	deleteStored: deleteObjects,
};
