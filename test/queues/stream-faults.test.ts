// Between a change and its watchers anything may die. Every watcher ends with the current state, gets none twice or out of order, and
// gets every bounty once.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { readTask, updateTaskRow } from "../../src/core/competition/tasks/store.ts";
import { board } from "../../src/db/task/schema/submissions.ts";
import type { Hubs } from "../../src/ports/hubs.ts";
import { evictAll, type Random, seeded, survive } from "../support/disasters.ts";
import { changeSubmissions } from "../support/house.ts";
import { type RestlessWatcher, watchRestlessly } from "../support/restless.ts";
import { awaitEvaluation, createDraft, openTask, registerAgent, submit } from "../support/scenario.ts";
import { inTask, queryTask } from "../support/task-object.ts";
import { register } from "../support/uploads.ts";

const ROUNDS = 60;
const SEED = 20_261_121;
const WATCHED_FROM = Date.parse("2027-01-01T00:00:00.000Z");

/** A subject is a resource that changes, with its watchers. */
interface Subject {
	readonly watchers: readonly RestlessWatcher[];
	/** Returns the task that changes next. */
	nextTaskId(): string;
	change(): Promise<void>;
	/** Expects that the watcher has seen this by now. */
	check(watcher: RestlessWatcher): void;
}

/** Expects that states come in order, none twice, and the last one is the current state. */
function expectStates({ seen }: RestlessWatcher, present: Readonly<Record<string, unknown>>): void {
	const ids = seen().map(({ id }) => Number(id));
	expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
	expect(seen().at(-1)?.data).toMatchObject(present);
}

async function watchedTask(): Promise<Subject> {
	const owner = await registerAgent();
	const deadlineAfter = (changes: number) => new Date(WATCHED_FROM + changes * 1000).toISOString();
	const { id } = await createDraft(owner, { deadline: deadlineAfter(0) });
	let changes = 0;
	return {
		watchers: await Promise.all([0, 1].map(() => watchRestlessly(owner, "streamTask", { id }))),
		nextTaskId: () => id,
		async change() {
			changes += 1;
			await owner.call("updateTask", { params: { id }, body: { deadline: deadlineAfter(changes) } });
		},
		check: (watcher) => expectStates(watcher, { deadline: deadlineAfter(changes) }),
	};
}

async function watchedSubmission(): Promise<Subject> {
	const [owner, agent] = await Promise.all([registerAgent(), registerAgent()]);
	const taskId = await openTask(owner);
	const { id } = await register(agent, taskId);
	let status = "registered";
	return {
		watchers: await Promise.all([owner, agent].map((reader) => watchRestlessly(reader, "streamSubmission", { id }))),
		nextTaskId: () => taskId,
		async change() {
			status = status === "running" ? "registered" : "running";
			await changeSubmissions(taskId, `status = '${status}'`);
		},
		check: (watcher) => expectStates(watcher, { status }),
	};
}

async function watchedLeaderboard(): Promise<Subject> {
	const [owner, agent] = await Promise.all([registerAgent(), registerAgent()]);
	const id = await openTask(owner);
	await awaitEvaluation(agent, (await submit(agent, id)).id);
	let score = 50;
	const change = async () => {
		// The score alternates, so that a repeated state cannot be mistaken for a missed one.
		score = score === 50 ? 51 : 50;
		await inTask(id, (task) => {
			task.db.update(board).set({ finalScore: score }).run();
			updateTaskRow(task, { boardRevision: readTask(task).boardRevision + 1 });
		});
	};
	await change();
	return {
		watchers: await Promise.all([owner, agent].map((reader) => watchRestlessly(reader, "streamLeaderboard", { id }))),
		nextTaskId: () => id,
		change,
		check: (watcher) => expectStates(watcher, { entries: [{ finalScore: score }] }),
	};
}

async function watchedBounties(): Promise<Subject> {
	const [owner, watcher] = await Promise.all([registerAgent(), registerAgent()]);
	const watchers = await Promise.all([0, 1].map(() => watchRestlessly(watcher, "streamBounties")));
	const drafts = await Promise.all(Array.from({ length: ROUNDS / 2 }, () => createDraft(owner)));
	const own = new Set<unknown>(drafts.map(({ id }) => id));
	const opened: string[] = [];
	const nextTaskId = () => drafts[opened.length]?.id ?? "";
	return {
		watchers,
		nextTaskId,
		async change() {
			const id = nextTaskId();
			opened.push(id);
			await owner.call("publishTask", { params: { id } });
		},
		check: ({ seen }) => {
			const ids = seen()
				.map(({ data }) => data["id"])
				.filter((id) => own.has(id));
			// A bounty whose event had to be repeated may come after a later one.
			expect(ids.toSorted()).toEqual(opened.toSorted());
		},
	};
}

