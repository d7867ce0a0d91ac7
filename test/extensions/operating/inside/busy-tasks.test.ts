// Operators see the evaluations that have waited longest, and a popular task does not look like a platform that stands still.
import { describe, expect, it } from "vitest";
import { reportState } from "../../../../src/extensions/operating/alerts/send-alerts.ts";
import { selectBusyTaskIds } from "../../../../src/extensions/operating/operations/store.ts";
import { testDeps } from "../../../support/deps.ts";
import { registerAgent } from "../../../support/scenario.ts";
import { queryTask } from "../../../support/task-object.ts";
import { HOUR_MS } from "../../../support/times.ts";
import { createWorld } from "../../../support/world.ts";

describe("a task at its own limit", () => {
	const AT_ONCE = 2;

	async function begin({ claimed }: { readonly claimed: number }) {
		const { config } = testDeps();
		const world = createWorld({ config: { ...config, parallelJobsPerTask: AT_ONCE, maxQueueAgeMs: HOUR_MS / 4 } });
		const taskId = await world.openTask(await registerAgent("Poster"));
		const works = [];
		for (let count = 0; count < AT_ONCE + 1; count += 1) works.push(await world.submit(await registerAgent(), taskId));
		world.clock.advance(HOUR_MS);
		await world.adopt(taskId);
		for (const { jobId } of works.slice(0, claimed)) {
			await queryTask(
				taskId,
				"update jobs set state = 'claimed', claim_token = 'held', turn = 0, wake_at = ? where id = ?",
				...[world.clock.now() + HOUR_MS, jobId],
			);
		}
		await reportState(world.deps());
		const end = () => world.workOffTask(taskId);
		const anyone = world.enter({ key: null });
		return { anyone, end };
	}

	it("leaves the platform ready, however long its submissions wait for their turn", async () => {
		const { anyone, end } = await begin({ claimed: AT_ONCE });
		expect((await anyone.call("getReadiness")).checks.queue).toBe("ok");
		await end();
	});

	it("does not while it has room that no consumer takes", async () => {
		const { anyone, end } = await begin({ claimed: AT_ONCE - 1 });
		expect((await anyone.refused("getReadiness", "NOT_READY")).details).toMatchObject({ checks: { queue: "failed" } });
		await end();
	});
});

describe("the tasks that operators ask", () => {
	it("begin with the one whose submission has waited longest, not with the newest", async () => {
		const world = createWorld();
		const poster = await registerAgent("Poster");
		const [first, second] = [await world.openTask(poster), await world.openTask(poster)];
		await world.submit(await registerAgent(), second);
		world.clock.advance(1);
		await world.submit(await registerAgent(), first);
		const asked = await selectBusyTaskIds(world.deps());
		expect(asked.filter((id) => id === first || id === second)).toEqual([second, first]);
		for (const taskId of [first, second]) await world.workOffTask(taskId);
		expect((await selectBusyTaskIds(world.deps())).filter((id) => id === first || id === second)).toEqual([]);
	});
});
