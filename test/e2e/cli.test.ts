// Tests the command line as its users get it: packed, installed into an empty folder, and run on two versions of Node, with and without
// a terminal. Commands that differ only in their request run in this process, because each process costs half a second.
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installCli, runInTerminal } from "../support/cli.ts";
import { CliUser } from "../support/cli-user.ts";
import { type Home, makeHome, type StartedPlatform, startAtHome } from "../support/commands.ts";
import { randomAddress } from "../support/http.ts";

const TIMEOUT_MS = 600_000;
const NODE_20 = "/usr/bin/node";

let home: Home;
let platform: StartedPlatform;
let installed: Awaited<ReturnType<typeof installCli>>;
let scratch = "";
const { fetch } = globalThis;

/** Each command sends its requests from its own IP address, so that it does not wait for the rate limits of the commands before it. */
const FROM_ADDRESS = `const { fetch } = globalThis;
globalThis.fetch = (url, init) => {
	const request = new Request(url, init);
	request.headers.set("CF-Connecting-IP", process.env.CALLER_IP);
	return fetch(request);
};`;

beforeAll(async () => {
	home = await makeHome();
	scratch = await mkdtemp(join(tmpdir(), "cli-test-"));
	await writeFile(join(scratch, "from-address.mjs"), FROM_ADDRESS);
	globalThis.fetch = (url, init) => {
		const request = new Request(url, init);
		request.headers.set("CF-Connecting-IP", randomAddress());
		return fetch(request);
	};
	[installed, platform] = await Promise.all([installCli(), startAtHome(home)]);
}, TIMEOUT_MS);

afterAll(async () => {
	globalThis.fetch = fetch;
	await platform?.stop("SIGTERM");
	await home?.remove();
	await installed?.remove();
	await rm(scratch, { recursive: true, force: true });
});

/** Returns a user whose commands are processes of this version of Node, or run in this process if it is null. */
function makeUser(name: string, node: string | null, url = platform.url): CliUser {
	const command = node === null ? null : ([node, "--import", join(scratch, "from-address.mjs"), installed.main] as const);
	return new CliUser({ folder: join(scratch, name), url, command });
}

function enrol(name: string, node: string | null, url = platform.url): Promise<CliUser> {
	return makeUser(name, node, url).enrol(name);
}

function taskFile(title: string): string {
	const deadline = new Date(Date.now() + 3 * 86_400_000).toISOString();
	return `version: 1\ntitle: ${title}\ncategory: cli\nbudget_cents: 10000\ndeadline: ${deadline}\ncriteria:\n  - { name: Greets, description: prints hello, weight: 100 }\n`;
}

async function postOpenTask(poster: CliUser, file: string): Promise<string> {
	await writeFile(poster.path(file), taskFile(`Greeting ${file}`));
	const { task, published } = await poster.json(["post", poster.path(file), "--publish", "--yes"]);
	expect({ published, status: task.status }).toEqual({ published: true, status: "open" });
	return task.id;
}

async function writeWork(folder: string): Promise<void> {
	await writeFile(join(folder, "main.js"), "console.log('hello')");
	await writeFile(join(folder, "bytes.bin"), Buffer.from([0, 255, 128, 10]));
	await writeFile(join(folder, ".env"), "TOKEN=1");
}

const NOBODY = "01a230d9-a660-778d-8de6-c44c789d6478";
const versions = [process.execPath, NODE_20].map(
	(path, index) => [spawnSync(path, ["--version"], { encoding: "utf8" }).stdout?.trim() || "none", path, `v${index}`] as const,
);

