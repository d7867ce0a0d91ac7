// Tests a poster's console in a real browser, after publishing: it reads submissions, and the wizard accepts what other modes need.
import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { toLocalInput } from "../../console/src/rules/time.ts";
import { findBrowser, NO_BROWSER } from "../support/browser.ts";
import { Agent, beforeEachVisit, type Visitor } from "../support/console.ts";
import { HOSTILE_MARKDOWN, HOSTILE_TEXTS } from "../support/hostile-texts.ts";
import type { RunningServer } from "../support/server.ts";

const TEST_TIMEOUT_MS = 180_000;
const JUDGING_TIMEOUT_MS = 180_000;
/** The client of the SDK is 9 KB of it. */
const MAX_COMPRESSED_BYTES = 322_000;
const DAY_MS = 86_400_000;
const HOSTILE = HOSTILE_TEXTS.join("\n");
const HOSTILE_PATH = "src/'\"><img src=x onerror=alert(1)>.py";
const CRITERION = { name: "Parser", description: "The parser handles quotes and the delimiter.", weight: 100 };
const WORK = {
	"parser.py": "def parser(text):\n\treturn text.split(delimiter)  # handles quotes\n",
	"SUBMISSION.md": "# What I Built\nA parser.\n",
};

if (findBrowser() === null) it.skip(`the poster's console is not tested: ${NO_BROWSER}`);

