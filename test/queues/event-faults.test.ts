// Between a commit and the receipt of its events anything may die. Nothing is lost, and nothing happens twice.
import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { commit } from "../../src/db/commit.ts";
import { WEBHOOK_EVENTS, type WebhookEvent } from "../../src/domain/events.ts";
import { dispatchRecorded, sweepOutbox } from "../../src/events/dispatch.ts";
import { recordEvents } from "../../src/events/outbox.ts";
import { streamBounties } from "../../src/features/competition/streams/contract.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { evictAll, type Random, seeded, survive } from "../support/disasters.ts";
import { type EventSubjects, EXPECTED_EVENTS } from "../support/events.ts";
import { mortal } from "../support/mortality.ts";
import { awaitEvaluation, openTask, registerAgent, submit } from "../support/scenario.ts";
import type { SenderLife } from "../support/senders.ts";
import { readStream } from "../support/sse.ts";
import { count, queryAll } from "../support/storage.ts";
import { type HeldPlatform, holdPlatform, type ReceivedCall, subscribe } from "../support/webhooks.ts";

const ROUNDS = 200;
const SEED = 20_261_120;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const MAX_ATTEMPTS = 8;

/** The subscriptions that each audience has; every one of them takes all events, but for the last two. */
const MEMBERS = {
	owner: ["owner"],
	parties: ["owner", "competitor"],
	specialists: ["specialist"],
	followers: ["owner", "competitor", "scoped"],
};
const TROUBLED: Readonly<Record<string, readonly WebhookEvent[]>> = {
	flaky: ["submission.completed", "task.closed"],
	dead: ["deal.created"],
};

/** The subscriptions that an event goes to. */
function ruledFor(event: WebhookEvent): readonly string[] {
	const { audience } = EXPECTED_EVENTS[event];
	if (audience === null) throw new Error(`Nobody gets ${event}.`);
	return [...MEMBERS[audience], ...Object.keys(TROUBLED).filter((name) => TROUBLED[name]?.includes(event))];
}

interface Stage {
	readonly platform: HeldPlatform;
	readonly random: Random;
	readonly subjects: EventSubjects;
	/** Names of the subscriptions by their id. */
	readonly names: Map<string, string>;
	/** Deaths of objects while a request of theirs was out or not recorded yet, by event and subscription. */
	readonly deaths: Map<string, number>;
	/** Whether objects may die. */
	isTroubled: boolean;
	/** How many calls the receiver had when the round began. All of them are recorded. */
	callsBefore: number;
}

/** Attempts take fewer steps than this, so most of them live. */
const DEADLY_STEPS = 10;

function buildStage(random: Random, subjects: EventSubjects): Stage {
	const openSenderDeps = (deps: Deps, { webhookId, die }: SenderLife): Deps => {
		if (!stage.isTroubled) return deps;
		return mortal(deps, { atStep: random(DEADLY_STEPS), isAfter: random(2) === 1 }, () => {
			die();
			noteDeaths(stage, (name) => name === stage.names.get(webhookId));
		});
	};
	const platform = holdPlatform({ openSenderDeps });
	const stage: Stage = { platform, random, subjects, names: new Map(), deaths: new Map(), isTroubled: false, callsBefore: 0 };
	return stage;
}

/** An object that dies takes along what it has sent in this round. */
function noteDeaths({ platform, deaths, callsBefore }: Stage, isDead: (name: string) => boolean): void {
	const pairs = new Set(
		platform.receiver.calls
			.slice(callsBefore)
			.filter((call) => isDead(nameOf(call)))
			.map(pairOf),
	);
	for (const pair of pairs) deaths.set(pair, (deaths.get(pair) ?? 0) + 1);
}

/** One task with everybody who has to do with it, and somebody who has not. */
async function assemble(random: Random): Promise<Stage> {
	const [owner, competitor, specialist, stranger] = await Promise.all([0, 1, 2, 3].map(() => registerAgent()));
	if (owner === undefined || competitor === undefined || specialist === undefined || stranger === undefined) throw new Error("Four came.");
	await env.DB.prepare("insert into agent_specializations (tag, agent_id) values ('robotics', ?)").bind(specialist.agentId).run();
	const taskId = await openTask(owner, { category: "Robotics" });
	const { id: submissionId } = await submit(competitor, taskId);
	await awaitEvaluation(competitor, submissionId);
	const evaluation = await env.DB.prepare("select id from evaluations").first<{ id: string }>();
	// What the scenario itself has caused is none of the rounds' business.
	await env.DB.prepare("delete from outbox").run();
	const subjects = { taskId, submissionId, agentId: competitor.agentId, evaluationId: evaluation?.id ?? "", dealId: submissionId };
	const stage = buildStage(random, subjects);
	const add = async (agent: typeof owner, name: string, change: Readonly<Record<string, unknown>> = {}) => {
		const { id } = await subscribe(agent, `${stage.platform.url}?${name}`, { events: WEBHOOK_EVENTS, ...change });
		stage.names.set(id, name);
	};
	await add(owner, "owner");
	await add(competitor, "competitor");
	await add(specialist, "specialist");
	await add(stranger, "scoped", { task_ids: [taskId] });
	await add(stranger, "stranger");
	await add(owner, "flaky", { events: TROUBLED["flaky"] });
	await add(competitor, "dead", { events: TROUBLED["dead"] });
	return stage;
}

