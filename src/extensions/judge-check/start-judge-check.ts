// Publishing a task starts its judge check, which judges submissions that do not deserve a good score, and the poster's references.
import { enqueueJob } from "../../core/competition/judgements/jobs.ts";
import { readTask } from "../../core/competition/tasks/store.ts";
import { type TrialRow, trials } from "../../db/task/schema/judging.ts";
import type { TaskRow } from "../../db/task/schema/task.ts";
import { MODES } from "../../domain/modes.ts";
import { MINUTE_MS, SECOND_MS } from "../../platform/clock.ts";
import type { PublishedFacts, TaskStore } from "../../ports/task.ts";
import { expectedOf, readReferences } from "../dry-runs/trials.ts";
import { JUDGE_CASES } from "./cases.ts";
import { leastOf, limitOf } from "./rules.ts";

/** Added to the time limit of each case. It is long, because cases wait behind submissions, and a provider may be busy. */
const CASE_MARGIN_MS = 30 * MINUTE_MS;
/** Lets notifications about the new task go out before its cases are judged. Locally, one thread does both. */
const CHECK_DELAY_MS = 2 * SECOND_MS;

type NewCase = Pick<TrialRow, "name" | "expectedAtMost" | "expectedAtLeast" | "referenceId" | "expected">;

/** Creates a trial and a job for each case. */
export function startJudgeCheck(task: TaskStore, { criteria, party, payer }: PublishedFacts): [] {
	const published = readTask(task);
	const giveUpAt = task.now + MODES[published.evalMode].timeLimitMs(published.evalTimeoutSeconds) + CASE_MARGIN_MS;
	for (const values of selectCases(task, published, criteria)) {
		const id = task.newId();
		task.db
			.insert(trials)
			.values({ ...values, id, kind: "judge_check", createdAt: task.now })
			.run();
		enqueueJob(task, { kind: "judge_check", subjectId: id, party, fund: "poster", payer, giveUpAt, dueAt: task.now + CHECK_DELAY_MS });
	}
	return [];
}

/**
 * Selects the cases that apply to the task, and one for each reference whose expectations still name a criterion. Selects none if the check
 * is switched off.
 */
function selectCases(task: TaskStore, { evalMode, llmWeight }: TaskRow, criteria: PublishedFacts["criteria"]): NewCase[] {
	if (!task.config.judgeCheck) return [];
	const rubric = { criteria, share: llmWeight };
	const fixed = JUDGE_CASES.filter(({ appliesTo }) => appliesTo(evalMode)).map((one) => {
		return { name: one.name, expectedAtMost: limitOf(one, rubric), expectedAtLeast: null, referenceId: null, expected: null };
	});
	if (!MODES[evalMode].usesJudge) return fixed;
	const references = readReferences(task).flatMap(({ id, name, expected: given }, index) => {
		const expected = expectedOf(given, criteria);
		if (expected === null) return [];
		const expectedAtLeast = leastOf(expected, rubric, task.config.judgeNoise);
		return [{ name: name ?? `reference ${index + 1}`, expectedAtMost: null, expectedAtLeast, referenceId: id, expected }];
	});
	return [...fixed, ...references];
}
