// Tests the public pages in a real browser: they look right at each size, work by keyboard and without scripts, and their boards move
// live.
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { findBrowser, NO_BROWSER, shareBrowser } from "../support/browser.ts";
import { type HttpCaller, openTask, randomAddress, registerCaller, until } from "../support/http.ts";
import { type RunningServer, startServer } from "../support/server.ts";
import { countMotion, findDarkViolations, findLightViolations, layoutShiftOf, overflowOf, watchFaults } from "../support/site.ts";

const SIZES = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 }, narrow: { width: 320, height: 640 } } as const;
const MAX_LAYOUT_SHIFT = 0.01;
const LONG_TIMEOUT_MS = 600_000;
const WORDS = ["quotes", "delimiter", "newline"];

if (findBrowser() === null) it.skip(`the pages are not tested: ${NO_BROWSER}`);

describe.skipIf(findBrowser() === null)("the public pages", () => {
	let server: RunningServer;
	let browser: Browser;
	let poster: HttpCaller;
	const contexts: BrowserContext[] = [];

	beforeAll(async () => {
		[server, browser] = await Promise.all([startServer(), shareBrowser()]);
		poster = await registerCaller(server);
	});
	afterAll(async () => {
		await server?.close();
	});
	afterEach(async () => {
		for (const context of contexts.splice(0)) await context.close();
	});

	/** Opens a page as a new visitor with its own IP address. */
	async function visit(path: string, options: BrowserContextOptions = {}): Promise<Page> {
		const context = await browser.newContext({
			baseURL: server.url,
			viewport: SIZES.desktop,
			extraHTTPHeaders: { "CF-Connecting-IP": randomAddress() },
			...options,
		});
		contexts.push(context);
		const page = await context.newPage();
		await page.goto(path);
		return page;
	}

	/** Submits as a new agent: the more of the rubric's words, the better the score. */
	async function compete(taskId: string, words: number, agent?: HttpCaller): Promise<HttpCaller> {
		const caller = agent ?? (await registerCaller(server));
		const parts = WORDS.slice(0, words).map((word) => `export function ${word}(text) {\n\treturn text.split("${word}");\n}\n`);
		const files = { "main.js": parts.join("\n") };
		await caller.call("POST", `/api/v1/tasks/${taskId}/quick-submit`, { files });
		return caller;
	}

	/** Returns the names on a task's board, best first, without caches. */
	async function ranksOf(taskId: string): Promise<string[]> {
		const board = await poster.call<{ entries: { agentName: string }[] }>("GET", `/api/v1/tasks/${taskId}/leaderboard`);
		return board.entries.map(({ agentName }) => agentName);
	}
	const awaitScores = (taskId: string, count: number) => until(async () => (await ranksOf(taskId)).length === count, "the scores");

	const ranks = (page: Page) => page.locator(".board tbody th bdi").allTextContents();
	const scores = (page: Page) => page.locator(".board td.score > span").allTextContents();
	const isLive = (page: Page) => page.locator('[data-live-state="on"]').first().waitFor();

	it(
		"look right at each size: no violation, no horizontal scrolling, no jumps, no fault",
		async () => {
			const id = await openTask(poster, {
				title: "Look at me",
				description:
					"# Why\n\nText with `code`, a [link](https://example.com) and\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```sh\nnpm start -- --with-a-very-long-option-that-does-not-fit-a-phone\n```",
				input_spec: `## Lines\n\n${"One line\n".repeat(60)}`,
			});
			const [agent] = await Promise.all([compete(id, 1), compete(id, 3)]);
			const closedId = await openTask(poster, { title: "Over" });
			await compete(closedId, 2, agent);
			await awaitScores(closedId, 1);
			await poster.call("POST", `/api/v1/tasks/${closedId}/close`);
			const ended = ["/results", `/tasks/${closedId}`, `/agents/${agent.agentId}`, `/agents/${poster.agentId}`];
			const looks = [
				{ viewport: SIZES.desktop, colorScheme: "light", find: findLightViolations },
				{ viewport: SIZES.phone, colorScheme: "dark", find: findDarkViolations, reducedMotion: "reduce" },
				// A narrower window differs from a phone only in what fits.
				{ viewport: SIZES.narrow, colorScheme: "light", find: async () => [] },
			] as const;
			for (const { find, ...look } of looks) {
				const page = await visit("/", look);
				const faults = watchFaults(page, server.url);
				for (const path of [
					"/",
					"/tasks",
					"/tasks?q=nothing-like-it",
					`/tasks/${id}`,
					`/tasks/${await openTask(poster)}`,
					`/tasks/${id}?board=first`,
					"/tasks?category=general",
					...ended,
				]) {
					await page.goto(path);
					if (path === `/tasks/${id}`) {
						await isLive(page);
						await page.locator(".board tbody tr").nth(1).waitFor();
					}
					expect(await overflowOf(page), path).toBeLessThanOrEqual(0);
					expect(await layoutShiftOf(page), path).toBeLessThan(MAX_LAYOUT_SHIFT);
					expect(await find(page), path).toEqual([]);
					if ("reducedMotion" in look) expect(await countMotion(page), path).toBe(0);
				}
				expect(faults.take()).toEqual([]);
				await page.goto("/there-is-nothing");
				expect(await overflowOf(page)).toBeLessThanOrEqual(0);
				expect(await find(page)).toEqual([]);
			}
		},
		LONG_TIMEOUT_MS,
	);

	it(
		"load in eight tabs of one browser over HTTP/1.1, and move the boards of all that are seen",
		async () => {
			const shared = await openTask(poster);
			const others = await Promise.all(Array.from({ length: 4 }, () => openTask(poster)));
			const paths = [shared, ...others, shared, shared, shared].map((id) => `/tasks/${id}`);
			const first = await visit(paths[0] ?? "");
			const pages = [first];
			for (const path of paths.slice(1)) {
				const page = await first.context().newPage();
				await page.goto(path, { timeout: 8_000 });
				pages.push(page);
			}
			await Promise.all(pages.map(isLive));
			const hasBoard = (page: Page) => page.locator(".board tbody tr").first().waitFor();
			await Promise.all([shared, ...others].map((id) => compete(id, 2)));
			await Promise.all(pages.map(hasBoard));

			// The tab that reads the stream for the others is hidden, and another one takes over.
			const hide = (isHidden: boolean) => `
				Object.defineProperty(document, "hidden", { configurable: true, get: () => ${isHidden} });
				document.dispatchEvent(new Event("visibilitychange"));`;
			const leader = () =>
				first.evaluate<string>(
					`navigator.locks.query().then(({ held }) => held.find(({ name }) => name === "/api/public/tasks/${shared}/stream")?.clientId ?? "")`,
				);
			const before = await leader();
			expect(before).not.toBe("");
			await first.evaluate(hide(true));
			await until(async () => !["", before].includes(await leader()), "another tab that reads the stream");
			await compete(shared, 3);
			const hasTwo = (page: Page) => page.locator(".board tbody tr").nth(1).waitFor();
			await Promise.all(pages.slice(5).map(hasTwo));
			await first.evaluate(hide(false));
			await hasTwo(first);
		},
		LONG_TIMEOUT_MS,
	);

	it(
		"move their boards without reloading, for two readers, and say who has moved",
		async () => {
			const id = await openTask(poster);
			const first = await compete(id, 1);
			await awaitScores(id, 1);
			const pages = await Promise.all([visit(`/tasks/${id}`), visit(`/tasks/${id}`, { viewport: SIZES.phone })]);
			for (const page of pages) {
				await isLive(page);
				await page.evaluate("window.isSamePage = true");
				expect(await ranks(page)).toHaveLength(1);
			}
			const [leader = ""] = await ranksOf(id);
			await compete(id, 3);
			for (const page of pages) await page.locator(".board tbody tr").nth(1).waitFor();
			for (const page of pages) {
				const [best, second] = await ranks(page);
				expect(second).toBe(leader);
				expect(await page.locator("[data-live-news]").textContent()).toMatch(new RegExp(`^${best} now leads with `));
				const moved = page.locator("tr.fell");
				expect(await moved.locator(".move").textContent()).toContain("down 1");
				expect(await page.evaluate("window.isSamePage")).toBe(true);
				expect(await page.locator("[data-live-competitors]").textContent()).toBe("2");
				expect(await page.locator(".distribution svg").getAttribute("aria-label")).toMatch(/^Number of competitors by score: /);
			}
			const [page] = pages;
			if (page === undefined) throw new Error("There is no page.");
			const before = await scores(page);
			await compete(id, 3, first);
			await until(async () => JSON.stringify(await scores(page)) !== JSON.stringify(before), "the second score");
			await poster.call("POST", `/api/v1/tasks/${id}/close`);
			await page.locator("[data-live-state-text]", { hasText: "closed" }).waitFor();
			await page.locator('[data-live-state="off"]').waitFor({ state: "attached" });
		},
		LONG_TIMEOUT_MS,
	);

	it("follow their boards again after the server has refused the stream", async () => {
		const id = await openTask(poster);
		const page = await visit("/");
		let requests = 0;
		await page.route(`**/api/public/tasks/${id}/stream`, (route) => {
			requests += 1;
			return requests === 1 ? route.fulfill({ status: 429 }) : route.fallback();
		});
		await page.clock.install();
		await page.goto(`/tasks/${id}`);
		await page.getByText("connection lost, trying again").first().waitFor();
		await until(async () => {
			await page.clock.fastForward(61_000);
			return requests > 1;
		}, "the second request");
		await isLive(page);
		await compete(id, 2);
		await page.locator(".board tbody tr").first().waitFor();
	});

	it("stop their boards while the reader has paused them, and then show the newest", async () => {
		const id = await openTask(poster);
		const [page, other] = [await visit(`/tasks/${id}`), await visit(`/tasks/${id}`)];
		await Promise.all([page, other].map(isLive));
		await page.getByRole("button", { name: "Pause" }).click();
		await page.locator('[data-live-state="paused"]').first().waitFor();
		// The board has arrived in both windows once the other one shows the second competitor.
		for (const count of [1, 2]) {
			await compete(id, count);
			await other
				.locator(".board tbody tr")
				.nth(count - 1)
				.waitFor();
		}
		expect(await ranks(page)).toEqual([]);
		expect(await page.locator("[data-live-competitors]").textContent()).toBe("0");
		await page.getByRole("button", { name: "Resume" }).click();
		await isLive(page);
		await expect.poll(() => ranks(page)).toEqual(await ranks(other));
	});

	it("show the busiest task on the start page, moving", async () => {
		const id = await openTask(poster, { title: "Busiest", deadline: new Date(Date.now() + 25 * 3_600_000).toISOString() });
		await Promise.all([compete(id, 1), compete(id, 1), compete(id, 1)]);
		await awaitScores(id, 3);
		const page = await visit("/");
		const link = page.locator(".live-task a");
		await until(async () => {
			await page.goto("/");
			return (await link.textContent().catch(() => "")) === "Busiest";
		}, "the busiest task");
		await isLive(page);
		await compete(id, 3);
		await page.locator(".board tbody tr").nth(3).waitFor();
		await link.click();
		await page.waitForURL(`**/tasks/${id}`);
	});

	it("are complete without scripts: lists, filters, boards and ways to submit", async () => {
		const id = await openTask(poster, { title: "Quiet task", category: "quiet" });
		await compete(id, 2);
		await awaitScores(id, 1);
		const page = await visit("/tasks", { javaScriptEnabled: false, viewport: SIZES.phone });
		await page.getByLabel("Category").fill("Quiet");
		await page.getByRole("button", { name: "Show" }).click();
		await page.waitForURL("**category=Quiet**");
		expect(await page.locator(".task-link").allTextContents()).toEqual(["Quiet task"]);
		await page.getByRole("link", { name: "Quiet task" }).click();
		await page.waitForURL(`**/tasks/${id}`);
		expect(await ranks(page)).toHaveLength(1);
		expect(await page.locator("[data-countdown]").textContent()).toMatch(/^1 d 23 h \d+ min$/);
		expect(await page.locator(".distribution svg").isVisible()).toBe(true);
		expect(await page.locator(".copy:visible").count()).toBe(0);
		expect(await page.getByText(`/api/v1/tasks/${id}/quick-submit`).isVisible()).toBe(true);
	});

	it("work by keyboard: skip, filter, open, copy", async () => {
		const id = await openTask(poster, { title: "Reached by keys", category: "keys" });
		const page = await visit("/tasks", { permissions: ["clipboard-read", "clipboard-write"] });
		const focused = () => page.evaluate("(document.activeElement.textContent || document.activeElement.name).trim()").then(String);
		await page.keyboard.press("Tab");
		expect(await focused()).toBe("Skip to the content");
		await page.keyboard.press("Enter");
		expect(await page.evaluate("document.activeElement.id")).toBe("main");
		await page.getByLabel("Category").focus();
		expect(await page.evaluate("getComputedStyle(document.activeElement).outlineWidth")).toBe("3px");
		await page.keyboard.type("keys");
		await page.keyboard.press("Enter");
		await page.waitForURL("**category=keys**");
		await page.getByRole("link", { name: "Reached by keys" }).focus();
		await page.keyboard.press("Enter");
		await page.waitForURL(`**/tasks/${id}`);
		const block = page.locator(".code", { hasText: "Command line" });
		await block.getByRole("button", { name: "Copy" }).press("Enter");
		await block.getByRole("button", { name: "Copied" }).waitFor();
		expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
			`npx ${server.url}/packages/cli.tgz submit . --url ${server.url} --task ${id}`,
		);
	});

	it("lead to the console: to reporting, through the sign-in", async () => {
		const id = await openTask(poster, { title: "Both ways" });
		const page = await visit(`/tasks/${id}`);
		await page.getByRole("link", { name: "Report this task" }).click();
		await page.waitForURL("**/console/sign-in**");
		expect(new URL(page.url()).searchParams.get("return_to")).toBe(`/tasks/${id}`);
		await page.getByRole("textbox", { name: "API key" }).fill((await registerCaller(server)).key);
		await page.getByRole("button", { name: "Use this key" }).click();
		await page.getByRole("dialog", { name: "Report this task?" }).waitFor();
	});

	it("link to pages that exist", async () => {
		const id = await openTask(poster);
		const found = new Set<string>();
		for (const path of ["/", "/tasks", `/tasks/${id}`, "/nothing"]) {
			const page = await visit(path);
			const links = z.array(z.string()).parse(await page.evaluate("[...document.querySelectorAll('a')].map((link) => link.href)"));
			const own = links.filter((href) => href.startsWith(`${server.url}/`) && !href.startsWith(`${page.url()}#`));
			for (const link of own) found.add(link.slice(server.url.length));
			const anchors = links.flatMap((href) => (href.startsWith(`${page.url()}#`) ? [href.slice(page.url().length)] : []));
			for (const anchor of anchors) expect(await page.locator(anchor).count(), anchor).toBe(1);
		}
		expect(found.size).toBeGreaterThan(15);
		for (const path of found) {
			const response = await fetch(server.url + path, { headers: { "CF-Connecting-IP": randomAddress() } });
			expect({ path, status: response.status }).toEqual({ path, status: 200 });
			await response.body?.cancel();
		}
	});
});
