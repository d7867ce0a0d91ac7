import { describe, expect, it } from "vitest";
import { verifyReceipt } from "../../../packages/sdk/src/receipt/verify.ts";
import { createExternalTask, receiver } from "../../support/external-judging.ts";
import { awaitEvaluation, createDraft, openTask, registerAgent, submit, taskInput } from "../../support/scenario.ts";
import { count } from "../../support/storage.ts";
import { queryTask } from "../../support/task-object.ts";
import { fillTestTasks, openTestTask } from "../../support/test-tasks.ts";
import { DAY_MS, HOUR_MS } from "../../support/times.ts";
import { createWorld, failingJudge, PLATFORM_FAULT } from "../../support/world.ts";

const at = (id: string) => ({ params: { id } });

function claimsOf(receipt: string): Record<string, unknown> {
	return JSON.parse(Buffer.from(receipt.split(".")[1] ?? "", "base64url").toString());
}

describe("the field test", () => {
	it("is false at first, makes a task invited, and never changes", async () => {
		const poster = await registerAgent("Poster");
		expect(await createDraft(poster)).toMatchObject({ test: false, access: "public", clock: null });
		const draft = await createDraft(poster, { test: true });
		expect(draft).toMatchObject({ test: true, access: "invited", clock: null });
		await poster.refused("createTask", "INVALID_BODY", { body: taskInput({ test: true, access: "public" }) });
		await poster.refused("updateTask", "INVALID_BODY", { ...at(draft.id), body: { test: false } });
		await poster.refused("updateTask", "INVALID_BODY", { ...at(draft.id), body: { access: "public" } });
		expect(await poster.call("updateTask", { ...at(draft.id), body: { access: "invited" } })).toMatchObject({
			test: true,
			access: "invited",
		});
	});

	it("is kept by a clone, which may replace it and starts at the real time", async () => {
		const { poster, taskId, advance } = await openTestTask();
		await advance(3600);
		const clone = (id: string, body: object = {}) => poster.call("cloneTask", { ...at(id), body });
		const copy = await clone(taskId);
		expect(copy).toMatchObject({ test: true, access: "invited", clock: null });
		await poster.call("publishTask", at(copy.id));
		const { clock } = await poster.call("getTask", at(copy.id));
		expect(Math.abs(Date.parse(clock ?? "") - Date.now())).toBeLessThan(60_000);
		expect(await clone(taskId, { test: false })).toMatchObject({ test: false, access: "invited" });
		expect(await clone(await openTask(poster), { test: true })).toMatchObject({ test: true, access: "invited" });
		await poster.refused("cloneTask", "INVALID_BODY", { ...at(taskId), body: { access: "public" } });
	});

	it("is true of at most 100 tasks of an agent, also of those that are made at once", async () => {
		const poster = await registerAgent();
		await fillTestTasks(poster.agentId, 97);
		const tries = await Promise.allSettled(Array.from({ length: 6 }, () => createDraft(poster, { test: true })));
		expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
		await poster.refused("createTask", "CONFLICT", { body: taskInput({ test: true }) });
		const [made] = tries.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
		await poster.call("deleteTask", at(made?.id ?? ""));
		await expect.poll(() => count("select count(*) from test_tasks where agent_id = ?", poster.agentId)).toBe(99);
		await createDraft(poster, { test: true });
	});
});

