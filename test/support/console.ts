// Drives the console in a browser by keyboard, and checks the same rules in every state.
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import * as z from "zod";
import { shareBrowser } from "./browser.ts";
import { randomAddress } from "./http.ts";
import { type RunningServer, startServer } from "./server.ts";
import { type Faults, findDarkViolations, findLightViolations, findUserMarkup, overflowOf, watchFaults } from "./site.ts";
import { DAY_MS } from "./times.ts";

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 900 };
const MAX_TABS = 120;
const registration = z.object({ api_key: z.string(), agent_id: z.string() });
const created = z.object({ id: z.uuid() });
const judged = z.object({ evaluated: z.boolean() });
const JUDGING_TIMEOUT_MS = 180_000;
/** Pictures of each state are saved to this folder, if it is set. */
const SHOTS = process.env["CONSOLE_SHOTS"];

/** Sends requests to the platform as another agent, which has its own IP address. */
export class Agent {
	readonly #server: RunningServer;
	readonly #address = randomAddress();
	readonly key: string;
	readonly id: string;

	private constructor(server: RunningServer, { api_key, agent_id }: z.infer<typeof registration>) {
		this.#server = server;
		this.key = api_key;
		this.id = agent_id;
	}

	static async register(server: RunningServer, displayName: string): Promise<Agent> {
		const headers = { "Content-Type": "application/json", "CF-Connecting-IP": randomAddress() };
		const body = JSON.stringify({ display_name: displayName });
		const response = await fetch(`${server.url}/api/v1/agent/register-anonymous`, { method: "POST", headers, body });
		return new Agent(server, registration.parse(await response.json()));
	}

	async send(method: string, path: string, body?: unknown): Promise<unknown> {
		const response = await fetch(this.#server.url + path, {
			method,
			headers: { "Content-Type": "application/json", Authorization: `Bearer ${this.key}`, "CF-Connecting-IP": this.#address },
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
		});
		expect(response.status, `${method} ${path}`).toBeLessThan(300);
		return response.json();
	}

	/** Publishes a task with two criteria, and returns its id. */
	async publishTask(title: string, change: object = {}): Promise<string> {
		const criteria = [
			{ name: "Parser", description: "The parser handles quotes, the delimiter and a newline inside of a field.", weight: 60 },
			{ name: "Tests", description: "Tests cover malformed rows and empty files.", weight: 40 },
		];
		const deadline = new Date(Date.now() + 7 * DAY_MS).toISOString();
		const task = { title, description: "We import **files**.", budget_cents: 50_000, deadline, criteria, ...change };
		const { id } = created.parse(await this.send("POST", "/api/v1/tasks", task));
		await this.send("POST", `/api/v1/tasks/${id}/publish`);
		return id;
	}

	/** Submits files, or a string as `parser.py`, and returns the submission's id. */
	async submit(taskId: string, work: string | object): Promise<string> {
		const files = typeof work === "string" ? { "parser.py": work, "SUBMISSION.md": "# What I Built\nA parser.\n" } : work;
		return created.parse(await this.send("POST", `/api/v1/tasks/${taskId}/quick-submit`, { files })).id;
	}

	/** Submits as {@link submit} does, and waits until the submission is judged. */
	async submitJudged(taskId: string, work: string | object): Promise<string> {
		const id = await this.submit(taskId, work);
		const read = async () => judged.parse(await this.send("GET", `/api/v1/submissions/${id}`)).evaluated;
		await expect.poll(read, { timeout: JUDGING_TIMEOUT_MS, interval: 500 }).toBe(true);
		return id;
	}
}

/** Plays one person at the console, with a separate browser and the keyboard. */
export class Visitor {
	readonly page: Page;
	readonly faults: Faults;
	readonly #context: BrowserContext;
	#states = 0;
	/** The clicks that a person with a mouse would need: every press of Enter or Space that these methods make. Fields cost none. */
	clicks = 0;
	/** The number of fields that the person has filled in. */
	fields = 0;

	private constructor(context: BrowserContext, page: Page, faults: Faults) {
		this.#context = context;
		this.page = page;
		this.faults = faults;
	}

	static async open(browser: Browser, server: RunningServer, options: BrowserContextOptions = {}): Promise<Visitor> {
		const context = await browser.newContext({
			baseURL: server.url,
			viewport: DESKTOP,
			extraHTTPHeaders: { "CF-Connecting-IP": randomAddress() },
			permissions: ["clipboard-read", "clipboard-write"],
			...options,
		});
		const page = await context.newPage();
		return new Visitor(context, page, watchFaults(page, server.url));
	}

	close(): Promise<void> {
		return this.#context.close();
	}

	async signIn(key: string, path = "/console"): Promise<void> {
		await this.page.goto(path);
		await this.type("API key", key);
		await this.hit("Enter");
		await this.page.getByRole("button", { name: /^Account/ }).waitFor();
	}

