// Dry runs and judge checks on a clock and a queue of the test's own. The judge check is on, unlike in the tests' deployment.
import type { GraderSettings } from "../../src/config/env.ts";
import { runTrial } from "../../src/features/trials/run.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { Client } from "./client.ts";
import type { TestDeps } from "./deps.ts";
import { queryAll } from "./storage.ts";
import { createWorld } from "./world.ts";

const MAX_LOOKS = 100;

interface Choices {
	readonly change?: Partial<Deps>;
	readonly grader?: GraderSettings;
	readonly judgeCheck?: boolean;
}

export function createTrialWorld({ change = {}, grader, judgeCheck = true }: Choices = {}) {
	const world = createWorld();
	const deps = (more: Partial<Deps> = {}): TestDeps => {
		const own = world.deps({ ...change, ...more });
		return { ...own, config: { ...own.config, judgeCheck, grader: grader ?? own.config.grader } };
	};
	const look = async (trialId: string, own: TestDeps = deps()) => {
		const next = await runTrial(own, trialId);
		await own.settled();
		return next?.delayMs ?? null;
	};
	/** Looks at a trial until it has ended; the delays between looks in milliseconds. */
	const workOff = async (trialId: string, more: Partial<Deps> = {}): Promise<number[]> => {
		const delays: number[] = [];
		for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
			const delayMs = await look(trialId, deps(more));
			if (delayMs === null) return delays;
			delays.push(delayMs);
			world.clock.advance(delayMs);
		}
		throw new Error("The trial does not end.");
	};
	return {
		...world,
		deps,
		look,
		workOff,
		/** The same caller, on this world's clock and queue. */
		enter: (caller: Pick<Client, "key">, more: Partial<Deps> = {}) => {
			const { config } = deps();
			return world.enter(caller, { config, ...change, ...more });
		},
		/** Works off the judge check of a task. */
		async check(taskId: string, more: Partial<Deps> = {}) {
			for (const { id } of await casesOf(taskId)) await workOff(id, more);
		},
	};
}

export interface TrialState {
	readonly id: string;
	readonly name: string | null;
	readonly status: string;
	readonly faults: number;
	readonly artifact_key: string | null;
	readonly finished_at: number | null;
	readonly give_up_at: number;
}

export function casesOf(taskId: string): Promise<TrialState[]> {
	return queryAll<TrialState>("select * from trials where task_id = ? and kind = 'judge_check' order by created_at, id", taskId);
}
