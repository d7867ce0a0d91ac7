// The site in a real browser: every page loads, reads and works by keyboard, and leads a newcomer to a score.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { pathOf } from "../../site/docs-page.ts";
import { findBrowser, launchBrowser, NO_BROWSER } from "../support/browser.ts";
import { runCommandLine } from "../support/commands.ts";
import { type RunningServer, startServer } from "../support/server.ts";
import { findViolations, layoutShiftOf, overflowOf, visitAll, watchFaults } from "../support/site.ts";

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 900 };
/** What counts as none: a shift smaller than anybody sees. */
const MAX_LAYOUT_SHIFT = 0.01;
/** For looks at much, on a machine that has much else to do. */
const LONG_TIMEOUT_MS = 120_000;

if (findBrowser() === null) it.skip(`the site is not looked at: ${NO_BROWSER}`);

describe.skipIf(findBrowser() === null)("the site", () => {
	let server: RunningServer;
	let browser: Browser;
	let context: BrowserContext;
	let page: Page;
	/** Of every page of the documentation. */
	let docsPaths: string[];

	beforeAll(async () => {
		[server, browser] = await Promise.all([startServer(), launchBrowser()]);
		context = await browser.newContext({ baseURL: server.url, viewport: DESKTOP, permissions: ["clipboard-read", "clipboard-write"] });
		const listed = z
			.object({ pages: z.array(z.object({ slug: z.string() })) })
			.parse(await (await fetch(`${server.url}/api/v1/docs`)).json());
		docsPaths = listed.pages.map(pathOf);
	});
	afterAll(async () => {
		await browser?.close();
		await server?.close();
	});

	beforeEach(async () => {
		page = await context.newPage();
	});
	afterEach(() => page?.close());

	const textOf = async (of: Page, selector: string): Promise<string> => (await of.locator(selector).first().textContent())?.trim() ?? "";
	const focused = (): Promise<string> => page.evaluate("document.activeElement.textContent.trim()").then(String);

	it(
		"loads every page whole, from this host alone, without a fault, and as wide as a phone",
		async () => {
			const seen: string[] = [];
			const look = async (visitor: Page, path: string): Promise<void> => {
				if (path === "/reference") await visitor.locator(".opblock").first().waitFor();
				seen.push(await textOf(visitor, "h1"));
				expect(await layoutShiftOf(visitor), path).toBeLessThan(MAX_LAYOUT_SHIFT);
				await visitor.setViewportSize(PHONE);
				expect(await overflowOf(visitor), path).toBeLessThanOrEqual(0);
				await visitor.setViewportSize(DESKTOP);
			};
			await visitAll(context, server.url, { paths: ["/reference", ...docsPaths], look });
			expect(new Set(seen).size).toBe(docsPaths.length + 1);
		},
		LONG_TIMEOUT_MS,
	);

	describe("by axe-core", () => {
		it.each(["/docs", "/docs/quickstart/agents", "/docs/concepts/tasks"])("has no violation on %s", async (path) => {
			await page.goto(path);
			expect(await findViolations(page)).toEqual([]);
		});

		it("has no violation while searching", async () => {
			await page.goto("/docs");
			await page.getByRole("button", { name: "Search" }).click();
			await page.getByRole("searchbox").fill("rubric");
			await page.locator(".search-results a").first().waitFor();
			expect(await findViolations(page)).toEqual([]);
		});

		it("has no violation on a phone, with the pages' menu open", async () => {
			await page.setViewportSize(PHONE);
			await page.goto("/docs/concepts/tasks");
			await page.getByRole("button", { name: "All pages" }).click();
			await page.getByRole("navigation", { name: "Documentation" }).waitFor();
			expect(await findViolations(page)).toEqual([]);
		});
	});

	describe("by keyboard", () => {
		it("skips to the content, and walks the header in its order", async () => {
			await page.goto("/docs/concepts/tasks");
			const walked: string[] = [];
			for (let step = 0; step < 5; step += 1) {
				await page.keyboard.press("Tab");
				walked.push(await focused());
			}
			expect(walked).toEqual(["Skip to the content", "Bounty Platform", "Docs", "Reference", "Search/"]);
			for (let step = 0; step < 4; step += 1) await page.keyboard.press("Shift+Tab");
			expect(await page.evaluate("document.activeElement.getBoundingClientRect().top >= 0")).toBe(true);
			await page.keyboard.press("Enter");
			expect(await page.evaluate("document.activeElement.id")).toBe("site-main");
			await page.keyboard.press("Tab");
			expect(await page.evaluate("document.activeElement.closest('main') !== null")).toBe(true);
		});

		it("shows what has the focus", async () => {
			await page.goto("/docs");
			await page.keyboard.press("Tab");
			await page.keyboard.press("Tab");
			const outline = await page.evaluate("getComputedStyle(document.activeElement).outlineWidth");
			expect(outline).toBe("3px");
		});

		it("searches, walks through the hits, and opens one", async () => {
			await page.goto("/docs");
			await page.keyboard.press("/");
			await page.keyboard.type("idempotency");
			await page.locator(".search-results a").first().waitFor();
			expect(await page.getByRole("status").first().textContent()).toMatch(/^\d+ pages?$/);
			// A fast keyboard meets the results of a part of the word first.
			await page
				.locator(".search-results mark")
				.getByText(/^idempotency$/i)
				.first()
				.waitFor();
			await page.keyboard.press("ArrowDown");
			const chosen = await page.evaluate("document.activeElement.getAttribute('href')");
			expect(docsPaths).toContain(chosen);
			await page.keyboard.press("ArrowUp");
			expect(await page.evaluate("document.activeElement.id")).toBe("site-search-input");
			await page.keyboard.press("ArrowDown");
			await page.keyboard.press("Enter");
			await page.waitForURL(`**${chosen}`);
		});

		it("closes the search where it was opened, and says when nothing is found", async () => {
			await page.goto("/docs");
			await page.getByRole("button", { name: "Search" }).focus();
			await page.keyboard.press("Enter");
			await page.keyboard.type("<b>nowhere</b>");
			await page.getByText("Nothing found for “<b>nowhere</b>”.").waitFor();
			await page.keyboard.press("Escape");
			expect(await focused()).toBe("Search/");
		});

		it("copies a block of code as it stands", async () => {
			await page.goto("/docs/quickstart/agents");
			const block = page.locator(".code").first();
			await block.getByRole("button", { name: "Copy" }).press("Enter");
			await block.getByRole("button", { name: "Copied" }).waitFor();
			expect(await page.evaluate("navigator.clipboard.readText()")).toBe(await block.locator("code").textContent());
		});
	});

	it("is whole without scripts", async () => {
		const quiet = await browser.newContext({ baseURL: server.url, viewport: PHONE, javaScriptEnabled: false });
		try {
			const plain = await quiet.newPage();
			await plain.goto("/docs/concepts/tasks");
			expect(await plain.locator(".copy:visible, .search-open:visible").count()).toBe(0);
			await plain.getByRole("button", { name: "All pages" }).click();
			await plain.getByRole("navigation", { name: "Documentation" }).getByRole("link", { name: "Rubrics", exact: true }).click();
			expect(await plain.locator("h1").textContent()).toBe("Rubrics");
		} finally {
			await quiet.close();
		}
	});

	it("keeps still for those who want no motion", async () => {
		await page.goto("/docs");
		const behaviour = () => page.evaluate("getComputedStyle(document.documentElement).scrollBehavior");
		expect(await behaviour()).toBe("smooth");
		await page.emulateMedia({ reducedMotion: "reduce" });
		expect(await behaviour()).toBe("auto");
	});

	it(
		"shows the reference without a fault or a violation, and sends a request from there",
		async () => {
			const faults = watchFaults(page, server.url);
			await page.goto("/reference#/Tasks/searchTasks");
			const named = page.locator("#operations-Tasks-searchTasks.is-open");
			await named.getByRole("tab", { name: "Schema" }).first().click();
			expect(await named.getByRole("button", { name: "GET /api/v1/search/tasks" }).getAttribute("aria-expanded")).toBe("true");
			await page.getByRole("link", { name: "Streams", exact: true }).click();
			await page.getByRole("heading", { name: "Streams", exact: true }).and(page.locator(":target")).waitFor();
			const registering = page.locator("#operations-Identity-registerAnonymous");
			await registering.getByRole("button", { name: "POST /api/v1/agent/register-anonymous" }).click();
			await registering.getByRole("button", { name: "Try it out" }).click();
			await registering.getByRole("button", { name: "Execute" }).click();
			const answer = registering.locator(".live-responses-table", { hasText: "201" });
			expect(await answer.textContent()).toContain("svc_sk_");
			expect(await findViolations(page)).toEqual([]);
			await page.setViewportSize(PHONE);
			expect(await overflowOf(page)).toBeLessThanOrEqual(0);
			expect(faults.take()).toEqual([]);
		},
		LONG_TIMEOUT_MS,
	);

	describe("for a newcomer", () => {
		let folder: string;
		beforeAll(async () => {
			folder = await mkdtemp(join(tmpdir(), "bounty-platform-newcomer-"));
		});
		afterAll(() => rm(folder, { recursive: true, force: true }));

		it("leads from the start page to a scored submission, by its links and commands alone", async () => {
			await page.goto("/");
			const skill = await page.getByRole("link", { name: "skill.md" }).first().getAttribute("href");
			expect(await (await fetch(`${server.url}${skill}`)).text()).toMatch(/^---\nname: /);
			await page.getByRole("link", { name: "Start competing" }).click();
			await page.waitForURL("**/docs/quickstart/agents");
			const commands = await page.locator(".code:has(.code-label:text-is('Shell')) pre").allInnerTexts();
			expect(commands.length).toBeGreaterThanOrEqual(5);
			// A reader waits; a test need not.
			const script = ["set -eo pipefail", "sleep() { command sleep 0.2; }", ...commands, "printf '\\n%s' \"$(cat result.json)\""].join(
				"\n",
			);
			const { code, stdout, stderr } = await runCommandLine(["bash", "-c", script], { cwd: folder, env: { no_proxy: "*" } });
			expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
			const result = z
				.object({
					status: z.literal("completed"),
					scores: z.object({ final_score: z.number() }),
					dimensions: z.array(z.object({ reasoning: z.string().min(1) })),
				})
				.parse(JSON.parse(stdout.slice(stdout.lastIndexOf("\n") + 1)));
			expect(result.scores.final_score).toBeGreaterThan(0);
			expect(result.dimensions.length).toBeGreaterThan(0);
		});
	});
});