	/** Presses Tab until the target has the focus. */
	async tabTo(target: Locator): Promise<void> {
		await target.waitFor();
		for (let presses = 0; presses < MAX_TABS; presses += 1) {
			if ((await target.and(this.page.locator(":focus")).count()) === 1) return;
			await this.page.keyboard.press("Tab");
		}
		throw new Error(`Tab does not reach ${target}.`);
	}

	/** Presses a key on the focused element, as a click would. */
	async hit(key: "Enter" | "Space"): Promise<void> {
		this.clicks += 1;
		await this.page.keyboard.press(key);
	}

	async press(name: string | RegExp): Promise<void> {
		await this.tabTo(this.page.getByRole("button", { name, disabled: false }).last());
		await this.hit("Enter");
	}

	async follow(name: string | RegExp): Promise<void> {
		await this.tabTo(this.page.getByRole("link", { name }).last());
		await this.hit("Enter");
	}

	async tick(box: Locator): Promise<void> {
		await this.tabTo(box);
		await this.hit("Space");
	}

	/** Goes to a tab with the arrow keys, from the selected one. */
	async goToTab(name: string): Promise<void> {
		const tab = this.page.getByRole("tab", { name });
		await this.tabTo(this.page.getByRole("tab", { selected: true }).last());
		for (let presses = 0; presses < MAX_TABS && (await tab.and(this.page.locator(":focus")).count()) === 0; presses += 1)
			await this.page.keyboard.press("ArrowRight");
		this.clicks += 1;
	}

	async type(name: string | RegExp, text: string): Promise<void> {
		await this.tabTo(this.page.getByLabel(name).and(this.page.locator("input, textarea")).last());
		this.fields += 1;
		await this.page.keyboard.press("ControlOrMeta+a");
		await this.page.keyboard.type(text);
	}

	/** Opens the account menu and chooses an entry. */
	async account(entry: string): Promise<void> {
		await this.press(/^Account/);
		const item = this.page.getByRole("menuitem", { name: entry });
		await item.waitFor();
		for (let presses = 0; presses < MAX_TABS && (await item.and(this.page.locator(":focus")).count()) === 0; presses += 1)
			await this.page.keyboard.press("ArrowDown");
		await this.hit("Enter");
	}

	/**
	 * Checks the rules of every state: nothing wider than the window, no fault, and no violation of axe-core. The wide and the narrow window
	 * take turns: one gets all rules in light colours, and the other the contrast in dark ones.
	 */
	async check(): Promise<void> {
		this.#states += 1;
		const isWide = this.#states % 2 === 0;
		for (const viewport of [PHONE, DESKTOP]) {
			await this.page.setViewportSize(viewport);
			const find = isWide === (viewport === DESKTOP) ? findLightViolations : findDarkViolations;
			expect(await find(this.page)).toEqual([]);
			expect(await overflowOf(this.page), this.page.url()).toBeLessThanOrEqual(0);
		}
		expect(this.faults.take()).toEqual([]);
	}

	/** Checks a state, and that no text of a user became markup. Takes pictures of the state under this name. */
	async inspect(name: string, isExpected: (markup: string) => boolean = () => false): Promise<void> {
		await this.check();
		expect((await findUserMarkup(this.page)).filter((markup) => !isExpected(markup))).toEqual([]);
		if (SHOTS !== undefined) await this.takePictures(`${SHOTS}/${name}`);
	}

	/** Saves pictures of the page, wide and narrow, in light and in dark colours. */
	async takePictures(path: string): Promise<void> {
		for (const viewport of [PHONE, DESKTOP]) {
			await this.page.setViewportSize(viewport);
			for (const colorScheme of ["light", "dark"] as const) {
				await this.page.emulateMedia({ colorScheme });
				await this.page.screenshot({ path: `${path}-${viewport.width}-${colorScheme}.png`, fullPage: true });
			}
		}
	}
}

export interface Visit {
	readonly server: RunningServer;
	readonly browser: Browser;
	readonly visitor: Visitor;
	readonly page: Page;
}

/** Runs one platform, with `vars` in its configuration, and one browser for the tests of a file. Opens a new visitor before each test. */
export function beforeEachVisit(
	{ vars = {}, ...options }: BrowserContextOptions & { readonly vars?: Readonly<Record<string, string>> },
	enter: (visit: Visit) => void,
): void {
	let server: RunningServer;
	let browser: Browser;
	let visitor: Visitor;
	beforeAll(async () => {
		[server, browser] = await Promise.all([startServer({ vars: { JUDGE_CHECK: "false", ...vars } }), shareBrowser()]);
	});
	afterAll(async () => {
		await server?.close();
	});
	beforeEach(async () => {
		visitor = await Visitor.open(browser, server, options);
		enter({ server, browser, visitor, page: visitor.page });
	});
	afterEach(() => visitor?.close());
}
