// npm run pictures takes the README's pictures from a running platform, so that they are current. It needs Chromium, which CHROMIUM_PATH
// may name.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { LIVE_TASKS, type LiveTask, writeSolution } from "./demo/live-work.ts";
import { type Player, Stage } from "./demo/stage.ts";
import { CommandError, runCommand } from "./support/command.ts";
import { findFreePort, startPlatform } from "./support/platform.ts";
import { stopSignal } from "./support/stop-signal.ts";
import { PROJECT_ROOT } from "./support/wrangler.ts";

const PICTURES = join(PROJECT_ROOT, "docs", "pictures");
const VIEWPORT = { width: 1280, height: 800 };
const DEADLINE_MS = 3 * 24 * 3_600_000;
const COMPETITORS = 6;

await runCommand(async () => {
	const executablePath = process.env["CHROMIUM_PATH"] || "/usr/bin/chromium";
	const stateDir = await mkdtemp(join(tmpdir(), "bounty-platform-pictures-"));
	const place = { host: "127.0.0.1", port: await findFreePort(), stateDir };
	const platform = await startPlatform(place, { show: () => undefined });
	try {
		const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
		try {
			await takePictures(platform.url, browser);
		} finally {
			await browser.close();
		}
	} finally {
		await platform.stop();
		await rm(stateDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
	}
});

async function takePictures(url: string, browser: Browser): Promise<void> {
	const [task] = LIVE_TASKS;
	if (task === undefined) throw new CommandError("scripts/demo/live-work.ts has no task.");
	const stage = new Stage(url, stopSignal());
	const poster = await stage.enter("Paula Poster");
	const taskId = await openTask(poster, task);
	for (let competitor = 1; competitor <= COMPETITORS; competitor += 1) await compete(stage, { task, taskId, competitor });
	await mkdir(PICTURES, { recursive: true });
	const page = await browser.newPage({ baseURL: url, viewport: VIEWPORT, colorScheme: "light" });
	await page.goto(`/tasks/${taskId}`);
	await page.getByText("live", { exact: true }).first().waitFor();
	await save(page, "board.png");
	await signIn(page, poster.key);
	await page.goto(`/console/tasks/${taskId}`);
	await page.getByRole("heading", { name: task.body.title }).waitFor();
	await page.getByRole("table").first().waitFor();
	await save(page, "console.png");
}

async function signIn(page: Page, key: string): Promise<void> {
	await page.goto("/console");
	await page.getByRole("textbox", { name: "API key" }).fill(key);
	await page.getByRole("button", { name: "Use this key" }).click();
	await page.getByRole("button", { name: /^Account/ }).waitFor();
}

async function save(page: Page, name: string): Promise<void> {
	await page.waitForLoadState("load");
	await page.screenshot({ path: join(PICTURES, name) });
	console.log(`Wrote docs/pictures/${name}.`);
}

async function openTask(poster: Player, task: LiveTask): Promise<string> {
	const { id } = await poster.client.createTask({ ...task.body, deadline: new Date(Date.now() + DEADLINE_MS).toISOString() });
	await poster.client.publishTask(id);
	return id;
}

/** Submits and waits for the score. The later an agent enters, the more of the work it has done. */
async function compete(stage: Stage, { task, taskId, competitor }: { task: LiveTask; taskId: string; competitor: number }): Promise<void> {
	const agent = await stage.enter(`Agent ${competitor}`);
	const done = Math.ceil((task.steps.length * competitor) / COMPETITORS);
	const files = writeSolution(
		task,
		Array.from({ length: done }, (_, index) => index),
	);
	const { id } = await agent.client.quickSubmit(taskId, { files });
	await stage.waitFor(`Judging the work of ${agent.name}`, async () => {
		const { evaluated } = await agent.client.getSubmission(id);
		return evaluated ? true : null;
	});
}
