// Provides dry runs and judge checks on a separate clock and queue. The judge check is on, unlike in the tests' deployment.
import type { Config } from "../../src/config/env.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { testDeps } from "./deps.ts";
import { queryTask } from "./task-object.ts";
import { createWorld } from "./world.ts";

interface Choices {
	readonly change?: Partial<Deps>;
	readonly grader?: Config["grader"];
	readonly judgeCheck?: boolean;
	readonly judgeNoise?: number;
	readonly networkCaps?: Config["networkCaps"];
}

export function createTrialWorld({ change = {}, judgeCheck = true, ...choices }: Choices = {}) {
	const { config } = testDeps();
	const world = createWorld({ ...change, config: { ...config, judgeCheck, ...choices } });
	return {
		...world,
		/** Judges all cases of a task's judge check. */
		async check(taskId: string, more: Partial<Deps> = {}) {
			for (const { id } of await casesOf(taskId)) await world.workOff({ id, taskId }, more);
		},
	};
}

export interface CaseState {
	readonly [column: string]: SqlStorageValue;
	readonly id: string;
	readonly name: string;
	readonly status: string;
	/** Null once the case has ended. */
	readonly give_up_at: number | null;
}

/** Returns the cases of a task's judge check, in their order. */
export function casesOf(taskId: string): Promise<CaseState[]> {
	return queryTask<CaseState>(
		taskId,
		`select trials.id, trials.name, trials.status, jobs.give_up_at from trials left join jobs on jobs.subject_id = trials.id
			where trials.kind = 'judge_check' order by trials.created_at, trials.id`,
	);
}
