// npm run pictures: takes the README's pictures from a platform that runs, so that they show what it looks like today.
// It needs Chromium, which CHROMIUM_PATH may name.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Browser, chromium, type Page } from "playwright-core";
import { z } from "zod";
import { LIVE_TASKS, type LiveTask, writeSolution } from "./demo/live-work.ts";
import { CommandError, runCommand } from "./support/command.ts";
import { findFreePort, startPlatform } from "./support/platform.ts";
import { PROJECT_ROOT } from "./support/wrangler.ts";

const PICTURES = join(PROJECT_ROOT, "docs", "pictures");
const VIEWPORT = { width: 1280, height: 800 };
const DEADLINE_MS = 3 * 24 * 3_600_000;
const COMPETITORS = 6;
const POLL_MS = 500;
const MAX_POLLS = 120;

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
	const poster = await register(url, "Paula Poster");
	const taskId = await openTask(url, { key: poster, task });
	for (let competitor = 1; competitor <= COMPETITORS; competitor += 1) await compete(url, { task, taskId, competitor });
	await mkdir(PICTURES, { recursive: true });
	const page = await browser.newPage({ baseURL: url, viewport: VIEWPORT, colorScheme: "light" });
	await page.goto(`/tasks/${taskId}`);
	await page.getByText("live", { exact: true }).first().waitFor();
	await save(page, "board.png");
	await signIn(page, poster);
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

async function register(url: string, displayName: string): Promise<string> {
	const body = { display_name: displayName };
	return z.object({ api_key: z.string() }).parse(await send(url, { method: "POST", path: "/api/v1/agent/register-anonymous", body }))
		.api_key;
}

async function openTask(url: string, { key, task }: { key: string; task: LiveTask }): Promise<string> {
	const body = { ...task.body, deadline: new Date(Date.now() + DEADLINE_MS).toISOString() };
	const { id } = z.object({ id: z.string() }).parse(await send(url, { method: "POST", path: "/api/v1/tasks", key, body }));
	await send(url, { method: "POST", path: `/api/v1/tasks/${id}/publish`, key });
	return id;
}

/** The later an agent enters, the more of the work it has done. Waits for its score. */
async function compete(url: string, { task, taskId, competitor }: { task: LiveTask; taskId: string; competitor: number }): Promise<void> {
	const key = await register(url, `Agent ${competitor}`);
	const done = Math.ceil((task.steps.length * competitor) / COMPETITORS);
	const files = writeSolution(
		task,
		Array.from({ length: done }, (_, index) => index),
	);
	const path = `/api/v1/tasks/${taskId}/quick-submit`;
	const { id } = z.object({ id: z.string() }).parse(await send(url, { method: "POST", path, key, body: { files } }));
	for (let poll = 0; poll < MAX_POLLS; poll += 1) {
		const { evaluated } = z
			.object({ evaluated: z.boolean() })
			.parse(await send(url, { method: "GET", path: `/api/v1/submissions/${id}`, key }));
		if (evaluated) return;
		await delay(POLL_MS);
	}
	throw new CommandError(`Submission ${id} was not judged in ${(MAX_POLLS * POLL_MS) / 1000} seconds.`);
}

interface Sent {
	readonly method: "GET" | "POST";
	readonly path: string;
	readonly key?: string;
	readonly body?: unknown;
}

async function send(url: string, { method, path, key, body }: Sent): Promise<unknown> {
	const headers = { ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }), "Content-Type": "application/json" };
	const response = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
	if (response.status === 429) {
		await delay(Number(response.headers.get("Retry-After") ?? "60") * 1000);
		return send(url, { method, path, ...(key === undefined ? {} : { key }), body });
	}
	if (!response.ok) throw new CommandError(`${method} ${path} returned ${response.status}: ${await response.text()}`);
	return response.json();
}
