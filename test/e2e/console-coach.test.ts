// Tests how the wizard helps with a rubric: the coach, checks that are older than their text, and the examples of the templates.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { findBrowser, NO_BROWSER } from "../support/browser.ts";
import { Agent, beforeEachVisit, type Visit, type Visitor } from "../support/console.ts";
import type { RunningServer } from "../support/server.ts";
import { DAY_MS } from "../support/times.ts";

const TEST_TIMEOUT_MS = 240_000;
const CRITERIA = [
	{
		name: "Rows",
		description: "Every row of the input is in the result.",
		weight: 60,
		checks: ["Every row of the input is in the result"],
	},
	{ name: "Report", description: "A report lists the dropped rows.", weight: 40 },
];

if (findBrowser() === null) it.skip(`the coach is not tested: ${NO_BROWSER}`);

describe.skipIf(findBrowser() === null)("the wizard's help with a rubric", () => {
	let server: RunningServer;
	let visitor: Visitor;
	let page: Page;

	beforeEachVisit({}, (visit: Visit) => {
		({ server, visitor, page } = visit);
	});

	async function openDraft(step: string): Promise<{ readonly poster: Agent; readonly taskId: string }> {
		const poster = await Agent.register(server, "Ada");
		const deadline = new Date(Date.now() + 7 * DAY_MS).toISOString();
		const body = { title: "Merge tables", budget_cents: 50_000, deadline, criteria: CRITERIA };
		const { id: taskId } = z.object({ id: z.uuid() }).parse(await poster.send("POST", "/api/v1/tasks", body));
		await visitor.signIn(poster.key, `/console/tasks/${taskId}/edit?step=${step}`);
		return { poster, taskId };
	}

	const describe1 = () => page.getByRole("textbox", { name: "What to look for" }).first();
	const checks1 = () => page.getByLabel("Checks").first();

	it(
		"says what it did and who spoke, and marks checks that are older than their text until they are renewed",
		async () => {
			const { poster, taskId } = await openDraft("rubric");
			await visitor.press("Ask about this rubric");
			await page.getByText("1 criterion got new checks: the sentences of its description. Edit the checks as you like.").waitFor();
			await page.getByText("1 criterion already had checks, and keeps them.").waitFor();
			await page.getByText("No model has read the rubric, so these notes come from rules").waitFor();
			expect(await page.getByLabel("Checks").last().inputValue()).toBe("A report lists the dropped rows");
			await visitor.inspect("coach-rules");

			await describe1().fill("No row of the input is lost. The order is kept.");
			const warning = page.getByText("The description has changed since these checks were written.");
			await warning.waitFor();
			await page.getByText("These notes are about the text before your last change.").waitFor();
			await visitor.inspect("coach-stale");
			await visitor.press("Save and continue");
			await page.getByText("Who judges?").waitFor();
			await page.reload();
			await page.getByRole("button", { name: "Publish", exact: true }).click();
			await page.getByText("The checks of 1 criterion are out of date").waitFor();
			await visitor.inspect("coach-check-list");
			await page.getByRole("button", { name: "Change the rubric" }).last().click();
			await warning.waitFor();
			await visitor.press("Renew the checks of Rows");
			await expect.poll(() => checks1().inputValue()).toBe("No row of the input is lost\nThe order is kept");
			expect(await warning.count()).toBe(0);
			await page.getByRole("button", { name: "Save and continue" }).click();
			await page.getByText("Who judges?").waitFor();
			const { criteria } = z
				.object({ criteria: z.array(z.object({ checks: z.array(z.string()) })) })
				.parse(await poster.send("GET", `/api/v1/tasks/${taskId}`));
			expect(criteria[0]?.checks).toEqual(["No row of the input is lost", "The order is kept"]);
		},
		TEST_TIMEOUT_MS,
	);

	it(
		"shows next to each criterion what the model would look for and what it could not see",
		async () => {
			await openDraft("rubric");
			const proposal = [
				{
					name: "Rows",
					checks: ["No row is dropped", "No row is there twice"],
					evidence: "work",
					notes: ["It cannot open a spreadsheet."],
					source: "model",
				},
				{ name: "Report", checks: ["A list of dropped rows"], evidence: "work", notes: [], source: "rules" },
			];
			await page.route("**/compile-rubric", (route) => route.fulfill({ json: { criteria: proposal, source: "model" } }));
			await visitor.press("Ask about this rubric");
			await page.getByText("has read the rubric, but gave no usable proposal for “Report”.").waitFor();
			await page.getByRole("region", { name: "The coach about Report" }).getByText("Notes from the rules").waitFor();
			const about = page.getByRole("region", { name: "The coach about Rows" });
			await about.getByText("What it could not see").waitFor();
			await about.getByText("It cannot open a spreadsheet.").waitFor();
			await visitor.inspect("coach-model");
			await visitor.press("Use these checks for Rows");
			await expect.poll(() => checks1().inputValue()).toBe("No row is dropped\nNo row is there twice");
			await about.getByText("This criterion already uses the coach's checks.").waitFor();
		},
		TEST_TIMEOUT_MS,
	);

	it(
		"judges the examples of a template by one click before anyone signs in, and as dry runs afterwards",
		async () => {
			const requests: string[] = [];
			page.on("request", (request) => requests.push(new URL(request.url()).pathname));
			await page.goto("/console/tasks/new");
			await visitor.press("See two examples judged by the rubric of the template Code");
			const dialog = page.getByRole("dialog", { name: "Code: two examples judged" });
			await dialog.getByRole("row", { name: /^Behaviour/ }).waitFor();
			expect(await dialog.getByRole("status").textContent()).toMatch(
				/^Good example 8\d\.\d\d, weak example 5\.00 of 100, given by a simple judge that/,
			);
			await visitor.inspect("examples-dialog");
			await dialog.getByRole("button", { name: "Close" }).click();
			await visitor.press("Use the template Data");
			await visitor.inspect("template-data");
			await page.getByRole("textbox", { name: "Budget" }).fill("500");
			await page.getByRole("button", { name: "Dry run", exact: true }).click();
			await visitor.press("Judge both examples");
			await page.getByRole("region", { name: "Scores of both examples" }).waitFor();
			await visitor.inspect("examples-visitor");
			expect(requests.filter((path) => /\/api\/(?!auth\/(?:providers|session))/.test(path))).toEqual([]);

			const poster = await Agent.register(server, "Ada");
			await visitor.signIn(poster.key, "/console/sign-in?return_to=/tasks/new?step=dry-run");
			await page.getByText("It uses two dry runs.").waitFor();
			await page.getByRole("button", { name: "Judge both examples" }).click();
			await page.getByText("as on the leaderboard").waitFor({ timeout: TEST_TIMEOUT_MS });
			await visitor.inspect("examples-runs");
			await page.reload();
			await page.getByText("as on the leaderboard").waitFor();
			const taskId = new URL(page.url()).pathname.split("/")[3] ?? "";
			const { data } = z
				.object({ data: z.array(z.object({ label: z.string(), status: z.string() })) })
				.parse(await poster.send("GET", `/api/v1/tasks/${taskId}/dry-runs`));
			expect(data).toMatchObject([
				{ label: "Weak example", status: "completed" },
				{ label: "Good example", status: "completed" },
			]);
		},
		TEST_TIMEOUT_MS,
	);
});
