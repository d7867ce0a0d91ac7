// The parts of a Task object: its verbs, the duties of its alarm, and the functions that follow its changes.
import { assertTakesAttachment, attach } from "../features/competition/attachments/add-attachment.ts";
import { detach } from "../features/competition/attachments/delete-attachment.ts";
import { isAttached } from "../features/competition/attachments/download-attachment.ts";
import { listFiles } from "../features/competition/attachments/list-attachments.ts";
import { readRank } from "../features/competition/dashboard/get-stats.ts";
import { trialVerbs } from "../features/competition/dry-runs/routes.ts";
import { evaluationDuties, evaluationFollowers, evaluationVerbs } from "../features/competition/evaluation/routes.ts";
import { finalRoundVerbs } from "../features/competition/final-round/routes.ts";
import { readBoard } from "../features/competition/leaderboard/read-board.ts";
import { lifecycleDuties, lifecycleVerbs } from "../features/competition/lifecycle/routes.ts";
import { operatingVerbs } from "../features/competition/operating/routes.ts";
import { readPublic } from "../features/competition/public-reading/get-public-task.ts";
import { followTask } from "../features/competition/search/follow-task.ts";
import { searchVerbs } from "../features/competition/search/routes.ts";
import { similarityVerbs } from "../features/competition/similarity/routes.ts";
import { submissionCheckVerbs } from "../features/competition/submission-check/routes.ts";
import { submissionDuties, submissionVerbs } from "../features/competition/submissions/routes.ts";
import { taskDuties, taskVerbs } from "../features/competition/tasks/routes.ts";
import { deleteObjects } from "../features/competition/tasks/stored-objects.ts";
import { createPublisher, endStreams } from "../features/events/streams/publisher.ts";
import { publishBounty } from "../features/events/streams/stream-bounties.ts";
import { readWatchedTask, unwatch, watch } from "../features/events/streams/topics.ts";
import { fanOutFromTask } from "../features/events/webhooks/fan-out.ts";
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
		readBoard,
		...finalRoundVerbs,
		...similarityVerbs,
		...searchVerbs,
		readRank,
		...[assertTakesAttachment, attach, listFiles, isAttached, detach],
		readPublic,
		...[watch, unwatch, readWatchedTask],
		...operatingVerbs,
		...evaluationVerbs,
		...trialVerbs,
	]),
	duties: [...lifecycleDuties, ...taskDuties, ...submissionDuties, ...evaluationDuties],
	createFollowers: () => [...evaluationFollowers, createPublisher()],
	listeners: [publishBounty, endStreams, fanOutFromTask, followTask],
	deleteStored: deleteObjects,
};
