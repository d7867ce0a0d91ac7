// The site outside /api/ has the start page, documentation for people, files of pages, and texts for programs.
import { createExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createApp } from "../support/app.ts";
import { createClient } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const nobody = createClient();

function ask(path: string, accept: string | null = "*/*", init: RequestInit = {}): Promise<Response> {
	const headers = new Headers(init.headers);
	if (accept !== null) headers.set("Accept", accept);
	return exports.default.fetch(new Request(`https://bounty.test${path}`, { redirect: "manual", ...init, headers }));
}

const typeOf = (response: Response) => response.headers.get("Content-Type")?.split(";")[0];

/** Pages of the documentation need only this permission more than other pages, because their search is WebAssembly. */
const SEARCH_PERMISSION = "script-src 'self' 'wasm-unsafe-eval';";

function expectDocsPage(response: Response): void {
	expectPage(response, 200, (policy) => policy.replace(SEARCH_PERMISSION, "script-src 'self';"));
}

function expectPage(response: Response, status = 200, withoutPermission = (policy: string) => policy): void {
	expect({ status: response.status, type: response.headers.get("Content-Type") }).toEqual({ status, type: "text/html; charset=utf-8" });
	const policy = withoutPermission(response.headers.get("Content-Security-Policy") ?? "");
	expect(policy).toContain("default-src 'none'");
	expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
	expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
	expect(response.headers.get("Referrer-Policy")).toBe("no-referrer");
	expect(response.headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
}

describe("the start page", () => {
	it("is a page for a browser, and JSON or Markdown with links for programs", async () => {
		expectPage(await ask("/", BROWSER));
		for (const accept of [null, "*/*", "application/json"]) expect(typeOf(await ask("/", accept))).toBe("application/json");
		const markdown = await ask("/", "text/markdown");
		expect(typeOf(markdown)).toBe("text/markdown");
		expect(await markdown.text()).toMatch(/^# /);
		for (const accept of [BROWSER, "*/*", "text/markdown"]) {
			const { headers } = await ask("/", accept);
			expect(headers.get("Vary")).toBe("Accept");
			expect(headers.get("Link")).toContain('</openapi.json>; rel="service-desc"');
		}
	});

	it("names URLs that exist, under the request's origin", async () => {
		const { links, next_actions } = await nobody.call("getHome");
		for (const address of Object.values(links)) {
			expect(address).toMatch(/^https:\/\/bounty\.test\//);
			expect({ address, status: (await ask(address.replace("https://bounty.test", ""))).status }).toEqual({ address, status: 200 });
		}
		const key = await ask("/api/v1/agent/register-anonymous", null, { method: "POST" });
		const { api_key } = z.object({ api_key: z.string() }).parse(await key.json());
		for (const { method, href } of next_actions) {
			const response = await ask(href.replace("https://bounty.test", ""), "*/*", {
				method,
				headers: { Authorization: `Bearer ${api_key}` },
			});
			expect({ href, ok: response.ok }).toEqual({ href, ok: true });
		}
	});
});

describe("pages of the documentation", () => {
	it("exist for every slug, in HTML and in Markdown", async () => {
		const { pages } = await nobody.call("listDocs");
		for (const { slug, title } of pages) {
			const address = slug === "index" ? "/docs" : `/docs/${slug}`;
			const page = await ask(address, BROWSER);
			expectDocsPage(page);
			expect(page.headers.get("Vary")).toBe("Accept");
			const html = await page.text();
			expect(html).toContain("<title>");
			expect(html).not.toContain("{base_url}");
			const markdown = await (await ask(address, "text/markdown")).text();
			expect(markdown.startsWith(`# ${title}\n\n`)).toBe(true);
			expect(await (await ask(`/docs/${slug}.md`, BROWSER)).text()).toBe(markdown);
			expect(markdown).not.toContain("{base_url}");
		}
		expectDocsPage(await ask("/docs/quickstart/agents", "*/*"));
		expectDocsPage(await ask("/docs/reference", BROWSER));
		const reference = await ask("/reference", BROWSER);
		expect({ status: reference.status, to: reference.headers.get("Location") }).toEqual({ status: 302, to: "/docs/reference" });
	});

	it("redirect to their Markdown until they are built", async () => {
		const files = new Map([["docs-pending.html", "<title>The documentation is being built</title>"]]);
		const assets = { ...testDeps().assets, find: async (path: string) => (files.has(path) ? new Response(files.get(path)) : null) };
		const app = createApp(() => ({ ...testDeps(), assets: { ...assets, readJson: testDeps().assets.readJson } }));
		const read = async (path: string) => {
			const request = new Request(`https://bounty.test${path}`, { headers: { Accept: BROWSER } });
			const response = await app.fetch(request, env, createExecutionContext());
			return { status: response.status, refresh: response.headers.get("Refresh"), text: await response.text() };
		};
		for (const path of ["/docs", "/docs/concepts/tasks", "/docs/reference", "/docs/reference/schemas/task"])
			expect(await read(path)).toEqual({ status: 200, refresh: "5", text: expect.stringContaining("is being built") });
		expect((await read("/docs/concepts/tasks.md")).text).toMatch(/^# Tasks\n/);
		files.set("docs/index.html", "the start").set("docs/concepts/tasks/index.html", "about tasks");
		files.set("404.html", "nothing here");
		expect(await read("/docs")).toEqual({ status: 200, refresh: null, text: "the start" });
		expect(await read("/docs/concepts/tasks")).toEqual({ status: 200, refresh: null, text: "about tasks" });
		// This page was written after the last build.
		expect(await read("/docs/concepts/rubrics")).toMatchObject({ status: 200, refresh: "5" });
		expect((await read("/docs/reference/schemas/nothing")).status).toBe(404);
	});

	it("that are unknown are a page for browsers and the envelope for others, in any spelling", async () => {
		const paths = [
			"/docs/nothing",
			"/docs/../docs.json",
			"/docs/%2e%2e/docs.json",
			"/docs/..%2f..%2fwrangler.toml",
			"/docs/%ff",
			"/docs/%",
			"/docs/a%00",
			"/docs/Index",
		];
		for (const path of paths) {
			const other = await ask(path);
			expect({ path, status: other.status }).toEqual({ path, status: 404 });
			expect(await other.json()).toMatchObject({ error: { code: "NOT_FOUND" } });
			if (new URL(path, "https://bounty.test").pathname.startsWith("/docs/")) expectPage(await ask(path, BROWSER), 404);
		}
	});

	it("that are unknown are a page for browsers everywhere outside the API", async () => {
		for (const path of ["/nothing", "/task", "/docs.json", "/404.html", "/%00", "/a/b/c", "/API/v1/tasks"]) {
			const page = await ask(path, BROWSER);
			expectPage(page, 404);
			expect(page.headers.get("Vary")).toBe("Accept");
			expect(await page.text()).toContain("<h1>");
			const other = await ask(path);
			expect({ path, status: other.status, body: await other.json() }).toMatchObject({
				path,
				status: 404,
				body: { error: { code: "NOT_FOUND" } },
			});
			expect(other.headers.get("Vary")).toBe("Accept");
		}
		expect(typeOf(await ask("/nothing", BROWSER, { method: "POST" }))).toBe("application/json");
		for (const path of ["/api", "/api/v1/nothing", "/api/public/nothing"]) {
			const response = await ask(path, BROWSER);
			expect({ path, status: response.status, type: typeOf(response) }).toEqual({ path, status: 404, type: "application/json" });
		}
	});

	it("are also found with a slash at the end", async () => {
		for (const path of ["/docs/quickstart/agents", "/docs", "/reference"]) {
			const response = await ask(`${path}/`, BROWSER);
			expect({ status: response.status, to: response.headers.get("Location") }).toEqual({ status: 301, to: `https://bounty.test${path}` });
		}
	});
});

describe("built files", () => {
	it("are not served under their own names", async () => {
		const paths = ["/docs.json", "/home.json", "/pages.json", "/_headers", "/docs/index.html", "/api-catalog.json", "/assets/nothing.js"];
		for (const path of paths) expect({ path, status: (await ask(path)).status }).toEqual({ path, status: 404 });
		for (const path of ["/assets/..%2fdocs.json", "/assets/%2e%2e/docs.json", "/assets/a%00.js", "/assets/%ff", "/assets/"]) {
			expect({ path, status: (await ask(path, BROWSER)).status }).toEqual({ path, status: 404 });
		}
	});
});

describe("files that pages load", () => {
	it.each([
		"/assets/nothing.js",
		"/console/assets/nothing.js",
		"/docs/_astro/nothing.css",
		"/docs/pagefind/nothing.js",
		"/docs/pictures/nothing.webp",
	])("%s is a page for a browser and an error for a program, if it does not exist", async (path) => {
		expectPage(await ask(path, BROWSER), 404);
		const refusal = await ask(path);
		expect({ status: refusal.status, caching: refusal.headers.get("Cache-Control") }).toEqual({ status: 404, caching: "no-store" });
		expect(refusal.headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
		expect(await refusal.json()).toMatchObject({ error: { code: "NOT_FOUND" } });
	});

	it("may be cached without limit, and have an ETag", async () => {
		const [path = ""] = (await (await ask("/", BROWSER)).text()).match(/\/assets\/public\.[\w.]+\.css/) ?? [];
		const file = await ask(path);
		expect({ status: file.status, caching: file.headers.get("Cache-Control") }).toEqual({
			status: 200,
			caching: "public, max-age=31536000, immutable",
		});
		expect(await file.text()).toContain("{");
		const again = await ask(path, null, { headers: { "If-None-Match": file.headers.get("ETag") ?? "" } });
		expect({ status: again.status, body: await again.text() }).toEqual({ status: 304, body: "" });
		const head = await ask(path, null, { method: "HEAD" });
		expect({ status: head.status, body: await head.text() }).toEqual({ status: 200, body: "" });
	});
});

describe("the console", () => {
	it("frames only its own pages, and its frame for PDFs has no origin and loads only what it needs", async () => {
		const policyOf = async (path: string) => (await ask(path, BROWSER)).headers.get("Content-Security-Policy")?.split("; ");
		expect(await policyOf("/console/tasks")).toEqual(expect.arrayContaining(["frame-src 'self'", "frame-ancestors 'none'"]));
		expect(await policyOf("/console/pdf-frame")).toEqual([
			"default-src 'none'",
			"script-src 'self' 'wasm-unsafe-eval'",
			"worker-src 'self' blob:",
			"style-src 'self'",
			"connect-src https://bounty.test/console/assets/",
			"form-action 'none'",
			"base-uri 'none'",
			"frame-ancestors 'self'",
			"sandbox allow-scripts",
		]);
	});
});

describe("pieces of the OpenAPI document", () => {
	const piece = z.object({
		openapi: z.literal("3.1.0"),
		servers: z.array(z.object({ url: z.literal("https://bounty.test") })),
		paths: z.record(z.string(), z.record(z.string(), z.unknown())),
		components: z.record(z.string(), z.record(z.string(), z.unknown())),
	});
	const read = async (path: string) => piece.parse(await (await ask(path)).json());
	const operationsOf = ({ paths }: z.infer<typeof piece>) =>
		Object.values(paths).flatMap((item) =>
			Object.values(item).flatMap((value) => z.object({ operationId: z.string() }).safeParse(value).data ?? []),
		);

	it("are whole documents with one operation or one tag", async () => {
		const whole = await read("/openapi.json");
		const one = await read("/openapi/quickSubmit.json");
		expect(operationsOf(one)).toEqual([{ operationId: "quickSubmit" }]);
		const references = [...JSON.stringify(one).matchAll(/"#\/components\/(\w+)\/([\w.-]+)"/g)];
		expect(references.length).toBeGreaterThan(3);
		for (const [reference, kind = "", name = ""] of references) expect(one.components[kind]?.[name], reference).toBeDefined();
		expect(JSON.stringify(one).length).toBeLessThan(JSON.stringify(whole).length / 5);
		for (const tag of ["Public%20reading", "public-reading"]) {
			const ids = operationsOf(await read(`/openapi/tags/${tag}.json`)).map(({ operationId }) => operationId);
			expect(ids).toContain("getPublicTask");
			expect(ids).not.toContain("quickSubmit");
		}
	});

	it("exist for each operation, and for nothing else", async () => {
		for (const { operationId } of operationsOf(await read("/openapi.json"))) {
			expect(operationsOf(await read(`/openapi/${operationId}.json`))).toEqual([{ operationId }]);
		}
		for (const path of ["/openapi/nothing.json", "/openapi/tags/nothing.json", "/openapi/..%2fdocs.json", "/openapi/%2e%2e.json"]) {
			expect({ path, status: (await ask(path)).status }).toEqual({ path, status: 404 });
		}
	});
});

describe("discovery", () => {
	it("describes the service as a text, and as an MCP server", async () => {
		expect(await (await ask("/.well-known/mcp.json")).json()).toMatchObject({ remotes: [{ url: "https://bounty.test/mcp" }] });
		const text = await ask("/AGENTS.md");
		expect(typeOf(text)).toBe("text/markdown");
		expect(await text.text()).toContain("https://bounty.test/skill.md");
	});

	it("states the sizes of the texts that it links", async () => {
		for (const path of ["/llms.txt", "/skill.md"]) {
			const text = await (await ask(path)).text();
			expect(text).toMatch(/openapi\.json\W.*\(\d+ KB\)/);
			expect(text).not.toContain("{size:");
		}
	});
});

describe("texts for programs", () => {
	const texts = {
		"/llms.txt": "text/plain",
		"/llms-full.txt": "text/plain",
		"/skill.md": "text/markdown",
		"/robots.txt": "text/plain",
		"/openapi.json": "application/json",
		"/.well-known/api-catalog": "application/linkset+json",
	};

	it.each(Object.entries(texts))("%s exists, has this deployment's URLs, responds to HEAD, and is revalidated", async (path, type) => {
		const response = await ask(path);
		expect({ status: response.status, type: typeOf(response) }).toEqual({ status: 200, type });
		expect(await response.text()).not.toContain("{base_url}");
		const head = await ask(path, "*/*", { method: "HEAD" });
		expect({ status: head.status, type: typeOf(head), body: await head.text() }).toEqual({ status: 200, type, body: "" });
		const again = await ask(path, "*/*", { headers: { "If-None-Match": response.headers.get("ETag") ?? "" } });
		expect({ status: again.status, body: await again.text() }).toEqual({ status: 304, body: "" });
		expect((await ask(path, "*/*", { method: "POST" })).status).toBe(405);
	});

	it("llms.txt has the form of llmstxt.org, and every link of it works", async () => {
		const text = await (await ask("/llms.txt")).text();
		expect(text).toMatch(/^# [^\n]+\n\n> [^\n]+\n\n[^#]*\n## /);
		const sections = text.split(/^## /m).slice(1);
		for (const section of sections)
			expect(section).toMatch(/^[^\n]+\n\n(?:- \[[^\]]+\]\(https:\/\/bounty\.test\/[^)]*\)(?:: [^\n]+)?\n)+\n*$/);
		const { pages } = await nobody.call("listDocs");
		const addresses = [...text.matchAll(/\]\(https:\/\/bounty\.test([^)]+)\)/g)].map(([, path = ""]) => path);
		expect(addresses.length).toBeGreaterThan(pages.length);
		for (const address of addresses) expect({ address, status: (await ask(address)).status }).toEqual({ address, status: 200 });
	});

	it("have the deployment's own URL if it is configured", async () => {
		const { config } = testDeps();
		const app = createApp(() => testDeps({ config: { ...config, publicUrl: "https://api.example" } }));
		const skill = await (await app.fetch(new Request("http://10.0.0.1/skill.md"), env, createExecutionContext())).text();
		expect(skill).toContain("BASE_URL=https://api.example\n");
	});

	it("llms-full.txt has every page", async () => {
		const text = await (await ask("/llms-full.txt")).text();
		const { pages } = await nobody.call("listDocs");
		for (const { title } of pages) expect(text).toContain(`\n# ${title}\n`);
	});

	it("the API catalog is a link set of RFC 9264, with the profile of RFC 9727 and URLs that exist", async () => {
		const response = await ask("/.well-known/api-catalog");
		expect(response.headers.get("Content-Type")).toContain('profile="https://www.rfc-editor.org/info/rfc9727"');
		const target = z.object({ href: z.url(), type: z.string().optional(), title: z.string().optional() });
		const context = z.object({ anchor: z.url() }).catchall(z.union([z.string(), z.array(target)]));
		const { linkset } = z.strictObject({ linkset: z.array(context) }).parse(await response.json());
		const api = linkset.find(({ anchor }) => anchor === "https://bounty.test/api/v1");
		expect(Object.keys(api ?? {})).toEqual(expect.arrayContaining(["service-desc", "service-doc", "status"]));
		for (const relation of Object.values(api ?? {})) {
			for (const { href, type = "" } of typeof relation === "string" ? [] : relation) {
				const found = await ask(href.replace("https://bounty.test", ""), type);
				expect({ href, status: found.status, type: typeOf(found) }).toEqual({ href, status: 200, type });
			}
		}
		const head = await ask("/.well-known/api-catalog", "*/*", { method: "HEAD" });
		expect(head.headers.get("Link")).toContain('rel="api-catalog"');
	});

	it("the skill has a name and a description in its frontmatter", async () => {
		const text = await (await ask("/skill.md")).text();
		expect(text).toMatch(/^---\nname: [a-z0-9-]{1,64}\ndescription: [^\n]{50,1024}\n---\n\n# /);
	});
});
