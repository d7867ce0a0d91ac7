// Tests the documentation site in Chromium: every page, search, tabs, diagrams, copying, the theme.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { listFiles } from "../../scripts/site/site-files.ts";
import { findBrowser, NO_BROWSER, shareBrowser } from "../support/browser.ts";
import { runScript } from "../support/commands.ts";
import { PROJECT_ROOT } from "../support/samples.ts";
import { type RunningServer, startServer } from "../support/server.ts";
import { countMotion, findViolations, findViolationsIn, overflowOf, visitAll, watchFaults } from "../support/site.ts";

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 900 };
/** Installing and building take this long on a busy machine. */
const BUILD_TIMEOUT_MS = 600_000;
const LONG_TIMEOUT_MS = 600_000;
/** One of this many generated pages is opened in the browser. All are checked as text. */
const GENERATED_STEP = 25;
/** One of this many pages is checked for what all pages share. */
const SHARED_STEP = 6;
const SITE = join(PROJECT_ROOT, "dist", "site");

/** Maps the path of every built page to its text. */
let pages: Map<string, string>;

const pathOf = (file: string): string => `/docs/${file}`.replace(/\/?index\.html$/, "");
const matches = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found = ""]) => found);
const idsOf = (html: string): readonly string[] => matches(html, / id="([^"]*)"/g);
const linksOf = (html: string): string[] => matches(html, /<a\b[^>]*? href="([^"]*)"/g).map((href) => href.replaceAll("&amp;", "&"));

beforeAll(async () => {
	const { code, stderr } = await runScript("docs.ts", []);
	expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
	const files = (await listFiles(join(SITE, "docs"))).filter((path) => path.endsWith(".html"));
	pages = new Map(await Promise.all(files.map(async (file) => [pathOf(file), await readFile(join(SITE, "docs", file), "utf8")] as const)));
}, BUILD_TIMEOUT_MS);

