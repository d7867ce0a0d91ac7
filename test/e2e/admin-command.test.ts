// Tests npm run admin as an operator uses it: against a running platform, and on the state folder of a stopped one.
import { createHash } from "node:crypto";
import { cp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { queryDatabase } from "../../scripts/admin/query-database.ts";
import { findFreePort } from "../../scripts/support/platform.ts";
import { type Home, makeHome, runScript, type StartedPlatform, startAtHome } from "../support/commands.ts";
import { randomAddress } from "../support/http.ts";

const TOKEN = `svc_admin_${"5e".repeat(32)}`;
const WITHOUT = { ADMIN_TOKEN: "", PUBLIC_URL: "" };
const NOTHING = "01900000-0000-7000-8000-000000000000";

let home: Home;
let platform: StartedPlatform;
let seed: { poster: string; agent: string; key: string; taskId: string; submissionId: string; reportId: string };

beforeAll(async () => {
	home = await makeHome();
	const env = { ...home.env, ADMIN_TOKEN_SHA256: createHash("sha256").update(TOKEN).digest("hex") };
	platform = await startAtHome({ ...home, env });
	seed = await fill(platform.url);
});

afterAll(async () => {
	await platform?.stop("SIGTERM");
	await home?.remove();
});

const json = z.record(z.string(), z.unknown());

async function fill(url: string) {
	const send = async (path: string, body: unknown, key?: string) => {
		const headers = { "Content-Type": "application/json", ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }) };
		const response = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
		expect(response.status).toBeLessThan(300);
		return json.parse(await response.json());
	};
	const [poster, agent] = [await send("/api/v1/agent/register-anonymous", {}), await send("/api/v1/agent/register-anonymous", {})];
	const deadline = new Date(Date.now() + 48 * 3_600_000).toISOString();
	const criteria = [{ name: "Greets", description: "prints hello", weight: 100 }];
	const task = await send("/api/v1/tasks", { title: "Greeting", budget_cents: 10_000, deadline, criteria }, String(poster["api_key"]));
	await send(`/api/v1/tasks/${task["id"]}/publish`, {}, String(poster["api_key"]));
	const files = { "SUBMISSION.md": "# What I Built\nprints hello\n" };
	const submission = await send(`/api/v1/tasks/${task["id"]}/quick-submit`, { files }, String(agent["api_key"]));
	const report = await send("/api/v1/reports", { task_id: task["id"], reason: "Spam." }, String(agent["api_key"]));
	return {
		poster: String(poster["agent_id"]),
		agent: String(agent["agent_id"]),
		key: String(agent["api_key"]),
		taskId: String(task["id"]),
		submissionId: String(submission["id"]),
		reportId: String(report["id"]),
	};
}

const admin = (args: readonly string[], env: Record<string, string> = { ADMIN_TOKEN: TOKEN }) =>
	runScript("admin.ts", args, { env: { ...WITHOUT, ...home.env, ...env } });

async function read(...args: string[]) {
	const { code, stdout, stderr } = await admin(args);
	expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: "" });
	return json.parse(JSON.parse(stdout));
}

async function refusal(args: readonly string[], env?: Record<string, string>) {
	const { code, stderr } = await admin(args, env);
	expect({ args, code }).toEqual({ args, code: 1 });
	expect(stderr).not.toContain("    at ");
	return stderr;
}

const because = ["--reason", "It breaks the rules."];

