// `npm run faults`: thousands of faults over the steps of submitting, judging, ranking, notifying and streaming, then an audit.
import { expect, inject, it } from "vitest";
import { act, recover } from "./actions.ts";
import { audit } from "./audit.ts";
import { buildStage } from "./stage.ts";

declare module "vitest" {
	interface ProvidedContext {
		faultRun: { readonly faults: number; readonly seed: number };
	}
}

const FIRST_TASKS = 3;
const { faults: wanted, seed } = inject("faultRun");

it(`nothing is lost or doubled by ${wanted} faults, seed ${seed}`, async () => {
	const stage = await buildStage(seed);
	for (let task = 0; task < FIRST_TASKS; task += 1) await stage.open();
	const total = () => stage.faults.values().reduce((sum, times) => sum + times, 0);
	let actions = 0;
	for (; total() < wanted; actions += 1) {
		await act(stage);
		if (actions % 1000 === 999)
			console.log(`${actions + 1} actions, ${total()} faults, ${stage.acknowledged.size} submissions acknowledged`);
	}
	await recover(stage);
	const held = await audit(stage);
	console.log(JSON.stringify({ seed, actions, faults: Object.fromEntries(stage.faults), ...held }));
	expect(held.submissions).toBeGreaterThan(0);
}, 3_600_000);