describe("the built pages", () => {
	it("are those of the docs API, and one for each operation, webhook and schema", async () => {
		const { pages: listed } = z
			.object({ pages: z.array(z.object({ slug: z.string() })) })
			.parse(JSON.parse(await readFile(join(SITE, "docs.json"), "utf8")));
		for (const { slug } of listed) expect(pages.has(slug === "index" ? "/docs" : `/docs/${slug}`), slug).toBe(true);
		const { paths, components } = z
			.object({
				paths: z.record(z.string(), z.record(z.string(), z.object({ operationId: z.string() }))),
				components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
			})
			.parse(JSON.parse(await readFile(join(PROJECT_ROOT, "docs", "openapi.json"), "utf8")));
		const operations = Object.values(paths).flatMap((item) => Object.values(item).map(({ operationId }) => `operations/${operationId}`));
		const schemas = Object.keys(components.schemas).map((name) => `schemas/${name}`);
		const missing = [...operations, ...schemas].filter((path) => !pages.has(`/docs/reference/${path.toLowerCase()}`));
		expect(missing).toEqual([]);
		expect(operations.length + schemas.length).toBeGreaterThan(250);
	});

	it("have nothing that a strict content security policy refuses, and nothing of another host", () => {
		const inline = /<style|<script(?![^>]* src=)|<[^>"]* (?:style|on\w+)=|href="javascript:|<base\b|<iframe|<object/i;
		for (const [path, html] of pages) {
			expect(inline.exec(html)?.[0], path).toBe(undefined);
			const loaded = [
				...matches(html, /<script[^>]* src="([^"]*)"/g),
				...matches(html, /<link rel="(?:stylesheet|icon|shortcut icon)"[^>]* href="([^"]*)"/g),
			];
			expect(loaded.length, path).toBeGreaterThan(3);
			for (const url of loaded) expect(url, path).toMatch(/^\/docs\//);
		}
	});

	it("have one first heading, and a unique title", () => {
		const titles = [...pages].map(([path, html]) => {
			expect(matches(html, /<h1\b[^>]*>([^<]+)</g).length, path).toBe(1);
			return /<title>([^<]+)</.exec(html)?.[1];
		});
		const repeated = titles.filter((title, index) => titles.indexOf(title) !== index);
		expect(repeated).toEqual([]);
	});

	it("say when each text was changed, and have its Markdown at the top", () => {
		const html = pages.get("/docs/concepts/tasks") ?? "";
		expect(html).toMatch(/<time datetime="20\d\d-/);
		expect(html).toContain('href="/docs/concepts/tasks.md"');
	});
});

if (findBrowser() === null) it.skip(`the documentation is not tested: ${NO_BROWSER}`);

describe.skipIf(findBrowser() === null)("the documentation in a browser", () => {
	let server: RunningServer;
	let browser: Browser;
	let context: BrowserContext;
	let page: Page;

	beforeAll(async () => {
		[server, browser] = await Promise.all([startServer(), shareBrowser()]);
		context = await browser.newContext({ baseURL: server.url, viewport: DESKTOP, permissions: ["clipboard-read", "clipboard-write"] });
	});
	afterAll(async () => {
		await context?.close();
		await server?.close();
	});
	beforeEach(async () => {
		page = await context.newPage();
	});
	afterEach(() => page?.close());

	const readClipboard = async (): Promise<unknown> => page.evaluate("navigator.clipboard.readText()");
	const themeOf = async (of: Page): Promise<unknown> => of.evaluate("document.documentElement.dataset.theme");

	/** Searches, and waits until this page is among the results, which are rendered one by one. */
	async function find(query: string, path: string): Promise<void> {
		const dialog = page.getByRole("dialog", { name: "Search" });
		// The key has no effect before the page's script has run.
		const open = async () => {
			if (!(await dialog.isVisible())) await page.keyboard.press("Control+k");
			return dialog.isVisible();
		};
		await expect.poll(open, { interval: 1_000 }).toBe(true);
		const links = dialog.locator(".pagefind-ui__result-title a");
		// The results of the previous search stay until there are new ones.
		await dialog.getByRole("textbox").fill("");
		await expect.poll(() => links.count()).toBe(0);
		await dialog.getByRole("textbox").fill(query);
		await dialog.getByText(new RegExp(`results? for ${RegExp.escape(query)}$`)).waitFor();
		await expect.poll(async () => Promise.all((await links.all()).map((link) => link.getAttribute("href")))).toContain(path);
	}

	it(
		"loads pages completely, from this host only, without a fault, as wide as a phone, and without a violation of axe-core",
		async () => {
			// The browser opens every written page, and some of the generated ones, which share three templates.
			const written = [...pages.keys()].filter((path) => !path.startsWith("/docs/reference/"));
			const generated = [...pages.keys()].filter((path) => path.startsWith("/docs/reference/"));
			const paths = [...written, ...generated.filter((_, index) => index % GENERATED_STEP === 0)];
			const seen: string[] = [];
			const look = async (visitor: Page, path: string): Promise<void> => {
				seen.push((await visitor.locator("h1").first().textContent()) ?? "");
				expect(await findViolationsIn("light", visitor), path).toEqual([]);
				expect(await overflowOf(visitor), path).toBeLessThanOrEqual(0);
				// A wide window adds only the menu and the table of contents, and only the style sheets can move anything. All pages share these.
				if (paths.indexOf(path) % SHARED_STEP !== 0) return;
				await visitor.setViewportSize(DESKTOP);
				expect(await findViolationsIn("light", visitor), path).toEqual([]);
				await visitor.setViewportSize(PHONE);
				await visitor.emulateMedia({ reducedMotion: "reduce" });
				expect(await countMotion(visitor), path).toBe(0);
			};
			const phone = await browser.newContext({ baseURL: server.url, viewport: PHONE });
			try {
				await visitAll(phone, server.url, { paths, look });
			} finally {
				await phone.close();
			}
			expect(seen).toHaveLength(paths.length);
			expect(seen.every((title) => title.trim() !== "")).toBe(true);
		},
		LONG_TIMEOUT_MS,
	);

	it(
		"links to what exists, anchors included",
		async () => {
			const links = [...pages].flatMap(([from, html]) =>
				linksOf(html).map((href) => ({ from, url: new URL(href, `${server.url}${from}`) })),
			);
			const own = links.filter(({ url }) => url.origin === server.url && !url.pathname.includes("%7B"));
			const others = new Set(own.map(({ url }) => url.pathname).filter((path) => !pages.has(path)));
			const statuses = new Map<string, number>();
			for (const path of others) statuses.set(path, (await fetch(server.url + path)).status);
			const exists = ({ pathname, hash }: URL): boolean => {
				const html = pages.get(pathname);
				if (html === undefined) return statuses.get(pathname) === 200;
				return hash === "" || idsOf(html).includes(decodeURIComponent(hash.slice(1)));
			};
			const broken = own.filter(({ url }) => !exists(url)).map(({ from, url }) => `${from} -> ${url.pathname}${url.hash}`);
			expect(broken).toEqual([]);
			expect(own.length).toBeGreaterThan(1000);
		},
		LONG_TIMEOUT_MS,
	);

	it("serves its files with the usual headers, and caches those whose names change with their content", async () => {
		const html = [pages.get("/docs"), pages.get("/docs/quickstart/console")].join("");
		const files = [...new Set(matches(html, /(?:src|href)="(\/docs\/[^"]+\.(?:js|css|svg|webp))"/g)), "/docs/pagefind/pagefind.js"];
		// Each picture of the console's guide is there in light and in dark colours.
		expect(files.filter((path) => path.endsWith(".webp"))).toHaveLength(8);
		expect(files.length).toBeGreaterThan(13);
		for (const path of files) {
			const { status, headers } = await fetch(server.url + path);
			expect({ path, status, nosniff: headers.get("X-Content-Type-Options"), referrer: headers.get("Referrer-Policy") }).toEqual({
				path,
				status: 200,
				nosniff: "nosniff",
				referrer: "no-referrer",
			});
			if (path.startsWith("/docs/_astro/")) expect(headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
		}
	});

	it("shows the reader's origin in samples, as text and on the clipboard", async () => {
		await page.goto("/docs/quickstart/agents");
		const block = page.locator(".expressive-code", { hasText: `BASE_URL=${server.url}` }).first();
		await block.hover();
		await block.getByRole("button", { name: /copy/i }).click();
		await expect.poll(readClipboard).toContain(`BASE_URL=${server.url}\n`);
		// This origin is only an example of a setting, although it begins like the placeholder of the reader's.
		await page.goto("/docs/operating/configuration");
		await page.getByText("https://bounties.example.com", { exact: true }).first().waitFor();
	});

	it("shows the reader's origin in the results of the search", async () => {
		await page.goto("/docs");
		await find("idempotency", "/docs/api/idempotency");
		const dialog = page.getByRole("dialog", { name: "Search" });
		// The samples of many operations begin with these words and the origin.
		await dialog.getByRole("textbox").fill("const url");
		const results = dialog.locator(".pagefind-ui__results");
		await results.getByText(server.url).first().waitFor();
		expect(await results.textContent()).not.toContain("{base_url}");
	});

	it.each(["/docs", "/docs/quickstart/console", "/docs/reference/operations/createwebhook", "/docs/reference/schemas/task"])(
		"has no violation of axe-core on %s on a phone, in light and dark",
		async (path) => {
			await page.setViewportSize(PHONE);
			await page.goto(path);
			expect(await findViolations(page)).toEqual([]);
		},
		LONG_TIMEOUT_MS,
	);

	it("finds pages, operations and schemas by keyboard, and opens a result", async () => {
		const faults = watchFaults(page, server.url);
		await page.goto("/docs");
		await find("idempotency", "/docs/api/idempotency");
		await find("createTask", "/docs/reference/operations/createtask");
		// Operations have these words too, but a page answers the question.
		await find("how do I get paid", "/docs/concepts/deals");
		const first = page.locator(".pagefind-ui__result-title a").first();
		expect(await first.getAttribute("href")).not.toContain("/reference/");
		expect(await findViolations(page)).toEqual([]);
		await find("WebhookDeliveryList", "/docs/reference/schemas/webhookdeliverylist");
		for (let step = 0; step < 3; step += 1) await page.keyboard.press("Tab");
		await page.keyboard.press("Enter");
		await page.waitForURL("**/docs/reference/schemas/webhookdeliverylist*");
		expect(faults.take()).toEqual([]);
	});

	it("shows the same language in all tabs, and keeps it for the next page", async () => {
		const path = [...pages].find(([, html]) => matches(html, /(<starlight-tabs\b)/g).length > 1)?.[0];
		expect(path).toBeDefined();
		await page.goto(path ?? "/docs");
		const chosen = page.getByRole("tab", { selected: true });
		const names = async () => new Set((await chosen.allTextContents()).map((name) => name.trim()));
		expect(await names()).toEqual(new Set(["curl"]));
		await page.getByRole("tab", { name: "curl" }).first().focus();
		await page.keyboard.press("ArrowRight");
		expect(await names()).toEqual(new Set(["TypeScript"]));
		await page.reload();
		expect(await names()).toEqual(new Set(["TypeScript"]));
	});

	it("draws its diagrams, and describes them in words", async () => {
		const path = [...pages].find(([, html]) => html.includes('class="diagram"'))?.[0];
		expect(path).toBeDefined();
		await page.goto(path ?? "/docs");
		const diagram = page.getByRole("img", { name: /^Diagram: / }).first();
		expect((await diagram.boundingBox())?.height).toBeGreaterThan(100);
	});

	it("copies a page as its Markdown", async () => {
		await page.goto("/docs/concepts/rubrics");
		await page.getByRole("button", { name: "Copy page" }).press("Enter");
		await page.getByText("Copied", { exact: true }).waitFor();
		expect(await readClipboard()).toBe(await (await fetch(`${server.url}/docs/concepts/rubrics.md`)).text());
	});

	it("keeps the theme that the reader chose, on the public pages and in the console too", async () => {
		await page.emulateMedia({ colorScheme: "light" });
		await page.goto("/docs");
		expect(await themeOf(page)).toBe("light");
		await page.getByRole("combobox", { name: "Colours" }).first().selectOption("dark");
		expect(await themeOf(page)).toBe("dark");
		await page.goto("/docs/concepts/tasks");
		expect(await themeOf(page)).toBe("dark");
		for (const path of ["/", "/console/sign-in"]) {
			await page.goto(path);
			expect({ path, theme: await themeOf(page) }).toEqual({ path, theme: "dark" });
		}
		await page.getByRole("button", { name: "Colours" }).waitFor();
		await page.goto("/docs");
		await page.getByRole("combobox", { name: "Colours" }).first().selectOption("system");
		expect(await themeOf(page)).toBe("light");
	});

	it("has the links of the site and the search in its header, as narrow as a tablet", async () => {
		await page.goto("/docs");
		for (const width of [1280, 1120, 960, 800]) {
			await page.setViewportSize({ width, height: DESKTOP.height });
			const links = page.locator("header").getByRole("navigation", { name: "Site" }).getByRole("link").filter({ visible: true });
			expect({ width, links: await links.allTextContents() }).toEqual({ width, links: ["Tasks", "Results", "Docs", "Console"] });
			expect(await page.locator("header").getByRole("button", { name: "Search" }).isVisible()).toBe(true);
			expect(await overflowOf(page)).toBeLessThanOrEqual(0);
		}
	});

	it("is complete without scripts", async () => {
		const quiet = await browser.newContext({ baseURL: server.url, viewport: PHONE, javaScriptEnabled: false });
		try {
			const plain = await quiet.newPage();
			await plain.goto("/docs/concepts/tasks");
			await plain.getByRole("button", { name: "Menu" }).click();
			await plain.getByRole("link", { name: "Rubrics", exact: true }).first().click();
			expect(await plain.locator("h1").textContent()).toBe("Rubrics");
		} finally {
			await quiet.close();
		}
	});
});