describe.each(versions.filter(([version]) => version !== "none"))("the installed command on Node %s", (_, node, key) => {
	it(
		"goes from a task to its results, and distinguishes failures by exit codes",
		async () => {
			const [poster, agent] = await Promise.all([enrol(`poster-${key}`, node), enrol(`agent-${key}`, node)]);
			const id = await postOpenTask(poster, "task.yaml");
			await agent.json(["init", id, "work"]);
			await writeWork(agent.path("work"));
			await mkdir(agent.path("bad"));
			await writeFile(agent.path("bad/a\\b"), "x");
			const [submission] = await Promise.all([
				agent.json(["submit", "work", "--minimum-score", "100"], 8),
				agent.failure(["submit", "bad", "--task", id], 6),
				agent.failure(["submit", "bad"], 2),
				agent.failure(["task", NOBODY], 4),
				agent.failure(["close", id, "--yes"], 3),
				agent.failure(["webhooks", "create", "ftp://example.com/", "--event", "deal.created"], 5),
				poster.failure(["close", id], 10),
			]);
			expect(submission).toMatchObject({ task_id: id, status: "completed" });
			await poster.run("files", submission.id, "bytes.bin", "--output", "bytes.bin");
			expect(await readFile(poster.path("bytes.bin"))).toEqual(Buffer.from([0, 255, 128, 10]));
			// These are commands of every other group.
			const groups = [["keys"], ["wallet"], ["operators"], ["workspace", "quota"], ["docs"], ["webhooks"], ["deal"], ["export", id]];
			for (const output of await Promise.all(groups.map((args) => poster.json(args)))) expect(output).toEqual(expect.any(Object));
		},
		TIMEOUT_MS,
	);
});

/** Runs a command whose standard error or output no one reads, and returns its exit code. */
async function runUnread(user: CliUser, stream: "stdout" | "stderr", args: readonly string[]): Promise<number | null> {
	const [command, ...rest] = [...user.command, ...args];
	const child = spawn(command, rest, { cwd: user.folder, env: { ...process.env, ...user.env } });
	child[stream].destroy();
	child[stream === "stdout" ? "stderr" : "stdout"].resume();
	return new Promise((resolve) => child.on("close", resolve));
}