const nameOf = ({ url }: ReceivedCall) => url.slice(url.indexOf("?") + 1);
const eventOf = ({ headers }: ReceivedCall) => headers.get("webhook-id") ?? "";
const pairOf = (call: ReceivedCall) => `${eventOf(call)} ${nameOf(call)}`;

/** The flaky receiver takes an event at the third time of asking; the dead one refuses or breaks off. */
function misbehave({ receiver }: HeldPlatform): void {
	receiver.answer = (call) => {
		const tries = receiver.calls.filter((other) => pairOf(other) === pairOf(call)).length;
		if (nameOf(call) === "dead" && tries % 2 === 0) throw new Error("connection lost");
		const isRefused = nameOf(call) === "dead" || (nameOf(call) === "flaky" && tries < 3);
		return new Response(null, { status: isRefused ? 500 : 204 });
	};
}

let evictions = 0;

async function evictTopics(): Promise<void> {
	evictions += await evictAll(env.BOUNTIES);
}

async function evictRelays(): Promise<void> {
	evictions += await evictAll(env.TOPIC_RELAY);
}

/** The way of two events of one commit, with something going wrong at a random place. */
async function troubledRound(stage: Stage, types: readonly WebhookEvent[]): Promise<readonly string[]> {
	const { platform, random } = stage;
	const { deps, clock } = platform;
	const events = types.map((type) => EXPECTED_EVENTS[type].make(stage.subjects));
	const recorded = recordEvents(deps, events);
	// The stream of bounties reads the openings, which publishing writes.
	const opening = deps.db.statement(sql`insert into openings (task_id) values (${stage.subjects.taskId})`);
	await commit(deps.db, [opening, recorded]);
	const rows = await queryAll<{ id: string }>(
		"select value->>'id' as id from outbox, json_each(events) where outbox.id = ?",
		recorded.outboxId,
	);
	const eventIds = rows.map(({ id }) => id);
	stage.callsBefore = platform.receiver.calls.length;
	stage.isTroubled = true;
	const disaster = random(8);
	if (disaster === 0) await evictTopics();
	if (disaster === 1) await evictRelays();
	const dispatcher = mortal(deps, { atStep: random(disaster < 5 ? 16 : 60), isAfter: random(2) === 1 });
	if (disaster === 2) deps.db.committedEvents.splice(0);
	if (disaster === 3) clock.advance(16_000);
	await Promise.all([survive(dispatchRecorded(dispatcher)), disaster === 3 ? survive(sweepOutbox(deps)) : null]);
	if (disaster === 4) await Promise.all([evictTopics(), evictRelays()]);
	await troubledDeliveries(stage);
	stage.isTroubled = false;
	return eventIds;
}

/** Objects that die while they send, wake up, and die again. */
async function troubledDeliveries(stage: Stage): Promise<void> {
	const { platform, random } = stage;
	if (random(8) === 0) {
		platform.senders.kill();
		noteDeaths(stage, () => true);
	}
	if (random(8) === 0) platform.clock.advance(31_000);
	await survive(platform.senders.ring());
	await platform.deps.settled();
}

/** What the following minutes do: sweeps and alarms, whole again. */
async function recover({ platform }: Stage, step = MINUTE): Promise<void> {
	for (let minute = 0; minute < 2; minute += 1) {
		platform.clock.advance(step);
		await sweepOutbox(platform.deps);
		await platform.work();
	}
}

/** All rounds and what follows until nothing is due any more; the events that happened, with their kinds. */
async function drive(stage: Stage): Promise<ReadonlyMap<string, WebhookEvent>> {
	const { random } = stage;
	const happened = new Map<string, WebhookEvent>();
	const others = WEBHOOK_EVENTS.filter((type) => type !== "task.opened");
	for (let round = 0; round < ROUNDS; round += 1) {
		const types: WebhookEvent[] = ["task.opened", others[random(others.length)] ?? "task.closed"];
		const ids = await troubledRound(stage, types);
		for (const [index, type] of types.entries()) happened.set(ids[index] ?? "", type);
		// Some rounds begin while the last ones have not recovered.
		if (random(3) === 0) await recover(stage);
	}
	for (let hop = 0; hop < 3; hop += 1) await recover(stage);
	// The schedule of those that fail runs out.
	for (let hop = 0; hop < 8; hop += 1) await recover(stage, 2 * HOUR);
	await recover(stage, 13 * HOUR);
	return happened;
}

/** Each subscription has one delivery of each event that it is to know of, and of no other, and it has ended. */
async function checkDeliveries({ names, platform }: Stage, ruled: readonly string[]): Promise<void> {
	expect(await count("select count(*) from outbox")).toBe(0);
	const deliveries: string[] = [];
	for (const [webhookId, name] of names) {
		const query = { before: null, limit: 10 * ROUNDS };
		const log = await platform.senders.hubs.callSender(webhookId, (sender) => sender.listDeliveries(query));
		for (const { status, eventId } of log) expect(status, `${eventId} ${name}`).toBe(name === "dead" ? "failed" : "delivered");
		deliveries.push(...log.map(({ eventId }) => `${eventId} ${name}`));
	}
	expect(deliveries.toSorted()).toEqual(ruled);
}

/** A receiver sees an event again only after it has refused it, or after the object has died with its answer. */
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
	misbehave(stage.platform);
	const stream = readStream(await (await registerAgent()).send(streamBounties));
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
	// The troubles were there.
	expect(evictions).toBeGreaterThan(ROUNDS / 10);
	expect(stage.deaths.size).toBeGreaterThan(ROUNDS / 4);
}, 180_000);
