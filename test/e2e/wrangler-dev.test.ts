// Plain `npx wrangler dev` in a fresh clone, without npm start: it prepares itself, shares the state of npm start, and never runs in a deployment.
import { existsSync } from "node:fs";
import { appendFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { findFreePort } from "../../scripts/support/platform.ts";
import { type Clone, type CloneProcess, makeClone } from "../support/clone.ts";

const START_TIMEOUT_MS = 150_000;
/** A build that changes what it watches starts again within this time. */
const LOOP_MS = 5_000;
const registration = z.object({ agent_id: z.uuid(), api_key: z.string() });
const count = (text: string, part: string) => text.split(part).length - 1;

let clone: Clone;
let apiKey = "";

beforeAll(async () => {
	clone = await makeClone();
});

afterAll(async () => {
	await clone?.remove();
});

async function whenHealthy(url: string, server: CloneProcess): Promise<void> {
	const isUp = () =>
		fetch(`${url}/health`, { signal: AbortSignal.timeout(5_000) }).then(
			({ ok }) => ok,
			() => false,
		);
	const giveUpAt = performance.now() + START_TIMEOUT_MS;
	while (!(await isUp())) {
		if (server.exitCode() !== undefined || performance.now() > giveUpAt) throw new Error(server.output());
		await delay(250);
	}
}

async function readStatus(url: string): Promise<number> {
	const response = await fetch(`${url}/api/v1/agent/whoami`, { headers: { Authorization: `Bearer ${apiKey}` } });
	await response.arrayBuffer();
	return response.status;
}

async function register(url: string): Promise<number> {
	const response = await fetch(`${url}/api/v1/agent/register-anonymous`, { method: "POST" });
	const body = await response.json();
	if (response.ok) apiKey = registration.parse(body).api_key;
	return response.status;
}

it("registers an agent and shows the site, says once that cron does not fire, and does not build in a loop", async () => {
	const port = await findFreePort();
	const url = `http://127.0.0.1:${port}`;
	expect(existsSync(join(clone.path, ".dev.vars"))).toBe(false);
	const server = clone.start(["npx", "wrangler", "dev", "--ip", "127.0.0.1", "--port", String(port)]);
	try {
		await whenHealthy(url, server);
		// The first build makes .dev.vars, which wrangler then reads.
		await expect.poll(() => register(url), { timeout: 30_000 }).toBe(201);
		const page = await fetch(`${url}/docs`);
		expect({ status: page.status, type: page.headers.get("Content-Type") }).toEqual({
			status: 200,
			type: expect.stringMatching(/^text\/html/),
		});
		expect(await page.text()).toContain("<h1");
		expect(count(server.output(), "restarting build")).toBe(0);

		await appendFile(join(clone.path, "src", "index.ts"), "// A change.\n");
		await expect.poll(() => count(server.output(), "restarting build"), { timeout: 30_000 }).toBe(1);
		await delay(LOOP_MS);
		await whenHealthy(url, server);
		expect(await readStatus(url)).toBe(200);
		expect(count(server.output(), "restarting build")).toBe(1);
		expect(count(server.output(), "Cron triggers do not fire under plain wrangler dev")).toBe(1);
	} finally {
		await server.stop();
	}
	expect(clone.processes()).toEqual([]);
}, 240_000);

it("has the data of wrangler dev under npm start", async () => {
	const port = await findFreePort();
	const server = clone.start(["npm", "start"], { PORT: String(port), STATE_DIR: "", DOCS: "false" });
	try {
		await whenHealthy(`http://127.0.0.1:${port}`, server);
		expect(await readStatus(`http://127.0.0.1:${port}`), server.output()).toBe(200);
		expect(server.output()).not.toContain("Cron triggers do not fire");
	} finally {
		await server.stop();
	}
	expect(clone.processes()).toEqual([]);
}, 240_000);

it("touches no local database in a deployment", async () => {
	const state = join(clone.path, ".wrangler", "state");
	await rm(state, { recursive: true, force: true });
	const deployment = clone.start(["npm", "run", "deploy", "--", "--dry-run"], { CLOUDFLARE_API_TOKEN: "" });
	try {
		await expect.poll(deployment.exitCode, { timeout: 120_000, interval: 250 }).toBe(0);
		expect(deployment.output()).not.toContain("Cron triggers");
		expect(existsSync(state)).toBe(false);
	} finally {
		await deployment.stop();
	}
}, 150_000);
