// Between a commit and the receipt of its events anything may die, but nothing is lost, and nothing happens twice.
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { updateTaskRow } from "../../src/core/competition/tasks/store.ts";
import { commit } from "../../src/db/commit.ts";
import { outbox } from "../../src/db/task/schema/task.ts";
import { type DomainEvent, WEBHOOK_EVENTS, type WebhookEvent } from "../../src/domain/events.ts";
import { dispatchRecorded, sweepOutbox } from "../../src/events/dispatch.ts";
import { recordEvents } from "../../src/events/outbox.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { taskVerb } from "../../src/ports/task.ts";
import { evictAll, type Random, seeded, survive } from "../support/disasters.ts";
import { type EventSubjects, EXPECTED_EVENTS } from "../support/events.ts";
import { faultRun } from "../support/fault-run.ts";
import { type Fate, type HeldTasks, holdTasks, silenceRealTasks } from "../support/held-tasks.ts";
import { mortal } from "../support/mortality.ts";
import { awaitEvaluation, createDraft, hoursFromNow, openTask, registerAgent, submit } from "../support/scenario.ts";
import type { SenderLife } from "../support/senders.ts";
import { readStream } from "../support/sse.ts";
import { count } from "../support/storage.ts";
import { awaitEvents, queryTask } from "../support/task-object.ts";
import { type HeldPlatform, holdPlatform, type ReceivedCall, subscribe } from "../support/webhooks.ts";

const ROUNDS = faultRun.playsOneOf === 1 ? 200 : 80;
const SEED = 20_261_120;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const MAX_ATTEMPTS = 8;

/** Each audience has these subscriptions; each receives all events, except the last two. */
const MEMBERS = {
	owner: ["owner"],
	parties: ["owner", "competitor"],
	specialists: ["specialist"],
	followers: ["owner", "competitor", "scoped"],
	competitors: ["competitor"],
	agent: ["competitor"],
};
/** Each round opens its own task, to which the competitor has not submitted. */
const MEMBERS_OF_NEW_TASK = ["owner", "scoped"];
const TROUBLED: Readonly<Record<string, readonly WebhookEvent[]>> = {
	flaky: ["submission.completed", "task.closed"],
	dead: ["deal.created"],
};

/** Returns the subscriptions that an event must reach. */
function ruledFor(event: WebhookEvent): readonly string[] {
	if (event === "task.opened") return MEMBERS_OF_NEW_TASK;
	const { audience } = EXPECTED_EVENTS[event];
	if (audience === null) throw new Error(`Nobody gets ${event}.`);
	return [...MEMBERS[audience], ...Object.keys(TROUBLED).filter((name) => TROUBLED[name]?.includes(event))];
}

interface Stage {
	readonly platform: HeldPlatform;
	readonly tasks: HeldTasks;
	readonly random: Random;
	readonly subjects: EventSubjects;
	/** Each round has one of these tasks. */
	readonly newTaskIds: readonly string[];
	/** Names of the subscriptions by their id. */
	readonly names: Map<string, string>;
	/** Counts the deaths of objects while a request was out or not recorded yet, by event and subscription. */
	readonly deaths: Map<string, number>;
	/** True if objects may die. */
	isTroubled: boolean;
	/** The receiver had this number of calls when the round began. All of them are recorded. */
	callsBefore: number;
}

/** Attempts take fewer steps than this, so most of them survive. */
const DEADLY_STEPS = 10;

function buildStage(random: Random, { subjects, newTaskIds }: Pick<Stage, "subjects" | "newTaskIds">): Stage {
	const openSenderDeps = (deps: Deps, { webhookId, die }: SenderLife): Deps => {
		if (!stage.isTroubled) return deps;
		return mortal(deps, { atStep: random(DEADLY_STEPS), isAfter: random(2) === 1 }, () => {
			die();
			noteDeaths(stage, (name) => name === stage.names.get(webhookId));
		});
	};
	const platform = holdPlatform({ openSenderDeps });
	const { callSender } = platform.senders.hubs;
	const tasks = holdTasks({
		clock: platform.clock,
		openDeps: () => ({ ...platform.deps, hubs: { ...tasks.hubs, callSender } }),
		openFate: () => chooseFate(random, () => stage.isTroubled),
		loses: () => false,
	});
	const stage: Stage = {
		platform,
		tasks,
		random,
		subjects,
		newTaskIds,
		names: new Map(),
		deaths: new Map(),
		isTroubled: false,
		callsBefore: 0,
	};
	return stage;
}

