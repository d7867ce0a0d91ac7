import { describe, expect, it } from "vitest";
import { type DomainEvent, WEBHOOK_EVENTS } from "../../src/domain/events.ts";
import { admin } from "../support/admin.ts";
import { EXPECTED_EVENTS } from "../support/events.ts";
import { createExternalTask } from "../support/external-judging.ts";
import { awaitEvaluation, createDraft, openTask, type RegisteredClient, registerAgent, submit } from "../support/scenario.ts";
import { emit, holdPlatform, readLog, subscribe } from "../support/webhooks.ts";

const URL_OF_NOBODY = "https://receiver.example.com/nobody";
/** Events are only sent, so these ids belong to nothing. */
const NEW_IDS = { dealId: crypto.randomUUID(), questionId: crypto.randomUUID(), appealId: crypto.randomUUID() };

describe("subscriptions", () => {
	it("show their secret once and are listed newest first", async () => {
		const agent = await registerAgent();
		const first = await subscribe(agent, URL_OF_NOBODY);
		const second = await subscribe(agent, URL_OF_NOBODY, { events: [...WEBHOOK_EVENTS, "task.opened"], categories: ["Data", "data"] });
		expect(atob(first.secret.slice("whsec_".length))).toHaveLength(32);
		expect(first).toMatchObject({ url: URL_OF_NOBODY, events: ["task.opened"], task_ids: null, categories: null, active: true });
		expect(second).toMatchObject({ events: WEBHOOK_EVENTS, categories: ["data"] });
		const page = await agent.call("listWebhooks", { query: { limit: 1 } });
		expect(page.data.map(({ id }) => id)).toEqual([second.id]);
		const rest = await agent.call("listWebhooks", { query: { cursor: page.pagination.next_cursor ?? "" } });
		expect(rest.data.map(({ id }) => id)).toEqual([first.id]);
		await agent.refused("listWebhooks", "VALIDATION_ERROR", { query: { cursor: "?" } });
	});

	it.each([
		["no address", { events: ["task.opened"] }],
		["no events", { url: URL_OF_NOBODY }],
		["an empty list of events", { url: URL_OF_NOBODY, events: [] }],
		["an unknown event", { url: URL_OF_NOBODY, events: ["task.exploded"] }],
		["an event that is for streams alone", { url: URL_OF_NOBODY, events: ["task.updated"] }],
		["a private address", { url: "https://10.0.0.1/", events: ["task.opened"] }],
		["a task id that is none", { url: URL_OF_NOBODY, events: ["task.opened"], task_ids: ["x"] }],
	])("are rejected with %s", async (_, body) => {
		const agent = await registerAgent();
		await agent.refused("createWebhook", "INVALID_BODY", { body });
	});

	it("are fifty at most, also when created in parallel", async () => {
		const agent = holdPlatform().clientOf(await registerAgent());
		const body = { url: URL_OF_NOBODY, events: ["task.opened"] };
		const answers = await Promise.all(Array.from({ length: 55 }, () => agent.send("createWebhook", { body })));
		const created = answers.filter(({ status }) => status === 201).length;
		await Promise.all(answers.map((answer) => answer.body?.cancel()));
		expect(created).toBeLessThanOrEqual(50);
		for (let more = created; more < 50; more += 1) await agent.call("createWebhook", { body });
		await agent.refused("createWebhook", "CONFLICT", { body });
		const { data } = await agent.call("listWebhooks", { query: { limit: 100 } });
		expect(data).toHaveLength(50);
		await agent.call("deleteWebhook", { params: { id: data[0]?.id ?? "" } });
		await agent.call("createWebhook", { body });
	});

	it("are deactivated by DELETE, which may be repeated, and then get no events", async () => {
		const agent = await registerAgent();
		const { id } = await subscribe(agent, URL_OF_NOBODY);
		for (let time = 0; time < 2; time += 1) expect(await agent.call("deleteWebhook", { params: { id } })).toEqual({ id, active: false });
		expect((await agent.call("listWebhooks")).data).toMatchObject([{ id, active: false, inactive_reason: "deleted" }]);
		await agent.refused("testWebhook", "CONFLICT", { params: { id } });
		await agent.refused("rotateWebhookSecret", "CONFLICT", { params: { id } });
	});
});

