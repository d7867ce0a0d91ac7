// Plays FAULTS faults over the steps of submitting, judging, ranking, notifying and streaming, then an audit.
import { expect, it, onTestFinished } from "vitest";
import { HOUR_MS } from "../../src/platform/clock.ts";
import { faultRun } from "../support/fault-run.ts";
import { silenceRealTasks } from "../support/held-tasks.ts";
import { act, recover } from "./actions.ts";
import { audit } from "./audit.ts";
import { buildStage } from "./stage.ts";

const FIRST_TASKS = 3;

const { faults: wanted, seed } = faultRun;

it(
	`nothing is lost or doubled by ${wanted} faults, seed ${seed}`,
	async () => {
		const stage = await buildStage(seed);
		onTestFinished(silenceRealTasks());
		for (let task = 0; task < FIRST_TASKS; task += 1) await stage.open();
		const total = () => stage.faults.values().reduce((sum, times) => sum + times, 0);
		const startedAt = Date.now();
		let times = new Map<string, { times: number; ms: number }>();
		let actions = 0;
		for (; total() < wanted; actions += 1) {
			const begun = Date.now();
			const name = await act(stage);
			const known = times.get(name) ?? { times: 0, ms: 0 };
			times.set(name, { times: known.times + 1, ms: known.ms + Date.now() - begun });
			if (actions % 1000 < 999) continue;
			console.log(
				`${actions + 1} actions, ${total()} faults, ${stage.acknowledged.size} submissions acknowledged, in ms: ${meanTimes(times)}`,
			);
			times = new Map();
		}
		await recover(stage);
		const held = await audit(stage);
		const seconds = Math.round((Date.now() - startedAt) / 1000);
		console.log(JSON.stringify({ seed, seconds, actions, faults: Object.fromEntries(stage.faults), ...held }));
		expect(held.submissions).toBeGreaterThan(0);
	},
	12 * HOUR_MS,
);

/** The mean time of each kind of action shows whether the platform slows down as it fills. */
function meanTimes(times: ReadonlyMap<string, { readonly times: number; readonly ms: number }>): string {
	return [...times].map(([name, spent]) => `${name} ${Math.round(spent.ms / spent.times)}`).join(", ");
}
