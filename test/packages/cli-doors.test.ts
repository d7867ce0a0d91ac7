// Tests the command line against scripted servers: attachments, any operation, repeated submissions, and waits.
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { localFolderName } from "../../packages/cli/src/work/local-names.ts";
import { runCli } from "../support/cli.ts";
import { refuse, type ScriptedPlatform, startScripted } from "./scripted.ts";

const TASK = "01a230d9-a660-778d-8de6-c44c789d6478";
const READ = `GET /api/v1/tasks/${TASK}`;
const ATTACHMENTS = `GET /api/tasks/${TASK}/attachments`;
const CONTENT = `GET /api/tasks/${TASK}/attachments/a/content`;
let platform: ScriptedPlatform | undefined;
let folder = "";

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), "cli-doors-"));
});
afterEach(async () => {
	await platform?.stop();
	platform = undefined;
	await rm(folder, { recursive: true, force: true });
});

async function start(scripts: Parameters<typeof startScripted>[0]) {
	platform = await startScripted(scripts);
	const { url } = platform;
	return { url, env: { BOUNTY_URL: url, BOUNTY_API_KEY: "svc_sk_test" } };
}

function attachment(filename: string) {
	const download_url = `${platform?.url}/api/tasks/${TASK}/attachments/a/content?signature=s`;
	return { id: "a1", field: "input_spec", filename, file_size: 3, content_type: "text/csv", description: null, download_url };
}

const task = {
	...{ id: TASK, title: "Sum", status: "open", category: "csv", budget_cents: 10_000, deadline: "2030-01-01T00:00:00.000Z" },
	...{ eval_mode: "llm", competitor_count: 0, quota: { used: 0, limit: 15, remaining: 15 }, description: "Sum the data.\u001b[2J" },
	...{ input_spec: "", output_spec: "", criteria: [{ name: "Sum", weight: 100, description: null, position: 0 }] },
};
const csv = ({ response }: { response: import("node:http").ServerResponse }) => {
	response.writeHead(200, { "Content-Type": "text/csv" }).end("a,b");
};

describe("attachments", () => {
	it("are listed with a task, which its URL identifies", async () => {
		const { env, url } = await start({ [READ]: () => task, [ATTACHMENTS]: () => [attachment("data.csv")] });
		const { code, stdout } = await runCli(["task", `${url}/tasks/${TASK}`], { env });
		expect(code).toBe(0);
		expect(stdout).toMatch(/data\.csv +3 B +input_spec/);
		expect(stdout).toContain(`bounty download ${TASK}`);
		expect(stdout).not.toContain("\u001b");
		const json = await runCli(["task", TASK, "--json"], { env });
		expect(json.stdout).not.toContain("\u001b");
		expect(JSON.parse(json.stdout)).toMatchObject({ description: "Sum the data.\u001b[2J", attachments: [{ filename: "data.csv" }] });
	});

	it("are downloaded under names that stay in the folder, and overwrite nothing", async () => {
		const names = ["data.csv", "../../up.csv", ".env", "data.csv", "\u202egpj.csv"];
		const { env } = await start({ [ATTACHMENTS]: () => names.map(attachment), [CONTENT]: csv });
		const target = join(folder, "in");
		expect(JSON.parse((await runCli(["download", TASK, target, "--json"], { env })).stdout).files).toHaveLength(5);
		expect((await readdir(target)).toSorted()).toEqual(["2-data.csv", "_.._up.csv", "_gpj.csv", "data.csv", "env"]);
		expect(await readdir(folder)).toEqual(["in"]);
		const again = await runCli(["download", TASK, target], { env });
		expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining("already exists") });
	});

	it("come with the folder that init makes, and are not submitted", async () => {
		const { env } = await start({ [READ]: () => task, [ATTACHMENTS]: () => [attachment("data.csv")], [CONTENT]: csv });
		const work = join(folder, "work");
		expect((await runCli(["init", TASK, work], { env })).code).toBe(0);
		expect(await readFile(join(work, "attachments/data.csv"), "utf8")).toBe("a,b");
		expect(await readFile(join(work, ".bountyignore"), "utf8")).toBe("/attachments/\n");
		// The last line of an existing file may have no end.
		const existing = join(folder, "existing");
		await mkdir(existing);
		await writeFile(join(existing, ".bountyignore"), "secret.txt");
		expect((await runCli(["init", TASK, existing], { env })).code).toBe(0);
		expect(await readFile(join(existing, ".bountyignore"), "utf8")).toBe("secret.txt\n/attachments/\n");
	});

	it("are never written through a link of the work folder", async () => {
		const { env } = await start({ [READ]: () => task, [ATTACHMENTS]: () => [attachment("authorized_keys")], [CONTENT]: csv });
		const [work, outside] = [join(folder, "work"), join(folder, "outside")];
		await mkdir(outside);
		await writeFile(join(outside, "profile"), "mine");
		for (const [name, target] of [
			[".bounty.json", "../outside/profile"],
			[".bountyignore", "../outside/profile"],
			["attachments", "../outside"],
		] as const) {
			await mkdir(work);
			await symlink(target, join(work, name));
			expect(await runCli(["init", TASK, work], { env })).toMatchObject({ code: 2, stderr: expect.stringContaining("is a link") });
			expect(await readdir(work)).toEqual([name]);
			await rm(work, { recursive: true });
		}
		expect(await readdir(outside)).toEqual(["profile"]);
		expect(await readFile(join(outside, "profile"), "utf8")).toBe("mine");
	});

	it("come with a new folder if none is named, because the title names it", async () => {
		const { env } = await start({ [READ]: () => ({ ...task, title: folder }), [ATTACHMENTS]: () => [] });
		const named = localFolderName({ title: folder, id: TASK });
		try {
			await mkdir(named);
			await writeFile(join(named, "customers.csv"), "a,b");
			expect(await runCli(["init", TASK], { env })).toMatchObject({ code: 2, stderr: expect.stringContaining("already exists") });
			expect(await readdir(named)).toEqual(["customers.csv"]);
			await rm(join(named, "customers.csv"));
			expect((await runCli(["init", TASK], { env })).code).toBe(0);
		} finally {
			await rm(named, { recursive: true, force: true });
		}
	});
});

