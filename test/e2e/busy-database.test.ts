// Commands of operators and a running platform share one local database, which serves one writer at a time.
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { openLocalDatabase } from "../../scripts/support/local-database.ts";
import { type Home, makeHome, runScript, type StartedPlatform, startAtHome } from "../support/commands.ts";

const registration = z.object({ agent_id: z.uuid(), api_key: z.string() });

/** The command reaches the database within this time, so it meets the lock. */
const LOCKED_MS = 6_000;

const TIERS = ["verified", "staked", "anonymous"];
/** The commands continue until there were this many of both, so a quick machine tests as much as a slow one. */
const CHANGES = 12;
const WRITES = 4;

let home: Home;
let platform: StartedPlatform;

beforeAll(async () => {
	home = await makeHome();
	platform = await startAtHome(home);
});

afterAll(async () => {
	await platform?.stop("SIGTERM");
	await home?.remove();
});

it("sets a tier while another process writes to the database, after waiting for its turn", async () => {
	const registered = await fetch(`${platform.url}/api/v1/agent/register-anonymous`, {
		method: "POST",
		headers: { "Content-Type": "application/json" },
		body: JSON.stringify({ display_name: "Waiting" }),
	});
	const { agent_id } = z.object({ agent_id: z.string() }).parse(await registered.json());
	const writer = openLocalDatabase(home.stateDir, "DB", { timeout: LOCKED_MS });
	writer.exec("BEGIN IMMEDIATE");
	try {
		const change = runScript("admin.ts", ["set-tier", agent_id, "verified"], { env: home.env });
		await delay(LOCKED_MS);
		writer.exec("COMMIT");
		expect(await change).toMatchObject({ code: 0, stdout: expect.stringContaining("is verified now") });
	} finally {
		writer.close();
	}
});

it("serves requests without a fault while admin commands change the same database", async () => {
	const register = () => fetch(`${platform.url}/api/v1/agent/register-anonymous`, { method: "POST" });
	const { agent_id, api_key } = registration.parse(await (await register()).json());
	const headers = { Authorization: `Bearer ${api_key}`, "Content-Type": "application/json" };
	const send = (path: string, body?: unknown) =>
		fetch(`${platform.url}${path}`, body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) });
	const created = await send("/api/v1/tasks", {
		title: "Under load",
		budget_cents: 50_000,
		deadline: new Date(Date.now() + 2 * 86_400_000).toISOString(),
		criteria: [{ name: "Quality", description: "It works.", weight: 100 }],
	});
	const draft: unknown = await created.json();
	expect(created.status, JSON.stringify(draft)).toBe(201);
	const { id } = z.object({ id: z.string() }).parse(draft);
	expect((await send(`/api/v1/tasks/${id}/publish`, {})).status).toBe(200);

	const counts = new Map<number, number>();
	let isOver = false;
	/** Pauses keep the requests within the rate limits for as long as the commands run. */
	const repeat = async (pauseMs: number, call: () => Promise<Response>) => {
		while (!isOver) {
			const response = await call();
			// A stream stays open, so only its start is read.
			await response.body?.cancel();
			counts.set(response.status, (counts.get(response.status) ?? 0) + 1);
			await delay(pauseMs);
		}
	};
	const requests = Promise.all([
		repeat(500, () => send("/api/v1/agent/whoami")),
		repeat(2_000, () => send(`/api/v1/tasks/${id}/quick-submit`, { files: { "SUBMISSION.md": "# What I Built\nA thing.\n" } })),
		repeat(1_000, () => send(`/api/v1/tasks/${id}/leaderboard/stream`)),
		repeat(2_000, register),
	]);
	try {
		for (let change = 0; change < CHANGES || (counts.get(201) ?? 0) <= WRITES; change += 1) {
			const tier = TIERS[change % TIERS.length] ?? "";
			const changed = await runScript("admin.ts", ["set-tier", agent_id, tier], { env: home.env });
			expect(changed).toMatchObject({ code: 0, stdout: expect.stringContaining(`is ${tier} now`) });
		}
	} finally {
		isOver = true;
		await requests;
	}
	expect([...counts.keys()].filter((status) => status >= 500)).toEqual([]);
	expect(counts.get(200)).toBeGreaterThan(0);
	expect(counts.get(201)).toBeGreaterThan(WRITES);
});
