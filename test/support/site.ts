// Checks the site in a browser as a reader sees it, and what no page may do there.
import { appendFileSync } from "node:fs";
import axe from "axe-core";
import type { BrowserContext, Page } from "playwright-core";
import { expect } from "vitest";
import * as z from "zod";

const findings = z.array(
	z.object({
		id: z.string(),
		impact: z.string().nullable(),
		nodes: z.array(z.object({ html: z.string(), failureSummary: z.string().optional() })),
	}),
);
/** The file to which findViolations adds what axe-core could not decide, a line of JSON for each place. Undefined to omit this. */
const UNDECIDED = process.env["AXE_UNDECIDED"];

/** Collects the faults of a page until a test reads them. */
export interface Faults {
	/** Returns the faults since the last call, each with the URL of its page. */
	take(): string[];
}

/** Watches a page for errors in its console, requests that fail, and requests to other hosts. */
export function watchFaults(page: Page, origin: string): Faults {
	const faults: string[] = [];
	const add = (fault: string) => faults.push(`${page.url()}: ${fault}`);
	page.on("console", (message) => {
		if (message.type() === "error" || message.type() === "warning") add(`console: ${message.text()}`);
	});
	page.on("pageerror", (error) => add(`exception: ${error.message}`));
	page.on("dialog", (dialog) => {
		add(`dialog: ${dialog.message()}`);
		void dialog.dismiss();
	});
	page.on("requestfailed", (request) => {
		const reason = request.failure()?.errorText ?? "";
		// A reader who leaves a page while it still loads has not met a fault.
		if (reason !== "net::ERR_ABORTED") add(`failed: ${request.url()} ${reason}`);
	});
	page.on("request", (request) => {
		// Data and blobs are in the browser's memory.
		const isOwn = request.url().startsWith(`${origin}/`) || /^(data|blob):/.test(request.url());
		if (!isOwn) add(`other host: ${request.url()}`);
	});
	return { take: () => faults.splice(0) };
}

