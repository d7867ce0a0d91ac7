import { describe, expect, it } from "vitest";
import { getSubmission } from "../../src/features/competition/submissions/contract.ts";
import { getTask } from "../../src/features/tasks/contract.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { runScheduled } from "../../src/scheduled.ts";
import { hoursFromNow, openTask, registerAgent } from "../support/scenario.ts";
import { createWorld } from "../support/world.ts";

const HOUR_MS = 3_600_000;
const at = (id: string) => ({ params: { id } });

describe("the run of every minute", () => {
	it("moves on whatever alarms, messages and consumers have left behind", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const world = createWorld();
		const overdue = await openTask(poster, { deadline: hoursFromNow(25) });
		const { id, jobId } = await world.submit(agent, overdue);
		world.clock.advance(26 * HOUR_MS);
		world.queue.sent.length = 0;
		await runScheduled(() => world.deps());
		expect(await agent.call(getSubmission, at(id))).toMatchObject({ status: "evaluation_failed" });
		expect(await poster.call(getTask, at(overdue))).toMatchObject({ status: "closed" });
		const later = await world.submit(agent, await openTask(poster, { deadline: hoursFromNow(100) }));
		world.clock.advance(60_000);
		await runScheduled(() => world.deps());
		expect(world.queue.sent.map(({ message }) => message)).toContainEqual({ jobId: later.jobId });
		expect(world.queue.sent.map(({ message }) => message)).not.toContainEqual({ jobId });
	});

	it("continues when one of its sweeps fails, and says which", async () => {
		const poster = await registerAgent();
		const world = createWorld();
		const overdue = await openTask(poster, { deadline: hoursFromNow(25) });
		world.clock.advance(26 * HOUR_MS);
		const errors: unknown[] = [];
		const log: Deps["log"] = { info: () => {}, error: (event, facts) => errors.push({ event, ...facts }) };
		let opened = 0;
		await runScheduled(() => {
			opened += 1;
			const isBroken = opened === 2;
			const clock = { ...world.clock, now: () => (isBroken ? fail() : world.clock.now()) };
			return world.deps({ clock, log });
		});
		expect(errors).toEqual([expect.objectContaining({ event: "sweep_failed", error: "Error: The clock has stopped." })]);
		expect(opened).toBeGreaterThan(2);
		expect(await poster.call(getTask, at(overdue))).toMatchObject({ status: "closed" });
	});
});

function fail(): never {
	throw new Error("The clock has stopped.");
}
