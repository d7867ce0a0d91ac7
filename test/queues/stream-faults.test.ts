// Between a change and its watchers anything may die. Every state reaches every watcher, once and in order.
import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { commit } from "../../src/db/commit.ts";
import type { DomainEvent } from "../../src/domain/events.ts";
import { dispatchRecorded, sweepOutbox } from "../../src/events/dispatch.ts";
import { recordEvents } from "../../src/events/outbox.ts";
import { streamBounties, streamLeaderboard, streamSubmission, streamTask } from "../../src/features/competition/streams/contract.ts";
import { publishEvent } from "../../src/features/streams/service.ts";
import { evictAll, type Random, seeded, survive } from "../support/disasters.ts";
import { mortal } from "../support/mortality.ts";
import { type RestlessWatcher, watchRestlessly } from "../support/restless.ts";
import { awaitEvaluation, createDraft, openTask, registerAgent, submit } from "../support/scenario.ts";
import { count } from "../support/storage.ts";
import { register } from "../support/uploads.ts";
import { type HeldPlatform, holdPlatform } from "../support/webhooks.ts";

const ROUNDS = 80;
const SEED = 20_261_121;
const MINUTE = 60_000;

/** Something that changes, with those who watch it. */
interface Subject {
	readonly watchers: readonly RestlessWatcher[];
	/** Makes the next change and what it tells of itself. */
	change(): { statement: ReturnType<typeof sql>; event: DomainEvent };
	/** What a watcher has to have seen by now. */
	check(watcher: RestlessWatcher): void;
}

const WATCHED_FROM = "2027-01-01T00:00:00.000Z";

async function watchedTask(): Promise<Subject> {
	const owner = await registerAgent();
	const { id } = await createDraft(owner, { deadline: WATCHED_FROM });
	const deadlines = [WATCHED_FROM];
	return {
		watchers: await Promise.all([0, 1].map(() => watchRestlessly(owner, streamTask, { id }))),
		change() {
			const deadline = Date.parse(WATCHED_FROM) + deadlines.length * 1000;
			deadlines.push(new Date(deadline).toISOString());
			return { statement: sql`update tasks set deadline = ${deadline} where id = ${id}`, event: { type: "task.updated", taskId: id } };
		},
		check(watcher) {
			expect(watcher.seen().map(({ data }) => data["deadline"])).toEqual(deadlines);
			expect(watcher.seen().map((seen) => Number(seen.id))).toEqual(deadlines.map((_, index) => index));
		},
	};
}

async function watchedSubmission(): Promise<Subject> {
	const [owner, agent] = await Promise.all([registerAgent(), registerAgent()]);
	const taskId = await openTask(owner);
	const { id } = await register(agent, taskId);
	const statuses: ("registered" | "running")[] = ["registered"];
	return {
		watchers: await Promise.all([owner, agent].map((reader) => watchRestlessly(reader, streamSubmission, { id }))),
		change() {
			const status = statuses.length % 2 === 0 ? "registered" : "running";
			statuses.push(status);
			return {
				statement: sql`update submissions set status = ${status} where id = ${id}`,
				event: { type: "submission.running", taskId, submissionId: id, agentId: agent.agentId },
			};
		},
		check(watcher) {
			expect(watcher.seen().map(({ data }) => data["status"])).toEqual(statuses);
			expect(watcher.seen().map((seen) => Number(seen.id))).toEqual(statuses.map((_, index) => index));
		},
	};
}

async function watchedLeaderboard(): Promise<Subject> {
	const [owner, agent] = await Promise.all([registerAgent(), registerAgent()]);
	const id = await openTask(owner);
	const { id: submissionId } = await submit(agent, id);
	await awaitEvaluation(agent, submissionId);
	let score = 0;
	return {
		watchers: await Promise.all([owner, agent].map((reader) => watchRestlessly(reader, streamLeaderboard, { id }))),
		change() {
			// Back and forth, so that a state that comes again is no state that was missed.
			score = score === 50 ? 51 : 50;
			return {
				statement: sql`update leaderboard_entries set final_score = ${score} where task_id = ${id}`,
				event: { type: "submission.completed", taskId: id, submissionId, agentId: agent.agentId, finalScore: score },
			};
		},
		check(watcher) {
			const seen = watcher.seen();
			const ids = seen.map((event) => Number(event.id));
			expect(ids).toEqual(ids.toSorted((a, b) => a - b));
			expect(new Set(ids).size).toBe(ids.length);
			if (score > 0) expect(seen.at(-1)?.data).toMatchObject({ entries: [{ finalScore: score }] });
		},
	};
}

