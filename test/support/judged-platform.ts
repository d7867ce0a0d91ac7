// The platform with a judge of the test's choice: its own app, and a queue that the test works off by hand on a clock of its own.
import { readSpendSettings, spendVariables } from "../../src/config/spend-settings.ts";
import type { Judge } from "../../src/ports/judge.ts";
import { testDeps } from "./deps.ts";
import type { RegisteredClient } from "./scenario.ts";
import { createWorld, jobsOf } from "./world.ts";

const MAX_LOOKS = 50;

export function judgedPlatform(judge: Judge | null, spend: Readonly<Record<string, string>> = {}) {
	/** The variables that set ceilings. Tests change them, as an operator does. */
	const ceilings = { ...spend };
	const { config } = testDeps();
	const world = createWorld({
		judge,
		get config() {
			return { ...config, spend: readSpendSettings(spendVariables.parse(ceilings)) };
		},
	});
	return {
		...world,
		ceilings,
		/** The same caller, talking to this platform. */
		as: (caller: RegisteredClient): RegisteredClient => world.enter(caller),
		anybody: world.enter({ key: null }),
		/** Works the queue off, moving the clock on to each next look; the delays in milliseconds. */
		async workOff(): Promise<number[]> {
			const delays: number[] = [];
			const taskIds = new Set(world.tasks.sent.splice(0).map(({ message }) => message.taskId));
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
