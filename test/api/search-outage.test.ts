// Tests the platform while its search index is absent, silent, lost or out of date, and how the index is restored.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { Deps } from "../../src/ports/deps.ts";
import { admin } from "../support/admin.ts";
import { createApp } from "../support/app.ts";
import { type Client, createClient } from "../support/client.ts";
import { countingDatabase, testDeps } from "../support/deps.ts";
import { wakeTask } from "../support/house.ts";
import { interceptD1 } from "../support/intercepted-d1.ts";
import { manualClock } from "../support/manual-clock.ts";
import { createDraft, openTask, type RegisteredClient, registerAgent } from "../support/scenario.ts";
import { seedSearch } from "../support/seed.ts";
import { queryOne } from "../support/storage.ts";
import { listOwedEvents, queryTask } from "../support/task-object.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../support/times.ts";
import { OVERLOADED } from "../support/transient-errors.ts";

const SOON = { timeout: 10_000 };
const reason = "It was lost.";

let poster: RegisteredClient;
let reader: RegisteredClient;

beforeAll(async () => {
	poster = await registerAgent("Poster");
	reader = await registerAgent("Reader");
});

const find = async (query: string, input: { readonly limit?: number } = {}) =>
	(await reader.call("searchTasks", { query: { query, ...input } })).data;
const idsOf = async (query: string, input?: { readonly limit?: number }) => (await find(query, input)).map(({ id }) => id);

const silent = countingDatabase(interceptD1(() => new Promise<never>(() => {}), env.SEARCH));
const broken = countingDatabase(interceptD1(() => Promise.reject(new Error(OVERLOADED[0])), env.SEARCH));
const log = { info: () => {}, error: () => {} };

/** Returns a caller's client of a platform with another index. Committed events stay in the outbox. */
function enter({ key }: Pick<Client, "key">, search: Deps["search"], clock?: Deps["clock"]) {
	const app = createApp(() => testDeps({ search, log, ...(clock && { clock }), background: (work) => void work.catch(() => {}) }));
	return createClient({ key, fetch: (request) => app.fetch(request) });
}

/** Empties the index, as after its database was created again. */
async function loseIndex(): Promise<void> {
	await env.SEARCH.batch(["drop table task_search", "drop table searched_tasks"].map((drop) => env.SEARCH.prepare(drop)));
	const statements = env.TEST_SEARCH_MIGRATIONS.flatMap(({ queries }) => queries);
	await env.SEARCH.batch(statements.map((statement) => env.SEARCH.prepare(statement)));
}

describe.each([
	["without an index", null],
	["with an index that does not work", broken],
])("a platform %s", (_, search) => {
	it("lists, publishes and closes tasks, and returns 503 for a search, with what still works", async () => {
		const id = await openTask(poster, { title: "Tapir" });
		const [visitor, owner] = [enter(reader, search), enter(poster, search)];
		const { message, details, headers } = await visitor.refused("searchTasks", "NOT_READY", { query: { query: "tapir" } });
		expect(message).toContain("Search is not available at the moment.");
		expect(details).toMatchObject({ next_actions: [{ method: "GET", href: expect.stringMatching(/\/api\/v1\/tasks$/) }] });
		expect(Number(headers.get("Retry-After"))).toBeGreaterThan(0);
		const { id: draftId } = await createDraft(poster, { title: "Tapir two" });
		await owner.call("publishTask", { params: { id: draftId } });
		const listed = [await visitor.call("listTasks"), await visitor.call("listPublicTasks")].map(({ data }) => data.map((task) => task.id));
		for (const ids of listed) expect(ids).toEqual(expect.arrayContaining([id, draftId]));
		expect(await owner.call("closeTask", { params: { id } })).toMatchObject({ status: "closed" });
	});
});

/** Returns the same client, and sets the index of the task's object too. */
async function enterWithObject(taskId: string, search: Deps["search"]) {
	const [clock, ownersClock] = [manualClock(), manualClock()];
	const task = env.TASK.getByName(taskId);
	await runInDurableObject(task, ({ runtime }) => {
		runtime.deps = { ...runtime.deps, search, log, clock };
	});
	const pass = (ms: number) => runInDurableObject(task, () => clock.advance(ms));
	return { owner: enter(poster, search, ownersClock), ownersClock, pass };
}

const wakeAt = (taskId: string, at: number, deps: Partial<Deps> = {}) => wakeTask(taskId, testDeps({ ...deps, clock: manualClock(at) }));

const triesOf = (taskId: string) => queryTask<{ tries: number }>(taskId, "select index_tries as tries from tasks");

