// A receiver must pass a test before it gets the events of other agents' tasks.
import { describe, expect, it } from "vitest";
import { createClient } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { awaitEvaluation, createDraft, openTask, registerAgent, submit } from "../support/scenario.ts";
import { emit, type HeldPlatform, holdPlatform, type ReceivedCall, readLog } from "../support/webhooks.ts";

const DAY = 86_400_000;
const echo = ({ body }: ReceivedCall) => new Response(body);
const missing = () => new Response("Not found", { status: 404 });

/** Returns an agent on a platform, with a receiver that responds like this. */
async function meet(answer: (call: ReceivedCall) => Response | Promise<Response>) {
	const platform = holdPlatform();
	platform.receiver.answer = answer;
	const registered = await registerAgent();
	const agent = platform.clientOf(registered);
	const create = (change: Readonly<Record<string, unknown>> = {}) =>
		agent.call("createWebhook", { body: { url: platform.url, events: ["task.opened", "task.matched"], ...change } });
	const isListedAsVerified = async () => (await agent.call("listWebhooks")).data.map(({ verified }) => verified);
	return { platform, registered, agent, create, isListedAsVerified };
}

const eventsAt = ({ receiver }: HeldPlatform) => receiver.calls.map(({ headers }) => headers.get("X-Svc-Event"));

describe("the platform's own receiver", () => {
	it("repeats the challenge of a test, and refuses everything else", async () => {
		const client = createClient();
		const body = { event: "webhook.test", challenge: "0123456789abcdef".repeat(2) } as const;
		expect(await client.call("echoChallenge", { body })).toEqual({ challenge: body.challenge });
		await client.refused("echoChallenge", "INVALID_BODY", { body: { ...body, event: "task.opened" } });
		await client.refused("echoChallenge", "INVALID_BODY", { body: { ...body, challenge: "<script>" } });
	});
});

