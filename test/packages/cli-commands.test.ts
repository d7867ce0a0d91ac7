// Tests the command line against scripted servers: exit codes, output, and what is sent.
import { spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { EXIT_CODES, InterruptedError } from "../../packages/cli/src/core/exit-codes.ts";
import { verifyWebhook } from "../../packages/sdk/src/index.ts";
import { runCli } from "../support/cli.ts";
import { openStream, refuse, type ScriptedPlatform, sse, startScripted } from "./scripted.ts";

const TASK = "01a230d9-a660-778d-8de6-c44c789d6478";
let platform: ScriptedPlatform | undefined;

afterEach(async () => {
	await platform?.stop();
	platform = undefined;
});

async function start(scripts: Parameters<typeof startScripted>[0]): Promise<{ BOUNTY_URL: string; BOUNTY_API_KEY: string }> {
	platform = await startScripted(scripts);
	return { BOUNTY_URL: platform.url, BOUNTY_API_KEY: "svc_sk_test" };
}

describe("failures", () => {
	it.each([
		[400, "INVALID_BODY", 5],
		[401, "UNAUTHORIZED", 3],
		[403, "FORBIDDEN", 3],
		[404, "NOT_FOUND", 4],
		[409, "CONFLICT", 5],
		[422, "INVALID_BODY", 5],
		[500, "INTERNAL_ERROR", 9],
	])("with status %i and code %s end with %i", async (status, code, exitCode) => {
		const details = {
			next_actions: [
				{ method: "GET", href: "/x", description: "Look there" },
				{ method: "GET", href: "/api/v1/tasks/1", description: "Read it" },
			],
		};
		const env = await start({ [`POST /api/v1/tasks/${TASK}/close`]: ({ response }) => refuse(response, { status, code, details }) });
		const plain = await runCli(["close", TASK, "--yes"], { env });
		expect(plain).toMatchObject({ code: exitCode, stdout: "" });
		expect(plain.stderr).toContain(`It is ${code}. (${code})`);
		expect(plain.stderr).toContain("request id: r-1");
		expect(plain.stderr).toContain("next: Look there (GET /x)");
		expect(plain.stderr).toContain("next: Read it (bounty task 1)");
		const json = await runCli(["close", TASK, "--yes", "--json"], { env });
		expect(json).toMatchObject({ code: exitCode, stdout: "" });
		expect(JSON.parse(json.stderr)).toMatchObject({ error: { code, status, request_id: "r-1", exit_code: exitCode } });
	});

	it.each([
		[[]],
		[["nonsense"]],
		[["close"]],
		[["extend", TASK]],
		[["tasks", "--limit", "0"]],
		[["tasks", "--status", "gone"]],
		[["completion", "powershell"]],
		[["post", "/nonexistent.yaml"]],
		[["deal", "record", TASK, TASK]],
		[["pick", TASK]],
		[["join", TASK]],
		[["login", "--name", "A"]],
		[["webhooks", "listen", "--forward", "http://example.com"]],
		[["webhooks", "listen", "--forward", "http://localhost:1", "--event", "no.such"]],
		[["webhooks", "listen", "--forward", "http://localhost:1", "--secret", "weak"]],
	])("of usage end with 2 and send nothing: %j", async (args) => {
		const env = await start({});
		const { code, stdout, stderr } = await runCli([...args, "--json"], { env });
		expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
		expect(JSON.parse(stderr).error.exit_code).toBe(2);
		expect(platform?.calls()).toEqual([]);
	});

	it("of usage name the help of the command", async () => {
		expect((await runCli(["deal", "pay", "--json"])).stderr).toContain("See: bounty deal pay --help");
		expect((await runCli(["no-such-command"])).stderr).toContain("See: bounty --help");
	});

	it("of a link to another platform end with 2, and so does a malformed link", async () => {
		const folder = await mkdtemp(join(tmpdir(), "cli-link-"));
		try {
			const env = await start({});
			for (const url of ["https://other.example", "nonsense"]) {
				await writeFile(join(folder, ".bounty.json"), JSON.stringify({ version: 1, url, task_id: TASK }));
				const { code, stderr } = await runCli(["check", folder], { env });
				expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`names a task of ${url}`) });
			}
			expect(platform?.calls()).toEqual([]);
		} finally {
			await rm(folder, { recursive: true, force: true });
		}
	});

	it("of a missing key or URL say what to do", async () => {
		const noKey = await runCli(["whoami"], { env: { BOUNTY_URL: "http://127.0.0.1:9" } });
		expect(noKey).toMatchObject({ code: 3, stderr: expect.stringContaining("bounty login") });
		expect(await runCli(["tasks"])).toMatchObject({ code: 2, stderr: expect.stringContaining("BOUNTY_URL") });
		const insecure = { BOUNTY_URL: "http://bounties.example", BOUNTY_API_KEY: "k" };
		expect(await runCli(["tasks"], { env: insecure })).toMatchObject({ code: 2, stderr: expect.stringContaining("https") });
	});

	it("to confirm end with 10 and send nothing", async () => {
		const env = await start({});
		for (const args of [
			["close", TASK],
			["clone", TASK, "--publish"],
			["delete", TASK],
			["extend", TASK, "2030-01-01T00:00:00Z"],
			["keys", "revoke", TASK],
			["deal", "confirm", TASK],
			["workspace", "delete", "a"],
			["webhooks", "delete", TASK],
		]) {
			expect(await runCli(args, { env })).toMatchObject({ code: 10, stdout: "", stderr: expect.stringContaining("--yes") });
		}
		expect(platform?.calls()).toEqual([]);
	});

	it("to connect end with 9", async () => {
		const env = { BOUNTY_URL: "http://127.0.0.1:9", BOUNTY_API_KEY: "k" };
		const { code, stderr } = await runCli(["task", TASK, "--json"], { env });
		expect(code).toBe(9);
		expect(JSON.parse(stderr).error.message).toMatch(/ECONNREFUSED|bad port|fetch/);
	});

	it("by Ctrl-C end with 130", async () => {
		const env = await start({ [`GET /api/v1/tasks/${TASK}`]: () => new Promise(() => {}) });
		const stop = new AbortController();
		setTimeout(() => stop.abort(new InterruptedError("Interrupted.")), 100);
		expect(await runCli(["task", TASK], { env, signal: stop.signal })).toEqual({ code: 130, stdout: "", stderr: "Interrupted.\n" });
	});

	it("are all in the help, in the README and in the guide", async () => {
		const { code, stdout } = await runCli(["--help"]);
		expect(code).toBe(0);
		for (const [exitCode, meaning] of Object.entries(EXIT_CODES)) expect(stdout).toContain(`${exitCode.padStart(3)}  ${meaning}`);
		const readme = await readFile("packages/cli/README.md", "utf8");
		const guide = await readFile("docs/pages/guides/cli.mdx", "utf8");
		for (const [exitCode, meaning] of Object.entries(EXIT_CODES)) {
			expect(readme).toContain(`| ${exitCode} | ${meaning} |`);
			expect(guide).toContain(`| ${exitCode} | ${meaning} |`);
		}
	});
});

