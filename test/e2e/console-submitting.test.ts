// Tests the form for a submission: it writes SUBMISSION.md, asks before chosen files are lost, and shows what a new attempt changed. Tests
// the attachments of a task too.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { findBrowser, NO_BROWSER } from "../support/browser.ts";
import { Agent, beforeEachVisit, type Visit, type Visitor } from "../support/console.ts";
import type { RunningServer } from "../support/server.ts";
import { DAY_MS } from "../support/times.ts";

const TEST_TIMEOUT_MS = 240_000;
const JUDGING_TIMEOUT_MS = 180_000;
const WORK = "def parser(text):\n\treturn text.split(delimiter, keep_newline=True)  # handles quotes\n";
const TESTS = "def test_malformed_rows(parser):\n\tassert parser.rows(empty=files) == []\n";
const PAUSE = "Judging is paused: Until noon.";
const fileOf = (name: string, content: string | Uint8Array) => ({ name, mimeType: "text/plain", buffer: Buffer.from(content) });

if (findBrowser() === null) it.skip(`submitting is not tested: ${NO_BROWSER}`);

describe.skipIf(findBrowser() === null)("the forms for files", () => {
	let server: RunningServer;
	let visitor: Visitor;
	let page: Page;

	beforeEachVisit({}, (visit: Visit) => {
		({ server, visitor, page } = visit);
	});

	const choose = (...files: readonly ReturnType<typeof fileOf>[]) =>
		page
			.locator("input[type=file]")
			.first()
			.setInputFiles([...files]);

	it(
		"write SUBMISSION.md, keep its text, ask before files are lost, and show what changed since the last attempt",
		async () => {
			const [poster, me] = [await Agent.register(server, "Poster"), await Agent.register(server, "Ada")];
			const taskId = await poster.publishTask("Parse CSV files");
			await me.submitJudged(taskId, { "parser.py": "def parse(text): return text\n", "notes.txt": "old" });
			await page.route("**/api/dashboard/header", async (route) => {
				const response = await route.fetch();
				await route.fulfill({ response, json: { ...z.looseObject({}).parse(await response.json()), pauses: [PAUSE] } });
			});
			await visitor.signIn(me.key, `/console/tasks/${taskId}`);
			await visitor.follow("Submit");
			await page.getByText(PAUSE).waitFor();
			await visitor.inspect("submit-empty");
			await choose(fileOf("parser.py", WORK), fileOf("test_parser.py", TESTS));
			await page.getByText("The fields of SUBMISSION.md are empty, so every section will be missing.").waitFor();
			await visitor.type("What I Built", "A parser for CSV.");
			await page.getByText('SUBMISSION.md has no section "How To Run".').waitFor();
			expect(await page.getByText(/SUBMISSION.md has no section/).count()).toBe(5);
			expect(await page.getByText("For each criterion, say where the files meet it. Parser, Tests.").count()).toBe(1);
			await visitor.inspect("submit-sections");

			await page.getByRole("link", { name: "Parse CSV files" }).click();
			await page.getByRole("alertdialog", { name: "Leave without submitting?" }).waitFor();
			await visitor.inspect("submit-leave");
			await page.getByRole("button", { name: "Stay here" }).click();
			await page.getByRole("button", { name: "Remove parser.py" }).waitFor();
			const asks = "!window.dispatchEvent(new Event('beforeunload', { cancelable: true }))";
			expect(await page.evaluate(asks)).toBe(true);
			await visitor.press("Remove test_parser.py");
			await visitor.press("Remove parser.py");
			expect(await page.evaluate(asks)).toBe(false);
			await page.reload();
			expect(await page.getByRole("textbox", { name: "What I Built" }).inputValue()).toBe("A parser for CSV.");
			expect(await page.getByRole("button", { name: "Remove parser.py" }).count()).toBe(0);

			await choose(fileOf("SUBMISSION.md", "# What I Built\nAnother.\n"), fileOf("parser.py", WORK));
			await page.getByText("Your files contain a SUBMISSION.md, which is sent unchanged.").waitFor();
			await visitor.press("Remove SUBMISSION.md");
			for (const section of ["How To Run", "Architecture", "What Works", "Known Limitations", "Tradeoffs"])
				await visitor.type(section, `About ${section}`);
			await choose(fileOf("test_parser.py", TESTS));
			await page.getByText("Ready to submit: no problems found.").waitFor();
			await visitor.press("Submit these files");
			await page.getByText(`Submitted, and waiting. ${PAUSE}`).waitFor();
			await page.getByRole("heading", { name: "What changed since your last attempt" }).waitFor({ timeout: JUDGING_TIMEOUT_MS });
			const region = page.getByRole("region", { name: "What changed since your last attempt" });
			await region.getByText("Added").waitFor();
			const told = await region.textContent();
			expect(told).toMatch(/\d → \d+\.\d\d \(\+\d/);
			expect(told).toMatch(/Addedtest_parser\.py.*Removednotes\.txt.*Changed.*parser\.py/);
			await visitor.inspect("submission-changes");
			await visitor.press("Show the changed lines");
			await page.getByRole("figure", { name: /^Differences in/ }).waitFor();
			await visitor.inspect("submission-changed-lines");
			const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
			expect(await me.send("GET", `/api/v1/submissions/${id}`)).toMatchObject({ missing_sections: [] });
		},
		TEST_TIMEOUT_MS,
	);

	it(
		"say how a spreadsheet becomes an attachment, and attach the others",
		async () => {
			const poster = await Agent.register(server, "Ada");
			const deadline = new Date(Date.now() + 7 * DAY_MS).toISOString();
			const { id } = z
				.object({ id: z.uuid() })
				.parse(await poster.send("POST", "/api/v1/tasks", { title: "Merge tables", budget_cents: 50_000, deadline }));
			await visitor.signIn(poster.key, `/console/tasks/${id}/edit?step=task`);
			const attachments = page.getByRole("region", { name: "Attachments" });
			await attachments.getByText("Drop files here").waitFor();
			await attachments
				.locator("input[type=file]")
				.setInputFiles([fileOf("rows.xlsx", "PK"), fileOf("brief.docx", "PK"), fileOf("rows.csv", "a,b\n1,2\n")]);
			await attachments.getByText("save each sheet as CSV").waitFor();
			await attachments.getByText("Export it as PDF").waitFor();
			await attachments.getByRole("link", { name: "rows.csv" }).waitFor();
			await visitor.inspect("attachments-refused");
			await attachments.locator("input[type=file]").setInputFiles([fileOf("rows.json", "{")]);
			await attachments.getByText("“rows.json” was not attached.").waitFor();
			expect(await attachments.getByText("These files were not attached.").count()).toBe(0);
		},
		TEST_TIMEOUT_MS,
	);
});
