import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { createApp } from "../support/app.ts";
import { createClient } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { NAUGHTY_STRINGS } from "../support/naughty-strings.ts";
import type { RegisteredClient } from "../support/scenario.ts";
import { createDraft, openTask, registerAgent } from "../support/scenario.ts";
import { seedSearch } from "../support/seed.ts";

let poster: RegisteredClient;
let reader: RegisteredClient;

beforeAll(async () => {
	poster = await registerAgent("Poster");
	const { key, agentId } = await registerAgent("Reader");
	// These tests search more than a key may.
	const limits = { ...testDeps().limits, search: { limit: async () => ({ success: true }) } };
	const app = createApp(() => testDeps({ limits }));
	reader = { ...createClient({ key, fetch: (request) => app.fetch(request) }), key, agentId };
});

describe("the index", () => {
	it("writes tasks whose texts grow the most in values that D1 accepts", async () => {
		// The index spells this character with six letters, in pairs.
		const [title, description, spec] = [200, 10_000, 5_000].map((count) => "\u3316".repeat(count));
		const ids = Array.from({ length: 8 }, () => crypto.randomUUID());
		const texts = { title: title ?? "", description: description ?? "", inputSpec: spec ?? "", outputSpec: spec ?? "" };
		const state = { revision: 1, status: "closed", hidden: false, readers: [], category: "quagga" } as const;
		const largest = await seedSearch(ids.map((id) => ({ ...state, ...texts, id })));
		expect(largest).toBeLessThanOrEqual(2_000_000);
		expect(largest).toBeGreaterThan(500_000);
	});
});

interface SearchInput {
	readonly status?: string;
	readonly category?: string;
	readonly limit?: number;
	readonly cursor?: string;
}

const search = (query: string, input: SearchInput = {}) => reader.call("searchTasks", { query: { query, ...input } });
const idsOf = async (query: string, input?: SearchInput) => (await search(query, input)).data.map(({ id }) => id);
const task = (change: Readonly<Record<string, unknown>>) => openTask(poster, { title: "Untitled", description: "Nothing.", ...change });

