// D1 fails now and then, before or after statements took effect. Nothing may be lost or doubled by it.
import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createHubs } from "../../src/compose/hubs.ts";
import { openDatabase } from "../../src/db/client.ts";
import { commit, commitReturning, guard, StaleReadError } from "../../src/db/commit.ts";
import { agents } from "../../src/db/schema/agents.ts";
import { directoryOutbox } from "../../src/db/schema/events.ts";
import { isTransient, readTransience } from "../../src/db/transient.ts";
import { toErrorResponse } from "../../src/http/error-handler.ts";
import { createLoad, type Load } from "../../src/platform/load.ts";
import type { Database } from "../../src/ports/database.ts";
import { taskVerb } from "../../src/ports/task.ts";
import { interceptD1 } from "../support/intercepted-d1.ts";
import { FULL, MAY_HAVE_RUN, NOT_RUN, OVERLOADED } from "../support/transient-errors.ts";

/** Local D1 returns these errors while another process locks the database's file. */
const LOCKED = ["D1_ERROR: database is locked: SQLITE_BUSY", "D1_ERROR: Failed to get session commit token"];
const MOMENTS = [...NOT_RUN, ...MAY_HAVE_RUN].map((message) => ({ message, moment: "before" as const }));
const FAULTS = [...MOMENTS, ...MAY_HAVE_RUN.map((message) => ({ message, moment: "after" as const }))];

interface Fault {
	readonly message: string;
	readonly moment: "before" | "after";
	readonly times: number;
}

/** Returns a database whose first calls fail, each before or after it took effect. */
function faultyDatabase(
	{ message, moment, times }: Fault,
	shedding: Parameters<typeof openDatabase>[2] = null,
): Database & { asked(): number } {
	let left = times;
	let asked = 0;
	const fail = async <T>(run: () => Promise<T>): Promise<T> => {
		asked += 1;
		if (left === 0) return await run();
		left -= 1;
		if (moment === "after") await run();
		throw new Error(message);
	};
	return Object.assign(openDatabase(interceptD1(fail), "first-primary", shedding), { asked: () => asked });
}

function respond(error: unknown, random = 0): Response {
	const log = { info: () => {}, error: () => {} };
	return toErrorResponse(error, { log, requestId: "r", now: 0, path: "/", random: () => random, findNextActions: () => [] });
}

const thrownBy = (work: Promise<unknown>) =>
	work.then(
		() => null,
		(error: unknown) => error,
	);

afterEach(() => {
	vi.restoreAllMocks();
});

/** Ends waits at once, and returns how long each would have been, in milliseconds. */
function skipWaits(): number[] {
	const waits: number[] = [];
	const start = globalThis.setTimeout.bind(globalThis);
	vi.spyOn(globalThis, "setTimeout").mockImplementation((call: () => void, ms = 0) => {
		waits.push(ms);
		return start(call, 0);
	});
	return waits;
}

const steady = openDatabase(env.DB, "first-primary");
const newAgent = () => ({ id: crypto.randomUUID(), displayName: "Faulty", tier: "anonymous" as const, createdAt: 0 });
const namesOf = async (id: string) =>
	(await steady.query.select({ name: agents.displayName }).from(agents).where(eq(agents.id, id))).map(({ name }) => name);