describe("the exit code", () => {
	it(
		"is the same when no one reads the messages",
		async () => {
			const user = makeUser("unread", process.execPath);
			await mkdir(user.folder, { recursive: true });
			for (const json of [[], ["--json"]]) {
				expect(await runUnread(user, "stderr", ["nonsense", ...json])).toBe(2);
				expect(await runUnread(user, "stderr", ["whoami", ...json])).toBe(3);
				expect(await runUnread(user, "stderr", ["task", NOBODY, ...json])).toBe(3);
				expect(await runUnread(user, "stderr", ["docs", ...json])).toBe(0);
			}
			const offline = makeUser("offline", process.execPath, "http://127.0.0.1:9");
			await mkdir(offline.folder, { recursive: true });
			expect(await runUnread(offline, "stderr", ["docs"])).toBe(9);
		},
		TIMEOUT_MS,
	);

	it(
		"is 0 when the reader of the output stops early, also in a stream and under an MCP client that dies",
		async () => {
			const user = await enrol("cut-off", process.execPath);
			for (const args of [["--help"], ["docs", "--json"], ["docs", "read", "guides/cli"], ["tasks", "--json"]])
				expect(await runUnread(user, "stdout", args)).toBe(0);
			expect(await runUnread(user, "stdout", ["webhooks", "listen", "--forward", "http://127.0.0.1:9/"])).toBe(0);
			expect((await user.json(["webhooks"])).data.filter(({ active }: { active: boolean }) => active)).toEqual([]);
			const id = await postOpenTask(user, "cut-off.yaml");
			expect(await runUnread(user, "stdout", ["leaderboard", id, "--follow", "--json"])).toBe(0);
			const [command, ...rest] = [...user.command, "mcp"];
			const child = spawn(command, rest, { cwd: user.folder, env: { ...process.env, ...user.env } });
			child.stdout.destroy();
			const ended = new Promise((resolve) => child.on("close", resolve));
			child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })}\n`);
			expect(await ended).toBe(0);
			// A failure after the output stays a failure.
			await user.json(["init", id, "cut"]);
			await writeFile(user.path("cut/main.js"), "1");
			expect(await runUnread(user, "stdout", ["submit", "cut", "--minimum-score", "100"])).toBe(8);
			expect(await runUnread(user, "stdout", ["nonsense"])).toBe(2);
		},
		TIMEOUT_MS,
	);
});

describe("every command", () => {
	it("helps to take a task from its draft to a confirmed deal", async () => {
		const [poster, agent] = [await enrol("poster", null), await enrol("agent", null)];
		const me = await agent.json(["whoami"]);
		const file = poster.path("task.yaml");
		await writeFile(file, taskFile("Draft"));
		const draft = await poster.json(["post", file]);
		expect(draft).toMatchObject({ created: true, published: false, task: { status: "draft", title: "Draft" } });
		await writeFile(file, taskFile("Better").replace("name: Greets", "name: Says hello"));
		const updated = await poster.json(["post", file]);
		expect(updated).toMatchObject({ created: false, task: { id: draft.task.id, title: "Better", criteria: [{ name: "Says hello" }] } });
		await poster.failure(["post", file, "--publish"], 10);
		expect(await poster.json(["post", file, "--publish", "--yes"])).toMatchObject({ published: true });
		expect((await poster.failure(["post", file], 5)).message).toContain("Only drafts");
		const id = draft.task.id;

		expect((await agent.json(["tasks", "--category", "cli"])).data.map((task: { id: string }) => task.id)).toContain(id);
		expect((await poster.json(["tasks", "--mine"])).data).toHaveLength(1);
		expect((await agent.json(["search", "Better"])).data.map((task: { id: string }) => task.id)).toContain(id);
		expect((await agent.run("task", id)).stdout).toContain(id);
		await agent.failure(["task", NOBODY], 4);

		const [work, bad] = [agent.path("work"), agent.path("bad")];
		await agent.json(["init", id, work]);
		await agent.failure(["init", id, work], 2);
		expect(await readFile(join(work, "SUBMISSION.md"), "utf8")).toContain("**Says hello** (100 %)");
		await writeWork(work);
		const checked = await agent.json(["check", work]);
		expect(checked).toMatchObject({ ok: true, left_out: { secrets: [".env"] } });
		await mkdir(bad);
		await writeFile(join(bad, "a\\b"), "x");
		expect(await agent.json(["check", bad, "--task", id], 6)).toMatchObject({ ok: false });
		await agent.failure(["submit", bad, "--task", id], 6);
		await agent.failure(["submit", bad], 2);

		const submission = await agent.json(["submit", work]);
		expect(submission).toMatchObject({ task_id: id, status: "completed", scores: { final_score: expect.any(Number) } });
		expect(await agent.json(["submit", work, "--again", "--minimum-score", "100"], 8)).toMatchObject({ status: "completed" });
		const second = await agent.json(["submit", work, "--no-wait", "--name", "Hello"]);
		expect(await agent.json(["watch", second.id])).toMatchObject({ id: second.id, status: "completed" });
		await agent.failure(["watch", NOBODY], 4);
		expect(await agent.json(["results", submission.id])).toMatchObject({ dimensions: [{ criterion_name: "Says hello" }] });
		expect((await agent.json(["results", "--task", id])).data).toHaveLength(3);
		expect(await agent.json(["leaderboard", id])).toMatchObject({ entries: [{ rank: 1, isMe: true }] });
		await agent.failure(["leaderboard", NOBODY], 4);
		await agent.failure(["pick", id, submission.id], 5);

		expect((await poster.json(["review", id])).data).toHaveLength(3);
		await agent.failure(["review", id], 3);
		const listed = (await poster.json(["files", submission.id])).data.map(({ path }: { path: string }) => path);
		expect(listed).toEqual(["SUBMISSION.md", "bytes.bin", "main.js"]);
		await poster.json(["files", submission.id, "bytes.bin", "--output", poster.path("bytes.bin")]);
		expect(await readFile(poster.path("bytes.bin"))).toEqual(Buffer.from([0, 255, 128, 10]));
		await poster.failure(["files", submission.id, "none"], 4);
		expect(await poster.json(["dry-run", file, work, "--expect", "Says hello=50"])).toMatchObject({
			status: "completed",
		});
		await poster.failure(["dry-run", NOBODY, work], 4);

		const later = new Date(Date.now() + 5 * 86_400_000).toISOString();
		expect(await poster.json(["extend", id, later, "--yes"])).toMatchObject({ id, deadline: later });
		await poster.failure(["extend", id, new Date().toISOString(), "--yes"], 5);
		await poster.failure(["delete", id, "--yes"], 5);
		const copy = await poster.json(["clone", id, "--title", "Again"]);
		expect(copy).toMatchObject({ title: "Again", status: "draft", criteria: [{ name: "Says hello" }] });
		expect(await poster.json(["delete", copy.id, "--yes"])).toEqual({ id: copy.id, deleted: true });
		expect(await poster.json(["clone", id, "--deadline", later, "--publish", "--yes"])).toMatchObject({ status: "open", deadline: later });
		await agent.failure(["clone", id], 3);

		await poster.failure(["close", id], 10);
		expect(await poster.json(["close", id, "--yes"])).toMatchObject({ id });
		const csv = await poster.run("export", id);
		expect(csv.stdout.split("\n")[0]).toContain("submission_id");
		const rows = (await poster.run("export", id, "--json")).stdout
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line));
		expect(rows).toHaveLength(3);
		await agent.failure(["export", id], 3);

		const deal = await poster.json(["deal", "record", id, me.agent_id, "--value", "5000", "--yes"]);
		const address = "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359";
		await agent.json(["wallet", "set", "--method", "onchain_usdc", "--chain", "base", "--address", address, "--yes"]);
		await agent.json(["deal", "accept", deal.id]);
		await agent.failure(["deal", "pay", deal.id, "--reference", "ref"], 3);
		await poster.json(["deal", "pay", deal.id, "--reference", "ref"]);
		expect(await agent.json(["deal", "confirm", deal.id, "--yes"])).toMatchObject({ status: "received" });
		await agent.failure(["deal", "dispute", deal.id, "--reason", "late", "--yes"], 5);
		expect((await agent.json(["deal"])).data).toMatchObject([{ id: deal.id, role: "agent" }]);
		expect(await agent.json(["deal", "show", deal.id])).toMatchObject({ id: deal.id });
	});
});

describe("a command in a terminal", () => {
	let user: CliUser;
	let id = "";

	beforeAll(async () => {
		user = await enrol("terminal", process.execPath);
		id = await postOpenTask(user, "terminal.yaml");
	}, TIMEOUT_MS);

	const inTerminal = (args: readonly string[], steps: readonly (readonly [string, string])[] = [], env = {}) =>
		runInTerminal([...user.command, ...args], { cwd: user.folder, env: { ...user.env, ...env }, steps });

	it(
		"shows colours and progress, but not with NO_COLOR or --json",
		async () => {
			await user.json(["init", id, "work"]);
			await writeWork(join(user.folder, "work"));
			// The file is too large for one request, so the command packs and uploads a zip.
			await writeFile(user.path("work/noise.bin"), randomBytes(6_000_000));
			const coloured = await inTerminal(["submit", "work"]);
			expect(coloured.code).toBe(0);
			expect(coloured.output).toContain("\u001b[1m");
			for (const step of ["packing [", "uploading [", "judging"]) expect(coloured.output).toContain(step);
			const plain = await inTerminal(["task", id], [], { NO_COLOR: "1" });
			expect(plain).toMatchObject({ code: 0 });
			expect(plain.output).not.toContain("\u001b");
			const json = await inTerminal(["task", id, "--json"]);
			expect(JSON.parse(json.output).id).toBe(id);
			const piped = await user.run("submit", "work");
			expect(piped).toMatchObject({ code: 0 });
			expect(piped.stdout + piped.stderr).not.toContain("\u001b");
		},
		TIMEOUT_MS,
	);

	it(
		"asks before final actions: no changes nothing, Ctrl-C ends with 130, yes does it",
		async () => {
			expect((await inTerminal(["close", id], [["Close task", "n"]])).code).toBe(10);
			expect((await inTerminal(["close", id], [["Close task", "\u0003"]])).code).toBe(130);
			expect(await user.json(["task", id])).toMatchObject({ status: "open" });
			expect((await inTerminal(["close", id], [["Close task", "y"]])).code).toBe(0);
			expect((await user.json(["task", id])).status).not.toBe("open");
		},
		TIMEOUT_MS,
	);

	it(
		"asks for URL and key, without showing the key",
		async () => {
			const { api_key: key } = await user.json(["keys", "create"]);
			const fresh = makeUser("fresh", process.execPath);
			await mkdir(fresh.folder);
			const { code, output } = await runInTerminal([...fresh.command, "login", "--with-key", "--url", platform.url], {
				cwd: fresh.folder,
				env: { ...fresh.env, BOUNTY_URL: "" },
				steps: [["API key", `${key}\r`]],
			});
			expect(code).toBe(0);
			expect(output).not.toContain(key);
			expect(await fresh.json(["whoami"])).toMatchObject({ url: platform.url });
		},
		TIMEOUT_MS,
	);

	it(
		"ends with 130 at Ctrl-C in the middle of a stream",
		async () => {
			const open = await postOpenTask(user, "second.yaml");
			const { code, output } = await inTerminal(["leaderboard", open, "--follow"], [["RANK", "\u0003"]]);
			expect({ code, output }).toEqual({ code: 130, output: expect.stringContaining("Interrupted.") });
		},
		TIMEOUT_MS,
	);
});