describe("results", () => {
	it("are JSON only with --json, and text without control characters otherwise", async () => {
		const page = { slug: "a", title: "T", description: null, body_md: "Hello \u001b[31mred", file_path: "a.mdx" };
		const env = await start({ "GET /api/v1/docs/page/a": () => page });
		expect(JSON.parse((await runCli(["docs", "read", "a", "--json"], { env })).stdout)).toEqual(page);
		expect((await runCli(["docs", "read", "a"], { env })).stdout).toBe("Hello [31mred\n");
	});

	it("of a failed judgement are printed, with exit code 7", async () => {
		const failed = {
			id: TASK,
			task_id: TASK,
			status: "evaluation_failed",
			evaluated: false,
			scores: null,
			waiting_for: null,
			dimensions: [],
			quota: { used: 1, limit: 2 },
		};
		const env = await start({
			[`GET /api/v1/submissions/${TASK}`]: () => failed,
			[`GET /api/v1/submissions/${TASK}/stream`]: ({ response }) => {
				openStream(response);
				response.end(sse("terminal", "1", failed));
			},
		});
		const { code, stdout, stderr } = await runCli(["watch", TASK, "--json"], { env });
		expect({ code, status: JSON.parse(stdout).status }).toEqual({ code: 7, status: "evaluation_failed" });
		expect(JSON.parse(stderr).error.exit_code).toBe(7);
	});

	it("of clone show the copy, with its status after publishing", async () => {
		const env = await start({
			[`POST /api/v1/tasks/${TASK}/clone`]: () => ({ id: "copy", title: "T", status: "draft", deadline: "", warnings: [] }),
			"POST /api/v1/tasks/copy/publish": () => ({ id: "copy", title: "T", status: "open", warnings: [] }),
		});
		expect((await runCli(["clone", TASK], { env })).stdout).toMatch(/^task +copy\n.*\nstatus +draft\n/);
		const { stdout } = await runCli(["clone", TASK, "--title", "U", "--publish", "--yes", "--json"], { env });
		expect(JSON.parse(stdout)).toMatchObject({ id: "copy", status: "open" });
		expect(platform?.received.map(({ body }) => body.toString())).toEqual(["{}", '{"title":"U"}', ""]);
	});

	it("of a task with its own judge show its callback token even if a later step fails", async () => {
		const token = "svc_cb_once";
		const external = { id: TASK, title: "T", status: "draft", deadline: "", warnings: [], eval_callback_token: token };
		const env = await start({ "POST /api/v1/tasks": () => external, [`POST /api/v1/tasks/${TASK}/clone`]: () => external });
		const folder = await mkdtemp(join(tmpdir(), "cli-post-"));
		try {
			const file = join(folder, "task.yaml");
			await writeFile(file, "version: 1\ntitle: T\nbudget_cents: 10000\ndeadline: 2026-12-24T10:00:00Z\n");
			expect(await runCli(["post", file], { env })).toMatchObject({ code: 4, stdout: expect.stringContaining(token) });
			await rm(join(folder, "task.bounty.json"));
			const { code, stdout } = await runCli(["post", file, "--json"], { env });
			expect({ code, data: JSON.parse(stdout) }).toMatchObject({ code: 4, data: { task: { id: TASK, eval_callback_token: token } } });
		} finally {
			await rm(folder, { recursive: true, force: true });
		}
		const { code, stdout } = await runCli(["clone", TASK, "--publish", "--yes", "--json"], { env });
		expect({ code, data: JSON.parse(stdout) }).toMatchObject({ code: 4, data: { id: TASK, eval_callback_token: token } });
	});

	it("of completion complete words in bash", async () => {
		const script = (await runCli(["completion", "bash"])).stdout;
		for (const [words, expected] of [
			["bounty deal ac", "accept"],
			["bounty lead", "leaderboard"],
			["bounty submit --min", "--minimum-score"],
		]) {
			const probe = `${script}\nCOMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _bounty; echo "\${COMPREPLY[@]}"`;
			expect(spawnSync("bash", ["-c", probe], { encoding: "utf8" })).toMatchObject({ stdout: `${expected}\n`, stderr: "" });
		}
	});

	it("of completion are scripts that name every command", async () => {
		for (const shell of ["bash", "zsh", "fish"]) {
			const { code, stdout } = await runCli(["completion", shell]);
			expect(code).toBe(0);
			for (const word of ["submit", "leaderboard", "dry-run", "listen", "minimum-score"]) expect(stdout).toContain(word);
		}
	});
});