describe("what is found", () => {
	it("includes matches in title, description, category and specs, and the title weighs most", async () => {
		const inSpec = await task({ output_spec: "A quokka in JSON." });
		const inDescription = await task({ description: "Count every quokka." });
		const inTitle = await task({ title: "The quokka counter" });
		const inCategory = await task({ category: "quokka" });
		const found = await search("quokka");
		expect(found.data.map(({ id }) => id).sort()).toEqual([inSpec, inDescription, inTitle, inCategory].sort());
		expect(found.data[0]?.id).toBe(inTitle);
		expect(found.data.map(({ rank }) => rank)).toEqual([2, 1, 1, 1]);
		expect(found).toMatchObject({ has_more: false, next_cursor: null });
	});

	it("must match all words, phrases in order, and either side of OR", async () => {
		const both = await task({ title: "Marmot census viewer" });
		const apart = await task({ title: "Census of the marmot" });
		const other = await task({ title: "Lemming census" });
		expect((await idsOf("marmot census")).sort()).toEqual([both, apart].sort());
		expect(await idsOf('"marmot census"')).toEqual([both]);
		expect((await idsOf('"marmot census" OR lemming')).sort()).toEqual([both, other].sort());
		expect(await idsOf("marmot lemming")).toEqual([]);
	});

	it("completes only the last word, of any length", async () => {
		const id = await task({ title: "Xylophonist wanted" });
		for (const query of ["xy", "xyl", "xylo", "xylophon", "wanted XYLOPHONI", "xylophonist"]) expect(await idsOf(query)).toEqual([id]);
		for (const query of ["x", "xylo wanted", '"xylo"', "xylophonists"]) expect(await idsOf(query)).not.toContain(id);
	});

	it("ignores case, accents and punctuation", async () => {
		const id = await task({ title: "Señor Ångström's well-formed C++ naïveté" });
		for (const query of ["senor", "SEÑOR angstrom", "well-formed", '"well formed c"', "naivete!", "angstro"]) {
			expect(await idsOf(query)).toEqual([id]);
		}
	});

	it.each([
		[
			"机器学习图像分类竞赛",
			["图像分类", "竞赛", "机器学习", "机器", "类竞", "赛", "图", '"图像分类"', "图像 竞赛"],
			["图分", "竞赛机器", '"图像 竞赛"', "竞图"],
		],
		["売上データの集計ツール", ["集計", "データ", "売上", "ツール", "ﾃﾞｰﾀ", "データの集計"], ["集データ", "テータ"]],
		["대한민국지도 그리기", ["민국", "지도", "대한민국", '"대한민국지도 그리기"', "그"], ["국민"]],
		["แข่งขันวิเคราะห์ข้อมูล", ["วิเคราะห์", "ข้อมูล", "แข่งขัน"], ["ข้อแข่ง"]],
		["Python图像2024年", ["python图像", "图像", "PYTHON", "2024年", '"python图像2024年"'], ["图像python"]],
		["Straße nach Weiß 🚀🇩🇪", ["strasse", "STRASSE", "straß", "weiss", "🚀", "strasse 🚀", "🇩🇪"], ["🛸", "strase"]],
		["Ｆｕｌｌ ΟΔΟΣ ﬁnal", ["full", "οδος", "ΟΔΟΣ", "final"], []],
	])("includes words inside of texts without spaces, and other forms of letters: %s", async (title, finding, missing) => {
		const id = await task({ title: `${title} ` });
		for (const query of finding) expect({ query, isFound: (await idsOf(query)).includes(id) }).toEqual({ query, isFound: true });
		for (const query of missing) expect({ query, isFound: (await idsOf(query)).includes(id) }).toEqual({ query, isFound: false });
	});

	it("includes the beginning of a long spec without spaces", async () => {
		const id = await task({ output_spec: `输出格式说明。${"数据处理模型训练".repeat(1_000)}` });
		expect(await idsOf("格式说明")).toEqual([id]);
	});

	it("is nothing for a query without words", async () => {
		expect(await search("?!")).toEqual({ data: [], has_more: false, next_cursor: null });
	});
});

describe("which tasks are found", () => {
	it("follows a task from draft to close, for the caller's next search", async () => {
		const { id } = await createDraft(poster, { title: "Gecko one" });
		const own = () => poster.call("searchTasks", { query: { query: "gecko" } });
		expect((await own()).data).toEqual([]);
		await poster.call("updateTask", { params: { id }, body: { title: "Gecko two", description: "skink" } });
		expect((await own()).data).toEqual([]);
		await poster.call("publishTask", { params: { id } });
		expect(await idsOf("gecko two skink", { status: "open" })).toEqual([id]);
		expect(await idsOf("gecko one")).toEqual([]);
		await poster.call("closeTask", { params: { id } });
		expect(await idsOf("gecko", { status: "open" })).toEqual([]);
		expect(await idsOf("gecko", { status: "evaluating" })).toEqual([]);
		expect(await idsOf("gecko", { status: "closed" })).toEqual([id]);
		expect(await idsOf("gecko", { status: "any" })).toEqual([id]);
		expect(await idsOf("gecko")).toEqual([id]);
	});

	it("filters by category exactly, for any characters", async () => {
		const ids = await Promise.all(["c++", "c", "c#", "🚀"].map((category) => task({ title: "Ocelot", category })));
		for (const [index, category] of ["C++", "c", "c#", "🚀"].entries()) expect(await idsOf("ocelot", { category })).toEqual([ids[index]]);
		expect(await idsOf("ocelot", { category: "java" })).toEqual([]);
	});

	it("cannot be misled about status and category by a task's own text", async () => {
		const id = await task({ title: "Pangolin \uE000closed \uE00163", description: "\uE000closed" });
		expect(await idsOf("pangolin", { status: "closed" })).toEqual([]);
		expect(await idsOf("pangolin", { category: "c" })).toEqual([]);
		expect(await idsOf("pangolin", { status: "open" })).toEqual([id]);
	});

	it("leaves a task out of queries that its text does not match, for any characters", async () => {
		const privateUse = ["\uE000", "\uE001", "\uE0FF", "\uE100", "\uF8FF", "\u{F0000}", "\u{10FFFD}"].join(" ");
		const markers = "_nothing _status_closed _category_63 §nothing";
		const intruder = await task({ title: `${privateUse} ${markers} Intruder`, description: privateUse, category: "\uE0FF_nothing" });
		for (const input of [{}, { category: "finance" }, { status: "closed" }, { status: "open" }]) {
			for (const query of ["zzzqqqxyz", '"zzzqqqxyz"', "zzzqqqxyz OR yyyqqqxyz", '"intruder zzzqqqxyz"', "zzzqqqx"]) {
				expect(await idsOf(query, input)).toEqual([]);
			}
		}
		expect(await idsOf("intruder", { status: "closed" })).toEqual([]);
		expect(await idsOf("intruder")).toEqual([intruder]);
	});

	it("finds the words between underscores, and the whole name", async () => {
		const id = await task({ title: "_aardvark_handler", description: "snake_case_oryx" });
		for (const query of ["aardvark", "handler aardvark", "oryx", "snake_case_oryx", '"case oryx"', "case ory"])
			expect(await idsOf(query)).toEqual([id]);
	});

	it("does not find a task by its status or by the names of columns", async () => {
		await task({ title: "Narwhal" });
		for (const query of ["\uE000open", "facets", "facets:open narwhal", "narwhal \uE000open", "rowid", "status:open narwhal"]) {
			expect(await idsOf(query)).toEqual([]);
		}
	});
});