describe.each(FAULTS)("$message ($moment the effect)", ({ message, moment }) => {
	it("does not fail reads", async () => {
		const db = faultyDatabase({ message, moment, times: 2 });
		expect(await db.query.all(sql`select 1 as one`)).toEqual([{ one: 1 }]);
	});

	it("does not double or lose a commit with new rows", async () => {
		const row = newAgent();
		const db = faultyDatabase({ message, moment, times: 2 });
		await commit(db, [db.query.insert(agents).values(row)]);
		expect(await namesOf(row.id)).toEqual(["Faulty"]);
	});

	it("returns what a statement of a change returns, or null if the response is lost", async () => {
		const row = newAgent();
		const db = faultyDatabase({ message, moment, times: 1 });
		const inserted = db.query.insert(agents).values(row).returning({ name: agents.displayName });
		const returned = await commitReturning(db, [guard(db, sql`1`), inserted], inserted);
		expect(returned).toEqual(moment === "before" ? [{ name: "Faulty" }] : null);
	});

	it("does not double or lose a guarded change with its events, nor report it as refused", async () => {
		const row = newAgent();
		await commit(steady, [steady.query.insert(agents).values(row)]);
		const eventId = crypto.randomUUID();
		const db = faultyDatabase({ message, moment, times: 1 });
		await commit(db, [
			guard(db, sql`(select display_name from agents where id = ${row.id}) = 'Faulty'`),
			db.statement(sql`update agents set display_name = display_name || '!' where id = ${row.id}`),
			{ outboxId: eventId, insert: db.query.insert(directoryOutbox).values({ id: eventId, events: [], createdAt: 0 }) },
		]);
		expect(await namesOf(row.id)).toEqual(["Faulty!"]);
		expect(db.committedEvents).toEqual([eventId]);
		expect(await steady.query.select({ id: directoryOutbox.id }).from(directoryOutbox).where(eq(directoryOutbox.id, eventId))).toHaveLength(
			1,
		);
		await steady.query.delete(directoryOutbox).where(eq(directoryOutbox.id, eventId));
	});

	it("does not report a guarded change without events as refused by its own first run", async () => {
		const row = newAgent();
		await commit(steady, [steady.query.insert(agents).values(row)]);
		const db = faultyDatabase({ message, moment, times: 1 });
		await commit(db, [
			guard(db, sql`(select display_name from agents where id = ${row.id}) = 'Faulty'`),
			db.statement(sql`update agents set display_name = display_name || '!' where id = ${row.id}`),
		]);
		expect(await namesOf(row.id)).toEqual(["Faulty!"]);
	});

	it("still reports a guarded change as refused when another one came first", async () => {
		const row = newAgent();
		await commit(steady, [steady.query.insert(agents).values({ ...row, displayName: "Changed" })]);
		const db = faultyDatabase({ message, moment: "before", times: 1 });
		const change = commit(db, [
			guard(db, sql`(select display_name from agents where id = ${row.id}) = 'Faulty'`),
			db.statement(sql`update agents set display_name = display_name || '!' where id = ${row.id}`),
		]);
		await expect(change).rejects.toThrow(StaleReadError);
		expect(await namesOf(row.id)).toEqual(["Changed"]);
	});

	it("is 503 with Retry-After if it stays, after a wait that is long only for a locked file", async () => {
		const waits = skipWaits();
		const response = respond(await thrownBy(faultyDatabase({ message, moment, times: 99 }).query.all(sql`select 1`)));
		expect({ status: response.status, retryAfter: response.headers.get("Retry-After") }).toEqual({ status: 503, retryAfter: "2" });
		expect(await response.json()).toMatchObject({ error: { code: "OVERLOADED" } });
		const seconds = waits.reduce((sum, ms) => sum + ms, 0) / 1000;
		if (LOCKED.includes(message)) {
			expect(seconds).toBeGreaterThan(4);
			expect(seconds).toBeLessThan(15);
			expect(Math.max(...waits)).toBeLessThanOrEqual(480);
		} else expect(seconds).toBeLessThan(1);
	});
});

it.each(LOCKED)("waits until another process unlocks the file: %s", async (message) => {
	skipWaits();
	const row = newAgent();
	const db = () => faultyDatabase({ message, moment: "before", times: 20 });
	expect(await db().query.all(sql`select 1 as one`)).toEqual([{ one: 1 }]);
	const own = db();
	await commit(own, [guard(own, sql`not exists (select 1 from agents where id = ${row.id})`), own.query.insert(agents).values(row)]);
	expect(await namesOf(row.id)).toEqual(["Faulty"]);
});

it.each(["before", "after"] as const)(
	"makes a change that could take effect twice once if a commit fails %s the effect",
	async (moment) => {
		const row = newAgent();
		await commit(steady, [steady.query.insert(agents).values(row)]);
		const db = faultyDatabase({ message: "D1_ERROR: Network connection lost.", moment, times: 1 });
		await commit(db, [db.statement(sql`update agents set display_name = display_name || '!' where id = ${row.id}`)]);
		expect(await namesOf(row.id)).toEqual(["Faulty!"]);
	},
);

it("repeats a write outside of a commit only if it is idempotent", async () => {
	const row = newAgent();
	await commit(steady, [steady.query.insert(agents).values(row)]);
	const rename = (db: Database["query"]) => db.update(agents).set({ displayName: "Renamed" }).where(eq(agents.id, row.id)).returning();
	const faulty = () => faultyDatabase({ message: "D1_ERROR: Network connection lost.", moment: "before", times: 1 });
	await expect(rename(faulty().query)).rejects.toThrow();
	expect(await namesOf(row.id)).toEqual(["Faulty"]);
	expect(await rename(faulty().idempotent)).toMatchObject([{ displayName: "Renamed" }]);
	expect(await namesOf(row.id)).toEqual(["Renamed"]);
});

describe.each(OVERLOADED)("%s", (message) => {
	const overloaded = (shedding: Parameters<typeof openDatabase>[2] = null) =>
		faultyDatabase({ message, moment: "before", times: 1 }, shedding);

	it("is not repeated in the same request, neither for a read nor for a commit", async () => {
		const row = newAgent();
		const [reading, writing] = [overloaded(), overloaded()];
		const thrown = [
			await thrownBy(reading.query.all(sql`select 1`)),
			await thrownBy(commit(writing, [writing.query.insert(agents).values(row)])),
		];
		for (const error of thrown) expect(respond(error).status).toBe(503);
		expect([reading.asked(), writing.asked(), await namesOf(row.id)]).toEqual([1, 1, []]);
	});

	it("blocks only the reads of readers for five seconds", async () => {
		let now = 0;
		const load = createLoad({ now: () => now });
		const reader = overloaded({ load, name: "DB", isReader: true });
		const writer = overloaded({ load, name: "DB", isReader: false });
		expect(await reader.query.all(sql`select 1 as one`).catch(() => "overloaded")).toBe("overloaded");
		const read = () => reader.query.all(sql`select 1 as one`);
		expect(respond(await thrownBy(read())).status).toBe(503);
		expect(reader.asked()).toBe(1);
		await thrownBy(writer.query.all(sql`select 1`));
		expect(await writer.query.all(sql`select 1 as one`)).toEqual([{ one: 1 }]);
		expect(writer.asked()).toBe(2);
		now = 5_000;
		expect(await read()).toEqual([{ one: 1 }]);
		load.noteOverload("SEARCH");
		expect(await read()).toEqual([{ one: 1 }]);
	});
});