/** These commands need what the platform of test/e2e/cli.test.ts does not have, such as a person's key, a final round or a signature. */
const UNCOMMON: readonly (readonly [args: readonly string[], call: string, body: unknown])[] = [
	[
		["operators", "create", "--label", "fleet", "--quota", "5", "--child-percent", "10"],
		"POST /api/v1/operator-tokens",
		{ label: "fleet", monthly_quota_submissions: 5, child_quota_pct: 10 },
	],
	[["operators", "revoke", TASK, "--yes"], `DELETE /api/v1/operator-tokens/${TASK}`, null],
	[["operators", "mint", "--name", "Child"], "POST /api/v1/operator-tokens/mint-child", { display_name: "Child" }],
	[["join", TASK, "svc_invite_1"], `POST /api/v1/tasks/${TASK}/join`, { invite_code: "svc_invite_1" }],
	[["pick", TASK, "best"], `PUT /api/v1/tasks/${TASK}/pick`, { submission_id: "best" }],
	[["pick", TASK, "--none"], `PUT /api/v1/tasks/${TASK}/pick`, { submission_id: null }],
	[["deal", "dispute", TASK, "--reason", "late", "--yes"], `POST /api/v1/deals/${TASK}/dispute`, { reason: "late" }],
	[["webhooks", "replay", TASK, "sent"], `POST /api/v1/webhooks/${TASK}/deliveries/sent/replay`, null],
	[["results", TASK], `GET /api/v1/submissions/${TASK}`, null],
];