/** Reads all pages from `limit` tasks a page on, and calls a function after each page. */
async function walk(query: string, input: SearchInput, afterPage: (page: number) => Promise<unknown> = async () => undefined) {
	const seen: string[] = [];
	let cursor: string | null = null;
	for (let page = 0; page === 0 || cursor !== null; page += 1) {
		const found: Awaited<ReturnType<typeof search>> = await search(query, { ...input, ...(cursor === null ? {} : { cursor }) });
		seen.push(...found.data.map(({ id }) => id));
		cursor = found.next_cursor;
		await afterPage(page);
	}
	return seen;
}

describe("pages while others change tasks", () => {
	const texts = [
		{ title: "Bonobo bonobo study" },
		{ title: "Study", description: "A bonobo." },
		{ title: "Dingo and bonobo" },
		{ title: "Nothing of both", output_spec: "bonobo, and a long text about everything else that one could say here" },
		{ title: "Bonobo", category: "bonobo" },
		{ title: "Dingo dingo", description: "bonobo bonobo bonobo" },
		{ title: "Unlike", category: "dingo", description: "bonobology" },
	];

	it.each([
		["bonobo", 1],
		["bonobo OR dingo", 1],
		["bonobo OR dingo OR study", 2],
		['"bonobo" OR "dingo dingo"', 3],
		["bonob", 1],
	])("neither skip nor repeat a match of %j, %i at a time, however many tasks are added", async (query, limit) => {
		for (const text of texts) await task(text);
		const expected = await walk(query, { limit: 50 });
		expect(expected.length).toBeGreaterThanOrEqual(3);
		const seen = await walk(query, { limit }, async (page) => {
			if (page > 3) return;
			await task({ title: "Bonobo dingo study", description: "bonobo ".repeat(page + 1) });
			await task({ title: "Dingo", description: "Something much longer than what is usual here. ".repeat(10) });
			await task({ title: "bonobaa bonobab bonobac" });
		});
		expect(seen).toEqual(expected);
	});

	it("contain what does not change while tasks are closed", async () => {
		const ids: string[] = [];
		for (const text of ["Gibbon", "Gibbon gibbon", "The gibbon", "Gibbon of it", "A gibbon", "Gibbon too"])
			ids.push(await task({ title: text }));
		const expected = await idsOf("gibbon", { status: "open" });
		const [closedEarly, closedLate] = [expected[1] ?? "", expected[4] ?? ""];
		const seen = await walk("gibbon", { status: "open", limit: 1 }, async (page) => {
			if (page === 2) for (const id of [closedEarly, closedLate]) await poster.call("closeTask", { params: { id } });
		});
		expect(seen).toEqual(expected.filter((id) => id !== closedLate));
		expect(expected.toSorted()).toEqual(ids.toSorted());
	});

	it("keep their order for random words, page sizes and additions", async () => {
		const words = ["kudu", "eland", "nyala", "oribi"];
		const text = fc.array(fc.constantFrom(...words, "and", "with"), { minLength: 1, maxLength: 6 }).map((some) => some.join(" "));
		const scenario = fc.record({
			limit: fc.integer({ min: 1, max: 3 }),
			query: fc.subarray(words, { minLength: 1 }).map((some) => some.join(" OR ")),
			first: fc.array(fc.record({ title: text, description: text }), { minLength: 2, maxLength: 5 }),
			later: fc.array(fc.record({ title: text, description: text }), { minLength: 1, maxLength: 4 }),
		});
		await fc.assert(
			fc.asyncProperty(scenario, async ({ limit, query, first, later }) => {
				for (const one of first) await task(one);
				const expected = await walk(query, { limit: 50 });
				const seen = await walk(query, { limit }, async (page) => {
					const one = later[page];
					if (one !== undefined) await task(one);
				});
				expect(seen).toEqual(expected);
			}),
			{ numRuns: 6, endOnFailure: true },
		);
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
			{ query: "x", status: "draft" },
			{ query: "x", limit: 51 },
			{ query: "x", cursor: btoa('["1","2"]') },
			{ query: "x", cursor: btoa("[1e999,2,3]") },
		];
		for (const query of refusals) await reader.refused("searchTasks", "VALIDATION_ERROR", { query });
	});
});

