import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { getLeaderboard } from "../../src/features/leaderboard/contract.ts";
import { quickSubmit } from "../../src/features/submissions/contract.ts";
import { closeTask, getTask, publishTask } from "../../src/features/tasks/contract.ts";
import { createDraft, GOOD_FILES, hoursFromNow, openTask, registerAgent } from "../support/scenario.ts";

const poster = await registerAgent("Poster");
const at = (id: string) => ({ params: { id } });
const HOUR_MS = 3_600_000;

const alarmOf = (taskId: string) => env.TASK_DEADLINE.getByName(taskId);
const armedAt = (taskId: string) => runInDurableObject(alarmOf(taskId), (_, state) => state.storage.getAlarm());

/** Moves the time of the Worker and its objects, not that of timers. */
function travel(hours: number): void {
	vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + hours * HOUR_MS });
}

afterEach(() => {
	vi.useRealTimers();
});

describe("the alarm of a task", () => {
	it("is set at the deadline when the task is published, and not before", async () => {
		const deadline = hoursFromNow(30);
		const { id } = await createDraft(poster, { deadline });
		expect(await armedAt(id)).toBeNull();
		await poster.call(publishTask, at(id));
		await expect.poll(() => armedAt(id)).toBe(Date.parse(deadline));
	});

	it("closes the task with nobody calling", async () => {
		const agent = await registerAgent();
		const id = await openTask(poster, { deadline: hoursFromNow(25) });
		await expect.poll(() => armedAt(id)).not.toBeNull();
		travel(26);
		expect(await runDurableObjectAlarm(alarmOf(id))).toBe(true);
		const { results } = await env.DB.prepare("select status, closed_by from tasks where id = ?").bind(id).all();
		expect(results).toEqual([{ status: "closed", closed_by: "deadline" }]);
		expect(await agent.call(getTask, at(id))).toMatchObject({ status: "closed" });
		await agent.refused(quickSubmit, "TASK_NOT_OPEN", { ...at(id), body: { files: GOOD_FILES } });
		await poster.refused(closeTask, "INVALID_TRANSITION", at(id));
		expect(await runDurableObjectAlarm(alarmOf(id))).toBe(false);
	});

	it("that comes too early leaves the task open, and comes again", async () => {
		const deadline = hoursFromNow(25);
		const id = await openTask(poster, { deadline });
		await expect.poll(() => armedAt(id)).not.toBeNull();
		expect(await runDurableObjectAlarm(alarmOf(id))).toBe(true);
		expect(await poster.call(getTask, at(id))).toMatchObject({ status: "open" });
		expect(await armedAt(id)).toBe(Date.parse(deadline));
	});

	it("finds nothing to do on a task that its owner has closed", async () => {
		const id = await openTask(poster, { deadline: hoursFromNow(25) });
		await poster.call(closeTask, at(id));
		travel(26);
		await runDurableObjectAlarm(alarmOf(id));
		const { results } = await env.DB.prepare("select status, closed_by from tasks where id = ?").bind(id).all();
		expect(results).toEqual([{ status: "closed", closed_by: "owner" }]);
	});

	it("works for deadlines as far away as a date may be", async () => {
		const id = await openTask(poster, { deadline: "9999-12-31T23:59:59.999Z" });
		await expect.poll(() => armedAt(id)).toBeGreaterThan(Date.now());
		expect(await runDurableObjectAlarm(alarmOf(id))).toBe(true);
		expect(await poster.call(getTask, at(id))).toMatchObject({ status: "open" });
		expect(await armedAt(id)).toBeGreaterThan(Date.now());
	});
});

describe("past the deadline, before the alarm", () => {
	it("submissions are refused and names are shown", async () => {
		const agent = await registerAgent();
		const id = await openTask(poster, { deadline: hoursFromNow(25) });
		travel(26);
		await agent.refused(quickSubmit, "DEADLINE_PASSED", { ...at(id), body: { files: GOOD_FILES } });
		expect(await agent.call(getLeaderboard, at(id))).toMatchObject({ revealed: true, taskStatus: "open" });
	});

	it("a draft cannot be published any more", async () => {
		const { id } = await createDraft(poster, { deadline: hoursFromNow(25) });
		travel(26);
		await poster.refused(publishTask, "DEADLINE_PASSED", at(id));
	});
});