describe("uncommon commands", () => {
	it.each(UNCOMMON)("send the right request and print the response, or fail with its code: %j", async (args, call, body) => {
		const response = { id: "x" };
		const env = { ...(await start({ [call]: () => response })), BOUNTY_OPERATOR_TOKEN: "svc_op_test" };
		const { code, stdout } = await runCli([...args, "--json"], { env });
		expect({ code, printed: JSON.parse(stdout) }).toEqual({ code: 0, printed: response });
		const [sent] = platform?.received ?? [];
		expect(sent?.call).toBe(call);
		expect(JSON.parse(sent?.body.toString() || "null")).toEqual(body);
		await platform?.stop();
		const missing = { ...(await start({})), BOUNTY_OPERATOR_TOKEN: "svc_op_test" };
		expect(await runCli([...args, "--json"], { env: missing })).toMatchObject({ code: 4, stdout: "" });
	});

	it("join a task by the link of an invitation", async () => {
		const call = `POST /api/v1/tasks/${TASK}/join`;
		const env = await start({ [call]: () => ({ id: TASK, title: "Parse" }) });
		const { code, stdout } = await runCli(["join", `${platform?.url}/console/tasks/${TASK}#svc_invite_1`], { env });
		expect({ code, stdout }).toEqual({ code: 0, stdout: `Joined Parse\nNext: bounty task ${TASK}\n` });
		expect(JSON.parse(platform?.received[0]?.body.toString() ?? "null")).toEqual({ invite_code: "svc_invite_1" });
	});

	it("prove a wallet with the challenge of a file", async () => {
		const folder = await mkdtemp(join(tmpdir(), "cli-wallet-"));
		try {
			const challenge = { nonce: "n", ts: 1, sig: "s" };
			await writeFile(join(folder, "challenge.json"), JSON.stringify({ ...challenge, message: "Sign this" }));
			const proof = { payout_address: "0x1", wallet_verified_at: "2026-01-01T00:00:00.000Z" };
			const env = await start({ "POST /api/v1/wallet/verify/sign": () => proof });
			const args = ["wallet", "prove", "--challenge", join(folder, "challenge.json"), "--signature", "0x2", "--json"];
			expect(JSON.parse((await runCli(args, { env })).stdout)).toEqual(proof);
			expect(JSON.parse(platform?.received[0]?.body.toString() ?? "")).toEqual({ ...challenge, signature: "0x2" });
		} finally {
			await rm(folder, { recursive: true, force: true });
		}
	});
});

