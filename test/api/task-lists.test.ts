import { describe, expect, it } from "vitest";
import { createClient } from "../support/client.ts";
import { createDraft, openTask, registerAgent } from "../support/scenario.ts";
import { DAY_MS } from "../support/times.ts";

const poster = await registerAgent("Poster");
const nobody = createClient();
const BASE = Date.parse("2080-01-01T00:00:00.000Z");
const day = (n: number) => new Date(BASE + n * DAY_MS).toISOString();

/** Twelve open tasks of one category have four deadlines, three tasks each. */
const CATEGORY = "listed";
const deadlines = Array.from({ length: 12 }, (_, index) => day(Math.floor(index / 3)));
const ids: string[] = [];
for (const deadline of deadlines.toReversed()) ids.unshift(await openTask(poster, { category: CATEGORY, deadline }));
const expected = ids.map((id, index) => ({ id, deadline: deadlines[index] ?? "" })).toSorted(compareTasks);

function compareTasks(a: { id: string; deadline: string }, b: { id: string; deadline: string }): number {
	return a.deadline < b.deadline ? -1 : a.deadline > b.deadline ? 1 : a.id < b.id ? -1 : 1;
}

async function readAll(query: Readonly<Record<string, string | number>>) {
	const pages: string[][] = [];
	for (let cursor: string | null = null; ; ) {
		const page: { data: { id: string }[]; next_cursor: string | null } = await poster.call("listTasks", {
			query: { ...query, ...(cursor === null ? {} : { cursor }) },
		});
		pages.push(page.data.map(({ id }) => id));
		cursor = page.next_cursor;
		if (cursor === null) return pages;
	}
}