describe("bounty api", () => {
	it("sends any operation, with values in path, query and body", async () => {
		const { env, url } = await start({
			[READ]: () => ({ id: TASK, title: "\u009b2J" }),
			[`POST /api/v1/tasks/${TASK}/close`]: () => ({ id: TASK, status: "closed" }),
			"POST /api/v1/tasks": ({ body }) => JSON.parse(body.toString()),
			[`GET /api/v1/tasks/${TASK}/export`]: csv,
		});
		const read = await runCli(["api", "getTask", `id=${url}/tasks/${TASK}`, "fields=id,title"], { env });
		expect(read).toMatchObject({ code: 0, stdout: `{\n  "id": "${TASK}",\n  "title": "\\u009b2J"\n}\n` });
		expect((await runCli(["api", "closeTask", `id=${TASK}`, "--json"], { env })).stdout).toContain('"closed"');
		await writeFile(join(folder, "task.json"), '{"title":"T"}');
		for (const body of ['{"title":"T"}', `@${join(folder, "task.json")}`, "-"]) {
			const { stdout } = await runCli(["api", "createTask", "--body", body], { env, input: '{"title":"T"}' });
			expect(JSON.parse(stdout)).toEqual({ title: "T" });
		}
		expect((await runCli(["api", "exportTask", `id=${TASK}`], { env })).stdout).toBe("a,b");
		expect(platform?.calls()[0]).toBe(`${READ}?fields=id%2Ctitle`);
	});

	it.each([
		[["getNothing"]],
		[["getTask"]],
		[["getTask", "id"]],
		[["putArtifact", "id=x"]],
		[["createTask", "--body", "{"]],
		[["createTask", "--body", "@/nonexistent/task.json"]],
		[["toString"]],
	])("refuses %j before it sends anything", async (args) => {
		const { env } = await start({});
		expect((await runCli(["api", ...args], { env })).code).toBe(2);
		expect(platform?.calls()).toEqual([]);
	});
});

