// Tests what operators of the deployment do at the console with the admin token.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Locator } from "playwright-core";
import { describe, expect, it } from "vitest";
import { findBrowser, NO_BROWSER } from "../support/browser.ts";
import { Agent, beforeEachVisit, type Visitor } from "../support/console.ts";
import { HOSTILE_TEXTS } from "../support/hostile-texts.ts";
import type { RunningServer } from "../support/server.ts";
import { findUserMarkup } from "../support/site.ts";

const ADMIN_TOKEN = `svc_admin_${"c".repeat(64)}`;
const TEST_TIMEOUT_MS = 120_000;

if (findBrowser() === null) it.skip(`the console is not tested: ${NO_BROWSER}`);

describe.skipIf(findBrowser() === null)("an operator of the deployment at the console", () => {
	let server: RunningServer;
	let visitor: Visitor;

	const vars = { ADMIN_TOKEN_SHA256: createHash("sha256").update(ADMIN_TOKEN).digest("hex") };
	beforeEachVisit({ vars }, (visit) => {
		({ server, visitor } = visit);
	});

	const view = (name: string): Promise<void> => visitor.goToTab(name);
	/** Opens an act's dialog, and confirms it with a reason. */
	const act = async (trigger: string | Locator, confirm: string, says: RegExp): Promise<void> => {
		await visitor.tabTo(typeof trigger === "string" ? visitor.page.getByRole("button", { name: trigger }).last() : trigger);
		await visitor.hit("Enter");
		const question = visitor.page.getByRole("dialog").or(visitor.page.getByRole("alertdialog"));
		expect(await question.textContent()).toMatch(says);
		expect(await question.getByRole("button", { name: confirm }).isDisabled()).toBe(true);
		await visitor.type("Reason", `${confirm} ${HOSTILE_TEXTS[1]}`);
		await visitor.press(confirm);
		await question.waitFor({ state: "detached" });
	};
	const enter = async (): Promise<void> => {
		await visitor.type("Admin token", ADMIN_TOKEN);
		await visitor.page.keyboard.press("Enter");
		await visitor.page.getByRole("heading", { name: "Switches" }).waitFor();
	};
	const linkOf = (target: string, id: string) => new RegExp(`${target} …${id.slice(-12)}`);
	const statusOf = async (agent: Agent, path: string): Promise<number> => {
		const response = await fetch(server.url + path, {
			headers: { Authorization: `Bearer ${agent.key}`, "CF-Connecting-IP": "203.0.113.7" },
		});
		await response.body?.cancel();
		return response.status;
	};

	it(
		"pauses the platform, retries work, sets ceilings, and shows all in the audit log, by keyboard",
		async () => {
			const { page } = visitor;
			const [poster, agent] = [await Agent.register(server, "Ada"), await Agent.register(server, "Grace")];
			const taskId = await poster.publishTask("Parse CSV files");
			await page.goto("/console/admin");
			await visitor.type("Admin token", `svc_admin_${"d".repeat(64)}`);
			await page.keyboard.press("Enter");
			await page.getByRole("alert").waitFor();
			await page.getByText("must be the hex SHA-256 of the whole token").first().waitFor();
			expect(visitor.faults.take()).toEqual([expect.stringContaining("401")]);
			await visitor.check();
			await enter();
			await page.getByText("Waiting evaluations").waitFor();
			await visitor.check();
			expect(await page.evaluate("[JSON.stringify(sessionStorage), JSON.stringify(localStorage)]")).toEqual([
				expect.stringContaining(ADMIN_TOKEN),
				expect.not.stringContaining("svc_admin_"),
			]);

			const judging = page.getByRole("listitem").filter({ hasText: /^Judging/ });
			await visitor.tabTo(judging.getByRole("button", { name: "Switch off…" }));
			await page.keyboard.press("Enter");
			expect(await page.getByRole("alertdialog").textContent()).toContain("no evaluation starts.");
			await visitor.type("Message", "Until noon.");
			await visitor.type("Reason", "The model is away.");
			await visitor.check();
			await visitor.press("Switch off");
			await judging.getByText("Until noon.").waitFor();
			await page.getByText("Switched off: judging.").first().waitFor();
			await visitor.check();
			const submissionId = await agent.submit(taskId, "quotes");
			await view("Jobs");
			const job = page.getByRole("row", { name: linkOf("submission", submissionId) });
			await job.getByText("Waiting").waitFor();
			await visitor.check();
			await act(job.getByRole("button", { name: "Retry…" }), "Retry now", /evaluation starts now/);
			await visitor.press(/State/);
			await page.keyboard.type("Stuck");
			await page.keyboard.press("Enter");
			await page.getByText("No job is in this state.").waitFor();
			await visitor.check();
			await view("Overview");
			await act("Switch on…", "Switch on", /waiting work continues/);
			await judging.getByText("On", { exact: true }).waitFor();

			await view("Spend");
			const ceiling = page.getByRole("row", { name: /^The whole deployment/ });
			await visitor.tabTo(ceiling.getByRole("button", { name: "Change…" }));
			await page.keyboard.press("Enter");
			await visitor.type("US dollars", "a lot");
			await page.getByText("An amount, such as 12.50.").waitFor();
			await visitor.type("US dollars", "1,250.50");
			await visitor.type("Reason", "The budget of this month.");
			await visitor.check();
			await visitor.press("Set the ceiling");
			await ceiling.getByText("$1,250.50").waitFor();
			await visitor.tabTo(ceiling.getByRole("button", { name: "As configured…" }));
			await page.keyboard.press("Enter");
			await visitor.type("Reason", "A new month.");
			await visitor.press("Reset the ceiling");
			await ceiling.getByText("$1,250.50").waitFor({ state: "detached" });
			await visitor.check();

			await view("Audit log");
			await page.getByRole("row", { name: /job\.retry/ }).waitFor();
			await expect.poll(() => page.getByRole("row", { name: /switches\.set/ }).count()).toBe(2);
			const set = page.getByRole("row", { name: /The budget of this month/ });
			await visitor.tabTo(set.locator("summary"));
			await page.keyboard.press("Enter");
			await set.getByText(/1250500000/).waitFor();
			expect(await findUserMarkup(page)).toEqual([]);
			await visitor.check();
			await visitor.press("Forget the token");
			await page.getByRole("textbox", { name: "Admin token" }).waitFor();
			expect(await page.evaluate("sessionStorage.getItem('console.admin-token')")).toBeNull();
		},
		TEST_TIMEOUT_MS,
	);

	it(
		"follows reports to a task, a submission and an agent, acts on each and resolves one, in 25 clicks and 9 fields",
		async () => {
			const { page } = visitor;
			const [poster, agent] = [await Agent.register(server, "Ada"), await Agent.register(server, "Grace")];
			const taskId = await poster.publishTask(HOSTILE_TEXTS[2] ?? "");
			const submissionId = await agent.submit(taskId, "quotes");
			await agent.send("POST", "/api/v1/reports", { task_id: taskId, reason: HOSTILE_TEXTS.join("\n") });
			await poster.send("POST", "/api/v1/reports", { submission_id: submissionId, reason: "Stolen." });
			await page.goto("/console/admin?view=reports");
			await visitor.type("Admin token", ADMIN_TOKEN);
			await visitor.hit("Enter");
			await page.getByRole("region", { name: "Reports" }).waitFor();
			expect(await findUserMarkup(page)).toEqual([]);
			await visitor.check();

			await visitor.follow(HOSTILE_TEXTS[2] ?? "");
			await page.getByRole("heading", { name: HOSTILE_TEXTS[2] ?? "" }).waitFor();
			await visitor.check();
			await act("Take down…", "Take the task down", /disappears from all lists, pages, feeds and searches/);
			await page.getByText("The public cannot see this task").waitFor();
			const owned = await poster.send("GET", `/api/v1/tasks/${taskId}`);
			expect(owned).toMatchObject({ warnings: expect.arrayContaining([expect.objectContaining({ code: "TAKEN_DOWN" })]) });
			await act("Restore…", "Restore the task", /in the state it has reached/);
			await page.getByRole("link", { name: "The task's public page" }).waitFor();

			await view("Moderation");
			await visitor.type("Name, title or id", "rac");
			await visitor.hit("Enter");
			await page.getByRole("region", { name: "Agents found" }).waitFor();
			await visitor.check();
			await visitor.follow("Grace");
			await page.getByRole("button", { name: "Suspend…" }).waitFor();

			await view("Reports");
			await visitor.follow("Submission");
			await act("Void…", "Void the submission", /is removed from the leaderboard/);
			expect(await agent.send("GET", `/api/v1/submissions/${submissionId}`)).toMatchObject({
				voided: { reason: expect.stringContaining("Void") },
			});

			await view("Reports");
			const first = visitor.page.getByRole("button", { name: "Resolve…" }).first();
			await act(first, "Resolve the report", /moves to the resolved reports/);
			await page.getByRole("tab", { name: "Reports 1 open" }).waitFor();
			await visitor.check();
			await visitor.follow("Grace");
			await act("Suspend…", "Suspend the agent", /Within 10 seconds/);
			await expect.poll(() => statusOf(agent, "/api/v1/agent/whoami"), { timeout: 15_000, interval: 1_000 }).toBe(403);
			await act("Restore…", "Restore the agent", /work again/);
			await expect.poll(() => statusOf(agent, "/api/v1/agent/whoami"), { timeout: 15_000, interval: 1_000 }).toBe(200);
			const download = page.waitForEvent("download");
			await visitor.press("Export as JSON");
			expect(JSON.parse(await readFile(await (await download).path(), "utf8"))).toMatchObject({ agent_id: agent.id });
			await visitor.press("Erase…");
			await visitor.type("Reason", "The agent asked for it.");
			expect(await page.getByRole("button", { name: "Erase the data" }).isDisabled()).toBe(true);
			await visitor.tick(page.getByRole("checkbox"));
			await visitor.check();
			await visitor.press("Erase the data");
			await page.getByText(/Leaderboards now call the agent “Erased agent/).waitFor();
			expect([visitor.clicks, visitor.fields]).toEqual([25, 9]);
		},
		TEST_TIMEOUT_MS,
	);
});
