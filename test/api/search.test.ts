import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { searchTasks } from "../../src/features/search/contract.ts";
import { closeTask, publishTask, updateTask } from "../../src/features/tasks/contract.ts";
import { NAUGHTY_STRINGS } from "../support/naughty-strings.ts";
import type { RegisteredClient } from "../support/scenario.ts";
import { createDraft, openTask, registerAgent } from "../support/scenario.ts";

let poster: RegisteredClient;
let reader: RegisteredClient;

beforeAll(async () => {
	poster = await registerAgent("Poster");
	reader = await registerAgent("Reader");
});

interface SearchInput {
	readonly status?: string;
	readonly category?: string;
	readonly limit?: number;
	readonly cursor?: string;
}

const search = (query: string, input: SearchInput = {}) => reader.call(searchTasks, { query: { query, ...input } });
const idsOf = async (query: string, input?: SearchInput) => (await search(query, input)).data.map(({ id }) => id);
const task = (change: Readonly<Record<string, unknown>>) => openTask(poster, { title: "Untitled", description: "Nothing.", ...change });

describe("what is found", () => {
	it("looks in title, description, category and specs, the title weighing most", async () => {
		const inSpec = await task({ output_spec: "A quokka in JSON." });
		const inDescription = await task({ description: "Count every quokka." });
		const inTitle = await task({ title: "The quokka counter" });
		const inCategory = await task({ category: "quokka" });
		const found = await search("quokka");
		expect(found.data.map(({ id }) => id).sort()).toEqual([inSpec, inDescription, inTitle, inCategory].sort());
		expect(found.data[0]?.id).toBe(inTitle);
		expect(found.data.map(({ rank }) => rank)).toEqual(found.data.map(({ rank }) => rank).toSorted((a, b) => b - a));
		expect(found).toMatchObject({ has_more: false, next_cursor: null });
	});

	it("asks for all words, for phrases in order, and for either side of OR", async () => {
		const both = await task({ title: "Marmot census viewer" });
		const apart = await task({ title: "Census of the marmot" });
		const other = await task({ title: "Lemming census" });
		expect((await idsOf("marmot census")).sort()).toEqual([both, apart].sort());
		expect(await idsOf('"marmot census"')).toEqual([both]);
		expect((await idsOf('"marmot census" OR lemming')).sort()).toEqual([both, other].sort());
		expect(await idsOf("marmot lemming")).toEqual([]);
	});

	it("completes the last word, short or long, and no other", async () => {
		const id = await task({ title: "Xylophonist wanted" });
		for (const query of ["xy", "xyl", "xylo", "xylophon", "wanted XYLOPHONI", "xylophonist"]) expect(await idsOf(query)).toEqual([id]);
		for (const query of ["x", "xylo wanted", '"xylo"', "xylophonists"]) expect(await idsOf(query)).not.toContain(id);
	});

	it("minds neither case nor accents nor punctuation", async () => {
		const id = await task({ title: "Señor Ångström's well-formed C++ naïveté" });
		for (const query of ["senor", "SEÑOR angstrom", "well-formed", '"well formed c"', "naivete!", "angstro"]) {
			expect(await idsOf(query)).toEqual([id]);
		}
	});

	it("finds nothing for a query without words", async () => {
		expect(await search("?!")).toEqual({ data: [], has_more: false, next_cursor: null });
	});
});