describe("submitting the same files again", () => {
	it("is reported, and uses another slot only with --again", async () => {
		const submission = { id: "s1", task_id: TASK, status: "running", quota: { used: 1, limit: 15 }, dimensions: [], scores: null };
		const { env } = await start({
			[`POST /api/v1/tasks/${TASK}/check`]: () => ({ ok: true, problems: [], warnings: [], files: [] }),
			[`POST /api/v1/tasks/${TASK}/quick-submit`]: ({ response, count, headers }) => {
				if (count === 1) response.setHeader("Idempotency-Replayed", "true");
				return { id: "s1", key: headers["idempotency-key"] };
			},
			"GET /api/v1/submissions/s1": () => submission,
		});
		await writeFile(join(folder, "main.js"), "1");
		const args = ["submit", folder, "--task", TASK, "--no-wait"];
		expect((await runCli(args, { env })).stderr).toContain("submitted s1");
		expect((await runCli(args, { env })).stderr).toContain("submitted before, as s1. No slot was used. --again");
		expect((await runCli([...args, "--again"], { env })).stderr).toContain("submitted s1");
		const keys = platform?.received.filter(({ call }) => call.endsWith("quick-submit")).map(({ headers }) => headers["idempotency-key"]);
		expect(keys?.[0]).toMatch(/^work-[0-9a-f]{64}$/);
		expect(keys?.[1]).toBe(keys?.[0]);
		expect(keys?.[2]).not.toBe(keys?.[0]);
	});

	it("is also reported days later, when the platform has forgotten the idempotency key", async () => {
		const submission = { id: "s1", task_id: TASK, status: "running", quota: { used: 1, limit: 15 }, dimensions: [], scores: null };
		let remembered: unknown = null;
		const ENTRY = `/api/v1/workspace/kv/work%2F${TASK}`;
		const { env } = await start({
			[`POST /api/v1/tasks/${TASK}/check`]: () => ({ ok: true, problems: [], warnings: [], files: [] }),
			[`POST /api/v1/tasks/${TASK}/quick-submit`]: ({ count }) => ({ id: `s${count + 1}` }),
			"GET /api/v1/submissions/s1": () => submission,
			"GET /api/v1/submissions/s2": () => ({ ...submission, id: "s2" }),
			[`GET ${ENTRY}`]: ({ response }) => remembered ?? refuse(response, { status: 404, code: "NOT_FOUND" }),
			[`PUT ${ENTRY}`]: ({ body }) => {
				remembered = JSON.parse(body.toString());
				return { key: `work/${TASK}` };
			},
		});
		await writeFile(join(folder, "main.js"), "1");
		const args = ["submit", folder, "--task", TASK, "--no-wait"];
		expect((await runCli(args, { env })).stderr).toContain("submitted s1");
		expect((await runCli(args, { env })).stderr).toContain("submitted before, as s1. No slot was used. --again");
		expect(platform?.calls().filter((call) => call.endsWith("quick-submit"))).toHaveLength(1);
		await writeFile(join(folder, "main.js"), "2");
		expect((await runCli(args, { env })).stderr).toContain("submitted s2");
	});
});

describe("a wait", () => {
	it("is announced with its reason", async () => {
		const { env } = await start({
			[READ]: ({ response, count }) => {
				if (count === 0) refuse(response, { status: 429, code: "RATE_LIMITED", headers: { "Retry-After": "2" } });
				return task;
			},
			[ATTACHMENTS]: () => [],
		});
		const { code, stderr } = await runCli(["task", TASK], { env });
		expect({ code, stderr }).toEqual({
			code: 0,
			stderr: expect.stringMatching(/^It is RATE_LIMITED\. \(RATE_LIMITED\) Trying again in [23] s\.\n$/),
		});
	});
});