describe("creating a webhook that follows tasks of others", () => {
	it("sends a signed test and says that the receiver passed", async () => {
		const { platform, registered, create, isListedAsVerified } = await meet(echo);
		const created = await create();
		expect(created).toMatchObject({ verified: true, active: true, message: expect.stringContaining("responded to the test") });
		expect(eventsAt(platform)).toEqual(["webhook.test"]);
		expect(JSON.parse(platform.receiver.calls[0]?.body ?? "")).toMatchObject({ event: "webhook.test", webhook_id: created.id });
		expect(platform.receiver.calls[0]?.headers.get("webhook-signature")).toMatch(/^v1,/);
		expect(await isListedAsVerified()).toEqual([true]);
		expect(await readLog(platform.clientOf(registered), created.id)).toMatchObject([{ event: "webhook.test", status: "delivered" }]);
	});

	it.each([
		["an error", missing],
		["a redirect", () => new Response(null, { status: 302, headers: { Location: "https://other.example.com" } })],
		["no connection", () => Promise.reject(new Error("connection refused"))],
	])("succeeds when the test ends with %s, says what to do, and does not repeat the test", async (_, answer) => {
		const { platform, registered, create, isListedAsVerified } = await meet(answer);
		const { id, verified, active, message, secret } = await create();
		expect({ verified, active }).toEqual({ verified: false, active: true });
		expect(secret).toMatch(/^whsec_/);
		expect(message).toContain(`/api/v1/webhooks/${id}/test`);
		expect(await isListedAsVerified()).toEqual([false]);
		for (let day = 0; day < 3; day += 1) {
			platform.clock.advance(DAY);
			await platform.work();
		}
		expect(platform.receiver.calls).toHaveLength(1);
		expect(await readLog(platform.clientOf(registered), id)).toMatchObject([
			{ event: "webhook.test", status: "failed", next_attempt_at: null },
		]);
	});

	it("does not accept just any 2xx response to the challenge", async () => {
		const { create, isListedAsVerified } = await meet(() => new Response("ok"));
		expect(await create()).toMatchObject({ verified: false, message: expect.stringContaining("challenge") });
		expect(await isListedAsVerified()).toEqual([false]);
	});

	it("waits ten seconds for the receiver and no longer", async () => {
		let isOut = false;
		const platform = holdPlatform({
			async fetch(_, { signal }) {
				isOut = true;
				while (signal?.aborted === false) await scheduler.wait(1);
				throw new Error("aborted");
			},
		});
		const creation = platform
			.clientOf(await registerAgent())
			.call("createWebhook", { body: { url: platform.url, events: ["task.opened"] } });
		await expect.poll(() => isOut).toBe(true);
		platform.clock.advance(9_999);
		expect(await Promise.race([creation, scheduler.wait(50)])).toBeUndefined();
		platform.clock.advance(1);
		expect(await creation).toMatchObject({ verified: false, active: true });
	});

	it("leaves an inactive webhook when the receiver responds with 410", async () => {
		const { create, agent } = await meet(() => new Response(null, { status: 410 }));
		expect(await create()).toMatchObject({
			verified: false,
			active: false,
			inactive_reason: "gone",
			message: expect.stringContaining("410"),
		});
		expect((await agent.call("listWebhooks")).data).toMatchObject([{ active: false, inactive_reason: "gone" }]);
	});

	it("keeps the secret when the platform fails during the test, which is then repeated", async () => {
		const { db } = testDeps();
		let isGone = false;
		const failing = Object.defineProperty(db.fork(), "query", {
			get: () => {
				if (isGone) throw new Error("The database is gone.");
				return db.query;
			},
		});
		const platform = holdPlatform({ db: failing, log: { info: () => {}, error: () => {} } });
		platform.receiver.answer = (call) => {
			isGone = platform.receiver.calls.length === 1;
			return echo(call);
		};
		const agent = platform.clientOf(await registerAgent());
		const created = await agent.call("createWebhook", { body: { url: platform.url, events: ["task.opened"] } });
		expect(created).toMatchObject({ verified: false, secret: expect.stringMatching(/^whsec_/) });
		isGone = false;
		expect((await agent.call("listWebhooks")).data).toMatchObject([{ verified: false }]);
		platform.clock.advance(30_000);
		await platform.work();
		expect((await agent.call("listWebhooks")).data).toMatchObject([{ verified: true }]);
		expect(platform.receiver.calls).toHaveLength(2);
	});

	it("sends one request each, 20 at a time, for any number of creations and deletions", async () => {
		let isOpen = false;
		const { platform, create, agent, isListedAsVerified } = await meet(async (call) => {
			while (!isOpen) await scheduler.wait(1);
			return echo(call);
		});
		const answered: unknown[] = [];
		const creations = Array.from({ length: 30 }, async () => {
			const created = await create();
			answered.push(created);
			return created;
		});
		await expect.poll(() => answered.length + platform.receiver.calls.length, { timeout: 10_000 }).toBe(30);
		expect(platform.receiver.calls).toHaveLength(20);
		isOpen = true;
		const created = await Promise.all(creations);
		expect(created.filter(({ verified }) => verified)).toHaveLength(20);
		expect(created.find(({ verified }) => !verified)?.message).toContain("has not finished yet");
		const [waiting] = created.filter(({ verified }) => !verified);
		await agent.call("deleteWebhook", { params: { id: waiting?.id ?? "" } });
		platform.clock.advance(15_000);
		await platform.work();
		expect(platform.receiver.calls).toHaveLength(29);
		expect((await isListedAsVerified()).filter((verified) => !verified)).toHaveLength(1);
	});
});

describe("a test on request", () => {
	it("verifies a webhook once it succeeds", async () => {
		let isUp = false;
		const { platform, agent, create, isListedAsVerified } = await meet((call) => (isUp ? echo(call) : missing()));
		const { id } = await create();
		for (const verified of [false, true]) {
			isUp = verified;
			await agent.call("testWebhook", { params: { id } });
			await platform.deps.settled();
			await platform.work();
			expect(await isListedAsVerified()).toEqual([verified]);
		}
		expect(platform.receiver.calls).toHaveLength(3);
	});
});