describe.skipIf(findBrowser() === null)("the poster's console", () => {
	let server: RunningServer;
	let visitor: Visitor;
	let page: Page;

	beforeEachVisit({ acceptDownloads: true }, (visit) => {
		({ server, visitor, page } = visit);
	});

	const register = (name: string): Promise<Agent> => Agent.register(server, name);
	const idOf = (value: unknown): string => z.object({ id: z.string() }).parse(value).id;
	const publishTask = (poster: Agent, fields: object = {}): Promise<string> =>
		poster.publishTask("Parse CSV files", { criteria: [CRITERION], ...fields });
	const submit = (taskId: string, agent: Agent, files: object = WORK) => agent.submitJudged(taskId, files);
	const check = (name: string) => visitor.inspect(`poster-${name}`);

	it(
		"keeps what another browser wrote into the notes",
		async () => {
			const [poster, agent] = [await register("Ada"), await register("Grace")];
			const taskId = await publishTask(poster);
			const id = await submit(taskId, agent);
			const path = `/api/v1/workspace/kv/console/tasks/${taskId}/review`;
			await visitor.signIn(poster.key, `/console/tasks/${taskId}/submissions/${id}`);
			await page.getByRole("textbox", { name: "Note" }).waitFor();
			const others = { other: { shortlisted: true, note: "" }, [id]: { shortlisted: false, note: "Theirs" } };
			await poster.send("PUT", path, { value: { version: 1, submissions: others } });
			await page.getByRole("textbox", { name: "Note" }).fill("Mine");
			await page.getByText("Theirs").waitFor();
			expect(await page.getByRole("textbox", { name: "Note" }).inputValue()).toBe("Mine");
			// The browser logs that the first write was rejected.
			expect(visitor.faults.take().filter((fault) => !fault.includes("412"))).toEqual([]);
			await check("conflict");
			await page.getByRole("button", { name: "Keep mine" }).click();
			await page.getByText("Saved.", { exact: true }).waitFor();
			expect(await poster.send("GET", path)).toMatchObject({
				value: { submissions: { other: { shortlisted: true }, [id]: { note: "Mine" } } },
			});
		},
		TEST_TIMEOUT_MS,
	);

	it(
		"accepts all that the other modes need, and a dry run with expected scores",
		async () => {
			const poster = await register("Ada");
			const deadline = new Date(Date.now() + 7 * DAY_MS).toISOString();
			const body = { title: "Parse CSV files", budget_cents: 50_000, deadline, criteria: [CRITERION] };
			const taskId = idOf(await poster.send("POST", "/api/v1/tasks", body));
			await visitor.signIn(poster.key, `/console/tasks/${taskId}/edit?step=task`);
			const attach = page.getByRole("region", { name: "Attachments" });
			await attach
				.locator("input[type=file]")
				.setInputFiles([{ name: "rows.csv", mimeType: "text/csv", buffer: Buffer.from("a,b\n1,2\n") }]);
			await attach.getByRole("link", { name: "rows.csv" }).waitFor();
			await check("attachments");

			await page.getByRole("button", { name: "Judging", exact: true }).click();
			await page.getByText("Image and language model", { exact: true }).click();
			await page.getByRole("textbox", { name: "Image reference" }).fill("ghcr.io/ada/judge:1");
			await page.getByRole("textbox", { name: "Memory" }).fill("256");
			await page.getByText("From 512 to 4096.").nth(1).waitFor();
			await check("range");
			await page.getByRole("textbox", { name: "Memory" }).fill("2,048");
			await page.getByRole("textbox", { name: "Time limit" }).fill("15");
			await page.getByRole("textbox", { name: "Share of the tests" }).fill("70");
			await page.getByText("The image can use the network.").click();
			const cases = { test_cases: [{ name: "one", input: "1", expected_output: "1", match_type: "exact", public: true }] };
			const suite = page.getByRole("region", { name: "Test suite" });
			await suite
				.locator("input[type=file]")
				.setInputFiles([{ name: "cases.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(cases)) }]);
			await suite.getByText("1 case, 1 of them public").waitFor();
			await check("hybrid");
			const save = async (): Promise<unknown> => {
				await page.getByRole("button", { name: "Save and continue" }).click();
				await page.getByRole("button", { name: "Dry run", exact: true }).and(page.locator("[aria-current]")).waitFor();
				return poster.send("GET", `/api/v1/tasks/${taskId}`);
			};
			const image = { eval_image: "ghcr.io/ada/judge:1", eval_memory_mb: 2048, eval_timeout_seconds: 900, eval_network: true };
			expect(await save()).toMatchObject({ eval_mode: "hybrid", test_weight: 70, llm_weight: 30, ...image });

			await page.getByRole("button", { name: "Publish", exact: true }).click();
			expect(await page.getByRole("region", { name: "Test cases" }).textContent()).toContain("1 test case decides the test score.");
			await page.locator("summary").filter({ hasText: "one" }).click();
			await check("public-cases");
			await page.getByRole("button", { name: "Judging", exact: true }).click();
			await page.getByText("Container image", { exact: true }).click();
			expect(await save()).toMatchObject({ eval_mode: "container", ...image, test_suite: { test_case_count: 1 } });
			await page.getByRole("button", { name: "Judging", exact: true }).click();
			await page.getByText("Outside service", { exact: true }).click();
			await page.getByRole("textbox", { name: "URL of your service" }).fill("https://judge.example.com/evaluate");
			expect(await save()).toMatchObject({ eval_mode: "external", eval_callback_url: "https://judge.example.com/evaluate" });
			await page.getByText("so dry runs are not available").waitFor();
			await page.getByRole("button", { name: "Judging", exact: true }).click();
			await page.getByRole("status", { name: "Callback token" }).waitFor();
			await check("external");

			await page.getByText("Language model", { exact: true }).click();
			await save();
			await page
				.locator("input[type=file]")
				.first()
				.setInputFiles([{ name: "parser.py", mimeType: "text/plain", buffer: Buffer.from(WORK["parser.py"]) }]);
			await page.getByText("Name the run").click();
			await page.getByRole("textbox", { name: "Name of the run" }).fill("First try");
			await page.getByRole("textbox", { name: "Parser" }).fill("90");
			await page.getByRole("button", { name: "Judge these files" }).click();
			await page.getByRole("heading", { name: "First try" }).waitFor({ timeout: JUDGING_TIMEOUT_MS });
			expect(await page.getByRole("region", { name: "You and the judge" }).textContent()).toMatch(/On average, the judge is \d/);
			await check("dry-run");
		},
		TEST_TIMEOUT_MS,
	);

	it(
		"advances the clock of a test task, by which its time is counted",
		async () => {
			const poster = await register("Ada");
			const deadline = new Date(Date.now() + 10 * DAY_MS).toISOString();
			const taskId = await publishTask(poster, { test: true, final_round: false, deadline });
			const agent = await register("Grace");
			const { invite_code } = z.object({ invite_code: z.string() }).parse(await poster.send("GET", `/api/v1/tasks/${taskId}`));
			await agent.send("POST", `/api/v1/tasks/${taskId}/join`, { invite_code });
			await submit(taskId, agent);
			await visitor.signIn(poster.key, `/console/tasks/${taskId}`);
			const clock = page.getByRole("region", { name: "The task's clock" });
			const facts = page.locator("dl.facts").first();
			await clock.getByText("the real time").waitFor();
			await facts.getByText("9 d 23 h").waitFor();
			await visitor.press("+1 day");
			await facts.getByText("8 d 23 h").waitFor();
			await clock.getByText("1 d 0 h ahead of real time").waitFor();
			await visitor.press("+1 hour");
			await facts.getByText("8 d 22 h").waitFor();
			await check("test-clock");
			// A new page counts by the same clock.
			await page.reload();
			await facts.getByText("8 d 22 h").waitFor();

			const choose = async (time: number) => {
				await page.getByLabel("Advance to").fill(toLocalInput(time));
				await visitor.press(/^Advance$/);
			};
			await choose(Date.now() + DAY_MS);
			await page.getByText("Choose a time after the one on the task's clock.").waitFor();
			await choose(Date.now() + 5 * DAY_MS);
			await clock.getByText(/(?:4 d 23|5 d 0) h ahead of real time/).waitFor();
			await facts.getByText(/(?:4 d 23|5 d 0) h/).waitFor();

			await visitor.press("Advance to the deadline");
			await page.getByRole("button", { name: "Advance to the deadline" }).waitFor({ state: "detached" });
			expect(await poster.send("GET", `/api/v1/tasks/${taskId}`)).toMatchObject({ status: "closed", ended_at: deadline });
			await facts.getByText("Closed", { exact: true }).waitFor();
			expect(await facts.textContent()).not.toContain("Closed before its deadline");
			await check("test-clock-ended");

			// The windows of appeals and reviews pass on the same clock.
			await poster.send("POST", `/api/v1/tasks/${taskId}/clock`, { advance_seconds: 15 * 86_400 });
			const deal = { taskId, agentId: agent.id, dealType: "output_purchase", dealValueCents: 50_000 };
			await page.goto(`/console/deals/${idOf(await poster.send("POST", "/api/v1/deals", deal))}`);
			await page.getByText(/^The agent could appeal .* A review could raise the score until /).waitFor();
		},
		TEST_TIMEOUT_MS,
	);

	it(
		"shows names, files, their contents and the judge's reasoning as text, and executes nothing",
		async () => {
			const [poster, agent] = [await register(HOSTILE_TEXTS[0] ?? ""), await register(HOSTILE_TEXTS[1] ?? "")];
			const taskId = await publishTask(poster, {
				title: HOSTILE_TEXTS[2],
				criteria: [{ ...CRITERION, name: HOSTILE_TEXTS[4], description: `parser ${HOSTILE}` }],
			});
			const text = `parser ${HOSTILE}\n${HOSTILE_MARKDOWN.join("\n")}\n\u202egnp.exe`;
			const id = await submit(taskId, agent, { [HOSTILE_PATH]: text, "SUBMISSION.md": HOSTILE_MARKDOWN.join("\n") });
			// The offline judge writes no such text, but a model may write anything.
			await page.route(`**/api/v1/submissions/${id}*`, async (route) => {
				const response = await route.fetch();
				const body = z.looseObject({ dimensions: z.array(z.looseObject({})) }).parse(await response.json());
				const dimensions = body.dimensions.map((dimension) => ({ ...dimension, reasoning: `${HOSTILE}\u202e` }));
				await route.fulfill({ response, json: { ...body, dimensions } });
			});
			await visitor.signIn(poster.key, `/console/tasks/${taskId}/submissions/${id}`);
			await page.getByText("{{constructor.constructor('alert(1)')()}}⟨U+202E⟩").waitFor();
			await check("hostile-judgement");
			await page.getByRole("tab", { name: "Files" }).click();
			await page.getByRole("button", { name: /^src\// }).click();
			const shown = page.getByRole("figure", { name: /^Text of/ });
			await shown.waitFor();
			for (const line of HOSTILE_TEXTS) expect(await shown.textContent()).toContain(line);
			expect(await shown.textContent()).toContain("⟨U+202E⟩gnp.exe");
			await check("hostile-file");
			await page.getByRole("link", { name: /^Submissions to/ }).click();
			await page.getByRole("region", { name: "Submissions" }).waitFor();
			await check("hostile-list");
			const [download] = await Promise.all([
				page.waitForEvent("download"),
				page
					.getByRole("button", { name: "Export" })
					.click()
					.then(() => page.getByRole("menuitem", { name: /^CSV/ }).click()),
			]);
			expect(await readFile(await download.path(), "utf8")).toContain(id);
		},
		TEST_TIMEOUT_MS,
	);

	it(
		"loads at most 322 KB of compressed code from signing in to the viewer, and the viewer last",
		async () => {
			const [poster, agent] = [await register("Ada"), await register("Grace")];
			const taskId = await publishTask(poster);
			const submissionId = await submit(taskId, agent);
			const deadline = new Date(Date.now() + 7 * DAY_MS).toISOString();
			const draft = { title: "Draft", description: "**Bold**", budget_cents: 50_000, deadline, criteria: [CRITERION] };
			const draftId = idOf(await poster.send("POST", "/api/v1/tasks", draft));
			const sizes = new Map<string, number>();
			page.on("response", async (response) => {
				const { pathname } = new URL(response.url());
				if (/^\/console\/assets\/.*\.(js|css)$/.test(pathname)) sizes.set(pathname, gzipSync(await response.body()).length);
			});
			await visitor.signIn(poster.key, "/console");
			const steps = ["task", "rubric", "judging", "dry-run", "publish"].map((step) => `tasks/${draftId}/edit?step=${step}`);
			const paths = [
				"tasks",
				...steps,
				`tasks/${taskId}`,
				`tasks/${taskId}?view=submissions`,
				`tasks/${taskId}/submissions/${submissionId}`,
			];
			for (const path of paths) {
				await page.goto(`/console/${path}`);
				await page.getByRole("heading", { level: 1 }).waitFor();
				await page.locator(".loading, .markdown-waiting").first().waitFor({ state: "detached" });
			}
			await page.getByRole("heading", { name: "Parser" }).waitFor();
			const before = new Set(sizes.keys());
			expect(before.size).toBeGreaterThan(8);
			expect([...sizes.values()].reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_COMPRESSED_BYTES);
			await page.getByRole("tab", { name: "Files" }).click();
			await page.getByRole("figure", { name: /^Text of/ }).waitFor();
			expect([...sizes.keys()].filter((path) => !before.has(path))).toEqual([expect.stringContaining("FileViewer")]);
		},
		TEST_TIMEOUT_MS,
	);
});
