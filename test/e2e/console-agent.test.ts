// Tests a competitor at the console, only by keyboard: it finds a task, checks and submits a folder, watches its rank, improves, and
// picks.
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { findBrowser, NO_BROWSER, shareBrowser } from "../support/browser.ts";
import { Agent, Visitor } from "../support/console.ts";
import { PROJECT_ROOT } from "../support/samples.ts";
import { type RunningServer, startServer } from "../support/server.ts";

const JOURNEY_TIMEOUT_MS = 600_000;
const JUDGING_TIMEOUT_MS = 180_000;
const MAX_COMPRESSED_BYTES = 315_000;
const WEAK = "def parse(text): return text.split('newline')\n";
/** The offline judge counts words only if code uses them, and not if a line lists them. */
const MEDIUM = [
	"def parser(text, start):",
	"\tvalue = text.quotes(start + 1)",
	"\tvalue = value.split(text.delimiter, 2)",
	"\treturn inside(value, start + 1)",
	"",
].join("\n");
const STRONG = `${MEDIUM}
def check(text, start):
	value = text.newline(start + 2)
	other = value.field(start + 3)
	total = other.tests(start + 4)
	third = total.cover(start + 5)
	fourth = third.malformed(start + 6)
	fifth = fourth.rows(start + 7)
	return fifth.empty(start + 8) + fifth.files(start + 9)
`;
/** A code block that is wider than a phone. */
const WIDE =
	"We import **files**.\n\n```sh\npython parser.py rows.csv --delimiter ';' --with-a-very-long-option-that-does-not-fit-a-phone\n```\n";
const SECTIONS = "# What I Built\nA parser.\n\n# How It Works\nIt reads.\n\n# How to Run\npython parser.py\n\n# Limitations\nNone.\n";

if (findBrowser() === null) it.skip(`the console is not tested: ${NO_BROWSER}`);

