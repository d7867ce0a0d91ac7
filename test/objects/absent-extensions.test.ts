// The core can be deployed over a whole platform. Jobs of extensions that it does not have rest in the object until these are back.
import { expect, it, onTestFinished } from "vitest";
import { TASK_PARTS } from "#platform";
import { claimJob } from "../../src/core/competition/evaluation/loop.ts";
import { pauseJobs } from "../../src/core/competition/evaluation/pause.ts";
import { findWakeTime, selectDue } from "../../src/core/competition/judgements/jobs.ts";
import { jobs } from "../../src/db/task/schema/judging.ts";
import type { TaskStore } from "../../src/ports/task.ts";
import { silenceRealTasks } from "../support/held-tasks.ts";
import { openTask, registerAgent, submit } from "../support/scenario.ts";
import { inTask, queryTask } from "../support/task-object.ts";

const [poster, agent] = [await registerAgent("Poster"), await registerAgent("Builder")];

/** Leaves only the kinds of the core. Returns a function that undoes it. */
function removeExtensions(): () => void {
	const all = TASK_PARTS.joints.jobs;
	const ofCore = all.filter(({ kind, isBound }) => ["evaluation", "stop_runs"].includes(kind) && isBound !== true);
	expect([ofCore.length, all.length > 2]).toEqual([2, true]);
	Object.assign(TASK_PARTS.joints, { jobs: ofCore });
	return () => void Object.assign(TASK_PARTS.joints, { jobs: all });
}

const claim = (task: TaskStore) => claimJob.run(task, { token: crypto.randomUUID(), pause: null })?.job.subjectId ?? null;

it.each([
	["a bound evaluation", { isBound: true }],
	["a dry run", { kind: "dry_run" }],
] as const)("without its extension, %s is not claimed, woken or paused, and it stays", async (_, change) => {
	onTestFinished(silenceRealTasks());
	const taskId = await openTask(poster);
	const { id } = await submit(agent, taskId);
	onTestFinished(removeExtensions());
	const ready = { ...change, state: "ready", wakeAt: 1, claimToken: null } as const;
	await inTask(taskId, ({ db }) => db.update(jobs).set(ready).run());
	const seen = await inTask(taskId, (task) => {
		const claimed = claim(task);
		pauseJobs(task, "The judge is switched off.");
		return { claimed, wakeAt: findWakeTime(task), due: selectDue(task).length };
	});
	expect(seen).toEqual({ claimed: null, wakeAt: null, due: 0 });
	expect(await queryTask(taskId, "select state, subject_id from jobs")).toEqual([{ state: "ready", subject_id: id }]);
});