/** Loses the next call of the task to the objects of streams, before it takes effect or after, and sometimes reports no loss. */
function breakCalls(taskId: string, random: Random): Promise<void> {
	const [isAfter, isSilent] = [random(2) === 1, random(2) === 1];
	return runInDurableObject(env.TASK.getByName(taskId), ({ runtime }) => {
		const { hubs } = runtime.deps;
		let isBroken = true;
		const lose = async <Result>(call: () => Promise<Result>, lost: Result): Promise<Result> => {
			if (!isBroken) return call();
			isBroken = false;
			const result = isAfter ? await call() : lost;
			if (isSilent) return result;
			throw new Error("The connection was lost.");
		};
		const broken: Partial<Hubs> = {
			deliverToRelay: (relay, entries) => lose(() => hubs.deliverToRelay(relay, entries), 1),
			addBounty: (bounty) => (isSilent && !isAfter ? hubs.addBounty(bounty) : lose(() => hubs.addBounty(bounty), undefined)),
		};
		runtime.deps = { ...runtime.deps, hubs: { ...hubs, ...broken }, log: { info: () => {}, error: () => {} } };
	});
}

let evictions = 0;

async function evict(what: "sources" | "relays"): Promise<void> {
	if (what === "relays") evictions += await evictAll(env.TOPIC_RELAY);
	else evictions += (await evictAll(env.TASK)) + (await evictAll(env.BOUNTIES));
}

/** Plays one change on its way to its watchers, with a fault at a random place. */
async function troubledRound(subject: Subject, random: Random): Promise<void> {
	const watcher = subject.watchers[random(2)];
	const disaster = random(9);
	if (disaster === 0) await evict("sources");
	if (disaster === 1) await evict("relays");
	if (disaster === 2) await watcher?.cut();
	if (disaster === 3 || disaster === 4) await breakCalls(subject.nextTaskId(), random);
	await Promise.all([
		subject.change(),
		...(disaster === 5 ? [watcher?.cut()] : []),
		...(disaster === 6 ? [watcher?.cut().then(() => watcher.connect())] : []),
		...(disaster === 7 ? [survive(evict("relays"))] : []),
	]);
	if (disaster === 8) await Promise.all([evict("sources"), evict("relays")]);
}

/** Clients reconnect, and the alarms of objects that owe work ring. */
async function recover(subjects: readonly Subject[], changed: ReadonlySet<string>): Promise<void> {
	for (const id of changed) await runInDurableObject(env.TASK.getByName(id), (object) => object.alarm());
	for (const { watchers, check } of subjects) {
		await Promise.all(watchers.map(({ connect }) => connect()));
		for (const watcher of watchers) await expect.poll(() => check(watcher), { timeout: 10_000, interval: 10 }).toBeUndefined();
	}
}

it(`brings every watcher up to date after ${ROUNDS} troubled rounds`, async () => {
	const random = seeded(SEED);
	const subjects = await Promise.all([watchedTask(), watchedSubmission(), watchedLeaderboard(), watchedBounties()]);
	await Promise.all(subjects.flatMap(({ watchers }) => watchers.map(({ seen }) => expect.poll(() => seen().length).toBeGreaterThan(0))));
	const changed = new Set<string>();
	for (let round = 0; round < ROUNDS; round += 1) {
		const subject = subjects[random(subjects.length)];
		if (subject === undefined) throw new Error("There is no such subject.");
		changed.add(subject.nextTaskId());
		await troubledRound(subject, random);
		// Some rounds begin while the last one has not recovered.
		if (random(20) === 0) await recover(subjects, changed);
	}
	await recover(subjects, changed);
	for (const id of changed) expect(await queryTask(id, "select id from outbox")).toEqual([]);
	expect(evictions).toBeGreaterThan(ROUNDS / 10);
	await Promise.all(subjects.flatMap(({ watchers }) => watchers.map(({ cut }) => cut())));
});