let taskDeaths = 0;

/** Kills objects of tasks at one of their first troubled steps to the outside: cards, subscriptions, the index, deliveries, bounties. */
function chooseFate(random: Random, isTroubled: () => boolean): Fate {
	const [atStep, isAfter] = [random(2 * DEADLY_STEPS), random(2) === 1];
	let steps = 0;
	return () => {
		if (!isTroubled()) return "lives";
		steps += 1;
		if (steps - 1 !== atStep) return "lives";
		taskDeaths += 1;
		return isAfter ? "dies after" : "dies before";
	};
}

interface Recording {
	/** This is the id of the row of the outbox. */
	readonly id: string;
	/** This is the row's event, with its id. */
	readonly event: { readonly id: string; readonly type: string; readonly payload: object };
}

/** An object that dies more often at the same verb has another fault than its planned deaths. */
const MAX_DEATHS = 100;

/** These recordings were committed. Their callers may not know of it. */
const committed = new Set<string>();

/** Records an event whose id the test knows. */
const recordKnown = taskVerb("recordKnown", (task, { id, event }: Recording) => {
	task.db
		.insert(outbox)
		.values({ id, taskId: task.id, events: [event], isTaskChanged: false, submissionIds: [], createdAt: task.realNow, taskTime: task.now })
		.run();
	updateTaskRow(task, event.type === "task.opened" ? { status: "open", publishedAt: task.now, taskSha256: "0".repeat(64) } : {});
	committed.add(id);
});

/** Counts the requests of this round that objects may repeat, because they died before they recorded them. */
function noteDeaths({ platform, deaths, callsBefore }: Stage, isDead: (name: string) => boolean): void {
	const pairs = new Set(
		platform.receiver.calls
			.slice(callsBefore)
			.filter((call) => isDead(nameOf(call)))
			.map(pairOf),
	);
	for (const pair of pairs) deaths.set(pair, (deaths.get(pair) ?? 0) + 1);
}

/** Creates one task with an agent for each relation to it, and a stranger. */
async function assemble(random: Random): Promise<Stage> {
	const [owner, competitor, specialist, stranger] = await Promise.all([0, 1, 2, 3].map(() => registerAgent()));
	if (owner === undefined || competitor === undefined || specialist === undefined || stranger === undefined) throw new Error("Four came.");
	await env.DB.prepare("insert into agent_specializations (tag, agent_id) values ('robotics', ?)").bind(specialist.agentId).run();
	const deadline = hoursFromNow(300);
	const taskId = await openTask(owner, { category: "Robotics", deadline });
	const { id: submissionId } = await submit(competitor, taskId);
	await awaitEvaluation(competitor, submissionId);
	const [evaluation] = await queryTask<{ id: string }>(taskId, "select id from evaluations");
	const newTaskIds: string[] = [];
	while (newTaskIds.length < ROUNDS) newTaskIds.push((await createDraft(owner, { category: "Robotics", deadline })).id);
	await Promise.all([taskId, ...newTaskIds].map(awaitEvents));
	const newIds = { dealId: submissionId, questionId: submissionId, appealId: submissionId };
	const subjects = { taskId, submissionId, agentId: competitor.agentId, evaluationId: evaluation?.id ?? "", ...newIds };
	const stage = buildStage(random, { subjects, newTaskIds });
	const add = async (agent: typeof owner, name: string, change: Readonly<Record<string, unknown>> = {}) => {
		const { id } = await subscribe(agent, `${stage.platform.url}?${name}`, { events: WEBHOOK_EVENTS, ...change });
		stage.names.set(id, name);
	};
	await add(owner, "owner");
	await add(competitor, "competitor");
	await add(specialist, "specialist");
	await add(stranger, "scoped", { categories: ["robotics"] });
	await add(stranger, "stranger");
	await add(owner, "flaky", { events: TROUBLED["flaky"] });
	await add(competitor, "dead", { events: TROUBLED["dead"] });
	return stage;
}

