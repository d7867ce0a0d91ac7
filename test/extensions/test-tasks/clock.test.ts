import { describe, expect, it } from "vitest";
import type { DirectTransfers } from "../../../src/platform/direct-transfers.ts";
import { goodZipWith } from "../../support/archives.ts";
import { CALLBACK_URL, receiver } from "../../support/external-judging.ts";
import { awaitEvaluation, createDraft, openTask, registerAgent, submit } from "../../support/scenario.ts";
import { inTask, queryTask } from "../../support/task-object.ts";
import { openTestTask } from "../../support/test-tasks.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../support/times.ts";
import { atSignedUrl, putTo, register } from "../../support/uploads.ts";
import { createWorld } from "../../support/world.ts";

const at = (id: string) => ({ params: { id } });
/** The most dry runs of a task in a day. */
const MAX_DRY_RUNS = 20;
const HOUR = 3600;
const DAY = 24 * HOUR;

describe("the clock of a test task", () => {
	it("plays a whole life, each step at its own time", async () => {
		const { taskId, poster, agent, task, advance } = await openTestTask({ final_round: true });
		const { deadline, clock } = await task();
		expect(Math.abs(Date.parse(clock ?? "") - Date.now())).toBeLessThan(60 * SECOND_MS);
		const { id } = await submit(agent, taskId);
		await awaitEvaluation(agent, id);
		const after = await advance(2 * DAY + 6 * HOUR);
		expect(after - Date.now()).toBeGreaterThan(2 * DAY_MS);
		await expect.poll(async () => (await task()).status, { timeout: 10_000 }).toBe("closed");
		const closed = await task();
		expect(closed).toMatchObject({ ended_at: deadline, test: true, access: "invited" });
		const board = await agent.call("getLeaderboard", at(taskId));
		expect(board).toMatchObject({ revealed: true, provisional: false });
		expect(board.entries).toMatchObject([{ confirmed: true }]);
		await agent.call("createAppeal", { ...at(id), body: { reason: "The parser handles quotes." } });
		const deal = await poster.call("createDeal", {
			body: { taskId, agentId: agent.agentId, dealType: "output_purchase", dealValueCents: 50_000 },
		});
		const settledAt = Date.parse(deal.final_at ?? "") - 72 * HOUR_MS;
		expect(settledAt).toBeGreaterThanOrEqual(after);
		expect(settledAt).toBeLessThan(after + 60 * SECOND_MS);
		await poster.call("reviewSubmission", { ...at(id), body: { decision: "upheld", reason: "The tests are missing." } });
		await advance(14 * DAY);
		await agent.refused("createAppeal", "CONFLICT", { ...at(id), body: { reason: "Once more." } });
	});

	it("does what falls due on the way in order and at its own time", async () => {
		const { taskId, agent, task, advance } = await openTestTask({ final_round: true });
		await register(agent, taskId);
		const { deadline } = await task();
		await advance(30 * DAY);
		await expect.poll(async () => (await task()).status).toBe("closed");
		const log = await inTask(taskId, ({ db }) => db.all<{ event: string; at: number }>("select event, at from public_log order by at"));
		const ended = log.find(({ event }) => event === "closed");
		// The final round waits for uploads until an hour past the deadline.
		expect(ended?.at).toBe(Date.parse(deadline) + HOUR_MS);
		expect((await task()).ended_at).toBe(deadline);
	});

	it("refuses uploads from an hour past the deadline on", async () => {
		const { taskId, agent, task, advance } = await openTestTask();
		const registered = await register(agent, taskId);
		const { deadline } = await task();
		expect(registered.upload_expires_at).toBe(new Date(Date.parse(deadline) + HOUR_MS).toISOString());
		const secondsLeft = Math.floor((Date.parse(deadline) - Date.now()) / SECOND_MS);
		await advance(secondsLeft + HOUR - 60);
		await putTo(agent, registered.upload_url, goodZipWith());
		await advance(120);
		await agent.refused("putArtifact", "DEADLINE_PASSED", { ...atSignedUrl(registered.upload_url), rawBody: goodZipWith() });
		await agent.refused("refreshUploadUrl", "DEADLINE_PASSED", at(registered.id));
		await agent.refused("completeSubmission", "DEADLINE_PASSED", at(registered.id));
	});

	it("does not bring new dry runs, which are counted in real time", async () => {
		const { taskId, poster, advance } = await openTestTask();
		const start = () => poster.send("startDryRun", { ...at(taskId), body: { files: { "a.txt": "A." } } });
		for (let run = 0; run < MAX_DRY_RUNS; run += 1) expect((await start()).status).toBe(202);
		await advance(DAY + HOUR);
		expect((await start()).status).toBe(429);
	});

	it("lets the cooldown of a re-evaluation pass", async () => {
		const { taskId, agent, advance } = await openTestTask();
		const { id } = await submit(agent, taskId);
		await awaitEvaluation(agent, id);
		await agent.call("requestReEvaluation", at(id));
		await awaitEvaluation(agent, id);
		await agent.refused("requestReEvaluation", "RE_EVAL_COOLDOWN", at(id));
		await advance(HOUR + 1);
		const { enqueued_at } = await agent.call("requestReEvaluation", at(id));
		expect(Date.parse(enqueued_at) - Date.now()).toBeGreaterThan(HOUR_MS);
	});

	it("advances by the sum of parallel calls", async () => {
		const { task, advance } = await openTestTask();
		const before = Date.parse((await task()).clock ?? "");
		await Promise.all(Array.from({ length: 10 }, () => advance(DAY)));
		const { clock, status, ended_at, deadline } = await task();
		expect(Date.parse(clock ?? "") - before).toBeGreaterThanOrEqual(10 * DAY_MS);
		expect(Date.parse(clock ?? "") - before).toBeLessThan(10 * DAY_MS + 60 * SECOND_MS);
		expect([status, ended_at]).toEqual(["closed", deadline]);
	});

	it("shows the end of the bucket's upload URLs, which live for a real week at most, in the task's time", async () => {
		const livedMs: number[] = [];
		const directTransfers: DirectTransfers = {
			async presignPut(key, { ttlMs, bytes }) {
				livedMs.push(ttlMs);
				return { url: `https://s3.test/${key}`, token: String(bytes), path: `/${key}`, ttlMs: Math.min(ttlMs, 7 * DAY_MS) };
			},
			presignGet: () => Promise.reject(new Error("Nothing is read.")),
			copy: () => Promise.reject(new Error("Nothing is copied.")),
		};
		const house = await openTestTask({ deadline: new Date(Date.now() + 20 * DAY_MS).toISOString() });
		const agent = createWorld({ directTransfers }).enter(house.agent);
		const endOf = (time: string) => Date.parse(time) - HOUR_MS;
		await house.advance(10 * DAY);
		const { id, upload_expires_at } = await agent.call("createSubmission", { ...at(house.taskId), body: { size_bytes: 1000 } });
		const { clock, deadline } = await agent.call("getTask", at(house.taskId));
		const leftMs = Date.parse(upload_expires_at) - Date.parse(clock ?? "");
		expect(Math.abs(leftMs - 7 * DAY_MS)).toBeLessThan(60 * SECOND_MS);
		await house.advance(5 * DAY);
		const refreshed = await agent.call("refreshUploadUrl", at(id));
		const { resume } = await agent.call("getSubmission", at(id));
		expect([refreshed.upload_expires_at, resume?.expires_at ?? ""].map(endOf)).toEqual([Date.parse(deadline), Date.parse(deadline)]);
		// The bucket's URLs end when the task's clock shows that time, if no one advances it.
		for (const [asked, days] of [10, 5, 5].entries()) {
			expect(Math.abs((livedMs[asked] ?? 0) - days * DAY_MS - HOUR_MS)).toBeLessThan(HOUR_MS);
		}
	});

	it("refuses others, other tasks, drafts and more than a year", async () => {
		const { taskId, poster, agent, advance } = await openTestTask();
		const input = { ...at(taskId), body: { advance_seconds: 60 } };
		await agent.refused("advanceClock", "FORBIDDEN", input);
		await (await registerAgent()).refused("advanceClock", "NOT_FOUND", input);
		const body = { advance_seconds: 60 };
		await poster.refused("advanceClock", "NOT_FOUND", { ...at(await openTask(poster)), body });
		await agent.refused("advanceClock", "NOT_FOUND", { ...at(await openTask(poster)), body });
		const draft = await createDraft(poster, { test: true });
		expect(draft).toMatchObject({ test: true, clock: null, access: "invited" });
		await poster.refused("advanceClock", "INVALID_TRANSITION", { ...at(draft.id), body });
		for (const seconds of [0, 1.5, -1, 31_536_001]) {
			await poster.refused("advanceClock", "INVALID_BODY", { ...at(taskId), body: { advance_seconds: seconds } });
		}
		await advance(31_535_000);
		await poster.refused("advanceClock", "CONFLICT", { ...at(taskId), body: { advance_seconds: 1001 } });
		await advance(1000);
		await poster.refused("advanceClock", "CONFLICT", { ...at(taskId), body: { advance_seconds: 1 } });
	});

	it("lets the 24 hours of an external judge pass", async () => {
		const world = createWorld();
		const house = await openTestTask({ eval_callback_url: CALLBACK_URL });
		const [agent, poster] = [world.enter(house.agent), world.enter(house.poster)];
		const { id } = await submit(agent, house.taskId);
		await world.look({ id, taskId: house.taskId }, { fetch: receiver().fetch });
		const advance = (seconds: number) => poster.call("advanceClock", { ...at(house.taskId), body: { advance_seconds: seconds } });
		await advance(23 * HOUR);
		expect((await agent.call("getSubmission", at(id))).status).toBe("running");
		await advance(DAY);
		const failed = await agent.call("getSubmission", at(id));
		expect(failed).toMatchObject({ status: "evaluation_failed", quota: { used: 0 } });
		const [row] = await queryTask(house.taskId, "select updated_at from submissions where id = ?", id);
		expect(Math.abs(Number(row?.["updated_at"]) - Date.parse(failed.created_at) - DAY_MS)).toBeLessThan(HOUR_MS);
	});

	it("does not count for the platform's own work, which takes real time", async () => {
		const world = createWorld();
		const house = await openTestTask({ final_round: true });
		const [agent, poster] = [world.enter(house.agent), world.enter(house.poster)];
		const { id } = await submit(agent, house.taskId);
		await poster.call("advanceClock", { ...at(house.taskId), body: { advance_seconds: 10 * DAY } });
		expect(await agent.call("getSubmission", at(id))).toMatchObject({ status: "running" });
		expect((await poster.call("getTask", at(house.taskId))).status).toBe("evaluating");
		await world.visitTask(house.taskId);
		expect(await agent.call("getSubmission", at(id))).toMatchObject({ status: "completed" });
		// The candidates of the final round are judged in real time too.
		await poster.call("advanceClock", { ...at(house.taskId), body: { advance_seconds: 10 * DAY } });
		await world.workOffTask(house.taskId);
		expect(await agent.call("getLeaderboard", at(house.taskId))).toMatchObject({ provisional: false, entries: [{ confirmed: true }] });
	});
});