/** Returns the URLs that the page requests from now on, as servers get them, without the fragment. */
export function watchUrls(page: Page): readonly string[] {
	const urls: string[] = [];
	page.on("request", (request) => urls.push(request.url().replace(/#.*/, "")));
	return urls;
}

/**
 * Runs axe-core and returns a line for each rule: everything in light colours, and the contrast in dark ones. Its rules are those of WCAG
 * 2.2 A and AA, and its best practices.
 */
export async function findViolations(page: Page): Promise<string[]> {
	return [...(await findLightViolations(page)), ...(await findDarkViolations(page))];
}

/** Runs all rules of axe-core in light colours. */
export async function findLightViolations(page: Page): Promise<string[]> {
	return await findViolationsIn("light", page);
}

/** Checks the contrast in dark colours. The other rules do not depend on the colours. */
export async function findDarkViolations(page: Page): Promise<string[]> {
	await page.emulateMedia({ colorScheme: "dark" });
	return (await runAxe(page, { runOnly: ["color-contrast"], rules: {} })).map((line) => `dark: ${line}`);
}

/** Runs all rules of axe-core in these colours. */
export async function findViolationsIn(colorScheme: "light" | "dark", page: Page): Promise<string[]> {
	await page.emulateMedia({ colorScheme });
	return (await runAxe(page, {})).map((line) => `${colorScheme}: ${line}`);
}

/** Sticky elements cover targets that a reader can scroll to, so they are relative during the check. */
const UNSTICK = `for (const element of document.querySelectorAll("*")) {
	if (getComputedStyle(element).position === "sticky") Object.assign(element.style, { position: "relative", inset: "auto" });
}`;
const STICK = `for (const element of document.querySelectorAll("[style*='position: relative']")) Object.assign(element.style, { position: "", inset: "" });`;

async function runAxe(page: Page, options: object): Promise<string[]> {
	// The page's policy blocks a script that is added to the page, but not one from the debugger.
	if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(axe.source);
	// Without this option, the rule for the size of targets would be off.
	const all = JSON.stringify({ resultTypes: ["violations", "incomplete"], rules: { "target-size": { enabled: true } }, ...options });
	await page.evaluate(UNSTICK);
	const found = z
		.object({ violations: findings, incomplete: findings })
		.parse(await page.evaluate(`axe.run(document, ${all}).then(({ violations, incomplete }) => ({ violations, incomplete }))`));
	await page.evaluate(STICK);
	if (UNDECIDED !== undefined) noteUndecided(UNDECIDED, page.url(), found.incomplete);
	return found.violations.map(({ id, impact, nodes }) => {
		const places = nodes.map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary ?? ""}`);
		return `${page.url()}: ${id} (${impact}): ${places.join("\n")}`;
	});
}

function noteUndecided(file: string, url: string, incomplete: z.infer<typeof findings>): void {
	const places = incomplete.flatMap(({ id, nodes }) =>
		nodes.map(({ html, failureSummary }) => ({ rule: id, path: new URL(url).pathname, html: html.slice(0, 160), why: failureSummary })),
	);
	appendFileSync(file, places.map((place) => `${JSON.stringify(place)}\n`).join(""));
}

const FOREIGN =
	"script, img, iframe, object, embed, style, base, math, form[action], [srcdoc], [onload], [onerror], [onfocus], [onmouseover]";

/** Returns content that only a user's text can have caused: text that became markup, or a link that runs code. */
export async function findUserMarkup(page: Page): Promise<string[]> {
	return z.array(z.string()).parse(
		await page.evaluate(`(() => {
			const elements = [...document.querySelectorAll("main :is(${FOREIGN})")];
			const links = [...document.querySelectorAll("main a[href]")].filter((link) => !/^(https?|mailto|blob):$/.test(link.protocol));
			return [...elements, ...links].map((element) => element.outerHTML.slice(0, 200));
		})()`),
	);
}

/** Returns by how many pixels the page is wider than its window. */
export async function overflowOf(page: Page): Promise<number> {
	return z.number().parse(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"));
}

/** Counts what moves or would move: animations, and elements whose style has a duration. */
export async function countMotion(page: Page): Promise<number> {
	return z.number().parse(
		await page.evaluate(`(() => {
			const lasts = (durations) => durations.split(",").some((duration) => Number.parseFloat(duration) > 0);
			const styles = [...document.querySelectorAll("*")].flatMap((element) => ["", "::before", "::after"].map((part) => getComputedStyle(element, part)));
			const moving = styles.filter((style) => lasts(style.transitionDuration) || (style.animationName !== "none" && lasts(style.animationDuration)));
			return document.getAnimations().length + moving.length + (getComputedStyle(document.documentElement).scrollBehavior === "smooth" ? 1 : 0);
		})()`),
	);
}

/** Returns the layout shift while the page loaded, as browsers measure it: 0 for none. */
export async function layoutShiftOf(page: Page): Promise<number> {
	return z.number().parse(
		await page.evaluate(`new Promise((resolve) => {
			let sum = 0;
			new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value; }).observe({ type: "layout-shift", buffered: true });
			requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
		})`),
	);
}

const VISITORS = 3;

interface Visits {
	readonly paths: readonly string[];
	readonly look: (page: Page, path: string) => Promise<void>;
}

/** Opens each URL in one of a few parallel pages, and checks the page and its faults. The first failure ends the test. */
export async function visitAll(context: BrowserContext, origin: string, { paths, look }: Visits): Promise<void> {
	const left = [...paths];
	const visit = async (): Promise<void> => {
		const page = await context.newPage();
		const faults = watchFaults(page, origin);
		try {
			for (let path = left.shift(); path !== undefined; path = left.shift()) {
				await page.goto(path);
				await look(page, path);
				expect(faults.take()).toEqual([]);
			}
		} finally {
			await page.close();
		}
	};
	await Promise.all(Array.from({ length: VISITORS }, visit));
}