describe("GET /api/v1/tasks", () => {
	it.each([1, 2, 5, 12, 100])("lists by deadline, soonest first, in pages of %d without gaps or repetitions", async (limit) => {
		const pages = await readAll({ category: CATEGORY, limit });
		expect(pages.flat()).toEqual(expected.map(({ id }) => id));
		expect(pages).toHaveLength(Math.ceil(12 / limit));
	});

	it("gives cursors that start with the deadline of the page's last task", async () => {
		const { next_cursor } = await poster.call("listTasks", { query: { category: CATEGORY, limit: 4 } });
		const last = expected[3];
		expect(next_cursor).toBe(`${last?.deadline}_${last?.id}`);
	});

	it("accepts a bare deadline as cursor, and continues after all tasks of that deadline", async () => {
		const idsAfter = async (cursor: string) =>
			(await poster.call("listTasks", { query: { category: CATEGORY, cursor } })).data.map(({ id }) => id);
		const rest = expected.slice(6).map(({ id }) => id);
		expect(await idsAfter(day(1))).toEqual(rest);
		expect(await idsAfter("2080-01-02T01:00:00+01:00")).toEqual(rest);
		expect(await idsAfter("2080-01-02T00:00:00Z")).toEqual(rest);
		expect(await idsAfter("1999-01-01T00:00:00Z")).toHaveLength(12);
		expect(await idsAfter(day(3))).toEqual([]);
	});

	it("refuses cursors of another form", async () => {
		const [{ id } = { id: "" }] = expected;
		for (const cursor of [
			"",
			"x",
			"2080-01-01",
			`${day(1)}_`,
			`${day(1)}_x`,
			`${day(1)}_${id}_${id}`,
			`_${id}`,
			`${day(1)} `,
			"2080-01-02T00:00:00",
		]) {
			await poster.refused("listTasks", "VALIDATION_ERROR", { query: { cursor } });
		}
	});

	it("filters by category in any case, by mode, and by both", async () => {
		const own = await openTask(poster, { category: "Filtered", eval_mode: "container", eval_image: "judge:1" });
		const other = await openTask(poster, { category: "filtered" });
		const list = async (query: Readonly<Record<string, string>>) =>
			(await poster.call("listTasks", { query: { ...query, limit: 100 } })).data.map(({ id }) => id);
		expect((await list({ category: "FILTERED" })).toSorted()).toEqual([own, other].toSorted());
		expect(await list({ category: "filtered", eval_mode: "container" })).toEqual([own]);
		expect(await list({ category: "filtered", eval_mode: "llm" })).toEqual([other]);
		expect(await list({ category: "filtered", eval_mode: "hybrid" })).toEqual([]);
		expect(await list({ eval_mode: "container" })).toContain(own);
		expect(await list({ eval_mode: "container" })).not.toContain(other);
		expect(await list({ category: "no such category" })).toEqual([]);
	});

	it("says in pagination if there is more, as other lists do", async () => {
		const first = await poster.call("listTasks", { query: { category: CATEGORY, limit: 7 } });
		expect(first.pagination).toEqual({ has_more: true, next_cursor: first.next_cursor });
		const last = await poster.call("listTasks", { query: { category: CATEGORY, limit: 7, cursor: first.next_cursor ?? "" } });
		expect({ pagination: last.pagination, next_cursor: last.next_cursor }).toEqual({
			pagination: { has_more: false, next_cursor: null },
			next_cursor: null,
		});
	});

	it("filters by the minimum budget, with and without other filters", async () => {
		const category = "budgets";
		const small = await openTask(poster, { category, budget_cents: 10_000 });
		const large = await openTask(poster, { category, budget_cents: 20_000, eval_mode: "container", eval_image: "judge:1" });
		const list = async (query: Readonly<Record<string, string | number>>) =>
			(await poster.call("listTasks", { query: { limit: 100, ...query } })).data.map(({ id }) => id);
		expect((await list({ category, min_budget_cents: 10_000 })).toSorted()).toEqual([small, large].toSorted());
		expect(await list({ category, min_budget_cents: 10_001 })).toEqual([large]);
		expect(await list({ category, min_budget_cents: 20_001 })).toEqual([]);
		expect(await list({ category, eval_mode: "llm", min_budget_cents: 10_001 })).toEqual([]);
		const all = await list({ min_budget_cents: 20_000 });
		expect({ large: all.includes(large), small: all.includes(small) }).toEqual({ large: true, small: false });
		for (const min_budget_cents of ["-1", "1.5", "x", ""])
			await poster.refused("listTasks", "VALIDATION_ERROR", { query: { min_budget_cents } });
	});

	it("shows open tasks only", async () => {
		const category = "states";
		await createDraft(poster, { category });
		const open = await openTask(poster, { category });
		const closed = await openTask(poster, { category });
		await poster.call("closeTask", { params: { id: closed } });
		const { data, next_cursor } = await poster.call("listTasks", { query: { category } });
		expect({ ids: data.map(({ id }) => id), next_cursor }).toEqual({ ids: [open], next_cursor: null });
	});

	it("returns 20 by default, and at most 100", async () => {
		const category = "many";
		for (let round = 0; round < 3; round += 1) await Promise.all(Array.from({ length: 7 }, () => openTask(poster, { category })));
		expect((await poster.call("listTasks", { query: { category } })).data).toHaveLength(20);
		expect((await poster.call("listTasks", { query: { category, limit: 100 } })).data).toHaveLength(21);
		await poster.refused("listTasks", "VALIDATION_ERROR", { query: { limit: 101 } });
	});

	it("refuses invalid values of filters", async () => {
		for (const query of [{ eval_mode: "manual" }, { category: "" }, { category: "c".repeat(65) }, { eval_mode: ["llm", "llm"] }]) {
			await poster.refused("listTasks", "VALIDATION_ERROR", { query });
		}
	});
});

describe("GET /api/public/tasks", () => {
	it("lists every open task in the same order, without a key, with the number of competitors", async () => {
		const { data, next_cursor } = await nobody.call("listPublicTasks");
		expect(next_cursor).toBeNull();
		expect(data.filter(({ category }) => category === CATEGORY).map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
		expect(data.map(({ id, deadline }) => ({ id, deadline }))).toEqual(
			data.map(({ id, deadline }) => ({ id, deadline })).toSorted(compareTasks),
		);
		expect(data[0]).toMatchObject({ competitor_count: 0 });
	});

	it("accepts limits of 1 to 1,000", async () => {
		expect((await nobody.call("listPublicTasks", { query: { limit: 1 } })).data).toHaveLength(1);
		await nobody.call("listPublicTasks", { query: { limit: 1000 } });
		for (const limit of ["0", "1001"]) await nobody.refused("listPublicTasks", "VALIDATION_ERROR", { query: { limit } });
	});
});
