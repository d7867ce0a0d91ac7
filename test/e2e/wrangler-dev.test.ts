// Tests `npx wrangler dev` in a fresh clone, without npm start: it prepares itself, and shares the state of npm start.
import { existsSync } from "node:fs";
import { appendFile, copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { findFreePort } from "../../scripts/support/platform.ts";
import { type Clone, type CloneProcess, makeClone } from "../support/clone.ts";
import { readStream } from "../support/sse.ts";

const START_TIMEOUT_MS = 180_000;
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

it("wrangler dev registers an agent, shows the site, warns once about cron, and does not loop", async () => {
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
});

/** Replaces Astro by a program that builds one page on request, because the real build takes a minute. */
async function replaceAstro(): Promise<{ readonly buildNow: () => Promise<void> }> {
	const folder = join(clone.path, "docs-site");
	const [program, signal] = [join(folder, "node_modules", "astro", "bin", "astro.mjs"), join(folder, "node_modules", "build-now")];
	// A first try of the test leaves these.
	const left = ["docs-staged", "docs-staged.sha256", join("site", "docs")].map((name) => join(clone.path, "dist", name));
	for (const path of [...left, signal]) await rm(path, { recursive: true, force: true });
	await mkdir(dirname(program), { recursive: true });
	await copyFile(join(folder, "package-lock.json"), join(folder, "node_modules", ".package-lock.json"));
	await writeFile(
		program,
		`import { existsSync, mkdirSync, writeFileSync } from "node:fs";
		while (!existsSync(${JSON.stringify(signal)})) await new Promise((resolve) => setTimeout(resolve, 100));
		mkdirSync("dist", { recursive: true });
		writeFileSync("dist/index.html", "<h1>The built documentation</h1>");`,
	);
	return { buildNow: () => writeFile(signal, "") };
}

it("npm start has the data of wrangler dev, and does not restart when the documentation is built", async () => {
	const port = await findFreePort();
	const url = `http://127.0.0.1:${port}`;
	const { buildNow } = await replaceAstro();
	expect(existsSync(join(clone.path, "dist", "site", "docs"))).toBe(false);
	const server = clone.start(["npm", "start"], { PORT: String(port), STATE_DIR: "", DOCS: "" });
	try {
		await whenHealthy(url, server);
		expect(await readStatus(url), server.output()).toBe(200);
		expect(server.output()).not.toContain("Cron triggers do not fire");
		const readDocs = async () => (await fetch(`${url}/docs`, { headers: { Accept: "text/html" } })).text();
		expect(await readDocs()).toContain("is being built");
		const stream = readStream(await fetch(`${url}/api/v1/bounties/stream`, { headers: { Authorization: `Bearer ${apiKey}` } }));
		await stream.count(1);
		let isOpen = true;
		const noteEnd = () => {
			isOpen = false;
		};
		stream.ended.then(noteEnd, noteEnd);
		await buildNow();
		await expect.poll(server.output, { timeout: 60_000 }).toContain("The documentation is ready");
		expect(await readDocs()).toContain("The built documentation");
		await delay(LOOP_MS);
		expect({ isOpen, restarts: count(server.output(), "Reloading local server") }).toEqual({ isOpen: true, restarts: 0 });
		expect(await readDocs()).toContain("The built documentation");
		await stream.close();
	} finally {
		await server.stop();
	}
	expect(clone.processes()).toEqual([]);
});
