// A newcomer starts the platform, pastes the README's requests, plays the demo, and changes a tier. A proxy compares the responses with
// the OpenAPI document.
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { startCheckingProxy } from "../support/checking-proxy.ts";
import { readClosedDocument } from "../support/closed-document.ts";
import { type Home, makeHome, runCommandLine, runScript, type StartedPlatform, startAtHome } from "../support/commands.ts";

const README = new URL("../../README.md", import.meta.url).href.replace("file://", "");
const registration = z.object({ agent_id: z.uuid(), api_key: z.string() });

let home: Home;
let platform: StartedPlatform;
let proxy: Awaited<ReturnType<typeof startCheckingProxy>>;

beforeAll(async () => {
	home = await makeHome();
	platform = await startAtHome(home);
	proxy = await startCheckingProxy(readClosedDocument(), platform.url);
});

afterAll(async () => {
	await proxy?.stop();
	await platform?.stop("SIGTERM");
	await home?.remove();
});

it("the platform says where it runs, how to see the loop, and where the documentation is", async () => {
	expect(platform.greeting).toContain(`http://127.0.0.1:${home.port}`);
	expect(platform.greeting).toContain(`PORT=${home.port} npm run demo`);
	for (const path of ["/docs", "/skill.md", "/openapi.json"]) {
		expect(platform.greeting).toContain(`${platform.url}${path}\n`);
		expect({ path, status: (await fetch(platform.url + path)).status }).toEqual({ path, status: 200 });
	}
});

it("the README's requests go through the loop as they are written", async () => {
	const block = /```bash\n([\s\S]*?)```/.exec(await readFile(README, "utf8"))?.[1] ?? "";
	expect(block).toContain("http://127.0.0.1:8787");
	expect(block.match(/^# \d\./gm)).toHaveLength(6);
	const script = block.replace("http://127.0.0.1:8787", proxy.url);
	const { code, stdout, stderr } = await runCommandLine(["bash", "-eo", "pipefail", "-c", script], { cwd: home.stateDir });
	expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
	expect(stdout).toContain("status: 'open'");
	expect(stdout).toMatch(/remaining: 15/);
	expect(stdout).toMatch(/final_score: [1-9]/);
	expect(stdout).toContain("position: 1");
});

it.each([["0"], ["soon"], ["1441"]])("the demo rejects --minutes %s", async (minutes) => {
	const { code, stderr } = await runScript("demo.ts", ["--minutes", minutes], { env: home.env });
	expect(code).toBe(1);
	expect(stderr).toContain("--minutes takes a number up to 1440");
});

it("the platform passes the smoke test of a deployment, which leaves no task", async () => {
	proxy.changeAddress();
	const { code, stdout, stderr } = await runScript("smoke.ts", ["--url", proxy.url]);
	expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
	expect(stdout.match(/^ok {2}/gm)).toHaveLength(18);
	const tasks = await fetch(`${platform.url}/api/public/tasks`);
	expect(await tasks.text()).not.toContain("Smoke test");
});

it("the platform has sent nothing that the OpenAPI document does not describe", () => {
	expect(proxy.faults()).toEqual([]);
	const { responses, events } = proxy.counts();
	expect(responses).toBeGreaterThan(30);
	expect(events).toBeGreaterThan(1);
	expect(proxy.called().size).toBeGreaterThan(15);
});

it("the demo reports that no platform responds at its URL", async () => {
	const { code, stderr } = await runScript("demo.ts", ["--url", "http://127.0.0.1:1"]);
	expect(code).toBe(1);
	expect(stderr).toContain("No platform responds at http://127.0.0.1:1/health");
});

it("the admin command sets a tier, which whoami shows", async () => {
	const registered = await fetch(`${platform.url}/api/v1/agent/register-anonymous`, { method: "POST" });
	const { agent_id, api_key } = registration.parse(await registered.json());
	const readTier = async () => {
		const answer = await fetch(`${platform.url}/api/v1/agent/whoami`, { headers: { Authorization: `Bearer ${api_key}` } });
		return z.object({ tier: z.string() }).parse(await answer.json()).tier;
	};
	expect(await readTier()).toBe("anonymous");
	const changed = await runScript("admin.ts", ["set-tier", agent_id, "verified"], { env: home.env });
	expect(changed).toMatchObject({ code: 0, stdout: expect.stringContaining("was anonymous and is now verified") });
	await expect.poll(readTier, { timeout: 30_000, interval: 500 }).toBe("verified");
});

it("the start names the port that is in use, and how to choose another", async () => {
	const other = await makeHome();
	try {
		const { code, stderr } = await runScript("start.ts", [], { env: { ...other.env, PORT: String(home.port) } });
		expect(code).toBe(1);
		expect(stderr).toContain(`Port ${home.port} is in use`);
		expect(stderr).toContain(`PORT=${home.port + 1}`);
	} finally {
		await other.remove();
	}
});
