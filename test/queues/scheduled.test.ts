import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { getTask } from "../../src/features/competition/tasks/get-task.ts";
import { listTokens } from "../../src/features/identity/operators/list-tokens.ts";
import { HOUR_MS, utcMonthOf } from "../../src/platform/clock.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { runScheduled } from "../../src/scheduled.ts";
import { manualClock, testDeps } from "../support/deps.ts";
import { createFleet } from "../support/identities.ts";
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
	it("moves on whatever requests have left behind", async () => {
		const [poster, reader, fleet] = [await registerAgent(), await registerAgent(), await createFleet()];
		const clock = manualClock();
		const child = await fleet.mint();
		const taskId = await openTask(poster);
		// A request that died between its reservation and its submission.
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
		const used = async () => (await fleet.operator.call(listTokens)).tokens[0]?.used_quota_submissions;
		expect(await used()).toBe(1);
		await suspendHalfway(poster.agentId, clock.now());
		await reader.call(getTask, at(taskId));
		clock.advance(2 * HOUR_MS);
		await runScheduled(() => testDeps({ clock }));
		expect(await used()).toBe(0);
		await reader.refused(getTask, "NOT_FOUND", at(taskId));
	});

	it("continues when one of its sweeps fails, and says which", async () => {
		const [poster, reader] = [await registerAgent(), await registerAgent()];
		const taskId = await openTask(poster);
		const clock = manualClock();
		await suspendHalfway(poster.agentId, clock.now());
		clock.advance(HOUR_MS);
		const errors: unknown[] = [];
		const log: Deps["log"] = { info: () => {}, error: (event, facts) => errors.push({ event, ...facts }) };
		let opened = 0;
		await runScheduled(() => {
			opened += 1;
			const broken = { ...clock, now: () => fail() };
			return testDeps({ clock: opened === 1 ? broken : clock, log });
		});
		expect(errors).toEqual([expect.objectContaining({ event: "sweep_failed", error: "Error: The clock has stopped." })]);
		expect(opened).toBeGreaterThan(2);
		await reader.refused(getTask, "NOT_FOUND", at(taskId));
	});
});

function fail(): never {
	throw new Error("The clock has stopped.");
}