describe("which tasks are found", () => {
	it("follows a task from draft to close in the same change", async () => {
		const { id } = await createDraft(poster, { title: "Gecko one" });
		const own = () => poster.call(searchTasks, { query: { query: "gecko" } });
		expect((await own()).data).toEqual([]);
		await poster.call(updateTask, { params: { id }, body: { title: "Gecko two", description: "skink" } });
		expect((await own()).data).toEqual([]);
		await poster.call(publishTask, { params: { id } });
		expect(await idsOf("gecko two skink", { status: "open" })).toEqual([id]);
		expect(await idsOf("gecko one")).toEqual([]);
		await poster.call(closeTask, { params: { id } });
		expect(await idsOf("gecko", { status: "open" })).toEqual([]);
		expect(await idsOf("gecko", { status: "evaluating" })).toEqual([]);
		expect(await idsOf("gecko", { status: "closed" })).toEqual([id]);
		expect(await idsOf("gecko", { status: "any" })).toEqual([id]);
		expect(await idsOf("gecko")).toEqual([id]);
	});

	it("leaves the index as it was when the change is undone", async () => {
		const { id } = await createDraft(poster, { title: "Axolotl" });
		const undone = env.DB.batch([
			env.DB.prepare("update tasks set status = 'open' where id = ?").bind(id),
			env.DB.prepare("insert into commit_guards (failed) values (1)"),
		]);
		await expect(undone).rejects.toThrow(/CHECK/);
		expect(await idsOf("axolotl")).toEqual([]);
	});

	it("filters by category exactly, whatever it is made of", async () => {
		const ids = await Promise.all(["c++", "c", "c#", "🚀"].map((category) => task({ title: "Ocelot", category })));
		for (const [index, category] of ["C++", "c", "c#", "🚀"].entries()) expect(await idsOf("ocelot", { category })).toEqual([ids[index]]);
		expect(await idsOf("ocelot", { category: "java" })).toEqual([]);
	});

	it("cannot be told lies about status and category by a task's own text", async () => {
		const id = await task({ title: "Pangolin \uE000closed \uE00163", description: "\uE000closed" });
		expect(await idsOf("pangolin", { status: "closed" })).toEqual([]);
		expect(await idsOf("pangolin", { category: "c" })).toEqual([]);
		expect(await idsOf("pangolin", { status: "open" })).toEqual([id]);
	});

	it("does not find a task by its status or by the names of columns", async () => {
		await task({ title: "Narwhal" });
		for (const query of ["\uE000open", "facets", "facets:open narwhal", "narwhal \uE000open", "rowid", "status:open narwhal"]) {
			expect(await idsOf(query)).toEqual([]);
		}
	});
});

describe("pages", () => {
	it("neither skip nor repeat tasks of equal rank", async () => {
		const ids = [];
		for (let index = 0; index < 7; index += 1) ids.push(await task({ title: "Capybara" }));
		const seen: string[] = [];
		let cursor: string | null = null;
		do {
			const page: Awaited<ReturnType<typeof search>> = await search("capybara", { limit: 2, ...(cursor === null ? {} : { cursor }) });
			expect(page.has_more).toBe(page.next_cursor !== null);
			expect(page.data.length).toBeLessThanOrEqual(2);
			seen.push(...page.data.map(({ id }) => id));
			cursor = page.next_cursor;
		} while (cursor !== null);
		expect(seen).toEqual(ids.toReversed());
	});

	it("refuse parameters that are not valid", async () => {
		const refusals: Record<string, string | number>[] = [
			{},
			{ query: "" },
			{ query: "x".repeat(501) },
			{ query: "a\0b" },
			{ query: "x", status: "draft" },
			{ query: "x", limit: 0 },
			{ query: "x", limit: 51 },
			{ query: "x", cursor: "nonsense" },
			{ query: "x", cursor: btoa('["1","2"]') },
			{ query: "x", cursor: btoa("[1e999,2]") },
		];
		for (const query of refusals) await reader.refused(searchTasks, "VALIDATION_ERROR", { query });
	});
});

describe("any text as a query", () => {
	it("is answered: naughty strings", async () => {
		for (const query of NAUGHTY_STRINGS) {
			for (const input of [{}, { status: "open", category: "general" }])
				expect(Array.isArray((await search(query, input)).data)).toBe(true);
		}
	});

	it("is answered: random strings of every kind", async () => {
		const fragment = fc.oneof(
			fc.constantFrom(
				'"',
				"OR",
				"AND",
				"NOT",
				"NEAR(",
				")",
				"(",
				"*",
				"^",
				":",
				"-",
				"{title}",
				"facets",
				"\uE000open",
				"\uE100",
				"'",
				";",
				" ",
			),
			fc.string({ unit: "grapheme", maxLength: 8 }),
			fc.string({ unit: "binary", maxLength: 8 }),
		);
		const query = fc.array(fragment, { minLength: 1, maxLength: 24 }).map((parts) => parts.join(" ").slice(0, 500));
		await fc.assert(
			fc.asyncProperty(query, async (text) => {
				const response = await reader.send(searchTasks, { query: { query: text } });
				expect([200, 400]).toContain(response.status);
				await response.body?.cancel();
			}),
			{ numRuns: 200 },
		);
	});
});
