// Tests the pure parts of searching the documentation, choosing a form by Accept, and the origin in texts.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type SearchablePage, SNIPPET_LENGTH, searchPage, searchPageForWords, toSearchable } from "../../src/core/docs/docs-rules.ts";
import { fillBaseUrl } from "../../src/core/docs/rules.ts";
import { preferredType } from "../../src/http/negotiation.ts";
import { createAssets } from "../../src/platform/assets.ts";

function pageOf(change: Partial<SearchablePage>): SearchablePage {
	return { title: "", description: null, headings: [], body: "", ...change };
}

const scoreOf = (change: Partial<SearchablePage>, query: string) => searchPage(pageOf(change), query)?.score ?? 0;

describe("the score", () => {
	it.each([
		["title", { title: "Key and key" }, 10],
		["description", { description: "One key" }, 4],
		["headings", { headings: ["Key", "No", "key KEY"] }, 9],
		["body", { body: "key key" }, 2],
		["body, at most five", { body: "key ".repeat(40) }, 5],
		["all together", { title: "key", description: "key", headings: ["key"], body: "key" }, 13],
		["within words", { body: "monkeys" }, 1],
		["nowhere", { title: "Other", description: "Other", headings: ["Other"], body: "Other" }, 0],
	])("counts every occurrence in the %s", (_, page, expected) => {
		expect(scoreOf(page, "key")).toBe(expected);
	});

	it.each([
		["aa", "aaaa", 2],
		["aa", "aaa", 1],
		["a b", "a  b a\nb a b", 1],
		["ΣΟΦΟΣ", "σοφος σοφοσα", 2],
		["straße", "STRASSE Straße", 1],
		["i", "İ", 0],
		["k", "\u212a", 1],
		["😀", "a😀b😀", 2],
		["a+b?", "a+b? aab", 1],
		["$&", "$& $", 1],
	])("of %j in %j is what a reader would count", (query, body, expected) => {
		expect(scoreOf({ body }, query)).toBe(expected);
	});

	it("of any text equals a manual count, in any case", () => {
		const text = fc.string({ unit: fc.constantFrom("a", "b", "A", " ", ".", "*", "\n"), maxLength: 40 });
		const query = fc.string({ unit: fc.constantFrom("a", "b", ".", "*"), minLength: 1, maxLength: 3 });
		const count = (where: string, what: string) => where.toLowerCase().split(what.toLowerCase()).length - 1;
		fc.assert(
			fc.property(text, text, fc.array(text, { maxLength: 3 }), text, query, (title, description, headings, body, q) => {
				const inHeadings = headings.reduce((sum, heading) => sum + count(heading, q), 0);
				const expected = 5 * count(title, q) + 4 * count(description, q) + 3 * inHeadings + Math.min(5, count(body, q));
				expect(scoreOf({ title, description, headings, body }, q)).toBe(expected);
			}),
		);
	});
});

describe("a search for all words", () => {
	it("adds up what each word finds, the body at most once", () => {
		const page = pageOf({ title: "Webhooks", description: "How retries work", headings: ["Retries"], body: "webhook ".repeat(9) });
		expect(searchPageForWords(page, "Webhook  RETRIES")?.score).toBe(5 + 4 + 3 + 5);
	});

	it("finds no page that lacks a word, and nothing for one word", () => {
		expect(searchPageForWords(pageOf({ body: "webhook retries" }), "webhook nowhere")).toBe(null);
		expect(searchPageForWords(pageOf({ body: "webhook retries" }), " webhook ")).toBe(null);
		expect(searchPageForWords(pageOf({ body: "webhook retries" }), "webhook webhook")).toBe(null);
	});

	it("shows a place with all the words", () => {
		const far = "lorem ipsum dolor sit amet ".repeat(12);
		const page = pageOf({ body: `retry retry retry ${far} a webhook after a retry ${far} webhook webhook` });
		expect(searchPageForWords(page, "retry webhook")?.snippet).toContain("a webhook after a retry");
	});
});

describe("the snippet", () => {
	it("comes from sentences, and from code only if nothing else matches", () => {
		const sample = "```sh\ncurl webhook webhook webhook -d secret\n```";
		const page = pageOf({ body: `Intro.\n\n${sample}\n\nA webhook is a request to your URL.\n\n${sample}\n\nMore.` });
		expect(searchPage(page, "webhook")).toEqual({ score: 5, snippet: "Intro. A webhook is a request to your URL. More." });
		expect(searchPage(page, "secret")?.snippet).toContain("-d secret");
	});

	const filler = "lorem ipsum dolor sit amet ".repeat(20);

	it("shows the part of the body with the most occurrences, cut between words", () => {
		const { snippet } = searchPage(pageOf({ body: `${filler}needle ${filler}a needle in a needle stack ${filler}` }), "NEEDLE") ?? {};
		expect(snippet).toMatch(/^…\S.* a needle in a needle stack .*\S…$/);
		expect(
			snippet
				?.replaceAll("…", "")
				.split(" ")
				.every((word) => `${filler}a needle in stack`.split(" ").includes(word)),
		).toBe(true);
	});

	it("falls back to the description, then to the beginning of the page, then to the title", () => {
		expect(searchPage(pageOf({ title: "Key", description: "About it.", body: filler }), "key")?.snippet).toBe("About it.");
		expect(searchPage(pageOf({ title: "Key", body: filler }), "key")?.snippet).toMatch(/^lorem .*\w…$/);
		expect(searchPage(pageOf({ title: "Key" }), "key")?.snippet).toBe("Key");
	});

	it("is one line of limited length with whole characters, and contains the match if it has room", () => {
		const body = fc.string({ unit: fc.constantFrom("a", "é", "😀", " ", "\n", "|", "xyz", "Q"), maxLength: 600 });
		const query = fc.string({ unit: fc.constantFrom("Q", "a", "😀"), minLength: 1, maxLength: 4 });
		fc.assert(
			fc.property(body, query, (text, q) => {
				const hit = searchPage(pageOf({ body: text }), q);
				if (hit === null) return;
				expect(hit.snippet.length).toBeLessThanOrEqual(SNIPPET_LENGTH + 2);
				expect(hit.snippet.isWellFormed()).toBe(true);
				expect(hit.snippet).not.toMatch(/[\n\t]| {2}/);
				expect(hit.snippet.toLowerCase()).toContain(q.toLowerCase());
			}),
			{ numRuns: 300 },
		);
	});
});