describe("a change while the index", () => {
	it("is silent waits a second, and the object indexes it later", async () => {
		const { id } = await createDraft(poster, { title: "Okapi" });
		const { owner, ownersClock, pass } = await enterWithObject(id, silent);
		let isPublished = false;
		const publication = owner.call("publishTask", { params: { id } }).then(() => {
			isPublished = true;
		});
		await expect.poll(() => ownersClock.waiting()).toBe(1);
		ownersClock.advance(SECOND_MS - 1);
		expect([isPublished, ownersClock.waiting()]).toEqual([false, 1]);
		ownersClock.advance(1);
		await publication;
		expect(await idsOf("okapi")).toEqual([]);
		// The object also waits a second, counted from its alarm.
		const afterASecond = async () => {
			await pass(SECOND_MS);
			return triesOf(id);
		};
		await expect.poll(afterASecond).toEqual([{ tries: 1 }]);
		await pass(MINUTE_MS);
		await wakeAt(id, Date.now() + MINUTE_MS);
		await expect.poll(() => idsOf("okapi")).toEqual([id]);
	});

	it("fails is indexed by retries at growing intervals, and delays no event", async () => {
		const { id } = await createDraft(poster, { title: "Babirusa" });
		const faults: string[] = [];
		const outdated = { ...log, error: (fault: string) => void faults.push(fault) };
		const { owner } = await enterWithObject(id, broken);
		await owner.call("publishTask", { params: { id } });
		await expect.poll(() => listOwedEvents(id)).toEqual([]);
		const tries = async () => (await triesOf(id))[0]?.tries;
		await expect.poll(tries).toBe(1);
		const publishedAt = Date.now();
		for (let minute = 1; minute <= 60; minute += 1) await wakeAt(id, publishedAt + minute * MINUTE_MS, { search: broken, log: outdated });
		expect(await tries()).toBe(8);
		await expect.poll(() => faults).toEqual(Array.from({ length: 7 }, () => "search_index_failed"));
		for (let hour = 2; hour <= 24; hour += 1) await wakeAt(id, publishedAt + hour * HOUR_MS, { search: broken, log: outdated });
		await expect.poll(() => faults.filter((fault) => fault === "search_index_failed")).toHaveLength(11);
		expect(faults.filter((fault) => fault === "search_index_outdated")).toHaveLength(1);
		expect(await tries()).toBe(0);
	});

	it("is newer leaves the index as it is", async () => {
		const id = await openTask(poster, { title: "Muntjac" });
		const state = {
			id,
			title: "Muntjac",
			description: null,
			category: "c",
			inputSpec: null,
			outputSpec: null,
			hidden: false,
			readers: null,
		};
		const openIds = async () => (await reader.call("searchTasks", { query: { query: "muntjac", status: "open" } })).data;
		expect(await openIds()).toHaveLength(1);
		await poster.call("closeTask", { params: { id } });
		await seedSearch([{ ...state, status: "open", revision: 1 }]);
		expect(await openIds()).toEqual([]);
		expect(await idsOf("muntjac")).toEqual([id]);
	});
});

describe("the tasks of an agent that is suspended", () => {
	it("leave the index, so that they leave no gaps in pages, and return with the agent", async () => {
		const spammer = await registerAgent();
		const kept = await openTask(poster, { title: "Civet" });
		const spam = await openTask(spammer, { title: "Civet" });
		expect(await idsOf("civet", { limit: 1 })).toEqual([spam]);
		const act = { params: { id: spammer.agentId }, body: { reason } };
		await admin.call("suspendAgent", act);
		expect(await idsOf("civet")).toEqual([kept]);
		await expect.poll(() => idsOf("civet", { limit: 1 }), SOON).toEqual([kept]);
		await admin.call("restoreAgent", act);
		await expect.poll(() => idsOf("civet"), SOON).toEqual([spam, kept]);
	});
});

describe("an index that was lost", () => {
	const rebuild = (after?: object | null) => admin.call("rebuildSearch", { body: { reason, after: after ?? undefined } });

	it("is filled again from the tasks, with the same results in the same order", async () => {
		// Searches count for each key, and the other tests have counted.
		reader = await registerAgent("Reader of the filled index");
		for (const title of ["Serow", "The serow and the goral", "Goral", "Nothing"])
			await openTask(poster, { title, description: "serow goral" });
		await createDraft(poster, { title: "Serow draft" });
		const queries = ["serow", "goral OR serow", '"serow goral"', "ser", "serow goral"];
		const before = await Promise.all(queries.map((query) => find(query)));
		expect(before.map(({ length }) => length)).toEqual([4, 4, 4, 4, 4]);
		await loseIndex();
		expect(await idsOf("serow")).toEqual([]);
		expect((await rebuild()).last).toBeNull();
		expect(await Promise.all(queries.map((query) => find(query)))).toEqual(before);
	});

	it("is filled in steps when there are many tasks", async () => {
		// An anonymous agent has at most 100 drafts at a time.
		const other = await registerAgent("Other poster");
		await Promise.all(Array.from({ length: 101 }, (_, index) => openTask(index % 2 === 0 ? poster : other, { title: "Takin" })));
		const first = await rebuild();
		expect(first).toMatchObject({ indexed_tasks: 100, last: { indexed_tasks: 100 } });
		const last = await rebuild(first.last);
		expect(last).toMatchObject({ indexed_tasks: expect.any(Number), last: null });
		const published = await queryOne<{ tasks: number }>("select count(*) as tasks from task_cards where status <> 'draft' and hidden = 0");
		expect(last.indexed_tasks).toBe(published?.tasks);
	});

	it("cannot be filled on a platform without one", async () => {
		await enter(admin, null).refused("rebuildSearch", "NOT_READY", { body: { reason } });
	});
});
