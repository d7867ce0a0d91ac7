// A visitor without an account goes from the start page to a winner, the documentation and the sign-in, by mouse and by keyboard.
import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { findBrowser, NO_BROWSER, shareBrowser } from "../support/browser.ts";
import { runScript } from "../support/commands.ts";
import { Agent, Visitor } from "../support/console.ts";
import { until } from "../support/http.ts";
import { type RunningServer, startServer } from "../support/server.ts";

/** Building the documentation takes this long on a busy machine. */
const BUILD_TIMEOUT_MS = 600_000;
const JOURNEY_TIMEOUT_MS = 600_000;
const JUDGING_TIMEOUT_MS = 180_000;
/** Pictures of each page are saved to this folder, if it is set. */
const SHOTS = process.env["CONSOLE_SHOTS"];
const ADMIN_TOKEN = `svc_admin_${"a".repeat(64)}`;
const ADMIN_TOKEN_SHA256 = createHash("sha256").update(ADMIN_TOKEN).digest("hex");
const MAX_STOPS = 400;
/** A focus ring is at least this wide. */
const MIN_RING_PX = 2;
/** The tests of the pages, the documentation and the console check the other states by the same rules. */
const OWN_STATES = ["task", "sign-in", "submit"];
const SITE_LINKS = ["Tasks", "Results", "Docs", "Console"];

/** Describes the focused element. Some fields have the ring around their frame. Returns null if the focus has left the page. */
const FOCUSED = `(() => {
	const element = document.activeElement;
	if (element === null || element === document.body) return null;
	const elements = [...document.querySelectorAll("*")];
	const rings = [element, element.parentElement, element.parentElement.parentElement].map((place) => getComputedStyle(place));
	const box = element.getBoundingClientRect();
	const isInWindow = box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth && box.width > 0 && box.height > 0;
	return {
		name: (element.getAttribute("aria-label") ?? element.textContent ?? "").trim().slice(0, 60),
		html: element.outerHTML.slice(0, 160),
		place: elements.indexOf(element),
		ring: Math.max(...rings.map((style) => (style.outlineStyle === "none" ? 0 : Number.parseFloat(style.outlineWidth)))),
		isInWindow,
	};
})()`;
const stop = z.object({ name: z.string(), html: z.string(), place: z.int(), ring: z.number(), isInWindow: z.boolean() });

if (findBrowser() === null) it.skip(`a visitor's journey is not tested: ${NO_BROWSER}`);