describe("a note on an attempt", () => {
	it("is stored together with parallel notes, and shown with the results", async () => {
		const submission = { id: "s1", task_id: TASK, status: "running", quota: { used: 1, limit: 15 }, dimensions: [], scores: null };
		let stored: { value: Record<string, string>; etag: string } | null = null;
		const NOTES = `/api/v1/workspace/kv/attempts%2F${TASK}`;
		const { env } = await start({
			[`POST /api/v1/tasks/${TASK}/check`]: () => ({ ok: true, problems: [], warnings: [], files: [] }),
			[`POST /api/v1/tasks/${TASK}/quick-submit`]: () => ({ id: "s1" }),
			"GET /api/v1/submissions/s1": () => submission,
			"GET /api/v1/submissions": () => ({
				data: [{ ...submission, created_at: new Date().toISOString() }],
				pagination: { next_cursor: null },
			}),
			[`GET ${NOTES}`]: ({ response }) => {
				if (stored === null) return refuse(response, { status: 404, code: "NOT_FOUND" });
				response.setHeader("ETag", stored.etag);
				return { key: `attempts/${TASK}`, value: stored.value };
			},
			[`PUT ${NOTES}`]: ({ response, body, headers, count }) => {
				if (count === 0) {
					// Another process was faster.
					stored = { value: { s0: "first" }, etag: '"1"' };
					return refuse(response, { status: 412, code: "PRECONDITION_FAILED" });
				}
				stored = { value: JSON.parse(body.toString()).value, etag: '"2"' };
				return { key: `attempts/${TASK}`, match: headers["if-match"] };
			},
		});
		await writeFile(join(folder, "main.js"), "1");
		const { code } = await runCli(["submit", folder, "--task", TASK, "--no-wait", "--note", "smaller buffers\u001b[2J"], { env });
		expect(code).toBe(0);
		expect(stored).toMatchObject({ value: { s0: "first", s1: "smaller buffers\u001b[2J" } });
		expect((await runCli(["results"], { env })).stdout).toMatch(/NOTE\n.*under 1 min ago +smaller buffers\[2J\n$/);
		expect((await runCli(["results", "s1"], { env })).stdout).toMatch(/^note +smaller buffers\[2J\n/);
		expect((await runCli(["submit", folder, "--task", TASK, "--note", "x".repeat(501)], { env })).code).toBe(2);
	});
});

describe("profiles", () => {
	it("are logged in to, listed, chosen and forgotten one by one", async () => {
		const { url } = await start({ "GET /api/v1/agent/whoami": ({ headers }) => me(headers["authorization"] ?? "") });
		const env = { XDG_CONFIG_HOME: folder };
		const run = (args: readonly string[], input = "") => runCli([...args, "--json"], { env, input });
		expect(await run(["login", "--with-key", "--url", url], "svc_sk_one")).toMatchObject({ code: 0 });
		expect(await run(["login", "--with-key", "--url", url, "--profile", "work"], "svc_sk_two")).toMatchObject({ code: 0 });
		expect(JSON.parse((await run(["profiles"])).stdout).data).toEqual([
			{ name: "default", url, current: false },
			{ name: "work", url, current: true },
		]);
		const nameOf = async (...args: readonly string[]) => JSON.parse((await run(["whoami", ...args])).stdout).name;
		expect(await nameOf()).toBe("Bearer svc_sk_two");
		expect(await nameOf("--profile", "default")).toBe("Bearer svc_sk_one");
		expect((await run(["profiles", "use", "default"])).code).toBe(0);
		expect(await nameOf()).toBe("Bearer svc_sk_one");
		expect((await run(["logout"])).code).toBe(0);
		expect(await nameOf()).toBe("Bearer svc_sk_two");
		expect((await run(["profiles", "use", "default"])).code).toBe(2);
		expect((await run(["login", "--with-key", "--url", url, "--profile", "../x"], "k")).code).toBe(2);
	});

	function me(name: string) {
		return { agent_id: "a", name, tier: "basic", role: null, wallet: { payout_method: null } };
	}
});

describe("the URL of a task", () => {
	it("sends no key to another platform", async () => {
		const { env, url } = await start({ [READ]: () => task });
		const elsewhere = await runCli(["task", `http://127.0.0.1:9/tasks/${TASK}`], { env });
		expect(elsewhere).toMatchObject({ code: 2, stderr: expect.stringContaining("The task is on http://127.0.0.1:9") });
		const unknown = await runCli(["submit", folder, "--task", `${url}/tasks/${TASK}`], { env: { BOUNTY_API_KEY: "svc_sk_test" } });
		expect(unknown).toMatchObject({ code: 3, stderr: expect.stringContaining(`bounty login --url ${url}`) });
		expect(platform?.calls()).toEqual([]);
	});
});

describe("the help", () => {
	it("lists the commands in groups", async () => {
		const { stdout } = await runCli(["--help"]);
		const headings = ["You:", "Finding work:", "Doing work:", "Posting:", "Paying:", "Your agent's store:", "Events:", "Other programs:"];
		expect(headings.map((heading) => stdout.indexOf(`\n${heading}\n`)).toSorted((a, b) => a - b)).toEqual(
			headings.map((heading) => stdout.indexOf(`\n${heading}\n`)),
		);
		for (const heading of headings) expect(stdout).toContain(`\n${heading}\n`);
		expect(stdout.slice(stdout.indexOf("Doing work:"), stdout.indexOf("Posting:"))).toMatch(/init[\s\S]*check[\s\S]*submit[\s\S]*watch/);
	});
});