describe("replay", () => {
	it("sends the same event again as another delivery", async () => {
		const platform = holdPlatform();
		const registered = await registerAgent();
		const agent = platform.clientOf(registered);
		const { id } = await subscribe(registered, platform.url);
		const task = await createDraft(agent);
		platform.receiver.answer = () => new Response(null, { status: 500 });
		await emit(platform.deps, { type: "task.opened", taskId: task.id });
		await platform.work();
		const [{ id: deliveryId } = { id: "" }] = await readLog(agent, id);
		platform.receiver.answer = () => new Response();
		platform.clock.advance(30_000);
		await platform.work();
		const { delivery_id } = await agent.call("replayWebhookDelivery", { params: { id, deliveryId } });
		await platform.work();
		expect(platform.receiver.calls).toHaveLength(3);
		expect(new Set(platform.receiver.calls.map(({ body }) => body)).size).toBe(1);
		const log = await readLog(agent, id);
		expect(log).toMatchObject([
			{ id: delivery_id, replay_of: deliveryId, event: "task.opened" },
			{ id: deliveryId, replay_of: null, status: "delivered" },
		]);
		expect(log[0]?.payload).toEqual({ event: "task.opened", id: log[0]?.event_id, timestamp: expect.any(String), task_id: task.id });
		expect(log[0]?.event_id).toBe(log[1]?.event_id);
		await agent.refused("replayWebhookDelivery", "NOT_FOUND", { params: { id, deliveryId: id } });
		await agent.call("deleteWebhook", { params: { id } });
		await agent.refused("replayWebhookDelivery", "CONFLICT", { params: { id, deliveryId } });
	});
});