describe("the MCP proxy", () => {
	const lines = (...messages: readonly unknown[]) => messages.map((message) => `${JSON.stringify(message)}\n`).join("");

	it("passes messages on with key and revision, and events message by message", async () => {
		const env = await start({
			"POST /mcp": ({ body, response }) => {
				const { id, method } = JSON.parse(body.toString());
				if (method === "initialize") return { jsonrpc: "2.0", id, result: { protocolVersion: "2025-11-25" } };
				if (id === undefined) {
					response.writeHead(202).end();
					return undefined;
				}
				openStream(response);
				const progress = { jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } };
				response.end(sse("message", "1", progress) + sse("message", "2", { jsonrpc: "2.0", id, result: { ok: true } }));
				return undefined;
			},
		});
		const input = lines(
			{ jsonrpc: "2.0", id: 1, method: "initialize", params: {} },
			{ jsonrpc: "2.0", method: "notifications/initialized" },
			{ jsonrpc: "2.0", id: "two", method: "tools/call", params: { name: "find_tasks" } },
		);
		const { code, stdout } = await runCli(["mcp"], { env, input });
		expect(code).toBe(0);
		const messages = stdout
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line));
		expect(messages).toEqual([
			{ jsonrpc: "2.0", id: 1, result: { protocolVersion: "2025-11-25" } },
			{ jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } },
			{ jsonrpc: "2.0", id: "two", result: { ok: true } },
		]);
		const call = platform?.received.find(({ body }) => body.toString().includes("find_tasks"));
		expect(call?.headers).toMatchObject({
			authorization: "Bearer svc_sk_test",
			"mcp-protocol-version": "2025-11-25",
			"mcp-method": "tools/call",
			"mcp-name": "find_tasks",
		});
	});

	it("passes a message on while the first one waits, so that it can be cancelled", async () => {
		const env = await start({
			"POST /mcp": ({ body, response }) => {
				const { id } = JSON.parse(body.toString());
				if (id === 2) return { jsonrpc: "2.0", id, result: {} };
				if (id === undefined) response.writeHead(202).end();
				else openStream(response);
				return undefined;
			},
		});
		const input = lines(
			{ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "wait_for_score" } },
			{ jsonrpc: "2.0", id: 2, method: "tools/list" },
			{ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
		);
		const { code, stdout } = await runCli(["mcp"], { env, input });
		expect({ code, message: JSON.parse(stdout) }).toEqual({ code: 0, message: { jsonrpc: "2.0", id: 2, result: {} } });
	});

	it("gives every request a response, also after faults", async () => {
		const env = await start({
			"POST /mcp": ({ body, response }) => {
				const { id } = JSON.parse(body.toString());
				if (id === 1) refuse(response, { status: 401, code: "UNAUTHORIZED" });
				else {
					openStream(response);
					response.end(sse("message", "1", { jsonrpc: "2.0", method: "notifications/progress" }));
				}
				return undefined;
			},
		});
		const input = `nonsense\n${lines({ jsonrpc: "2.0", id: 1, method: "a" }, { jsonrpc: "2.0", id: 2, method: "b" })}`;
		const { stdout } = await runCli(["mcp"], { env, input });
		const messages = stdout
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line));
		expect(messages).toContainEqual({ jsonrpc: "2.0", id: null, error: { code: -32_700, message: expect.any(String) } });
		expect(messages).toContainEqual({ jsonrpc: "2.0", id: 1, error: { code: -32_000, message: "It is UNAUTHORIZED. (request id: r-1)" } });
		expect(messages).toContainEqual({
			jsonrpc: "2.0",
			id: 2,
			error: { code: -32_000, message: expect.stringContaining("before the response") },
		});
	});
});