describe("npm run admin with ADMIN_TOKEN", () => {
	it("drives every verb of a running platform, and each act is in the audit log", async () => {
		const whoAmI = () => fetch(`${platform.url}/api/v1/agent/whoami`, { headers: { Authorization: `Bearer ${seed.key}` } });
		expect(await read("suspend-agent", seed.agent, ...because)).toMatchObject({ id: seed.agent });
		expect((await whoAmI()).status).toBe(403);
		expect(await read("restore-agent", seed.agent, ...because)).toMatchObject({ suspended_at: null });
		expect((await whoAmI()).status).toBe(200);
		expect(await read("take-down-task", seed.taskId, ...because)).toMatchObject({ hidden: true });
		expect(await read("restore-task", seed.taskId, ...because)).toMatchObject({ hidden: false });
		expect(await read("re-evaluate-submission", seed.submissionId, ...because)).toMatchObject({ iteration: 2 });
		expect(await read("show-submission", seed.submissionId)).toMatchObject({ task_id: seed.taskId, agent_id: seed.agent });
		expect(await read("void-submission", seed.submissionId, ...because)).toMatchObject({ id: seed.submissionId });
		expect(await read("set-switch", "registration", "off", "--message", "Closed.")).toMatchObject({
			registration: { on: false, message: "Closed." },
		});
		expect(await read("set-switch", "registration", "on")).toMatchObject({ registration: { on: true } });
		expect(await read("show-switches")).toMatchObject({ writes: { on: true } });
		expect(await read("set-ceiling", "deployment_day_usd", "12.5", ...because)).toMatchObject({
			ceilings: { deployment_day_usd: 12.5 },
		});
		expect(await read("set-ceiling", "task_budget_percent", "none", ...because)).toMatchObject({ ceilings: { task_budget_percent: null } });
		expect(await read("rebuild-search")).toMatchObject({ last: null });
		expect(await read("rebuild-directory")).toEqual({ tasks: 1, submissions: 1, last: null });
		expect(await read("verify-objects")).toMatchObject({ failures: [], last: null });
		const entries = await read("inspect-task", seed.taskId, "--table", "entries", "--limit", "1");
		expect(entries).toMatchObject({ id: seed.taskId, tables: [{ table: "entries", count: 1, rows: [{ agent_id: seed.agent }] }] });
		expect(await read("show-spend")).toMatchObject({ ceilings: { deployment_day_usd: 12.5 } });
		expect(Object.keys(await read("show-metrics"))).toContain("queue_age_seconds");
		expect(await read("list-jobs", "--state", "failed")).toMatchObject({ data: [] });
		expect(await read("find", "greet")).toMatchObject({ tasks: [{ id: seed.taskId }] });
		expect(await read("list-reports", "--limit", "1")).toMatchObject({ data: [{ task_id: seed.taskId, reason: "Spam." }] });
		expect(await read("resolve-report", seed.reportId, ...because)).toMatchObject({ id: seed.reportId });
		expect(await read("export-agent", seed.agent)).toMatchObject({ agent_id: seed.agent });
		expect(await read("erase-agent", seed.agent, ...because)).toMatchObject({ id: seed.agent });
		const { data } = z.object({ data: z.array(z.object({ action: z.string() })) }).parse(await read("list-audit", "--limit", "20"));
		expect(data.map(({ action }) => action).toReversed()).toEqual([
			...["agent.suspend", "agent.restore", "task.take_down", "task.restore", "submission.re_evaluate", "submission.void"],
			...["switches.set", "switches.set", "ceilings.set", "ceilings.set", "search.rebuild", "directory.rebuild"],
			"objects.verify",
			...["directory.search", "reports.read", "report.resolve", "agent.export", "agent.erase"],
		]);
	});

	it("shows all commands, or how one is used", async () => {
		const all = await admin(["help"]);
		expect(all).toMatchObject({ code: 0, stdout: expect.stringContaining("set-tier <agent_id> <tier>") });
		expect(await admin([])).toMatchObject({ code: 0, stdout: all.stdout });
		const one = {
			code: 0,
			stdout: expect.stringMatching(/^ {2}npm run admin -- retry-job <job_id>\.\.\. --reason "why"\n.*Retries a job now\.\n$/),
		};
		expect(await admin(["help", "retry-job"])).toMatchObject(one);
		expect(await admin(["retry-job", "--help"])).toMatchObject(one);
	});

	it("says what is wrong, and changes nothing", async () => {
		expect(await refusal(["suspend-agent", seed.poster])).toContain("--reason");
		expect(await refusal(["suspend-agent", ...because])).toMatch(/argument is missing[\s\S]*suspend-agent <agent_id>\.\.\. --reason/);
		expect(await refusal(["show-switches", "judging"])).toMatch(/takes no argument such as "judging"[\s\S]*show-switches/);
		expect(await refusal(["suspend-agent", NOTHING, ...because])).toContain("No agent has this id.");
		expect(await refusal(["retry-job", "nothing", ...because])).toContain("There is no such job.");
		expect(await refusal(["set-switch", "everything", "off"])).toContain("set-switch <registration|");
		expect(await refusal(["set-ceiling", "task_usd", "much", ...because])).toContain("is not a ceiling");
		expect(await refusal(["rewind-task", seed.taskId, ...because])).toContain("rewind-task <task_id> <moment>");
		expect(await refusal(["rewind-task", seed.taskId, new Date().toISOString(), ...because])).toContain("keeps no history");
		expect(await refusal(["obliterate"])).toContain("There is no command");
		expect(await refusal(["set-tier", NOTHING, "verified"])).toContain("There is no agent");
		expect(await refusal(["set-tier", "'; DROP TABLE agents; --", "verified"])).toContain("is not an agent id");
		expect(await refusal(["set-tier", NOTHING, "gold"])).toContain("is not a tier");
		expect(await refusal(["help", "toString"])).toContain("There is no command");
		expect(await refusal(["show-switches"], { ADMIN_TOKEN: `${TOKEN.slice(0, -1)}0` })).toContain("UNAUTHORIZED");
		expect(await refusal(["show-switches", "--remote"])).toContain("PUBLIC_URL");
		expect(await refusal(["show-switches", "--remote", "--env", "stagign"])).toContain("stagign");
		expect(await refusal(["show-switches", "--env", "staging"])).toContain("--remote");
		const nowhere = `http://127.0.0.1:${await findFreePort()}`;
		expect(await refusal(["show-switches", "--remote", "--env", "staging"], { ADMIN_TOKEN: TOKEN, PUBLIC_URL: nowhere })).toContain(
			"cannot be reached",
		);
	});

	it("asks a deployment with --remote", async () => {
		const { code, stdout } = await admin(["show-switches", "--remote", "--env", "staging"], {
			ADMIN_TOKEN: TOKEN,
			PUBLIC_URL: platform.url,
		});
		expect({ code, text: json.parse(JSON.parse(stdout)) }).toMatchObject({ code: 0, text: { registration: { on: true } } });
	});
});

