// Tests the docs API: the list, a page in both forms, and the search.
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createClient } from "../support/client.ts";

const nobody = createClient();

describe("the list", () => {
	it("names every page in reading order, and supports revalidation", async () => {
		const { pages } = await nobody.call("listDocs");
		expect(pages[0]?.slug).toBe("index");
		expect(new Set(pages.map(({ slug }) => slug)).size).toBe(pages.length);
		expect(pages.every(({ title }) => title.trim() !== "")).toBe(true);
		const first = await nobody.send("listDocs");
		expect(first.headers.get("Cache-Control")).toBe("public, max-age=60");
		const again = await nobody.send("listDocs", { headers: { "If-None-Match": first.headers.get("ETag") ?? "" } });
		expect({ status: again.status, body: await again.text() }).toEqual({ status: 304, body: "" });
	});
});

describe("a page", () => {
	it("can be read under every slug of the list, also those with slashes", async () => {
		const { pages } = await nobody.call("listDocs");
		expect(pages.some(({ slug }) => slug.includes("/"))).toBe(true);
		for (const summary of pages) {
			const page = await nobody.call("getDocsPage", { params: { slug: summary.slug } });
			const path = summary.slug === "changelog" ? "CHANGELOG.md" : `docs/pages/${summary.slug}.mdx`;
			expect(page).toMatchObject({ ...summary, file_path: path });
			expect(page.body_md).not.toMatch(/^---|\{base_url\}/);
		}
	});

	it("is only the body as raw, with the origin of the request", async () => {
		const { body_md } = await nobody.call("getDocsPage", { params: { slug: "index" } });
		const raw = await nobody.send("getDocsPage", { params: { slug: "index" }, query: { format: "raw" } });
		expect(raw.headers.get("Content-Type")).toBe("text/markdown; charset=utf-8");
		expect(await raw.text()).toBe(body_md);
		const elsewhere = await exports.default.fetch(new Request("http://127.0.0.1:8787/api/v1/docs/page/quickstart/agents?format=raw"));
		expect(await elsewhere.text()).toContain("BASE_URL=http://127.0.0.1:8787\n");
	});

	it("follows Accept if no format is given, and says so in Vary", async () => {
		const ask = async (Accept: string, query = {}) => {
			const response = await nobody.send("getDocsPage", { params: { slug: "index" }, query, headers: { Accept } });
			expect(response.headers.get("Vary")).toBe("Accept");
			return response.headers.get("Content-Type")?.split(";")[0];
		};
		expect(await ask("text/markdown")).toBe("text/markdown");
		expect(await ask("text/markdown, text/html, */*")).toBe("text/markdown");
		expect(await ask("*/*")).toBe("application/json");
		expect(await ask("application/json, text/markdown;q=0.5")).toBe("application/json");
		expect(await ask("text/markdown", { format: "json" })).toBe("application/json");
		expect(await ask("application/json", { format: "raw" })).toBe("text/markdown");
	});

	it("is 404 under any other slug, however it is spelt", async () => {
		for (const slug of [
			"nothing",
			"index/",
			"Index",
			"../index",
			"..%2f..%2fdocs.json",
			"%2e%2e/docs",
			"a%00b",
			"%ff",
			"%",
			"index%0a",
			"é",
			"x".repeat(3000),
		]) {
			const response = await nobody.send("getDocsPage", { params: { slug } });
			expect({ slug, status: response.status, body: await response.json() }).toMatchObject({
				slug,
				status: 404,
				body: { error: { code: "NOT_FOUND" } },
			});
		}
		await nobody.refused("getDocsPage", "VALIDATION_ERROR", { params: { slug: "index" }, query: { format: "html" } });
	});
});

describe("the search", () => {
	it("accepts limits from 1 to 50, and the default is 10", async () => {
		const { pages } = await nobody.call("listDocs");
		expect((await nobody.call("searchDocs", { query: { q: "e" } })).hits).toHaveLength(Math.min(10, pages.length));
		expect((await nobody.call("searchDocs", { query: { q: "e", limit: 1 } })).hits).toHaveLength(1);
		for (const limit of ["0", "51", "-1", "1.5", "x", ""])
			await nobody.refused("searchDocs", "VALIDATION_ERROR", { query: { q: "e", limit } });
	});

	it("refuses a query that is missing, empty, blank, too long or given twice", async () => {
		await nobody.refused("searchDocs", "VALIDATION_ERROR");
		for (const q of ["", " \t", "x".repeat(201), "a\0b"]) await nobody.refused("searchDocs", "VALIDATION_ERROR", { query: { q } });
		await nobody.refused("searchDocs", "VALIDATION_ERROR", { query: { q: ["a", "b"] } });
	});
});