describe("any text as a query", () => {
	it("gets a response: naughty strings", async () => {
		for (const query of NAUGHTY_STRINGS) {
			for (const input of [{}, { status: "open", category: "general" }])
				expect(Array.isArray((await search(query, input)).data)).toBe(true);
		}
	});
});

describe("a search with very many matches", () => {
	/** A thousand strangers' tasks are newer than those that were indexed before. */
	const flood = (word: string) =>
		seedSearch(
			Array.from({ length: 1_000 }, (_, index) => ({
				...{ id: `${word}-${index}`, revision: 1, status: "open" as const, hidden: false, title: word, description: "walrus" },
				...{ category: "many", inputSpec: null, outputSpec: null, readers: null },
			})),
		);

	it("ranks the newest of them", async () => {
		const old = await task({ title: "Ubiquitous walrus oldone" });
		await flood("Ubiquitous");
		const newest = await task({ title: "Ubiquitous walrus" });
		expect(await idsOf("ubiquitous walrus")).toEqual([newest]);
		expect(await idsOf("ubiquitous walrus oldone")).toEqual([old]);
	});

	it("still finds the invite-only tasks that the caller has joined or posted: strangers cannot push them out", async () => {
		const invited = await task({ title: "Omnipresent walrus", access: "invited" });
		const { invite_code } = await poster.call("getTask", { params: { id: invited } });
		await reader.call("joinTask", { params: { id: invited }, body: { invite_code: invite_code ?? "" } });
		const unknown = await task({ title: "Omnipresent walrus", access: "invited" });
		await flood("Omnipresent");
		expect(await idsOf("omnipresent walrus")).toEqual([invited]);
		const { data } = await poster.call("searchTasks", { query: { query: "omnipresent walrus" } });
		expect(data.map(({ id }) => id)).toEqual([unknown, invited]);
		// A text that is written like a reader changes nothing.
		const word = Buffer.from(reader.agentId).toString("hex");
		await task({ title: `Omnipresent everyone ${word}`, access: "invited" });
		expect(await idsOf(`omnipresent ${word}`)).toEqual([]);
	});
});