async function watchedBounties(): Promise<Subject> {
	const [owner, watcher] = await Promise.all([registerAgent(), registerAgent()]);
	const watchers = await Promise.all([0, 1].map(() => watchRestlessly(watcher, streamBounties)));
	const drafts = await Promise.all(Array.from({ length: ROUNDS / 2 }, () => createDraft(owner)));
	const own = new Set<unknown>(drafts.map(({ id }) => id));
	const opened: string[] = [];
	return {
		watchers,
		change() {
			const taskId = drafts[opened.length]?.id ?? "";
			opened.push(taskId);
			return { statement: sql`update tasks set status = 'open' where id = ${taskId}`, event: { type: "task.opened", taskId } };
		},
		check: ({ seen }) => {
			const ids = seen()
				.map(({ data }) => data["id"])
				.filter((id) => own.has(id));
			// One that is swept may come after a later one.
			expect(new Set(ids)).toEqual(new Set(opened));
			expect(ids).toHaveLength(opened.length);
		},
	};
}

let evictions = 0;

async function evictTopics(): Promise<void> {
	evictions += await evictAll(env.TOPIC);
}

async function evictRelays(): Promise<void> {
	evictions += await evictAll(env.TOPIC_RELAY);
}

/** One change's way to its watchers, with something going wrong at a random place. */
async function troubledRound({ deps, clock }: HeldPlatform, subject: Subject, random: Random): Promise<void> {
	const watcher = subject.watchers[random(2)];
	const { statement, event } = subject.change();
	const disaster = random(10);
	if (disaster === 0) await evictTopics();
	if (disaster === 1) await evictRelays();
	if (disaster === 5) await watcher?.cut();
	await commit(deps.db, [deps.db.statement(statement), recordEvents(deps, [event])]);
	const recorded = { id: deps.db.committedEvents[0] ?? "", event };
	if (disaster === 2) deps.db.committedEvents.splice(0);
	if (disaster === 3) clock.advance(16_000);
	const dispatcher = mortal(deps, { atStep: random(disaster < 6 ? 6 : 40), isAfter: random(2) === 1 });
	await Promise.all([
		survive(dispatchRecorded(dispatcher)),
		...(disaster === 3 ? [survive(sweepOutbox(deps))] : []),
		...(disaster === 6 ? [publishEvent(deps, recorded), publishEvent(deps, recorded)] : []),
		...(disaster === 7 ? [watcher?.cut()] : []),
		...(disaster === 8 ? [watcher?.cut().then(() => watcher.connect())] : []),
	]);
	if (disaster === 4) await Promise.all([evictTopics(), evictRelays()]);
}

/** What the next minute does: the sweep, and clients that come back. */
async function recover({ deps, clock }: HeldPlatform, subjects: readonly Subject[]): Promise<void> {
	clock.advance(MINUTE);
	await sweepOutbox(deps);
	for (const { watchers, check } of subjects) {
		await Promise.all(watchers.map(({ connect }) => connect()));
		for (const watcher of watchers) await expect.poll(() => check(watcher), { timeout: 5_000, interval: 10 }).toBeUndefined();
	}
}

it(`shows every watcher every state once and in order in ${ROUNDS} troubled rounds`, async () => {
	const random = seeded(SEED);
	const platform = holdPlatform();
	const subjects = await Promise.all([watchedTask(), watchedSubmission(), watchedLeaderboard(), watchedBounties()]);
	await Promise.all(subjects.flatMap(({ watchers }) => watchers.map(({ seen }) => expect.poll(() => seen().length).toBeGreaterThan(0))));
	for (let round = 0; round < ROUNDS; round += 1) {
		const subject = subjects[random(subjects.length)];
		if (subject === undefined) throw new Error("There is no such subject.");
		await troubledRound(platform, subject, random);
		// Some rounds begin while the last one has not recovered.
		if (random(20) === 0) await recover(platform, subjects);
	}
	await recover(platform, subjects);
	expect(await count("select count(*) from outbox")).toBe(0);
	expect(evictions).toBeGreaterThan(ROUNDS / 10);
	await Promise.all(subjects.flatMap(({ watchers }) => watchers.map(({ cut }) => cut())));
}, 180_000);
