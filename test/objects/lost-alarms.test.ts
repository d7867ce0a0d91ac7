// The runtime can lose an alarm. A sweep notices what an alarm should have done, and no alarm of ours throws.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { keepAlarm } from "../../src/platform/alarms.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { runSweep } from "../../src/queues/sweeps.ts";
import { testDeps } from "../support/deps.ts";
import { manualClock } from "../support/manual-clock.ts";
import { openTask, registerAgent } from "../support/scenario.ts";
import { DAY_MS, MINUTE_MS } from "../support/times.ts";

const poster = await registerAgent("Poster");
const statusOf = async (id: string) => (await poster.call("getTask", { params: { id } })).status;

async function sweepAt(now: number): Promise<void> {
	const deps = testDeps({ clock: manualClock(now) });
	await runSweep(deps, "settle");
	await deps.settled();
}

it("a task whose alarm was lost closes ten minutes after its deadline", async () => {
	const deadline = Date.now() + 2 * DAY_MS;
	const id = await openTask(poster, { deadline: new Date(deadline).toISOString() });
	await runInDurableObject(env.TASK.getByName(id), (_, { storage }) => storage.deleteAlarm());
	await sweepAt(deadline + 9 * MINUTE_MS);
	expect(await statusOf(id)).toBe("open");
	await sweepAt(deadline + 11 * MINUTE_MS);
	expect(await statusOf(id)).toBe("closed");
});

it("a webhook whose deliveries have waited for ten minutes is called", async () => {
	const called: string[] = [];
	const real = testDeps();
	const waiting = crypto.randomUUID();
	const now = Date.UTC(2030, 0, 1);
	await env.DB.prepare(
		`insert into webhooks (id, agent_id, url, host, is_capped, events, format, origin, secret_encrypted, waiting_deliveries, waiting_since, created_at)
		values (?1, ?2, 'https://hooks.example', 'hooks.example', 0, '[]', 'standard', '', '', 1, ?3, 1)`,
	)
		.bind(waiting, poster.agentId, now - 11 * MINUTE_MS)
		.run();
	const hubs = {
		...real.hubs,
		callSender: async (id: string) => {
			called.push(id);
			return undefined as never;
		},
	};
	await runSweep(testDeps({ hubs, clock: manualClock(now) }), "settle");
	expect(called).toEqual([waiting]);
});

it("an alarm that fails is logged and comes again", async () => {
	const log = vi.spyOn(console, "error").mockImplementation(() => {});
	const clock = vi.spyOn(systemClock, "now").mockReturnValue(1_000);
	const setAlarm = vi.fn(async (_at: number | Date) => {});
	await keepAlarm({ setAlarm }, "some_alarm_failed", () => Promise.reject(new Error("no configuration")));
	expect(setAlarm.mock.calls).toEqual([[1_000 + 5 * MINUTE_MS]]);
	expect(String(log.mock.calls[0]?.[0])).toContain("some_alarm_failed");
	log.mockRestore();
	clock.mockRestore();
});
