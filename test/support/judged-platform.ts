// The platform with a judge of the test's choice: its own app, and a queue that the test works off by hand on a clock of its own.
import { createApp } from "../../src/app.ts";
import { readSpendSettings, spendVariables } from "../../src/config/spend-settings.ts";
import { runEvaluation } from "../../src/features/evaluation/service.ts";
import type { Judge } from "../../src/ports/judge.ts";
import { createClient } from "./client.ts";
import { manualClock, recordingQueue, testDeps } from "./deps.ts";
import type { RegisteredClient } from "./scenario.ts";

const MAX_LOOKS = 50;

export function judgedPlatform(judge: Judge | null, spend: Readonly<Record<string, string>> = {}) {
	/** The variables that set ceilings. Tests change them, as an operator does. */
	const ceilings = { ...spend };
	const queue = recordingQueue();
	const clock = manualClock();
	const openDeps = () => {
		const deps = testDeps({ judge, clock });
		const config = { ...deps.config, spend: readSpendSettings(spendVariables.parse(ceilings)) };
		return { ...deps, config, queues: { ...deps.queues, evaluation: queue } };
	};
	const app = createApp(openDeps);
	return {
		ceilings,
		clock,
		queue,
		openDeps,
		/** The same caller, talking to this platform. */
		as: (caller: RegisteredClient): RegisteredClient => ({
			...createClient({ key: caller.key, fetch: (request) => app.fetch(request) }),
			agentId: caller.agentId,
			key: caller.key,
		}),
		anybody: createClient({ fetch: (request) => app.fetch(request) }),
		/** Works the queue off, moving the clock on to each next look; the delays in milliseconds. */
		async workOff(): Promise<number[]> {
			const delays: number[] = [];
			for (let sent = queue.sent.shift(); sent !== undefined; sent = queue.sent.shift()) {
				for (let look = 0; look < MAX_LOOKS; look += 1) {
					const next = await runEvaluation(openDeps(), sent.message.jobId);
					if (next === null) break;
					delays.push(next.delayMs);
					clock.advance(next.delayMs);
				}
			}
			return delays;
		},
	};
}
