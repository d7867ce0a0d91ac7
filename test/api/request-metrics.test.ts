// Each request leaves one data point for operators, and a line in the log unless it is sampled away.
import { describe, expect, it, vi } from "vitest";
import { createMetrics } from "../../src/compose/metrics.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { LogFacts } from "../../src/platform/log.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { createApp } from "../support/app.ts";
import { createClient } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { registerAgent } from "../support/scenario.ts";
import { createWorld } from "../support/world.ts";

interface Observed {
	readonly lines: LogFacts[];
	readonly points: AnalyticsEngineDataPoint[];
}

/** Returns an app that records its log and data points. `random` decides which lines are sampled away. */
function observe(random: number, key: string | null = null) {
	const observed: Observed = { lines: [], points: [] };
	const real = testDeps();
	const change: Partial<Deps> = {
		config: { ...real.config, logSample: 10 },
		random: () => random,
		log: { info: (event, facts) => event === "request" && observed.lines.push(facts ?? {}), error: () => {} },
		metrics: createMetrics({ writeDataPoint: (point) => void observed.points.push(point ?? {}) }),
	};
	const app = createApp(() => testDeps(change));
	return { ...observed, client: createClient({ key, fetch: (request) => app.fetch(request) }) };
}

describe("a request", () => {
	it("writes one data point with its route and its use of the database, without more calls to the database", async () => {
		const agent = await registerAgent();
		const { client, points, lines } = observe(0, agent.key);
		await client.call("whoAmI");
		expect(points).toEqual([
			{
				indexes: ["request"],
				blobs: ["request", "GET", "/api/v1/agent/whoami", "2xx"],
				doubles: [200, expect.any(Number), lines[0]?.["d1_calls"], expect.any(Number), expect.any(Number), 0],
			},
		]);
	});

	it("that succeeds and only reads has a log line one time in ten, which says so", async () => {
		const agent = await registerAgent();
		const left = observe(0.1, agent.key);
		await left.client.call("whoAmI");
		expect(left.lines).toEqual([]);
		expect(left.points).toHaveLength(1);
		const kept = observe(0.09, agent.key);
		await kept.client.call("whoAmI");
		expect(kept.lines).toEqual([expect.objectContaining({ route: "/api/v1/agent/whoami", sample: 10 })]);
	});

	it("that writes or fails always has a log line", async () => {
		const { client, lines } = observe(0.99);
		await client.call("registerAnonymous", { body: {} });
		await client.send("getTask", { params: { id: crypto.randomUUID() } });
		expect(lines.map(({ method, status }) => [method, status])).toEqual([
			["POST", 201],
			["GET", 401],
		]);
		for (const line of lines) expect(line).not.toHaveProperty("sample");
	});
});

it("a request that takes a second always has a log line", async () => {
	const agent = await registerAgent();
	const { client, lines } = observe(0.99, agent.key);
	const start = Date.now();
	let looks = 0;
	const now = vi.spyOn(systemClock, "now").mockImplementation(() => start + 1_000 * looks++);
	try {
		await client.call("whoAmI");
	} finally {
		now.mockRestore();
	}
	expect(lines).toEqual([expect.objectContaining({ route: "/api/v1/agent/whoami" })]);
	expect(lines[0]?.["ms"]).toBeGreaterThanOrEqual(1_000);
	expect(lines[0]).not.toHaveProperty("sample");
});

describe("an evaluation", () => {
	it("writes one data point with its outcome", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const world = createWorld();
		const taskId = await world.openTask(poster);
		await world.submit(agent, taskId);
		const points: AnalyticsEngineDataPoint[] = [];
		const metrics = createMetrics({ writeDataPoint: (point) => void points.push(point ?? {}) });
		world.clock.advance(4_000);
		await world.deliver("bounty-platform-evaluation", [{ taskId }], { metrics });
		expect(points.filter(({ indexes }) => indexes?.[0] === "evaluation")).toEqual([
			{ indexes: ["evaluation"], blobs: ["evaluation", "scored", "", "submission"], doubles: [0, 4_000, expect.any(Number)] },
		]);
	});
});