describe.skipIf(findBrowser() === null)("a competitor at the console", () => {
	let server: RunningServer;
	let browser: Browser;
	let folder: string;
	const open = new Set<Visitor>();

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), "console-agent-"));
		[server, browser] = await Promise.all([startServer({ vars: { JUDGE_CHECK: "false" } }), shareBrowser()]);
	});
	afterAll(async () => {
		await server?.close();
		await rm(folder, { recursive: true, force: true });
	});
	afterEach(async () => {
		await Promise.all([...open].map((visitor) => visitor.close()));
		open.clear();
	});

	const visit = async (): Promise<Visitor> => {
		const visitor = await Visitor.open(browser, server);
		open.add(visitor);
		return visitor;
	};
	const writeFolder = async (name: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<string> => {
		for (const [path, content] of Object.entries(files)) {
			const target = join(folder, name, path);
			await mkdir(dirname(target), { recursive: true });
			await writeFile(target, content);
		}
		return join(folder, name);
	};
	/** Chooses a folder in the system's dialog, which no keyboard of a test reaches. */
	const choose = async (visitor: Visitor, path: string): Promise<void> => {
		const chooser = visitor.page.waitForEvent("filechooser");
		await visitor.press("Choose a folder");
		await (await chooser).setFiles(path);
	};
	/** Counts the requests of a second tab until the competitor's board with its own row and its chart is there. */
	const countRequestsOfBoard = async ({ page }: Visitor, taskId: string): Promise<number> => {
		const tab = await page.context().newPage();
		let requests = 0;
		tab.on("request", () => {
			requests += 1;
		});
		await tab.goto(`/console/tasks/${taskId}?view=board`);
		await tab.getByRole("row", { name: /\(you\)/ }).waitFor();
		await tab.getByRole("img", { name: /^Number of competitors by score: / }).waitFor();
		const counted = requests;
		await tab.close();
		return counted;
	};
	const ownRow = (visitor: Visitor) => visitor.page.getByRole("row", { name: /\(you\)/ });

	it(
		"goes from the start to a pick and an appeal in 23 clicks and 2 fields without reloading",
		async () => {
			const [poster, rival, me] = await Promise.all(["Poster", "Rival", "Ada"].map((name) => Agent.register(server, name)));
			if (poster === undefined || rival === undefined || me === undefined) throw new Error("Three agents were registered.");
			const taskId = await poster.publishTask("Parse CSV files", { category: "parsing", final_round: true, description: WIDE });
			await poster.publishTask("Draw a map", { category: "maps" });
			const visitor = await visit();
			const { page } = visitor;
			const loaded = new Set<string>();
			page.on("request", (request) => loaded.add(new URL(request.url()).pathname));

			await visitor.signIn(me.key);
			await page.getByText("You have not entered a task yet.").waitFor();
			await visitor.check();
			await visitor.follow("Find a task");
			await page.getByRole("link", { name: "Draw a map" }).waitFor();
			await visitor.check();
			await visitor.follow("parsing");
			await page.getByRole("link", { name: "Draw a map" }).waitFor({ state: "detached" });
			await visitor.follow("Follow parsing");
			await visitor.press(/Follow/);
			await page.getByRole("heading", { name: "You follow parsing" }).waitFor();
			await visitor.check();
			expect(await me.send("GET", "/api/v1/agent/profile")).toMatchObject({ specialization_tags: ["parsing"] });
			await page.goto("/tasks?q=CSV");
			await visitor.follow("Parse CSV files");
			await visitor.follow("Submit your work");
			await page.getByRole("heading", { level: 1 }).waitFor();
			const submitPage = page.url();
			// A look at the task on the way.
			await page.goto(submitPage.replace(/\/submit.*$/, ""));
			await page.getByText("15 of 15").waitFor();
			await page.getByRole("rowheader", { name: "Parser" }).waitFor();
			await visitor.check();

			await page.goto(submitPage);
			await choose(visitor, await writeFolder("twice", { "parser.py": WEAK, "PARSER.py": WEAK }));
			await page.getByText("The platform would reject these files.").waitFor();
			expect(await page.getByRole("listitem").filter({ hasText: "Problem" }).textContent()).toMatch(/the same as another path/);
			expect(await page.getByRole("button", { name: "Submit these files" }).isDisabled()).toBe(true);
			await visitor.check();
			await visitor.press("Remove PARSER.py");
			await page.getByText(/^Ready to submit, with /).waitFor();
			await page.getByText("The fields of SUBMISSION.md are empty, so every section will be missing.").waitFor();
			await visitor.check();
			await page.evaluate("window.loadedOnce = true");
			await visitor.press("Submit these files");
			await page.getByRole("heading", { name: "What you can still gain" }).waitFor({ timeout: JUDGING_TIMEOUT_MS });
			await page.getByText("SUBMISSION.md has no section").waitFor();
			const gains = await page.getByRole("row", { name: /^(Parser|Tests)/ }).allTextContents();
			expect(gains).toHaveLength(2);
			for (const gain of gains) expect(gain).toMatch(/(60|40) %\+\d/);
			await ownRow(visitor).waitFor();
			await page.getByText("14 of 15").waitFor();
			await visitor.check();

			const myRow = ownRow(visitor);
			expect(await myRow.getByRole("rowheader").textContent()).toBe("1");
			await rival.submit(taskId, MEDIUM);
			await myRow.getByText("down").waitFor({ timeout: JUDGING_TIMEOUT_MS, state: "attached" });
			expect(await myRow.getByRole("rowheader").textContent()).toMatch(/^2 /);
			await page.locator("dt:text-is('Your rank') + dd:text-is('2')").waitFor();
			await page.getByRole("img", { name: /^Number of competitors by score: / }).waitFor();
			await visitor.check();
			expect(await countRequestsOfBoard(visitor, taskId)).toBeLessThanOrEqual(16);

			await visitor.follow("Submit again");
			await choose(visitor, await writeFolder("better", { "parser.py": STRONG, "SUBMISSION.md": SECTIONS + STRONG }));
			await page.getByText(/^Ready to submit/).waitFor();
			await visitor.press("Submit these files");
			await page.getByText("13 of 15").waitFor();
			await page.getByRole("heading", { name: "What you can still gain" }).waitFor({ timeout: JUDGING_TIMEOUT_MS });
			await expect.poll(() => ownRow(visitor).getByRole("rowheader").textContent(), { timeout: JUDGING_TIMEOUT_MS }).toMatch(/^1/);
			expect(await page.evaluate("window.loadedOnce")).toBe(true);

			const assets = [...loaded].filter((path) => /^\/console\/assets\/.*\.(js|css)$/.test(path));
			await visitor.goToTab("Files");
			await page.getByRole("button", { name: "SUBMISSION.md" }).waitFor();
			await visitor.goToTab("Evaluations");
			await page.getByRole("heading", { name: /^Evaluation 1/ }).waitFor();
			await visitor.follow("Parse CSV files");
			await visitor.goToTab("My submissions");
			await page.getByRole("tabpanel", { name: "My submissions" }).waitFor();
			expect(await page.getByRole("tabpanel").getByRole("row").count()).toBe(3);
			await visitor.press(/^Pick the submission/);
			await page.getByText("Picked", { exact: true }).waitFor();
			await visitor.check();
			const picked = z.object({ pick: z.uuid().nullable() }).parse(await me.send("GET", `/api/v1/tasks/${taskId}`)).pick;
			expect(picked).not.toBe(null);
			await visitor.press(/^Undo the pick/);
			await page.getByText("Your best submission goes into the final round.").waitFor();

			await visitor.follow("My submissions");
			await page.getByRole("heading", { name: "My submissions" }).waitFor();
			await expect.poll(() => page.getByRole("link", { name: "Parse CSV files" }).count()).toBe(2);
			await visitor.check();
			await visitor.follow(/ UTC$/);
			await visitor.press("Appeal against Tests…");
			await visitor.type("Why the score is wrong", "See parser.py.");
			await visitor.press("Send the appeal");
			await page.getByText("Appeal open").waitFor();
			await visitor.check();
			expect([visitor.clicks, visitor.fields]).toEqual([23, 2]);
			const sizes = await Promise.all(
				assets.map(
					async (path) => gzipSync(await readFile(join(PROJECT_ROOT, "dist", "site", "console", "assets", basename(path)))).length,
				),
			);
			expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_COMPRESSED_BYTES);
		},
		JOURNEY_TIMEOUT_MS,
	);

	it("packs a large folder, shows the progress, and submits it as a zip", async () => {
		const [poster, me] = [await Agent.register(server, "Poster"), await Agent.register(server, "Grace")];
		const taskId = await poster.publishTask("Compress data");
		const visitor = await visit();
		const noise = new Uint8Array(9_000_000).map((_, index) => (index * 7919 + (index >> 8) * 104_729) % 251);
		const path = await writeFolder("large", { "data.bin": noise, "parser.py": STRONG, "SUBMISSION.md": SECTIONS });
		await visitor.signIn(me.key, `/console/tasks/${taskId}/submit`);
		await choose(visitor, path);
		await visitor.page.getByText(/^Ready to submit, with/).waitFor();
		expect(await visitor.page.getByRole("listitem").filter({ hasText: "data.bin" }).textContent()).toContain("does not read the file");
		await visitor.press("Submit these files");
		await visitor.page.getByRole("heading", { name: "What you can still gain" }).waitFor({ timeout: JUDGING_TIMEOUT_MS });
		expect(visitor.faults.take()).toEqual([]);
		const listed = z.object({ data: z.array(z.object({ status: z.string() })) }).parse(await me.send("GET", "/api/v1/submissions"));
		expect(listed.data.map(({ status }) => status)).toEqual(["completed"]);
	});

	it("sees the same board in two browsers, without a reload, until one of them is paused", async () => {
		const [poster, me, rival] = [
			await Agent.register(server, "Poster"),
			await Agent.register(server, "Edsger"),
			await Agent.register(server, "Rival"),
		];
		const taskId = await poster.publishTask("Sort a list");
		const [first, second] = [await visit(), await visit()];
		await first.signIn(poster.key, `/console/tasks/${taskId}`);
		await second.signIn(me.key, `/console/tasks/${taskId}`);
		await second.tabTo(second.page.getByRole("tab", { name: "Task" }));
		await second.page.keyboard.press("ArrowRight");
		const pages = [first.page, second.page];
		await Promise.all(pages.map((page) => page.getByText("live", { exact: true }).waitFor()));
		await rival.submit(taskId, STRONG);
		await Promise.all(pages.map((page) => page.locator("tbody tr").first().waitFor()));
		const boards = await Promise.all(pages.map((page) => page.getByRole("region", { name: "Entries" }).textContent()));
		expect(boards[0]).toBe(boards[1]);

		const entries = (visitor: Visitor) => visitor.page.getByRole("region", { name: "Entries" }).getByRole("row");
		const before = await entries(first).count();
		await first.press("Pause");
		await first.page.getByText("paused", { exact: true }).waitFor();
		await poster.submit(taskId, MEDIUM);
		await expect.poll(() => entries(second).count(), { timeout: JUDGING_TIMEOUT_MS }).toBe(before + 1);
		expect(await entries(first).count()).toBe(before);
		await first.press("Resume");
		await expect.poll(() => entries(first).count()).toBe(before + 1);
		// A board that is paused when the task ends can still be resumed, in the console and on the public page.
		const third = await visit();
		await third.page.goto(`/tasks/${taskId}`);
		await third.page.locator('[data-live-state="live"], [data-live-state="on"]').first().waitFor();
		for (const visitor of [first, third]) await visitor.press("Pause");
		await poster.send("POST", `/api/v1/tasks/${taskId}/close`);
		await second.page.getByText("final", { exact: true }).waitFor({ timeout: JUDGING_TIMEOUT_MS });
		for (const visitor of [first, third]) await visitor.press("Resume");
		await first.page.getByText("final", { exact: true }).waitFor();
		await third.page.getByRole("cell", { name: "Edsger" }).or(third.page.getByText("Rival")).first().waitFor();
	});

	it("says when the board's stream is lost, and follows it again by itself", async () => {
		const [poster, me] = [await Agent.register(server, "Poster"), await Agent.register(server, "Barbara")];
		const taskId = await poster.publishTask("Merge lists");
		const visitor = await visit();
		let isDown = true;
		await visitor.page.route(/\/leaderboard\/stream/, (route) => (isDown ? route.abort("connectionreset") : route.fallback()));
		await visitor.signIn(me.key, `/console/tasks/${taskId}?view=board`);
		await visitor.page.getByText("connection lost, trying again").waitFor();
		isDown = false;
		await visitor.page.getByText("live", { exact: true }).waitFor();
		await me.submit(taskId, STRONG);
		await visitor.page.getByRole("cell", { name: /\(you\)/ }).waitFor({ timeout: JUDGING_TIMEOUT_MS });
	});

	it("shows the end of a judge check that ran when the page was opened", async () => {
		const poster = await Agent.register(server, "Poster");
		const taskId = await poster.publishTask("Merge lists");
		const visitor = await visit();
		const unscored = { name: "empty", score: null, expected_at_most: 15, expected_at_least: null, passed: null };
		let check: object = { status: "running", checked_at: null, cases: [unscored] };
		// The platform of these tests checks no judge.
		await visitor.page.route(/\/api\/v1\/tasks\/[\w-]{36}(\?|$)/, async (route) => {
			const response = await route.fetch();
			await route.fulfill({ response, json: { ...z.looseObject({}).parse(await response.json()), judge_check: check } });
		});
		await visitor.signIn(poster.key, `/console/tasks/${taskId}?view=check`);
		await visitor.page.getByText("The platform is checking the judge.").waitFor();
		await visitor.check();
		check = { status: "passed", checked_at: new Date().toISOString(), cases: [{ ...unscored, score: 0, passed: true }] };
		await visitor.page.getByText("The judge passed.").waitFor();
		await visitor.page.getByRole("cell", { name: "passed", exact: true }).waitFor();
		await visitor.check();
	});
});
