// The console in a real browser: a newcomer gets an identity, makes a task by keyboard alone, and watches its board move.
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { findBrowser, launchBrowser, NO_BROWSER } from "../support/browser.ts";
import { type RunningServer, startServer } from "../support/server.ts";
import { findViolations, overflowOf, watchFaults } from "../support/site.ts";

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 900 };
const JOURNEY_TIMEOUT_MS = 240_000;
const JUDGING_TIMEOUT_MS = 60_000;
const MAX_TABS = 80;
const CRITERION = { name: "Parser", description: "The parser handles quotes, the delimiter and a newline inside of a field." };
const HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script>[click](javascript:document.title=3)';

if (findBrowser() === null) it.skip(`the console is not looked at: ${NO_BROWSER}`);

describe.skipIf(findBrowser() === null)("the console", () => {
	let server: RunningServer;
	let browser: Browser;
	let context: BrowserContext;
	let page: Page;
	let faults: ReturnType<typeof watchFaults>;
	let visitors = 0;

	beforeAll(async () => {
		[server, browser] = await Promise.all([startServer({ vars: { JUDGE_CHECK: "false" } }), launchBrowser()]);
	});
	afterAll(async () => {
		await browser?.close();
		await server?.close();
	});

	beforeEach(async () => {
		visitors += 1;
		// An IP address of its own, and with it its own rate limits.
		const extraHTTPHeaders = { "CF-Connecting-IP": `192.0.2.${visitors}` };
		context = await browser.newContext({
			baseURL: server.url,
			viewport: DESKTOP,
			extraHTTPHeaders,
			permissions: ["clipboard-read", "clipboard-write"],
		});
		page = await context.newPage();
		faults = watchFaults(page, server.url);
	});
	afterEach(() => context?.close());

	const post = async (path: string, body: unknown, key?: string): Promise<unknown> => {
		const headers = {
			"Content-Type": "application/json",
			"CF-Connecting-IP": "192.0.2.200",
			...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
		};
		const response = await fetch(server.url + path, { method: "POST", headers, body: JSON.stringify(body) });
		expect(response.status, path).toBeLessThan(300);
		return response.json();
	};
	const register = async (name: string): Promise<string> =>
		z.object({ api_key: z.string() }).parse(await post("/api/v1/agent/register-anonymous", { display_name: name })).api_key;
	const submit = async (taskId: string, text: string): Promise<void> => {
		const files = { "parser.py": text, "SUBMISSION.md": "# What I Built\nA parser.\n" };
		await post(`/api/v1/tasks/${taskId}/quick-submit`, { files }, await register("Competitor"));
	};
	const signIn = async (key: string, path = "/console"): Promise<void> => {
		await page.goto(path);
		await page.getByRole("textbox", { name: "API key" }).fill(key);
		await page.getByRole("button", { name: "Use this key" }).click();
		await page.getByRole("button", { name: /^Account/ }).waitFor();
	};

	/** Presses Tab until something has the focus. */
	const tabTo = async (target: Locator): Promise<void> => {
		await target.waitFor();
		for (let presses = 0; presses < MAX_TABS; presses += 1) {
			if ((await target.and(page.locator(":focus")).count()) === 1) return;
			await page.keyboard.press("Tab");
		}
		throw new Error(`Tab does not reach ${target}.`);
	};
	const press = async (name: string | RegExp): Promise<void> => {
		await tabTo(page.getByRole("button", { name, disabled: false }).last());
		await page.keyboard.press("Enter");
	};
	const type = async (name: string, text: string, index = 0): Promise<void> => {
		await tabTo(page.getByRole("textbox", { name }).nth(index));
		await page.keyboard.type(text);
	};
	/** What must hold in every state: nothing for axe-core, nothing wider than the window, no fault. */
	const check = async (): Promise<void> => {
		expect(await findViolations(page)).toEqual([]);
		for (const viewport of [PHONE, DESKTOP]) {
			await page.setViewportSize(viewport);
			expect(await overflowOf(page), page.url()).toBeLessThanOrEqual(0);
		}
		expect(faults.take()).toEqual([]);
	};

	it(
		"takes a newcomer by keyboard from nothing to a published task, and shows its board live",
		async () => {
			await page.goto("/console");
			await page.getByRole("heading", { name: "Sign in" }).waitFor();
			await check();
			await type("Display name", "Ada");
			await page.keyboard.press("Enter");
			const secret = page.getByLabel("Your key");
			await secret.waitFor();
			await check();
			await press("Copy the key");
			expect(await page.evaluate("navigator.clipboard.readText()")).toBe(await secret.textContent());
			await tabTo(page.getByRole("checkbox"));
			await page.keyboard.press("Space");
			await press("Open the console");

			await tabTo(page.getByRole("link", { name: "Create a task" }));
			await check();
			await page.keyboard.press("Enter");
			await type("Title", "Parse CSV files");
			await type("Description", "## Why\n\nWe import **files**.");
			await press("Save and continue");
			await page.getByText("At least $100.", { exact: true }).waitFor();
			await check();
			await type("Budget", "500");
			await press("Save and continue");

			await type("Criterion", CRITERION.name);
			await type("Weight", "60");
			await type("What to look for", CRITERION.description);
			await press("Add a criterion");
			await type("Criterion", "Good code", 1);
			await page.getByText("40 % are left to give.").waitFor();
			await press("Distribute the rest");
			await page.getByText("The weights sum to 100 %.").waitFor();
			await page.getByText(/^The lint has \d+ points? to look at/).waitFor();
			await page.getByText("says only that the work should be good").waitFor();
			await check();
			await press("Save and continue");

			await page.getByText("Who judges?").waitFor();
			await check();
			await press("Save and continue");

			await page
				.locator("input[type=file]")
				.first()
				.setInputFiles([{ name: "parser.py", mimeType: "text/plain", buffer: Buffer.from("quotes delimiter newline") }]);
			await press("Judge these files");
			await page.getByText("as it would be on the leaderboard").waitFor({ timeout: JUDGING_TIMEOUT_MS });
			await page.getByRole("rowheader", { name: CRITERION.name }).waitFor();
			await check();
			await press("Save and continue");

			await press("Publish…");
			const dialog = page.getByRole("dialog");
			expect(await dialog.textContent()).toContain("cannot be deleted");
			await check();
			await press("Publish");
			await page.getByText("No scores yet").waitFor();
			await page.getByText("live", { exact: true }).waitFor();
			await check();

			const taskId = page.url().split("/").at(-1) ?? "";
			await submit(taskId, "newline");
			await page.getByRole("cell", { name: /^Competitor/ }).waitFor({ timeout: JUDGING_TIMEOUT_MS });
			await submit(taskId, "parser handles quotes the delimiter and a newline inside of a field. good code");
			await page.getByText("down").waitFor({ timeout: JUDGING_TIMEOUT_MS, state: "attached" });
			expect(await page.getByRole("cell", { name: /^Competitor/ }).count()).toBe(2);
			await check();
		},
		JOURNEY_TIMEOUT_MS,
	);

	it("keeps what was typed through a reload, and gives it back", async () => {
		await signIn(await register("Grace"), "/console/tasks/new");
		await page.getByRole("textbox", { name: "Title" }).fill("Never lose me");
		await page.getByText("Kept in this browser").waitFor();
		await page.reload();
		await page.getByText("This browser had changes").waitFor();
		expect(await page.getByRole("textbox", { name: "Title" }).inputValue()).toBe("Never lose me");
		await check();
	});

	it("creates one draft, however often saving is pressed", async () => {
		const key = await register("Barbara");
		await signIn(key, "/console/tasks/new");
		await page.getByRole("textbox", { name: "Title" }).fill("Only one");
		await page.getByRole("textbox", { name: "Budget" }).fill("500");
		await page.route("**/api/v1/tasks", async (route) => {
			await new Promise((resolve) => setTimeout(resolve, 500));
			await route.continue();
		});
		await page.getByRole("button", { name: "Save and continue" }).click();
		await page.getByRole("button", { name: "Task", exact: true }).click();
		await page.getByRole("textbox", { name: "Criterion" }).waitFor();
		await page.waitForTimeout(1000);
		const response = await fetch(`${server.url}/api/v1/tasks?owner=me`, { headers: { Authorization: `Bearer ${key}` } });
		expect(z.object({ data: z.array(z.object({ title: z.string() })) }).parse(await response.json()).data).toHaveLength(1);
	});

	it("shows what users write as text, in a title, a description and a criterion", async () => {
		const key = await register("Mallory");
		const deadline = new Date(Date.now() + 7 * 86_400_000).toISOString();
		const criteria = [{ name: HOSTILE.slice(0, 100), description: HOSTILE, weight: 100 }];
		const created = z
			.object({ id: z.uuid() })
			.parse(
				await post("/api/v1/tasks", { title: HOSTILE.slice(0, 150), description: HOSTILE, budget_cents: 50_000, deadline, criteria }, key),
			);
		await signIn(key, `/console/tasks/${created.id}/edit?step=publish`);
		await page.getByText("click", { exact: true }).waitFor();
		expect(await page.locator("main img, main script, a[href^=javascript]").count()).toBe(0);
		expect(await page.title()).toContain("Bounty Platform");
		await page.goto("/console/tasks");
		await page.getByRole("link", { name: HOSTILE.slice(0, 20) }).waitFor();
		await check();
	});

	it("deletes a draft only after a question that names it", async () => {
		const key = await register("Linus");
		const deadline = new Date(Date.now() + 7 * 86_400_000).toISOString();
		await post("/api/v1/tasks", { title: "A mistake", budget_cents: 50_000, deadline }, key);
		await signIn(key, "/console/tasks");
		await page.getByRole("link", { name: "A mistake" }).click();
		await page.getByRole("button", { name: "Delete the draft" }).click();
		expect(await page.getByRole("alertdialog").textContent()).toContain("“A mistake” is deleted");
		await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click();
		await page.getByRole("button", { name: "Delete the draft" }).click();
		await page.getByRole("alertdialog").getByRole("button", { name: "Delete the draft" }).click();
		await page.getByText("You have no task yet.").waitFor();
		expect(faults.take()).toEqual([]);
	});

	it("says in the API's words why a key is rejected, and stays signed out", async () => {
		await page.goto("/console");
		await page.getByRole("textbox", { name: "API key" }).fill("svc_sk_wrong");
		await page.getByRole("button", { name: "Use this key" }).click();
		const alert = page.getByRole("alert");
		expect(await alert.textContent()).toMatch(/register-anonymous.*unauthorized · request /);
		expect(await findViolations(page)).toEqual([]);
		await page.reload();
		await page.getByRole("heading", { name: "Sign in" }).waitFor();
	});

	it("tries another key as it is, and not with the one that the tab has", async () => {
		await signIn(await register("Margaret"));
		await page.goto("/console/sign-in");
		await page.getByRole("textbox", { name: "API key" }).fill("svc_sk_wrong");
		await page.getByRole("button", { name: "Use this key" }).click();
		await page.getByText("The platform did not accept this key.").waitFor();
		await page.getByRole("textbox", { name: "API key" }).fill(await register("Radia"));
		await page.getByRole("button", { name: "Use this key" }).click();
		await page.getByRole("button", { name: "Account: Radia" }).waitFor();
	});

	it("follows the system's colours unless the reader chooses", async () => {
		await page.goto("/console");
		const ground = () => page.evaluate("getComputedStyle(document.documentElement).backgroundColor").then(String);
		await page.emulateMedia({ colorScheme: "dark" });
		const dark = await ground();
		await page.getByRole("button", { name: "Colours" }).click();
		await page.getByRole("menuitemradio", { name: "Light" }).click();
		expect(await ground()).not.toBe(dark);
		await page.reload();
		await page.getByRole("heading", { name: "Sign in" }).waitFor();
		expect(await ground()).not.toBe(dark);
	});

	it("forgets the key at sign-out, and asks for another", async () => {
		await signIn(await register("Edsger"));
		await page.getByRole("button", { name: /^Account/ }).click();
		await page.getByRole("menuitem", { name: "Sign out" }).click();
		await page.getByRole("heading", { name: "Sign in" }).waitFor();
		await page.goto("/console/tasks");
		await page.getByRole("heading", { name: "Sign in" }).waitFor();
		expect(faults.take()).toEqual([]);
	});
});