describe("npm run admin with several subjects", () => {
	it("acts on each in turn up to the first refusal, each with its own audit entry", async () => {
		const refused = await refusal(["suspend-agent", seed.poster, NOTHING, seed.poster, ...because]);
		expect(refused).toContain("No agent has this id.");
		expect(refused).toContain(`POST /api/admin/agents/${NOTHING}/suspend. Completed acts before it: 1.`);
		const { stdout } = await admin(["restore-agent", seed.poster, seed.poster, ...because]);
		expect(stdout.match(/"suspended_at": null/g)).toHaveLength(2);
		const { data } = z.object({ data: z.array(z.object({ action: z.string() })) }).parse(await read("list-audit", "--limit", "3"));
		expect(data.map(({ action }) => action)).toEqual(["agent.restore", "agent.restore", "agent.suspend"]);
	});
});

describe("npm run admin without ADMIN_TOKEN", () => {
	it("works on the state folder of a running or stopped platform", async () => {
		const suspended = await admin(["suspend-agent", seed.poster, ...because], {});
		expect(suspended).toMatchObject({ code: 0, stdout: expect.stringContaining(seed.poster) });
		expect((await platform.stop("SIGTERM")).code).toBe(0);
		expect(await refusal(["show-switches"])).toContain("No platform is running at");
		const restored = await admin(["restore-agent", seed.poster, ...because], {});
		expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining('"suspended_at": null') });
	});

	it("refuses a state folder on which no platform has run, instead of showing an empty one", async () => {
		const stateDir = join(home.stateDir, "absent");
		for (const command of ["show-spend", "save-withdrawals"]) {
			expect(await refusal([command], { STATE_DIR: stateDir })).toContain(`no database in ${stateDir} yet`);
		}
	});
});