describe("a page that is split", () => {
	it("has everything except headings in its body", () => {
		const body_md = "Intro\n\n## One\n\ntext\n\n```sh\n# comment\n```\n\n### Two\n";
		const at = (text: string) => ({ start: body_md.indexOf(text), end: body_md.indexOf(text) + text.length });
		const headings = [
			{ text: "One", ...at("## One") },
			{ text: "Two", ...at("### Two") },
		];
		const page = toSearchable({ slug: "s", title: "T", description: null, file_path: "f", body_md, headings });
		expect(page).toEqual({
			title: "T",
			description: null,
			headings: ["One", "Two"],
			body: "Intro\n\n\n\ntext\n\n```sh\n# comment\n```\n\n\n",
		});
	});
});

describe("Accept", () => {
	const forms = ["application/json", "text/html", "text/markdown"] as const;
	it.each([
		[null, "application/json"],
		["", "application/json"],
		["*/*", "application/json"],
		["text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8", "text/html"],
		["text/markdown, text/html, */*", "text/markdown"],
		["text/html;q=0.5, text/markdown;q=0.9", "text/markdown"],
		["TEXT/HTML", "text/html"],
		["text/*", "text/html"],
		["text/html;q=0, text/*", "text/markdown"],
		["*/*;q=0.1, text/markdown;q=0", "application/json"],
		["application/json;q=0, */*", "text/html"],
		["text/html;q=0", "application/json"],
		["*/*, text/html;q=0.5", "application/json"],
		["text/markdown;q=0.5, text/html;q=0.5", "text/markdown"],
		["text/html;q=0.5, text/*;q=0.5", "text/html"],
		["image/png", "application/json"],
		[";;;,q=,/", "application/json"],
	])("%j asks for %s", (accept, expected) => {
		expect(preferredType(accept, forms)).toBe(expected);
	});

	it("never throws and always chooses one", () => {
		fc.assert(fc.property(fc.string(), (accept) => forms.includes(preferredType(accept, forms))));
	});
});

describe("static files", () => {
	const schema = z.object({ pages: z.array(z.string()) });
	const bindingOf = (answers: Readonly<Record<string, () => Response>>) => {
		const asked: string[] = [];
		const fetch = async (url: string) => {
			asked.push(new URL(url).pathname);
			return answers[new URL(url).pathname]?.() ?? new Response(null, { status: 404 });
		};
		return { asked, assets: createAssets({ fetch } as unknown as Fetcher) };
	};

	it("are read and parsed once, and again only after a failure", async () => {
		let isBroken = true;
		const { asked, assets } = bindingOf({
			"/docs.json": () => (isBroken ? new Response(null, { status: 500 }) : Response.json({ pages: ["a"] })),
		});
		await expect(assets.readJson("docs.json", schema)).rejects.toThrow("500");
		isBroken = false;
		const first = await assets.readJson("docs.json", schema);
		expect(first).toEqual({ pages: ["a"] });
		expect(await assets.readJson("docs.json", schema)).toBe(first);
		expect(asked).toEqual(["/docs.json", "/docs.json"]);
	});

	it("that are missing are the deployment's fault, unless the request names them", async () => {
		const { assets } = bindingOf({});
		await expect(assets.readJson("docs.json", schema)).rejects.toThrow("docs.json is missing");
		expect(await assets.find("assets/x.js")).toBe(null);
	});

	it("are never read for a path that means another one", async () => {
		const { asked, assets } = bindingOf({});
		for (const path of ["", "..", "a/../b", "a//b", "/a", "a/", "%2e%2e/a", "a\\b", "é", "a\0", "\ud800", ".dev.vars", "a/.b"]) {
			expect({ path, file: await assets.find(path) }).toEqual({ path, file: null });
		}
		expect(asked).toEqual([]);
	});
});

describe("the origin in texts", () => {
	it("fills every placeholder of the text, and adds nothing that a text could be misread by", () => {
		expect(fillBaseUrl("curl {base_url}/a {base_url}/b {other}", "https://x.test:8443")).toBe(
			"curl https://x.test:8443/a https://x.test:8443/b {other}",
		);
		expect(fillBaseUrl("{base_url}", "http://[::1]:8787")).toBe("http://[::1]:8787");
		expect(fillBaseUrl('"{base_url}"', `http://a"<b>'$(c)&{d}\n\``)).toBe('"http://abcd"');
	});
});