describe("a webhook that is not verified", () => {
	it("gets events of its agent's own tasks and submissions, and others' only once it is verified", async () => {
		let isUp = false;
		const { platform, registered, agent, create } = await meet((call) => (isUp ? echo(call) : missing()));
		const [owner, category] = [await registerAgent(), `poetry-${crypto.randomUUID()}`];
		await agent.call("updateProfile", { body: { specialization_tags: [category] } });
		const [own, others] = [await openTask(registered, { category }), await openTask(owner, { category })];
		const { id: submissionId } = await submit(registered, others);
		await awaitEvaluation(registered, submissionId);
		const events = ["task.opened", "task.matched", "task.closed", "task.warning", "submission.failed"];
		const ids: string[] = [];
		for (const scope of [{}, { categories: [category] }, { task_ids: [others] }]) ids.push((await create({ events, ...scope })).id);
		isUp = true;
		platform.receiver.calls.splice(0);
		const emitAll = async () => {
			platform.receiver.calls.splice(0);
			for (const taskId of [own, others]) {
				await emit(platform.deps, { type: "task.opened", taskId });
				await emit(platform.deps, { type: "task.matched", taskId });
				await emit(platform.deps, { type: "task.closed", taskId });
			}
			await emit(platform.deps, {
				type: "submission.failed",
				taskId: others,
				submissionId,
				agentId: registered.agentId,
				errorMessage: "no",
			});
			await platform.work();
			return platform.receiver.calls.map(({ body }) => {
				const { event, task_id } = JSON.parse(body) as Readonly<Record<string, unknown>>;
				return `${event} ${task_id === own ? "own" : "others"}`;
			});
		};
		const twice = (text: string) => [text, text];
		const ownEvents = [...twice("task.closed own"), ...twice("task.matched own"), ...twice("task.opened own")];
		const submissions = Array.from({ length: 3 }, () => "submission.failed others");
		expect((await emitAll()).toSorted()).toEqual([...submissions, ...ownEvents]);
		for (const id of ids) await agent.call("testWebhook", { params: { id } });
		await platform.deps.settled();
		await platform.work();
		const all = await emitAll();
		for (const event of ["task.opened others", "task.matched others", "task.closed others"]) {
			expect(
				all.filter((other) => other === event),
				event,
			).toHaveLength(3);
		}
	});

	it("is not tested if it follows only its agent's own tasks", async () => {
		const { platform, registered, create } = await meet(missing);
		const [own, others] = [(await createDraft(registered)).id, (await createDraft(await registerAgent())).id];
		expect(await create({ task_ids: [own, own] })).toMatchObject({ verified: false, message: expect.stringContaining("own tasks") });
		expect(platform.receiver.calls).toEqual([]);
		await emit(platform.deps, { type: "task.opened", taskId: own });
		await platform.work();
		expect(eventsAt(platform)).toEqual(["task.opened"]);
		for (const scope of [{ task_ids: [own, others] }, { task_ids: [crypto.randomUUID()] }, { task_ids: [own], categories: ["poetry"] }]) {
			await create(scope);
		}
		expect(eventsAt(platform).slice(1)).toEqual(["webhook.test", "webhook.test", "webhook.test"]);
	});
});

describe("a new webhook", () => {
	it("gets no event from before its creation, also if that is delivered late", async () => {
		const platform = holdPlatform();
		const poster = await registerAgent();
		const taskId = await openTask(poster);
		const body = { url: platform.url, events: ["task.opened"], task_ids: [taskId] };
		const { created_at } = await platform.clientOf(poster).call("createWebhook", { body });
		const madeAt = Date.parse(created_at);
		for (const [happenedAt, events] of [
			[madeAt - 1, []],
			[madeAt, ["task.opened"]],
		] as const) {
			const clock = { ...platform.deps.clock, now: () => happenedAt };
			await emit({ ...platform.deps, clock }, { type: "task.opened", taskId });
			await platform.work();
			expect(eventsAt(platform)).toEqual(events);
		}
	});
});

describe("a host that did not ask for webhooks", () => {
	it("gets one test for each creation, and nothing when others publish", async () => {
		const requests: string[] = [];
		const victim = `https://${crypto.randomUUID()}.example`;
		const platform = holdPlatform({
			async fetch(url) {
				if (url.startsWith(victim)) requests.push(url);
				return missing();
			},
		});
		const category = `victims-${crypto.randomUUID()}`;
		for (let agent = 0; agent < 3; agent += 1) {
			const attacker = platform.clientOf(await registerAgent());
			for (let webhook = 0; webhook < 10; webhook += 1) {
				const body = { url: `${victim}/${agent}/${webhook}`, events: ["task.opened", "task.status_changed"] };
				await attacker.call("createWebhook", { body: { ...body, categories: [category] } });
			}
		}
		expect(requests.length).toBeLessThanOrEqual(30);
		requests.splice(0);
		const poster = await registerAgent();
		const { id } = await createDraft(poster, { category });
		await platform.clientOf(poster).call("publishTask", { params: { id } });
		await platform.deps.settled();
		await platform.work();
		expect(requests).toEqual([]);
		platform.clock.advance(2 * DAY);
		await platform.work();
		expect(requests).toEqual([]);
	});
});