describe("withdrawals", () => {
	const acting = { ADMIN_TOKEN: TOKEN };

	it("survive a database that goes back in time, and are applied once", async () => {
		const own = await makeHome();
		const env = { ...own.env, ADMIN_TOKEN_SHA256: createHash("sha256").update(TOKEN).digest("hex") };
		const command = async (...args: string[]) => {
			const { code, stdout, stderr } = await runScript("admin.ts", args, { env: { ...WITHOUT, ...own.env, ...acting } });
			expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: "" });
			return stdout;
		};
		let running = await startAtHome({ ...own, env });
		const send = async (path: string, { method = "POST", key = TOKEN, body }: { method?: string; key?: string; body?: unknown } = {}) => {
			const type = body === undefined ? {} : { "Content-Type": "application/json" };
			const headers = { Authorization: `Bearer ${key}`, "CF-Connecting-IP": randomAddress(), ...type };
			const response = await fetch(`${running.url}${path}`, {
				method,
				headers,
				...(body === undefined ? {} : { body: JSON.stringify(body) }),
			});
			return { status: response.status, body: json.parse(await response.json()) };
		};
		const register = async () => {
			const { body } = await send("/api/v1/agent/register-anonymous", { key: "none" });
			return { id: String(body["agent_id"]), key: String(body["api_key"]) };
		};
		const statusOf = async (key: string) => (await send("/api/v1/agent/whoami", { method: "GET", key })).status;
		const d1 = join(own.stateDir, "v3", "d1");
		const copy = join(own.stateDir, "copy-of-d1");
		try {
			const [leaker, banned, gone, operator, freed] = [
				await register(),
				await register(),
				await register(),
				await register(),
				await register(),
			];
			const why = { reason: "It's spam, he said." };
			await send(`/api/admin/agents/${freed.id}/suspend`, { body: why });
			await command("set-tier", operator.id, "verified");
			expect(JSON.parse(await command("list-audit", "--limit", "1"))).toMatchObject({
				data: [
					{ action: "agent.set_tier", actor: "command", target: operator.id, before: { tier: "anonymous" }, after: { tier: "verified" } },
				],
			});
			const second = await send("/api/api-keys", { key: leaker.key, body: { name: "second" } });
			const token = await send("/api/v1/operator-tokens", { key: operator.key, body: {} });
			const hook = await send("/api/v1/webhooks", { key: leaker.key, body: { url: "https://hooks.example/", events: ["deal.created"] } });
			expect([second.status, token.status, hook.status]).toEqual([201, 201, 201]);
			await running.stop("SIGTERM");
			await cp(d1, copy, { recursive: true });
			const moment = new Date().toISOString();

			running = await startAtHome({ ...own, env });
			const revokedKey = await send(`/api/api-keys?id=${second.body["id"]}`, { method: "DELETE", key: leaker.key });
			const revokedToken = await send(`/api/v1/operator-tokens/${token.body["id"]}`, { method: "DELETE", key: operator.key });
			const deletedHook = await send(`/api/v1/webhooks/${hook.body["id"]}`, { method: "DELETE", key: leaker.key });
			const acts = [
				await send(`/api/admin/agents/${banned.id}/suspend`, { body: { reason: `${"x".repeat(473)}👾${"x".repeat(26)}` } }),
				await send(`/api/admin/agents/${freed.id}/restore`, { body: why }),
				await send(`/api/admin/agents/${gone.id}/data`, { method: "DELETE", body: why }),
			];
			expect([revokedKey, revokedToken, deletedHook, ...acts].map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
			await command("set-tier", operator.id, "anonymous");
			// The root key was changed, and the second key of receipts has begun to sign.
			const listKey = (id: string, at: number) =>
				queryDatabase(
					{ sql: `INSERT INTO receipt_keys (id, x, created_at) VALUES ('${id}', '${id}', ${at}) RETURNING 1 AS listed`, row: z.unknown() },
					{ stateDir: own.stateDir },
				);
			const [firstKey, secondKey] = ["a".repeat(43), "b".repeat(43)];
			await listKey(firstKey, 1_000);
			await listKey(secondKey, 2_000);
			const file = join(own.stateDir, "withdrawals.jsonl");
			await writeFile(file, await command("save-withdrawals", moment));
			await running.stop("SIGTERM");

			await rm(d1, { recursive: true });
			await cp(copy, d1, { recursive: true });
			// It signs again before the withdrawals are replayed.
			await listKey(secondKey, 9_000);
			running = await startAtHome({ ...own, env });
			const statuses = () => Promise.all([String(second.body["api_key"]), banned.key, gone.key, freed.key].map(statusOf));
			expect(await statuses()).toEqual([200, 200, 200, 403]);
			const summary = await command("replay-withdrawals", file);
			expect(summary).toContain("Revoked 1 keys and 1 operator tokens, ended 0 sessions, stopped 1 webhooks.");
			expect(summary).toContain("Put 4 entries back into the audit log and set 1 tiers.");
			expect(summary).toContain("Listed 2 keys of receipts since their first use.");
			expect(summary).toContain("Suspended, restored or erased 3 agents.");
			const readListed = () =>
				queryDatabase({ sql: "SELECT id, created_at FROM receipt_keys ORDER BY id", row: z.unknown() }, { stateDir: own.stateDir });
			const listed = [
				{ id: firstKey, created_at: 1_000 },
				{ id: secondKey, created_at: 2_000 },
			];
			expect(await readListed()).toEqual(listed);
			await expect.poll(statuses, { timeout: 20_000, interval: 500 }).toEqual([401, 403, 401, 200]);
			expect((await send("/api/v1/agent/whoami", { method: "GET", key: operator.key })).body).toMatchObject({ tier: "anonymous" });
			const { data } = z
				.object({ data: z.array(z.object({ action: z.string(), reason: z.string() })) })
				.parse(JSON.parse(await command("list-audit", "--limit", "20")));
			expect(data.map(({ action }) => action).toSorted()).toEqual(
				[
					...["agent.suspend", "agent.set_tier"],
					...["agent.suspend", "agent.restore", "agent.erase", "agent.set_tier"],
					...["agent.suspend", "agent.restore", "agent.erase"],
				].toSorted(),
			);
			expect(data[0]?.reason).toBe("Repeated after a restore: It's spam, he said.");

			const again = await command("replay-withdrawals", file);
			expect(again).toContain("Revoked 0 keys and 0 operator tokens, ended 0 sessions, stopped 0 webhooks.");
			expect(again).toContain("Put 0 entries back into the audit log and set 0 tiers.");
			expect(again).toContain("Listed 0 keys of receipts since their first use.");
			expect(again).toContain("Suspended, restored or erased 0 agents.");
			expect(await readListed()).toEqual(listed);
		} finally {
			await running.stop("SIGTERM");
			await own.remove();
		}
	});

	it("are read only from a file that save-withdrawals has written", async () => {
		const own = await makeHome();
		const refused = async (text: string) => {
			const file = join(own.stateDir, "file");
			await writeFile(file, text);
			return refusal(["replay-withdrawals", file], {});
		};
		try {
			expect(await refused("")).toContain("incomplete");
			expect(await refused(`{"kind":"key","id":"' or 1=1 --","at":1}\n`)).toContain("Line 1");
			expect(await refusal(["replay-withdrawals", join(own.stateDir, "absent")], {})).toContain("cannot be read");
			expect(await refusal(["save-withdrawals", "yesterday"], {})).toContain("such as 2026");
		} finally {
			await own.remove();
		}
	});
});