describe("an event's receivers", () => {
	interface Cast {
		readonly owner: RegisteredClient;
		readonly competitor: RegisteredClient;
		readonly stranger: RegisteredClient;
		readonly taskId: string;
		readonly submissionId: string;
	}

	async function assemble(): Promise<Cast> {
		const [owner, competitor, stranger] = await Promise.all([registerAgent(), registerAgent(), registerAgent()]);
		const taskId = await openTask(owner, { category: "Robotics" });
		const { id: submissionId } = await submit(competitor, taskId);
		await awaitEvaluation(competitor, submissionId);
		return { owner, competitor, stranger, taskId, submissionId };
	}

	async function findEvaluation(owner: RegisteredClient, submissionId: string): Promise<string> {
		const { data } = await owner.call("listEvaluations", { params: { id: submissionId } });
		return data[0]?.id ?? "";
	}

	/** Creates an agent for each relation to a task: a rival has submitted too, a stranger has no relation to it. */
	async function assembleCrowd() {
		const [owner, competitor, rival, specialist, stranger] = await Promise.all([
			registerAgent(),
			registerAgent(),
			registerAgent(),
			registerAgent(),
			registerAgent(),
		]);
		await specialist.call("updateProfile", { body: { specialization_tags: ["ROBOTICS"] } });
		await stranger.call("updateProfile", { body: { specialization_tags: ["poetry"] } });
		const taskId = await openTask(owner, { category: "Robotics" });
		const otherTaskId = await openTask(owner, { category: "poetry" });
		const [{ id: submissionId }, { id: rivalsId }] = await Promise.all([submit(competitor, taskId), submit(rival, taskId)]);
		await Promise.all([awaitEvaluation(competitor, submissionId), awaitEvaluation(rival, rivalsId)]);
		const evaluation = await findEvaluation(owner, submissionId);
		const agents = { owner, competitor, rival, specialist, stranger };
		return { agents, taskId, otherTaskId, submissionId, evaluationId: evaluation };
	}

	/** Deletes all webhooks of an agent, so that later tests do not send to them. */
	async function unsubscribe(agent: RegisteredClient): Promise<void> {
		const { data } = await agent.call("listWebhooks");
		await Promise.all(data.map(({ id }) => agent.call("deleteWebhook", { params: { id } })));
	}

	/** Subscribes every agent to every event, sends this event, and returns who gets it, with its body. */
	async function tell(cast: Cast, event: DomainEvent, strangersScope: Readonly<Record<string, unknown>> = {}) {
		const platform = holdPlatform();
		const webhooks = [
			[cast.owner, await subscribe(cast.owner, `${platform.url}?owner`, { events: WEBHOOK_EVENTS })],
			[cast.competitor, await subscribe(cast.competitor, `${platform.url}?competitor`, { events: WEBHOOK_EVENTS })],
			[cast.stranger, await subscribe(cast.stranger, `${platform.url}?stranger`, { events: WEBHOOK_EVENTS, ...strangersScope })],
		] as const;
		await emit(platform.deps, event);
		await platform.work();
		const told = platform.receiver.calls.map(({ url }) => url.slice(platform.url.length + 1));
		const bodies = new Set(platform.receiver.calls.map(({ body }) => body));
		for (const [who, { id }] of webhooks) await who.call("deleteWebhook", { params: { id } });
		expect(bodies.size).toBeLessThanOrEqual(1);
		const [body] = bodies;
		return { told: told.toSorted(), body: body === undefined ? null : (JSON.parse(body) as Record<string, unknown>) };
	}

	it("are defined for each event", async () => {
		const cast = await assemble();
		const { taskId, submissionId } = cast;
		const agentId = cast.competitor.agentId;
		const ids = { taskId, submissionId, agentId };
		const envelope = { id: expect.stringMatching(/^[0-9a-f-]{36}$/), timestamp: expect.stringMatching(/^\d{4}-.*Z$/) };
		const wireIds = { submission_id: submissionId, task_id: taskId, agent_id: agentId };
		const parties = ["competitor", "owner"];

		const created = await tell(cast, { type: "submission.created", ...ids, status: "running" });
		expect(created.told).toEqual(parties);
		expect(created.body).toEqual({
			...envelope,
			event: "submission.created",
			...wireIds,
			status: "running",
			created_at: expect.stringMatching(/Z$/),
		});

		const completed = await tell(cast, { type: "submission.completed", ...ids, finalScore: 81.25 });
		expect(completed).toEqual({ told: parties, body: { ...envelope, event: "submission.completed", ...wireIds, final_score: 81.25 } });

		const failed = await tell(cast, { type: "submission.failed", ...ids, errorMessage: "no judge" });
		expect(failed).toEqual({ told: parties, body: { ...envelope, event: "submission.failed", ...wireIds, error_message: "no judge" } });

		const changed = await tell(cast, { type: "task.status_changed", taskId, from: "draft", to: "open" });
		expect(changed).toEqual({
			told: parties,
			body: { ...envelope, event: "task.status_changed", task_id: taskId, from: "draft", to: "open" },
		});

		const opened = await tell(cast, { type: "task.opened", taskId }, { task_ids: [taskId] });
		expect(opened).toEqual({ told: [...parties, "stranger"], body: { ...envelope, event: "task.opened", task_id: taskId } });

		const closed = await tell(cast, { type: "task.closed", taskId }, { categories: ["ROBOTICS"] });
		expect(closed).toEqual({ told: [...parties, "stranger"], body: { ...envelope, event: "task.closed", task_id: taskId } });

		const deal = await tell(
			cast,
			{ type: "deal.created", taskId, agentId, dealId: submissionId, dealValueCents: 900 },
			{ task_ids: [taskId] },
		);
		expect(deal).toEqual({
			told: parties,
			body: { ...envelope, event: "deal.created", deal_id: submissionId, task_id: taskId, agent_id: agentId, deal_value_cents: 900 },
		});
	});

	it("match the audience for every kind of scope and bystander", async () => {
		const platform = holdPlatform();
		const people = await assembleCrowd();
		const { taskId, otherTaskId } = people;
		const scopes: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
			unscoped: {},
			task: { task_ids: [taskId] },
			category: { categories: ["rObOtIcS"] },
			elsewhere: { task_ids: [otherTaskId], categories: ["poetry"] },
		};
		for (const [who, agent] of Object.entries(people.agents)) {
			for (const [scope, change] of Object.entries(scopes)) {
				await subscribe(agent, `${platform.url}?${who}/${scope}`, { events: WEBHOOK_EVENTS, ...change });
			}
		}
		const subjects = { ...people, agentId: people.agents.competitor.agentId, ...NEW_IDS };
		const members = {
			owner: ["owner"],
			parties: ["owner", "competitor"],
			specialists: ["specialist"],
			followers: ["owner", "competitor", "rival"],
			competitors: ["competitor", "rival"],
			agent: ["competitor"],
		};
		for (const { make, audience } of WEBHOOK_EVENTS.map((name) => EXPECTED_EVENTS[name])) {
			if (audience === null) throw new Error("Each of them goes to somebody.");
			const event = make(subjects);
			await emit(platform.deps, event);
			await platform.work();
			const told = platform.receiver.calls.splice(0).map(({ url }) => url.slice(platform.url.length + 1).replace("/", " "));
			// Anyone may follow a task or a category by its name; nothing else is open to everyone.
			const scoped = audience === "followers" ? Object.keys(people.agents) : members[audience];
			const expected = [
				...members[audience].map((who) => `${who} unscoped`),
				...scoped.flatMap((who) => [`${who} task`, `${who} category`]),
			];
			expect(told.toSorted(), event.type).toEqual(expected.toSorted());
		}
		await Promise.all(Object.values(people.agents).map(unsubscribe));
	});

	it("get the scores of each criterion", async () => {
		const platform = holdPlatform();
		const [owner, agent] = await Promise.all([registerAgent(), registerAgent()]);
		const { id } = await subscribe(agent, platform.url, { events: ["evaluation.completed"] });
		const taskId = await openTask(owner);
		const { id: submissionId } = await submit(agent, taskId);
		const { dimensions } = await awaitEvaluation(agent, submissionId);
		const scores = {
			event: "evaluation.completed",
			submission_id: submissionId,
			dimensions: dimensions.map(({ weight, potential_points, checks, gaps, ...dimension }) => dimension),
		};
		// The platform itself has sent these.
		await expect.poll(async () => (await readLog(agent, id)).map(({ payload }) => payload)).toMatchObject([scores]);
		const ids = { taskId, submissionId, agentId: agent.agentId, evaluationId: await findEvaluation(owner, submissionId) };
		await emit(platform.deps, { type: "evaluation.completed", ...ids, round: "submission" });
		await platform.work();
		expect(JSON.parse(platform.receiver.calls[0]?.body ?? "{}")).toMatchObject(scores);
	});

	it("get long reasoning cut, because a row of their object has at most 2 MB", async () => {
		const criteria = Array.from({ length: 50 }, (_, index) => ({ name: `Criterion ${index}`, weight: 2 }));
		const external = await createExternalTask({ criteria });
		const hook = await external.agent.call("createWebhook", {
			body: { url: "https://hooks.slack.com/services/x", format: "slack", events: ["evaluation.completed"] },
		});
		const id = await external.submit();
		const reasoning = "\u0001".repeat(12_000);
		const dimensions = criteria.map(({ name }) => ({ criterion_name: name, score: 50, reasoning }));
		await external.post(id, { final_score: 50, dimensions });
		await expect.poll(async () => (await readLog(external.agent, hook.id)).length).toBe(1);
		const [{ payload } = { payload: {} }] = await readLog(external.agent, hook.id);
		expect(JSON.stringify(payload).length).toBeLessThan(2_000_000);
		expect(payload).toMatchObject({ dimensions: criteria.map(({ name }) => ({ criterion_name: name, score: 50 })) });
	});

	it("get events from after their subscription, even if an earlier event is sent late", async () => {
		const platform = holdPlatform();
		const agent = await registerAgent();
		const { id: taskId } = await createDraft(agent);
		const events = ["task.opened", "task.closed"];
		const clients = [platform.clientOf(agent), platform.clientOf(await registerAgent())];
		const subscribeAll = async (name: string) => {
			const body = { url: `${platform.url}?${name}`, events, task_ids: [taskId] };
			for (const client of clients) await client.call("createWebhook", { body });
			platform.receiver.calls.splice(0);
		};
		await subscribeAll("earlier");
		platform.clock.advance(1);
		let isAway = true;
		const { hubs } = platform.deps;
		const callSender: typeof hubs.callSender = (id, call) => (isAway ? Promise.reject(new Error("Away.")) : hubs.callSender(id, call));
		const log = { info: () => {}, error: () => {} };
		await emit({ ...platform.deps, log, hubs: { ...hubs, callSender } }, { type: "task.opened", taskId });
		platform.clock.advance(1);
		await subscribeAll("later");
		isAway = false;
		await emit(platform.deps, { type: "task.closed", taskId });
		await platform.work();
		const told = platform.receiver.calls.map(({ url, headers }) => `${headers.get("X-Svc-Event")} ${url.slice(platform.url.length + 1)}`);
		const [opened, closed] = events;
		expect(told.toSorted()).toEqual([
			`${closed} earlier`,
			`${closed} earlier`,
			`${closed} later`,
			`${closed} later`,
			`${opened} earlier`,
			`${opened} earlier`,
		]);
	});

	it("are the owner and those who have submitted while the task is hidden", async () => {
		const cast = await assemble();
		const opened = { type: "task.opened" as const, taskId: cast.taskId };
		const scope = { task_ids: [cast.taskId] };
		await admin.call("takeDownTask", { params: { id: cast.taskId }, body: { reason: "spam" } });
		expect((await tell(cast, opened, scope)).told).toEqual(["competitor", "owner"]);
		await admin.call("restoreTask", { params: { id: cast.taskId }, body: { reason: "no spam" } });
		expect((await tell(cast, opened, scope)).told).toEqual(["competitor", "owner", "stranger"]);
	});
});