const nameOf = ({ url }: ReceivedCall) => url.slice(url.indexOf("?") + 1);
const eventOf = ({ headers }: ReceivedCall) => headers.get("webhook-id") ?? "";
const pairOf = (call: ReceivedCall) => `${eventOf(call)} ${nameOf(call)}`;

/** The flaky receiver accepts an event at the third attempt; the dead one refuses or cuts the connection. */
function misbehave({ receiver }: HeldPlatform): void {
	receiver.answer = (call) => {
		const tries = receiver.calls.filter((other) => pairOf(other) === pairOf(call)).length;
		if (nameOf(call) === "dead" && tries % 2 === 0) throw new Error("connection lost");
		const isRefused = nameOf(call) === "dead" || (nameOf(call) === "flaky" && tries < 3);
		return new Response(null, { status: isRefused ? 500 : 204 });
	};
}

let evictions = 0;

async function evictBounties(): Promise<void> {
	evictions += await evictAll(env.BOUNTIES);
}

async function evictRelays(): Promise<void> {
	evictions += await evictAll(env.TOPIC_RELAY);
}

/** Returns two events with a fault at a random place on their way: a new task opens, and something happens to the first one. */
async function troubledRound(stage: Stage, { newTaskId, type }: { newTaskId: string; type: WebhookEvent }): Promise<readonly string[]> {
	const { platform, random, tasks } = stage;
	const event = EXPECTED_EVENTS[type].make(stage.subjects);
	const isDeal = event.type === "deal.created" || event.type === "deal.updated";
	const dealId = isDeal ? await commitDeal(platform.deps, event) : null;
	stage.callsBefore = platform.receiver.calls.length;
	stage.isTroubled = true;
	const disaster = random(8);
	if (disaster === 0) await evictBounties();
	if (disaster === 1) await evictRelays();
	if (disaster === 2) tasks.kill();
	if (disaster === 3) platform.clock.advance(16_000);
	const [openedId, taskEventId] = await Promise.all([
		recordInTask(stage, { type: "task.opened", taskId: newTaskId }),
		isDeal ? sendDeal(stage, disaster).then(() => null) : recordInTask(stage, event),
	]);
	if (disaster === 4) await Promise.all([evictBounties(), evictRelays()]);
	await troubledDeliveries(stage);
	stage.isTroubled = false;
	return [openedId, taskEventId ?? dealId ?? ""];
}

async function recordInTask({ platform, tasks }: Stage, { type, ...payload }: DomainEvent): Promise<string> {
	const { ids, clock } = platform.deps;
	const input = { id: ids.next(), event: { id: ids.next(), type, payload } };
	for (let tries = 0; !committed.has(input.id); tries += 1) {
		expect(tries).toBeLessThan(MAX_DEATHS);
		await survive(tasks.hubs.callTask(payload.taskId, recordKnown, { input, now: clock.now() }));
	}
	await tasks.settled();
	return input.event.id;
}

async function commitDeal(deps: Deps, event: DomainEvent<"deal.created" | "deal.updated">): Promise<string> {
	const recorded = recordEvents(deps, [event]);
	await commit(deps.db, [recorded]);
	return recorded.outboxId;
}

/** Deals are in D1, and their events in D1's outbox. */
async function sendDeal({ platform: { deps }, random }: Stage, disaster: number): Promise<void> {
	if (disaster === 5) deps.db.committedEvents.splice(0);
	const dispatcher = mortal(deps, { atStep: random(8), isAfter: random(2) === 1 });
	await Promise.all([survive(dispatchRecorded(dispatcher)), disaster === 3 ? survive(sweepOutbox(deps)) : null]);
}

/** Objects die while they send, wake up, and die again. */
async function troubledDeliveries(stage: Stage): Promise<void> {
	const { platform, random } = stage;
	if (random(8) === 0) {
		platform.senders.kill();
		noteDeaths(stage, () => true);
	}
	if (random(8) === 0) platform.clock.advance(31_000);
	await survive(Promise.all([platform.senders.ring(), stage.tasks.ring()]));
	await settle(stage);
}

async function settle({ platform, tasks }: Stage): Promise<void> {
	await tasks.settled();
	await platform.deps.settled();
}

/** Plays the following minutes without faults: sweeps and alarms. */
async function recover(stage: Stage, step = MINUTE): Promise<void> {
	const { platform, tasks } = stage;
	for (let minute = 0; minute < 2; minute += 1) {
		platform.clock.advance(step);
		await Promise.all([sweepOutbox(platform.deps), tasks.ring()]);
		await settle(stage);
		await platform.work();
	}
}

