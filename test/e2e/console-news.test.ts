// The console shows people what happens without a reload, and lets them discuss a task and settle a score.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { findBrowser, NO_BROWSER } from "../support/browser.ts";
import { Agent, beforeEachVisit, type Visitor } from "../support/console.ts";
import { HOSTILE_TEXTS } from "../support/hostile-texts.ts";
import type { RunningServer } from "../support/server.ts";

const JOURNEY_TIMEOUT_MS = 600_000;
const JUDGING_TIMEOUT_MS = 180_000;
const QUESTION = `Which delimiter?\n${HOSTILE_TEXTS.join("\n")}`;

if (findBrowser() === null) it.skip(`the console is not tested: ${NO_BROWSER}`);

describe.skipIf(findBrowser() === null)("the news at the console", () => {
	let server: RunningServer;
	let visitor: Visitor;
	let page: Page;

	beforeEachVisit({}, (visit) => {
		({ server, visitor, page } = visit);
	});

	const check = (name: string) => visitor.inspect(`news-${name}`);
	const submit = (agent: Agent, taskId: string) =>
		agent.submitJudged(taskId, "def parser(text): return text.split(delimiter)  # handles quotes\n");
	const createPair = async () => {
		const [poster, agent] = [await Agent.register(server, "Ada"), await Agent.register(server, "Grace")];
		const taskId = await poster.publishTask("Parse CSV files", { final_round: true });
		return { poster, agent, taskId, submissionId: await submit(agent, taskId) };
	};
	const idOf = (value: unknown): string => z.object({ id: z.string() }).parse(value).id;

	it(
		"show a poster what waits, so that it answers, announces and decides an appeal by keyboard",
		async () => {
			const { poster, agent, taskId, submissionId } = await createPair();
			await visitor.signIn(poster.key);
			await page.getByRole("heading", { name: "Waiting for you" }).waitFor();
			await page.getByText("Nothing is waiting for you.").waitFor();
			await page.getByRole("link", { name: /^Inbox 1 unread/ }).waitFor();
			await check("home");

			const question = idOf(await agent.send("POST", `/api/v1/tasks/${taskId}/questions`, { text: QUESTION }));
			await page.getByRole("link", { name: /^Inbox 2 unread/ }).waitFor({ timeout: JUDGING_TIMEOUT_MS });
			await visitor.follow("Answer a question");
			await page.getByText("Which delimiter?").waitFor();
			await check("question");
			await visitor.press(/^Answer: Which/);
			await page.getByRole("textbox", { name: "Your answer" }).and(page.locator(":focus")).waitFor();
			await visitor.type("Your answer", "A comma.");
			await visitor.press("Publish the answer");
			await page.getByText("The answer is published.").waitFor();
			await visitor.type("Announcement", "The sample file is new.");
			await page.getByRole("button", { name: "Publish the announcement" }).dblclick();
			await page.getByRole("heading", { name: "Announcements" }).waitFor();
			await check("answered");
			const listed = await agent.send("GET", `/api/v1/tasks/${taskId}/questions`);
			expect(listed).toMatchObject({
				data: [
					{ is_owner: true, text: "The sample file is new." },
					{ id: question, answer: "A comma." },
				],
			});

			await agent.send("POST", `/api/v1/submissions/${submissionId}/appeal`, { reason: HOSTILE_TEXTS.join("\n"), criterion_name: "Tests" });
			await page.getByRole("link", { name: /^Inbox 3 unread/ }).waitFor({ timeout: JUDGING_TIMEOUT_MS });
			await visitor.follow(/^Inbox/);
			await page.getByRole("list", { name: "Inbox" }).waitFor();
			await check("inbox");
			await visitor.follow(/^An agent appealed/);
			await page.getByRole("form", { name: "Decide the review" }).waitFor();
			await page.getByRole("link", { name: /^Inbox 2 unread/ }).waitFor();
			await check("appeal");
			await visitor.press(/^The scores stay/);
			await page.getByRole("option", { name: "Change scores" }).waitFor();
			await page.keyboard.press("ArrowDown");
			await page.keyboard.press("Enter");
			await page.getByText("If you want your scores to last, decide after the final round.").waitFor();
			await visitor.type("Tests", "91");
			await page.reload();
			expect(await page.getByRole("textbox", { name: "Tests" }).inputValue()).toBe("91");
			await visitor.type("Reason", "The tests are there.");
			await visitor.press("Change the scores");
			await page.getByText("The scores are changed.").waitFor();
			await page.getByText("Appeal decided: scores changed").waitFor();
			await check("decided");
			expect(await agent.send("GET", `/api/v1/submissions/${submissionId}`)).toMatchObject({
				reviewed: true,
				appeal: { status: "changed" },
			});

			await visitor.follow(/^Inbox/);
			await visitor.press("Mark all as read");
			await page.getByRole("link", { name: "Inbox", exact: true }).waitFor();
			await page.goto(`/console/tasks/${taskId}?view=reviews`);
			await page.getByText("Nothing is waiting for a decision.").waitFor();
			await page.setViewportSize({ width: 390, height: 844 });
			await page.reload();
			const isInView = async () => {
				const box = await page.getByRole("tab", { name: "Reviews" }).boundingBox();
				return box !== null && box.x + box.width <= 390;
			};
			await expect.poll(isInView).toBe(true);
			await visitor.press(/^To decide/);
			await page.getByRole("option", { name: "Decided" }).waitFor();
			await page.keyboard.press("ArrowDown");
			await page.keyboard.press("Enter");
			await page.getByRole("link", { name: "See: Grace" }).waitFor();
			await check("reviews");

			await poster.send("POST", `/api/v1/tasks/${taskId}/close`);
			const isReviewed = async () =>
				z.object({ reviewed: z.boolean() }).parse(await poster.send("GET", `/api/v1/submissions/${submissionId}`)).reviewed;
			await expect.poll(isReviewed, { timeout: JUDGING_TIMEOUT_MS, interval: 500 }).toBe(false);
			await page.goto(`/console/tasks/${taskId}/submissions/${submissionId}`);
			await page.getByText("A later evaluation has replaced the scores.").waitFor();
		},
		JOURNEY_TIMEOUT_MS,
	);

	it(
		"let an agent ask and appeal, and show answer and decision at once, also in a second tab",
		async () => {
			const { poster, agent, taskId, submissionId } = await createPair();
			await visitor.signIn(agent.key, `/console/tasks/${taskId}?view=questions`);
			await visitor.type("Your question", "Which delimiter?");
			await page.reload();
			expect(await page.getByRole("textbox", { name: "Your question" }).inputValue()).toBe("Which delimiter?");
			await visitor.press("Ask");
			await page.getByText("Not answered").waitFor();
			await check("asked");
			const questions = z
				.object({ data: z.array(z.object({ id: z.string() })) })
				.parse(await poster.send("GET", `/api/v1/tasks/${taskId}/questions`));
			await poster.send("POST", `/api/v1/tasks/${taskId}/questions/${questions.data[0]?.id}/answer`, { text: "A semicolon." });
			await page.getByText("A semicolon.").waitFor({ timeout: JUDGING_TIMEOUT_MS });
			await visitor.type("Your question", "Never mind");
			await visitor.press("Ask");
			await page.getByText("Never mind", { exact: true }).waitFor();
			await visitor.press("Delete…");
			await visitor.press("Delete the question");
			await page.getByText("Never mind", { exact: true }).first().waitFor({ state: "detached" });

			await page.goto(`/console/my-submissions/${submissionId}`);
			await visitor.press("Appeal against Tests…");
			await visitor.type("Why the score is wrong", "See parser.py.");
			await check("appealing");
			await visitor.press("Send the appeal");
			await page.getByText("Appeal open").waitFor();
			await check("appealed");
			await poster.send("POST", `/api/v1/submissions/${submissionId}/review`, { decision: "upheld", reason: "There is no test." });
			await page.getByText("There is no test.").waitFor({ timeout: JUDGING_TIMEOUT_MS });
			await visitor.follow("My submissions");
			await page.getByRole("cell", { name: "Scores stay" }).waitFor();
			await check("own-appeals");
		},
		JOURNEY_TIMEOUT_MS,
	);

	it(
		"connect a Slack channel in three clicks, and change and pause it",
		async () => {
			const agent = await Agent.register(server, "Ada");
			await visitor.signIn(agent.key, "/console/webhooks");
			await visitor.press("Connect Slack");
			await check("connect");
			await visitor.type("Webhook URL of Slack", "https://hooks.slack.com/services/T0/B0/x");
			await visitor.press("Connect Slack");
			await page.getByRole("heading", { name: "hooks.slack.com" }).waitFor();
			await page.getByText("An agent appealed against a score").waitFor();
			await check("connected");
			await visitor.press("Change");
			await visitor.type("Only these categories", "parsing");
			await visitor.press("Save the changes");
			await page.getByText("The webhook is changed.").waitFor();
			await visitor.press("Pause");
			await page.getByText("The webhook is paused.").waitFor();
			const webhooks = await agent.send("GET", "/api/v1/webhooks");
			expect(webhooks).toMatchObject({ data: [{ format: "slack", active: false, categories: ["parsing"] }] });
			await visitor.press("Start it again");
			await page.getByRole("button", { name: "Pause" }).waitFor();
		},
		JOURNEY_TIMEOUT_MS,
	);
});