describe("an object that is overloaded", () => {
	const verb = taskVerb("a verb", () => null);
	/** Ends the calls of tasks here, first with these errors and then with a value, and counts the calls by task. */
	function objects(errors: readonly Error[], { isReader, load }: { readonly isReader: boolean; readonly load: Load }) {
		const left = [...errors];
		const asked: string[] = [];
		const getByName = (taskId: string) => ({
			call: async () => {
				asked.push(taskId);
				const error = left.shift();
				if (error !== undefined) throw error;
				return { kind: "value", value: "works" };
			},
		});
		const TASK: Env["TASK"] = Object.assign(Object.create(null), { getByName });
		const hubs = createHubs({ ...env, TASK }, { load, isReader });
		return { asked, call: (taskId: string) => hubs.callTask(taskId, verb, { input: null, now: 0 }) };
	}
	const fault = (facts: object) => Object.assign(new Error("Durable Object is overloaded. Too many requests queued."), facts);

	it("is not called again in the same request, also if its error can be retried", async () => {
		const load = createLoad({ now: () => 0 });
		for (const facts of [{ overloaded: true }, { overloaded: true, retryable: true }]) {
			const writer = objects([fault(facts)], { isReader: false, load });
			expect(respond(await thrownBy(writer.call("busy"))).status).toBe(503);
			expect(writer.asked).toEqual(["busy"]);
		}
		const restarting = objects([fault({ retryable: true })], { isReader: false, load });
		expect([await restarting.call("restarting"), restarting.asked]).toEqual(["works", ["restarting", "restarting"]]);
	});

	it("gets no reads for five seconds, while its writes and the reads of other objects continue", async () => {
		let now = 0;
		const load = createLoad({ now: () => now });
		const writer = objects([fault({ overloaded: true })], { isReader: false, load });
		const reader = objects([], { isReader: true, load });
		await thrownBy(writer.call("busy"));
		const response = respond(await thrownBy(reader.call("busy")));
		expect([response.status, response.headers.get("Retry-After"), reader.asked]).toEqual([503, "2", []]);
		expect([await reader.call("other"), await writer.call("busy")]).toEqual(["works", "works"]);
		now = 4_999;
		expect(respond(await thrownBy(reader.call("busy"))).status).toBe(503);
		now = 5_000;
		expect([await reader.call("busy"), reader.asked]).toEqual(["works", ["other", "busy"]]);
	});
});

it("remembers the last thousand names that were overloaded", () => {
	const load = createLoad({ now: () => 0 });
	for (let number = 0; number <= 1_000; number += 1) load.noteOverload(`task ${number}`);
	expect([load.isOverloaded("task 0"), load.isOverloaded("task 1"), load.isOverloaded("task 1000")]).toEqual([false, true, true]);
});

it("spreads callers of a busy platform over twice the time", () => {
	const secondsAt = (random: number) => Number(respond(new Error(OVERLOADED[0]), random).headers.get("Retry-After"));
	expect([0, 0.4, 0.99].map(secondsAt)).toEqual([2, 3, 4]);
});

it.each(FULL)("reports DATABASE_FULL without another try: %s", async (message) => {
	const db = faultyDatabase({ message, moment: "before", times: 99 });
	const response = respond(await thrownBy(commit(db, [db.query.insert(agents).values(newAgent())])));
	expect([response.status, response.headers.get("Retry-After"), db.asked()]).toEqual([507, "600", 1]);
	expect(await response.json()).toMatchObject({ error: { code: "DATABASE_FULL" } });
});

it("recognizes transient errors of R2 and of Durable Objects by their code and their properties", () => {
	const object = (facts: object) => Object.assign(new Error("Something."), facts);
	const ofR2 = (code: number) => new Error(`put: What happened. (${code})`);
	const errors = [ofR2(10_001), ofR2(10_043), ofR2(10_058), object({ retryable: true }), object({ overloaded: true })];
	expect(errors.map(isTransient)).toEqual(errors.map(() => true));
	const others = [
		ofR2(10_012),
		new Error("Failed query: insert\nparams: put: (10001)"),
		object({ retryable: false }),
		{ overloaded: true },
	];
	expect(others.map(isTransient)).toEqual(others.map(() => false));
});

it("treats no error as transient because of a user's text", () => {
	const cause = new Error("D1_ERROR: CHECK constraint failed: agent_tier");
	expect(readTransience(new Error("Failed query: insert Network connection lost", { cause }))).toBe(null);
	expect(readTransience("Network connection lost")).toBe(null);
});