describe("webhooks listen", () => {
	it("forwards new entries of the log, signed, and continues when the service is down", async () => {
		const secret = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;
		const entry = (n: number) => {
			const event_id = `01a230d9-0000-7000-8000-00000000000${n}`;
			const payload = { event: "task.opened", id: event_id, timestamp: new Date().toISOString(), task_id: TASK };
			return {
				id: `delivery-${n}`,
				event: "task.opened",
				event_id,
				payload,
				status: "pending",
				attempts: [],
				created_at: payload.timestamp,
			};
		};
		const stop = new AbortController();
		const forwarded: { headers: Record<string, string>; body: string }[] = [];
		const env = await start({
			"GET /api/v1/webhooks/w/deliveries": ({ count, response }) => {
				if (count === 1) return refuse(response, { status: 500, code: "INTERNAL_ERROR" });
				const log = count === 0 ? [entry(1)] : [entry(3), entry(2), entry(1)];
				return { data: log, pagination: { has_more: false, next_cursor: null } };
			},
			"POST /hook": ({ headers, body, response }) => {
				forwarded.push({
					headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
					body: body.toString(),
				});
				if (forwarded.length === 1) response.writeHead(503).end();
				else response.writeHead(204).end(() => setTimeout(() => stop.abort(new Error("stop")), 50));
			},
		});
		const args = ["webhooks", "listen", "--webhook", "w", "--forward", `${env.BOUNTY_URL}/hook`, "--secret", secret, "--json"];
		const { stdout } = await runCli(args, { env, signal: stop.signal });
		const printed = stdout
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line));
		expect(printed.map(({ type, status }) => [type, status])).toEqual([
			["listening", undefined],
			["delivery", 503],
			["delivery", 204],
		]);
		expect(forwarded.map(({ body }) => JSON.parse(body).id)).toEqual([entry(2).event_id, entry(3).event_id]);
		for (const { headers, body } of forwarded) {
			expect((await verifyWebhook(headers, body, secret)).event).toBe("task.opened");
			expect(headers["x-svc-signature"]).toBe(createHmac("sha256", secret).update(body).digest("hex"));
			expect(headers["x-svc-event"]).toBe("task.opened");
		}
	});

	it("misses nothing if more comes than a page has, before the first event or between ignored ones", async () => {
		const PAGE = 20;
		const entry = (n: number) => {
			const event = n % 25 === 0 ? "task.opened" : "deal.created";
			const event_id = `event-${n}`;
			return { id: `delivery-${n}`, event, event_id, payload: { event, id: event_id }, status: "pending", attempts: [], created_at: "" };
		};
		// The logs are newest first: nothing, then 30 entries, then 30 more.
		const logs = [0, 30, 60].map((length) => Array.from({ length }, (_, index) => entry(length - 1 - index)));
		let reads = -1;
		const stop = new AbortController();
		const forwarded: string[] = [];
		const env = await start({
			"GET /api/v1/webhooks/w/deliveries": ({ call }) => {
				const from = Number(new URL(call.slice(4), "http://localhost").searchParams.get("cursor") ?? 0);
				if (from === 0) reads += 1;
				const log = logs[Math.min(reads, logs.length - 1)] ?? [];
				const next = from + PAGE < log.length ? String(from + PAGE) : null;
				return { data: log.slice(from, from + PAGE), pagination: { has_more: next !== null, next_cursor: next } };
			},
			"POST /hook": ({ body, response }) => {
				forwarded.push(JSON.parse(body.toString()).id);
				response.writeHead(204).end(() => forwarded.length === 3 && setTimeout(() => stop.abort(new Error("stop")), 50));
			},
		});
		setTimeout(() => stop.abort(new Error("stop")), 10_000);
		const args = ["webhooks", "listen", "--webhook", "w", "--event", "task.opened", "--forward", `${env.BOUNTY_URL}/hook`];
		await runCli(args, { env, signal: stop.signal });
		expect(forwarded).toEqual(["event-0", "event-25", "event-50"]);
	});
});

it("reads a folder's files for a dry run, and leaves the secrets out", async () => {
	const folder = await mkdtemp(join(tmpdir(), "cli-dry-"));
	try {
		await writeFile(join(folder, "main.js"), "1");
		await writeFile(join(folder, ".env"), "A=1");
		await writeFile(join(folder, "config.js"), "const key = 'svc_sk_test'");
		const run = {
			id: TASK,
			task_id: TASK,
			status: "evaluation_failed",
			error_message: "No judge.",
			dimensions: [],
			scores: null,
			agreement: null,
		};
		const env = await start({
			[`POST /api/v1/tasks/${TASK}/dry-run`]: () => ({ id: TASK, status: "running" }),
			[`GET /api/v1/dry-runs/${TASK}`]: () => run,
		});
		const { code, stderr } = await runCli(["dry-run", TASK, folder, "--expect", "A=b=80"], { env });
		expect({ code, stderr }).toEqual({ code: 7, stderr: expect.stringContaining("No judge.") });
		expect(stderr).toContain("secrets: .env, config.js");
		expect(JSON.parse(platform?.received[0]?.body.toString() ?? "")).toEqual({ files: { "main.js": "1" }, expected: { "A=b": 80 } });
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
});