describe("a test task", () => {
	it("is judged offline on every deployment, and its receipts say so with a real time", async () => {
		const world = createWorld({ judge: failingJudge(PLATFORM_FAULT) });
		const house = await openTestTask();
		const agent = world.enter(house.agent);
		await house.advance(86_400);
		const { id } = await submit(agent, house.taskId);
		await world.workOff({ id, taskId: house.taskId });
		const [evaluation] = (await agent.call("listEvaluations", at(id))).data;
		expect(evaluation).toMatchObject({ judge: "offline" });
		expect(Date.parse(evaluation?.created_at ?? "") - Date.now()).toBeGreaterThan(DAY_MS / 2);
		const claims = claimsOf(evaluation?.receipt ?? "");
		expect(claims).toMatchObject({ test: true, submission_id: id });
		expect(Math.abs(Number(claims["iat"]) * 1000 - Date.now())).toBeLessThan(10 * 60_000);
		const material = { task: await agent.call("getTask", at(house.taskId)) };
		const verified = await verifyReceipt(evaluation, await agent.call("getReceiptKeys"), material);
		expect(verified.claims).toMatchObject({ test: true });
	});

	it("has no claim in receipts of other tasks, and costs no one anything", async () => {
		const [poster, agent] = [await registerAgent("Poster"), await registerAgent("Builder")];
		const { id } = await submit(agent, await openTask(poster));
		await awaitEvaluation(agent, id);
		const [evaluation] = (await agent.call("listEvaluations", at(id))).data;
		expect(claimsOf(evaluation?.receipt ?? "")).not.toHaveProperty("test");
		const house = await openTestTask({}, { poster, agent });
		const test = await submit(agent, house.taskId);
		await awaitEvaluation(agent, test.id);
		expect(await count("select count(*) from usage_cards where task_id = ?", house.taskId)).toBe(0);
	});

	it("says so to an outside judge, at its own time", async () => {
		const external = await createExternalTask({ test: true });
		const { invite_code: code } = await external.poster.call("getTask", at(external.taskId));
		await external.agent.call("joinTask", { ...at(external.taskId), body: { invite_code: code } });
		await external.poster.call("advanceClock", { ...at(external.taskId), body: { advance_seconds: 86_400 } });
		await external.submit();
		const { received, fetch } = receiver();
		await external.work(fetch);
		const now = external.world.clock.now();
		expect(JSON.parse(received[0]?.body ?? "")).toMatchObject({
			test: true,
			timestamp: new Date(now + DAY_MS).toISOString(),
			artifact_expires_at: new Date(now + 2 * HOUR_MS).toISOString(),
		});
	});

	it("says so in the bodies of its webhooks, at its own times", async () => {
		const { poster, agent, taskId, task, advance } = await openTestTask();
		const events = ["task.closed", "deal.created"];
		const { id } = await poster.call("createWebhook", { body: { url: "https://receiver.example.com/", events } });
		const { id: workId } = await submit(agent, taskId);
		await awaitEvaluation(agent, workId);
		await advance(3 * 86_400);
		const body = { taskId, agentId: agent.agentId, dealType: "output_purchase", dealValueCents: 50_000 };
		await poster.call("createDeal", { body });
		const payloads = async () =>
			(await poster.call("listWebhookDeliveries", { params: { id } })).data
				.map(({ payload }) => payload)
				.filter(({ event }) => events.includes(String(event)));
		await expect.poll(async () => (await payloads()).length).toBe(2);
		const { deadline } = await task();
		expect((await payloads()).toSorted((a, b) => String(a["event"]).localeCompare(String(b["event"])))).toMatchObject([
			{ event: "deal.created", test: true },
			{ event: "task.closed", test: true, timestamp: deadline },
		]);
	});

	it("has deals whose payment is not looked up", async () => {
		const { poster, agent, taskId, advance } = await openTestTask();
		const { id } = await submit(agent, taskId);
		await awaitEvaluation(agent, id);
		await advance(3 * 86_400);
		const body = { taskId, agentId: agent.agentId, dealType: "output_purchase", dealValueCents: 50_000 };
		const deal = await poster.call("createDeal", { body });
		await agent.call("updateWallet", {
			body: { payout_method: "onchain_usdc", payout_address: `0x${"1".repeat(40)}`, payout_chain: "base" },
		});
		await agent.call("acceptDeal", at(deal.id));
		const reference = `0x${"a".repeat(64)}`;
		const paid = await poster.call("payDeal", { ...at(deal.id), body: { payment_reference: reference } });
		expect(paid).toMatchObject({ status: "paid", payment_verified: null, payment_on_its_way: false });
		expect(paid.payment_note).toContain("test task");
		expect((await agent.call("confirmDeal", at(deal.id))).status).toBe("received");
	});

	it("is deleted 30 real days after its creation with everything about it", async () => {
		const world = createWorld();
		const house = await openTestTask();
		const { id } = await submit(house.agent, house.taskId);
		await awaitEvaluation(house.agent, id);
		await house.advance(40 * 86_400);
		await world.ring(house.taskId);
		expect(await queryTask(house.taskId, "select 1 from tasks")).toHaveLength(1);
		world.clock.advance(30 * DAY_MS);
		await world.ring(house.taskId);
		await world.enter(house.poster).refused("getTask", "NOT_FOUND", at(house.taskId));
		await expect
			.poll(() =>
				count(
					"select (select count(*) from task_cards where id = ?1) + (select count(*) from test_tasks where task_id = ?1)",
					house.taskId,
				),
			)
			.toBe(0);
		const { data } = await house.agent.call("listSubmissions", {});
		expect(data).toEqual([]);
	});
});
