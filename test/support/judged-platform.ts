// Provides the platform with a chosen judge, and a queue that the test works through on a separate clock.
import type { CeilingChanges, CeilingName } from "../../src/domain/spend.ts";
import type { Judge } from "../../src/ports/judge.ts";
import { testDeps } from "./deps.ts";
import type { RegisteredClient } from "./scenario.ts";
import { createWorld, jobsOf } from "./world.ts";

const MAX_LOOKS = 50;

/** The ceilings that differ from the configuration. Tests change them, as an operator does. */
export type Ceilings = Partial<Record<CeilingName, number | null>>;

export function judgedPlatform(judge: Judge | null, changes: CeilingChanges = {}) {
	const ceilings: Ceilings = { ...changes };
	const { config } = testDeps();
	const world = createWorld({
		judge,
		get config() {
			return { ...config, spend: { ...config.spend, ceilings: { ...config.spend.ceilings, ...ceilings } } };
		},
	});
	return {
		...world,
		ceilings,
		/** Returns the same caller on this platform. */
		as: (caller: RegisteredClient): RegisteredClient => world.enter(caller),
		anybody: world.enter({ key: null }),
		/** Works through the queue, moves the clock to each next look, and returns the delays in milliseconds. */
		async workOff(): Promise<number[]> {
			const delays: number[] = [];
			const taskIds = new Set([...world.tasks.sent.splice(0), ...world.checks.sent.splice(0)].map(({ message }) => message.taskId));
			for (const taskId of taskIds) {
				for (const { subject_id: id } of await jobsOf(taskId)) {
					for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
						const delayMs = await world.look({ id, taskId });
						if (delayMs === null) break;
						delays.push(delayMs);
						world.clock.advance(delayMs);
					}
				}
			}
			return delays;
		},
	};
}