/** Plays all rounds and the time until nothing is due any more. Returns the events that happened, with their kinds. */
async function drive(stage: Stage): Promise<ReadonlyMap<string, WebhookEvent>> {
	const { random } = stage;
	const happened = new Map<string, WebhookEvent>();
	const others = WEBHOOK_EVENTS.filter((type) => type !== "task.opened");
	for (const [round, newTaskId] of stage.newTaskIds.entries()) {
		const type = others[round % others.length] ?? "task.closed";
		const [openedId = "", otherId = ""] = await troubledRound(stage, { newTaskId, type });
		happened.set(openedId, "task.opened").set(otherId, type);
		// Some rounds begin before the last ones have recovered.
		if (random(3) === 0) await recover(stage);
	}
	for (let hop = 0; hop < 3; hop += 1) await recover(stage);
	// The schedule of failing deliveries ends.
	for (let hop = 0; hop < 8; hop += 1) await recover(stage, 2 * HOUR);
	await recover(stage, 13 * HOUR);
	return happened;
}

/** Expects one finished delivery to each subscription of each event for it, and of no other. */
async function checkDeliveries({ names, platform, subjects, newTaskIds }: Stage, ruled: readonly string[]): Promise<void> {
	expect(await count("select count(*) from outbox")).toBe(0);
	const waiting = await Promise.all([subjects.taskId, ...newTaskIds].map((taskId) => queryTask(taskId, "select events from outbox")));
	expect(waiting.flat()).toEqual([]);
	const deliveries: string[] = [];
	for (const [webhookId, name] of names) {
		const query = { before: null, limit: 10 * ROUNDS };
		const log = await platform.senders.hubs.callSender(webhookId, (sender) => sender.listDeliveries(query));
		for (const { status, eventId } of log) expect(status, `${eventId} ${name}`).toBe(name === "dead" ? "failed" : "delivered");
		deliveries.push(...log.map(({ eventId }) => `${eventId} ${name}`));
	}
	expect(deliveries.toSorted()).toEqual(ruled);
}

/** A receiver gets an event again only after it has refused it, or after the object has died with its response. */
function checkCalls({ platform, deaths }: Stage, ruled: readonly string[]): void {
	const calls = Map.groupBy(platform.receiver.calls, pairOf);
	expect([...calls.keys()].toSorted()).toEqual(ruled);
	for (const [pair, seen] of calls) {
		const name = pair.slice(pair.indexOf(" ") + 1);
		const most = name === "dead" ? MAX_ATTEMPTS : (name === "flaky" ? 3 : 1) + (deaths.get(pair) ?? 0);
		expect(seen.length, pair).toBeLessThanOrEqual(most);
		expect(new Set(seen.map(({ body }) => body)).size, pair).toBe(1);
	}
}

it(`loses no event and doubles no effect in ${ROUNDS} troubled rounds of all events`, async () => {
	const stage = await assemble(seeded(SEED));
	const restoreRealTasks = silenceRealTasks();
	misbehave(stage.platform);
	const stream = readStream(await (await registerAgent()).send("streamBounties"));
	await stream.count(1);
	const happened = await drive(stage);
	expect(new Set(happened.values())).toEqual(new Set(WEBHOOK_EVENTS));
	const ruled = [...happened].flatMap(([id, type]) => ruledFor(type).map((name) => `${id} ${name}`)).toSorted();
	await checkDeliveries(stage, ruled);
	checkCalls(stage, ruled);
	// Each opening is its own entry of the topic, and the watcher saw each of them once, in order.
	await stream.count(1 + ROUNDS);
	const ids = stream.events.map(({ id }) => Number(id));
	expect(ids).toEqual(Array.from({ length: 1 + ROUNDS }, (_, index) => (ids[0] ?? 0) + index));
	await stream.close();
	restoreRealTasks();
	// This shows that the faults really happened.
	expect(evictions).toBeGreaterThan(ROUNDS / 10);
	expect(stage.deaths.size).toBeGreaterThan(ROUNDS / 4);
	expect(taskDeaths).toBeGreaterThan(ROUNDS / 4);
});
