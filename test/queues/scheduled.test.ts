import { createMessageBatch } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../src/db/client.ts";
import { HOUR_MS, utcMonthOf } from "../../src/platform/clock.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { SWEEP_NAMES, type SweepMessage } from "../../src/ports/queues.ts";
import { consumeBatch } from "../../src/queues/index.ts";
import { runSweep, sendSweeps } from "../../src/queues/sweeps.ts";
import { recordingQueue, testDeps } from "../support/deps.ts";
import { createFleet } from "../support/identities.ts";
import { interceptD1 } from "../support/intercepted-d1.ts";
import { manualClock } from "../support/manual-clock.ts";
import { openTask, registerAgent } from "../support/scenario.ts";

const at = (id: string) => ({ params: { id } });

/** Leaves the state of a request that suspended an agent and died before it hid the agent's tasks. */
async function suspendHalfway(agentId: string, now: number): Promise<void> {
	await env.DB.batch([
		env.DB.prepare("update agents set suspended_at = ? where id = ?").bind(now, agentId),
		env.DB.prepare("insert into standing_changes (id, agent_id, at) values (?, ?, ?)").bind(crypto.randomUUID(), agentId, now),
	]);
}

describe("the run of every minute", () => {
	it("finishes what requests have left undone", async () => {
		const [poster, reader, fleet] = [await registerAgent(), await registerAgent(), await createFleet()];
		const clock = manualClock();
		const child = await fleet.mint();
		const taskId = await openTask(poster);
		// The request died between its reservation and its submission.
		const unit = { month: utcMonthOf(clock.now()), agent: child.agentId, token: fleet.tokenId };
		await env.DB.batch([
			env.DB.prepare(
				"insert into operator_units (id, task_id, operator_token_id, agent_id, month, created_at, is_confirmed) values (?, ?, ?, ?, ?, ?, 0)",
			).bind(crypto.randomUUID(), taskId, unit.token, unit.agent, unit.month, clock.now()),
			env.DB.prepare("insert into operator_usage (operator_token_id, month, used, quota) values (?, ?, 1, 1000)").bind(
				unit.token,
				unit.month,
			),
		]);
		const used = async () => (await fleet.operator.call("listOperatorTokens")).tokens[0]?.used_quota_submissions;
		expect(await used()).toBe(1);
		await suspendHalfway(poster.agentId, clock.now());
		await reader.call("getTask", at(taskId));
		clock.advance(2 * HOUR_MS);
		await runSweep(testDeps({ clock }), "settle");
		expect(await used()).toBe(0);
		await reader.refused("getTask", "NOT_FOUND", at(taskId));
	});

	it("only sends one message for each sweep, also if the queue refuses one", async () => {
		const sweeps = recordingQueue<SweepMessage>();
		const errors: unknown[] = [];
		const log: Deps["log"] = { info: () => {}, error: (event, facts) => errors.push({ event, ...facts }) };
		const send = (message: SweepMessage) => (message.sweep === "settle" ? Promise.reject(new Error("Full.")) : sweeps.send(message));
		const deps = testDeps({ log });
		const own = { ...deps, queues: { ...deps.queues, sweeps: { ...sweeps, send } } };
		await sendSweeps(own);
		expect(sweeps.sent.map(({ message }) => message.sweep)).toEqual(SWEEP_NAMES.filter((sweep) => sweep !== "settle"));
		expect(errors).toEqual([expect.objectContaining({ event: "sweep_not_sent", sweep: "settle" })]);
		expect(own.db.use.calls).toBe(0);
	});

	it("runs each sweep from its message with few calls if nothing is left, and ignores old messages", async () => {
		const written: unknown[] = [];
		const metrics: Deps["metrics"] = { write: (kind, facts) => void (kind === "sweeps" && written.push(facts)) };
		const clock = manualClock();
		const calls: Record<string, number> = {};
		const consume = async (ageMs: number) => {
			for (const sweep of SWEEP_NAMES) {
				const deps = testDeps({ clock, metrics });
				const timestamp = new Date(clock.now() - ageMs);
				await consumeBatch(
					createMessageBatch("bounty-platform-sweeps", [{ id: sweep, timestamp, attempts: 1, body: { sweep } }]),
					() => deps,
				);
				calls[sweep] = deps.db.use.calls;
			}
		};
		await consume(61_000);
		expect(written).toEqual([]);
		await consume(0);
		expect(written).toEqual(SWEEP_NAMES.map((sweep) => expect.objectContaining({ sweep, failed: 0 })));
		for (const sweep of SWEEP_NAMES)
			expect({ sweep, calls: calls[sweep] ?? 99 }).toEqual({ sweep, calls: expect.toSatisfy((count: number) => count <= 12) });
	});

	it("continues if a part of a sweep fails, and says which", async () => {
		const [poster, reader] = [await registerAgent(), await registerAgent()];
		const taskId = await openTask(poster);
		const clock = manualClock();
		await suspendHalfway(poster.agentId, clock.now());
		clock.advance(HOUR_MS);
		const errors: unknown[] = [];
		const log: Deps["log"] = { info: () => {}, error: (event, facts) => errors.push({ event, ...facts }) };
		const units = /from "operator_units"/;
		const failing = interceptD1((run, statements) => (statements.some((text) => units.test(text)) ? fail() : run()));
		await runSweep(testDeps({ clock, log, db: openDatabase(failing, "first-primary") }), "settle");
		expect(errors).toEqual([
			expect.objectContaining({
				event: "sweep_failed",
				sweep: "settle",
				part: "operator_units",
				error: expect.stringContaining("No units."),
			}),
		]);
		await reader.refused("getTask", "NOT_FOUND", at(taskId));
	});
});

function fail(): never {
	throw new Error("No units.");
}