describe.skipIf(findBrowser() === null)("a visitor", () => {
	let server: RunningServer;
	let browser: Browser;
	let visitor: Visitor;
	let page: Page;
	let agent: Agent;
	let openId: string;
	let endedId: string;
	let shots = 0;

	beforeAll(async () => {
		const { code, stderr } = await runScript("docs.ts", []);
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		[server, browser] = await Promise.all([startServer({ vars: { ADMIN_TOKEN_SHA256 } }), shareBrowser()]);
		const poster = await Agent.register(server, "Ada");
		agent = await Agent.register(server, "Winifred");
		[openId, endedId] = await Promise.all([poster.publishTask("Still open"), poster.publishTask("Long over")]);
		for (const id of [openId, endedId]) {
			const submissionId = await agent.submit(id, "def parser(text):\n\treturn text.quotes(1)\n");
			const read = async () =>
				z.object({ evaluated: z.boolean() }).parse(await agent.send("GET", `/api/v1/submissions/${submissionId}`)).evaluated;
			await until(read, "the score", JUDGING_TIMEOUT_MS);
		}
		await poster.send("POST", `/api/v1/tasks/${endedId}/close`);
		if (SHOTS !== undefined) await mkdir(SHOTS, { recursive: true });
	}, BUILD_TIMEOUT_MS);
	afterAll(async () => {
		await server?.close();
	});
	beforeEach(async () => {
		// The window follows the focus at once, instead of smoothly.
		visitor = await Visitor.open(browser, server, { reducedMotion: "reduce" });
		page = visitor.page;
	});
	afterEach(() => visitor?.close());

	const siteLinks = () => page.getByRole("navigation", { name: "Site" }).filter({ visible: true }).getByRole("link").allTextContents();
	const searchButton = () => page.getByRole("button", { name: /^Search/ }).filter({ visible: true });
	const search = () => page.getByRole("dialog", { name: "Search" });

	/** Goes through the journey's pages. `choose` acts on what a person chooses, and `look` checks each page. */
	async function travel({ choose, look }: { choose: (target: Locator) => Promise<void>; look: (name: string) => Promise<void> }) {
		const link = (name: string) => page.getByRole("link", { name, exact: true }).filter({ visible: true }).first();
		const goTo = async (name: string, path: string) => {
			await choose(link(name));
			await page.waitForURL(`**${path}`);
		};
		await page.goto("/");
		await page.getByRole("link", { name: "Long over" }).first().waitFor();
		expect(await siteLinks()).toEqual(SITE_LINKS);
		await look("start");
		await choose(page.getByRole("link", { name: "Find a task" }));
		await page.waitForURL("**/tasks");
		await look("tasks");
		await goTo("Still open", `/tasks/${openId}`);
		await page.locator('[data-live-state="on"]').first().waitFor();
		const leader = await page.locator(".board tbody th bdi").first().textContent();
		const progress = page.getByRole("region", { name: "Best score over time" });
		await choose(progress.locator("summary"));
		await progress
			.getByRole("rowheader", { name: leader ?? "" })
			.first()
			.waitFor();
		await look("task");

		await goTo("Results", "/results");
		await look("results");
		await goTo("Long over", `/tasks/${endedId}`);
		await look("ended-task");
		await choose(page.locator(".board tbody").getByRole("link", { name: "Winifred" }));
		await page.getByRole("heading", { name: "Winifred" }).waitFor();
		await look("profile");

		await goTo("Docs", "/docs");
		expect(await siteLinks()).toEqual(SITE_LINKS);
		await look("docs");
		await choose(searchButton());
		await search().getByRole("textbox").and(page.locator(":focus")).waitFor();
		await page.keyboard.type("receipts");
		const hit = search().locator('a[href="/docs/judging/receipts"]').first();
		await hit.waitFor();
		await choose(hit);
		await page.waitForURL("**/docs/judging/receipts*");
		await look("docs-page");

		await goTo("Tasks", "/tasks");
		await goTo("Still open", `/tasks/${openId}`);
		await choose(link("Submit your work"));
		await page.waitForURL("**/console/sign-in**");
		await page.getByRole("textbox", { name: "API key" }).waitFor();
		expect(await siteLinks()).toEqual(SITE_LINKS);
		await look("sign-in");
		await visitor.type("API key", agent.key);
		await choose(page.getByRole("button", { name: "Use this key" }));
		await page.waitForURL(`**/console/tasks/${openId}/submit`);
		await page.getByRole("button", { name: "Choose a folder" }).waitFor();
		expect(await siteLinks()).toEqual(SITE_LINKS);
		await look("submit");
		await goTo("Still open", `/console/tasks/${openId}`);
		await goTo("Public page", `/tasks/${openId}`);
	}

	it(
		"gets from the start page to a winner, the documentation and a form in 15 clicks of the mouse",
		async () => {
			let clicks = 0;
			await travel({
				choose: async (target) => {
					await target.click();
					clicks += 1;
				},
				look: async (name) => {
					if (OWN_STATES.includes(name)) await visitor.check();
					expect(visitor.faults.take()).toEqual([]);
					if (SHOTS !== undefined) await visitor.takePictures(`${SHOTS}/visitor-${++shots}-${name}`);
				},
			});
			expect(clicks).toBe(15);
		},
		JOURNEY_TIMEOUT_MS,
	);

	it(
		"is known on every page after signing in, although the pages are the same for everyone",
		async () => {
			let asked = 0;
			page.on("request", (request) => {
				if (new URL(request.url()).pathname === "/api/dashboard/header") asked += 1;
			});
			const readResults = () => page.evaluate("fetch('/results').then((response) => response.text())");
			await page.goto("/results");
			const before = await readResults();
			expect(asked).toBe(0);
			await visitor.signIn(agent.key);
			await page.goto("/results");
			expect(await readResults()).toBe(before);
			for (const path of ["/", "/tasks", `/tasks/${openId}`, "/docs/quickstart/agents"]) {
				asked = 0;
				await page.goto(path);
				const account = page.getByRole("link", { name: "Account: Winifred" }).filter({ visible: true });
				await account.waitFor();
				await page
					.getByRole("link", { name: /^Inbox \d+ unread$/ })
					.filter({ visible: true })
					.waitFor();
				expect({ path, asked }).toEqual({ path, asked: 1 });
				if (path.startsWith("/tasks")) await page.getByRole("link", { name: "Entered" }).waitFor();
				await visitor.check();
			}
		},
		JOURNEY_TIMEOUT_MS,
	);

	/**
	 * Presses Tab from the top of the page to its end. The first stop skips to the content. Each stop comes later in the page than the one
	 * before, is in the window and has a visible ring.
	 */
	async function walk(): Promise<void> {
		// Tab goes on from the element that had the focus last, so the body gets it first.
		await page.evaluate("document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex')");
		const stops: z.infer<typeof stop>[] = [];
		for (let presses = 0; presses < MAX_STOPS; presses += 1) {
			await page.keyboard.press("Tab");
			const found = stop
				.nullable()
				.parse(
					await page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(${FOCUSED}))))`),
				);
			if (found === null || found.place === stops[0]?.place) break;
			expect(found, `${page.url()} ${found.html}`).toMatchObject({ isInWindow: true });
			expect(found.ring, `${page.url()} ${found.html}`).toBeGreaterThanOrEqual(MIN_RING_PX);
			stops.push(found);
		}
		expect(stops[0]?.name).toMatch(/^Skip to/);
		const places = stops.map(({ place }) => place);
		expect(places, page.url()).toEqual(places.toSorted((a, b) => a - b));
		expect(stops.length).toBeGreaterThan(5);
	}

	/** Opens the search and leaves it again with Escape, which gives the focus back. */
	async function leaveSearch(): Promise<void> {
		await visitor.tabTo(searchButton());
		await page.keyboard.press("Enter");
		await search().getByRole("textbox").waitFor();
		await page.keyboard.press("Escape");
		await search().waitFor({ state: "hidden" });
		await searchButton().and(page.locator(":focus")).waitFor();
	}

	it(
		"goes the same way by keyboard: the skip link first, a visible focus in the order of the page, and Escape",
		async () => {
			await travel({
				choose: async (target) => {
					await visitor.tabTo(target);
					await visitor.hit("Enter");
				},
				look: async (name) => {
					await walk();
					if (name === "docs") await leaveSearch();
				},
			});
		},
		JOURNEY_TIMEOUT_MS,
	);
});
