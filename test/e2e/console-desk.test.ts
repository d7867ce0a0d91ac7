// A poster at the desk of the console goes through the submissions by single keys, reads reasons at their lines, and compares.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { findBrowser, NO_BROWSER } from "../support/browser.ts";
import { Agent, beforeEachVisit, type Visitor } from "../support/console.ts";
import { HOSTILE_TEXTS } from "../support/hostile-texts.ts";
import { makePdf, runningOnOpening } from "../support/pdfs.ts";
import type { RunningServer } from "../support/server.ts";

const JOURNEY_TIMEOUT_MS = 600_000;
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const SCRIPTED = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><script>parent.document.title = "run"; alert(1)</script><rect width="40" height="20" fill="red"/></svg>`;

if (findBrowser() === null) it.skip(`the desk is not tested: ${NO_BROWSER}`);

describe.skipIf(findBrowser() === null)("the desk", () => {
	let server: RunningServer;
	let visitor: Visitor;
	let page: Page;

	beforeEachVisit({}, (visit) => {
		({ server, visitor, page } = visit);
	});

	const PREVIEW = /^<iframe class="preview[^"]*" sandbox="(?:allow-scripts)?"/;
	const check = (name: string) => visitor.inspect(`desk-${name}`, (markup) => PREVIEW.test(markup));
	const heading = (name: string) => page.getByRole("heading", { level: 1, name }).waitFor();
	const isShortlisted = async (poster: Agent, taskId: string, id: string): Promise<unknown> =>
		z
			.object({ value: z.object({ submissions: z.record(z.string(), z.unknown()) }) })
			.parse(await poster.send("GET", `/api/v1/workspace/kv/console/tasks/${taskId}/review`)).value.submissions[id];

	it(
		"goes through submissions, shortlists and takes notes by single keys, and shows reasons at their lines",
		async () => {
			const [poster, grace, edsger] = [
				await Agent.register(server, "Ada"),
				await Agent.register(server, "Grace"),
				await Agent.register(server, "Edsger"),
			];
			const taskId = await poster.publishTask("Parse CSV files");
			const parser =
				"def parser(text, start):\n\tvalue = text.quotes(start + 1)\n\tvalue = value.split(text.delimiter, 2)\n\treturn inside(value, start + 1)\n";
			const first = await grace.submitJudged(taskId, { "parser.py": parser });
			const second = await edsger.submitJudged(taskId, { "main.py": HOSTILE_TEXTS.join("\n") });
			await visitor.signIn(poster.key, `/console/tasks/${taskId}/submissions/${first}`);
			await heading("Grace");
			await page
				.getByRole("navigation", { name: "Submissions" })
				.getByRole("link", { name: /Edsger/ })
				.waitFor();
			await check("judgement");
			await page.keyboard.press("s");
			await page.getByText("on the shortlist").waitFor({ state: "attached" });
			await page.keyboard.press("j");
			await heading("Edsger");
			await page.keyboard.press("n");
			await page.keyboard.type("just names, no parser");
			// The poster moves to the next submission before the note is saved, and it is saved all the same.
			await visitor.follow(/^Grace/);
			await heading("Grace");
			await expect.poll(() => isShortlisted(poster, taskId, second)).toEqual({ shortlisted: false, note: "just names, no parser" });
			expect(await isShortlisted(poster, taskId, first)).toEqual({ shortlisted: true, note: "" });
			// A saved note is not kept in the tab, where it would later replace what another browser has written.
			await expect.poll(() => page.evaluate((item) => sessionStorage.getItem(item), `console.text.note.${second}`)).toBeNull();

			await visitor.press(/^parser\.py:\d/);
			await page.getByRole("note").first().waitFor();
			expect(await page.getByRole("note").first().textContent()).toMatch(/^(Parser|Tests): [\d.]+ of 100/);
			await check("reasons");

			await visitor.press(/^All submissions/);
			await page.getByRole("option", { name: "My shortlist" }).waitFor();
			await page.keyboard.press("ArrowDown");
			await page.keyboard.press("Enter");
			await page
				.getByRole("navigation", { name: "Submissions" })
				.getByRole("link", { name: /Edsger/ })
				.waitFor({ state: "detached" });
			await check("shortlist");
			await page.goto(`/console/tasks/${taskId}?view=submissions`);
			await visitor.press("Tests");
			await page.getByText("Sorted by Tests within the 2 submissions shown.").waitFor();
			await check("heat-map");
			await page.getByRole("tab", { name: "Charts" }).click();
			await page.getByRole("img", { name: /^Best score over time: Competitor [0-9a-f]{10} reaches \d+\.\d\d/ }).waitFor();
			await page.getByRole("img", { name: /^Number of competitors by score/ }).waitFor();
			await page.getByRole("img", { name: /^Submissions by hour/ }).waitFor();
			await check("charts");
			await page.getByRole("tab", { name: "Task", exact: true }).click();
			await page.getByText("The poster published the task. What the judge reads cannot change after that.").waitFor();
			await check("log");
			await page.getByRole("tab", { name: "Submissions" }).click();
			await visitor.press(/^All states/);
			await page.keyboard.type("My short");
			await page.keyboard.press("Enter");
			await page.getByRole("link", { name: "Edsger" }).waitFor({ state: "detached" });
			await page.getByRole("link", { name: "Grace" }).waitFor();
		},
		JOURNEY_TIMEOUT_MS,
	);

	it("says when the key that shortlists could not save", async () => {
		const [poster, grace] = [await Agent.register(server, "Ada"), await Agent.register(server, "Grace")];
		const taskId = await poster.publishTask("Parse CSV files");
		const id = await grace.submitJudged(taskId, { "parser.py": "one\n" });
		await visitor.signIn(poster.key, `/console/tasks/${taskId}/submissions/${id}`);
		await heading("Grace");
		await page.getByText("On the shortlist").waitFor();
		await page.route("**/api/v1/workspace/kv/**", (route) =>
			route.request().method() === "PUT"
				? route.fulfill({ status: 409, json: { error: { code: "CONFLICT", message: "The workspace is full." } } })
				: route.fallback(),
		);
		await page.keyboard.press("s");
		await page.getByText("Your shortlist was not saved.").waitFor();
		visitor.faults.take();
	});

	/** Opens a PDF with a script, a broken one and a long one. Its frame reaches neither the page nor the session. */
	async function checkPdfs(): Promise<void> {
		const title = await page.title();
		await page.getByRole("button", { name: /^report\.pdf/ }).click();
		const pdf = page.frameLocator('iframe[title="PDF report.pdf"]');
		await pdf.getByRole("img", { name: "Page 1 of 1" }).waitFor();
		await pdf.getByText("Yearly report").waitFor({ state: "attached" });
		await page.getByText(/, 1 page, in a frame without access to the console\./).waitFor();
		expect(await page.locator("iframe").getAttribute("sandbox")).toBe("allow-scripts");
		const reached = await pdf.locator("main").evaluate(`(async () => {
			const failureOf = async (read) => { try { return String(await read()); } catch (error) { return error.name; } };
			return { origin, parent: await failureOf(() => parent.document.title), session: await failureOf(() => document.cookie), stored: await failureOf(() => localStorage.length), api: await failureOf(() => fetch("/api/v1/tasks")) };
		})()`);
		expect(reached).toEqual({
			origin: "null",
			parent: "SecurityError",
			session: "SecurityError",
			stored: "SecurityError",
			api: "TypeError",
		});
		// The browser says why it refused the request.
		expect(visitor.faults.take().filter((fault) => !fault.includes("/api/v1/tasks"))).toEqual([]);
		await check("pdf");
		await page.getByRole("button", { name: /^long\.pdf/ }).click();
		await page.getByText(/, the first 20 of 30 pages, /).waitFor();
		const long = page.frameLocator('iframe[title="PDF long.pdf"]');
		expect(await long.getByRole("img").count()).toBe(20);
		// A page is drawn when it scrolls in.
		expect(await long.getByText("Sheet 20").count()).toBe(0);
		await long.getByRole("img", { name: "Page 20 of 30" }).scrollIntoViewIfNeeded();
		await long.getByText("Sheet 20").waitFor({ state: "attached" });
		await page.getByRole("button", { name: /^broken\.pdf/ }).click();
		await page.getByText("This file could not be read as a PDF: it is broken or encrypted.").waitFor();
		await page.getByRole("button", { name: "Download the file" }).waitFor();
		await check("broken-pdf");
		expect(await page.title()).toBe(title);
	}

	it(
		"shows changes between attempts and between agents, and pictures and PDFs without running anything",
		async () => {
			const [poster, grace, edsger] = [
				await Agent.register(server, "Ada"),
				await Agent.register(server, "Grace"),
				await Agent.register(server, "Edsger"),
			];
			const taskId = await poster.publishTask("Draw a map");
			const pictures = {
				"map.png": { content: PIXEL, encoding: "base64" },
				"evil.svg": SCRIPTED,
				"broken.pdf": "%PDF-1.4\n<script>parent.document.title = 1</script>",
				"long.pdf": makePdf(Array.from({ length: 30 }, (_, index) => `Sheet ${index + 1}`)),
				"report.pdf": makePdf(["Yearly report"], runningOnOpening('app.alert\\("run"\\); this.submitForm\\("/api/v1/tasks"\\)')),
			};
			await grace.submitJudged(taskId, {
				"parser.py": "one\ntwo\nthree\n",
				"windows.txt": "a\r\nb\r\n",
				"SUBMISSION.md": "# What I Built\n",
			});
			const later = await grace.submitJudged(taskId, {
				"parser.py": `one\n2\nthree\n${HOSTILE_TEXTS[0]}\n`,
				"SUBMISSION.md": "# What I Built\n",
				"windows.txt": "a\nb\n",
				...pictures,
			});
			await edsger.submitJudged(taskId, { "parser.py": "four\n" });
			await visitor.signIn(poster.key, `/console/tasks/${taskId}/submissions/${later}`);
			await heading("Grace");
			await page.getByRole("tab", { name: "Files" }).click();
			await page.getByRole("button", { name: /^evil\.svg/ }).click();
			await page.locator("iframe").waitFor();
			await page.getByRole("button", { name: /^map\.png/ }).click();
			await page.getByTitle("Picture map.png").waitFor();
			await check("picture");
			await checkPdfs();
			await page.getByRole("button", { name: /^map\.png/ }).click();
			await page.getByTitle("Picture map.png").waitFor();

			await visitor.press("Compare with");
			const attempt = page.getByRole("menuitem", { name: /^The same agent/ });
			await attempt.waitFor();
			await attempt.press("Enter");
			await visitor.tabTo(page.getByRole("tab", { selected: true }));
			await page.keyboard.press("ArrowRight");
			const shown = page.getByRole("figure", { name: "Differences in parser.py" });
			await shown.waitFor();
			expect(await shown.locator("del").allTextContents()).toEqual(["two"]);
			expect(await shown.locator("ins").allTextContents()).toEqual(["2", HOSTILE_TEXTS[0]]);
			await check("difference");
			// Only the line endings of this file differ.
			await visitor.press(/^parser\.py \(changed\)/);
			await page.getByRole("option", { name: "windows.txt (changed)" }).click();
			await page.getByText("Every line is the same in both.").waitFor();

			await page.goBack();
			await visitor.press("Compare with");
			await page.getByRole("menuitem", { name: /^Edsger/ }).press("Enter");
			await page.getByRole("tab", { name: "Differences" }).click();
			await page.getByRole("figure", { name: /^Differences in/ }).waitFor();
		},
		JOURNEY_TIMEOUT_MS,
	);
});
