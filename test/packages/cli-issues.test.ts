// Tests `bounty post --from-issue` against a scripted GitHub: which host gets the token, and what is sent to the platform.
import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findGitHub } from "../../packages/cli/src/issues/github.ts";
import { runCli } from "../support/cli.ts";
import { type StubGitHub, startGitHub } from "../support/github.ts";
import { refuse, type ScriptedPlatform, startScripted } from "./scripted.ts";

const TASK = "01a230d9-a660-778d-8de6-c44c789d6478";
const ENTRY = "/api/v1/workspace/kv/issues%2Fgithub.com%2F900";
const TERMS = ["--budget-cents", "50000", "--deadline", "14d"];
const issue = { id: 900, number: 7, title: "Parse CSV", body: "Quotes too.", html_url: "https://github.com/ada/work/issues/7" };

let github: StubGitHub;
let platform: ScriptedPlatform | undefined;
beforeEach(async () => {
	github = await startGitHub({ prefix: "/api/v3" });
	github.issues.set("ada/work/issues/7", issue);
});
afterEach(async () => {
	await github.stop();
	await platform?.stop();
	platform = undefined;
});

async function start(scripts: Parameters<typeof startScripted>[0]) {
	platform = await startScripted(scripts);
	return { BOUNTY_URL: platform.url, BOUNTY_API_KEY: "svc_sk_test" };
}

/** The command reads these at its own GitHub. */
const home = () => ({ GITHUB_SERVER_URL: github.url, GITHUB_TOKEN: "ghp_secret" });

describe("the GitHub of an environment", () => {
	it.each([
		[{}, "https://github.com", "https://api.github.com"],
		[{ GITHUB_API_URL: "", GITHUB_SERVER_URL: "" }, "https://github.com", "https://api.github.com"],
		[{ GITHUB_API_URL: "https://api.github.com" }, "https://github.com", "https://api.github.com"],
		[{ GITHUB_SERVER_URL: "https://git.example:8443" }, "https://git.example:8443", "https://git.example:8443/api/v3"],
		[{ GITHUB_API_URL: "https://git.example/api/v3" }, "https://git.example", "https://git.example/api/v3"],
		[{ GITHUB_SERVER_URL: "https://acme.ghe.com" }, "https://acme.ghe.com", "https://api.acme.ghe.com"],
		[{ GITHUB_API_URL: "https://api.acme.ghe.com" }, "https://acme.ghe.com", "https://api.acme.ghe.com"],
	])("%j is %s with the API %s", (env, server, api) => {
		expect(findGitHub(env)).toEqual({ server, api });
	});

	it("is https, or on loopback", () => {
		for (const url of ["http://git.example", "ftp://git.example", "https://user@git.example", "git.example"])
			for (const name of ["GITHUB_SERVER_URL", "GITHUB_API_URL"]) expect(() => findGitHub({ [name]: url })).toThrow(name);
	});
});

describe("the issue", () => {
	it("is printed as a task file with --dry-run, which needs no platform", async () => {
		const { code, stdout, stderr } = await runCli(["post", "--from-issue", "ada/work#7", "--dry-run", ...TERMS], { env: home() });
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		expect(stdout).toMatch(
			/^version: 1\ntitle: Parse CSV\ndescription: Quotes too\.\nbudget_cents: 50000\ndeadline: \d{4}-.*T\d\d:00:00\.000Z\n$/,
		);
		const json = await runCli(["post", "--from-issue", `${github.url}/ada/work/issues/7`, "--dry-run", "--no-sealed", ...TERMS, "--json"], {
			env: home(),
		});
		expect(JSON.parse(json.stdout)).toMatchObject({
			issue: issue.html_url,
			task: { title: "Parse CSV", budget_cents: 50_000, sealed: false },
		});
		expect([...github.tokens]).toEqual(["Bearer ghp_secret"]);
	});

	it("comes from standard input too", async () => {
		for (const input of [issue, { action: "labeled", issue }]) {
			const result = await runCli(["post", "--from-issue", "-", "--dry-run", ...TERMS, "--json"], { input: JSON.stringify(input) });
			expect(JSON.parse(result.stdout).task.title).toBe("Parse CSV");
		}
	});

	it("of another host is read without the token, which also follows no redirect", async () => {
		const other = await startGitHub();
		try {
			github.failures.set("GET /repos/ada/moved", 301);
			const read = (from: string, env: Readonly<Record<string, string>>) =>
				runCli(["post", "--from-issue", from, "--dry-run", ...TERMS], { env });
			const token = { GITHUB_TOKEN: "ghp_secret" };
			expect((await read(`${github.url}/ada/work/issues/7`, { ...token, GITHUB_API_URL: other.url })).code).toBe(0);
			expect([...github.tokens]).toEqual(["none"]);
			expect((await read(`${github.url}/ada/work/issues/7`, { ...token, GITHUB_API_URL: `${github.url}/api/v3/` })).code).toBe(0);
			const moved = await read("ada/moved#1", home());
			expect(moved).toMatchObject({ code: 5, stderr: expect.stringContaining("has moved") });
			expect(other.calls).toEqual([]);
		} finally {
			await other.stop();
		}
	});

	it.each([
		["no issue", ["ada/work"], 2],
		["a pull request's URL", ["https://github.com/ada/work/pull/7"], 2],
		["a path that leaves the repository", ["ada/..#7"], 2],
		["an insecure host", ["http://github.example/ada/work/issues/7"], 2],
		["an issue that is not there", ["ada/work#8"], 4],
		["an option without an issue", null, 2],
		["a file beside the issue", ["ada/work#7", "task.yaml"], 2],
	])("that is %s ends with its exit code and sends nothing to the platform", async (_, given, expected) => {
		const env = { ...(await start({})), ...home() };
		const args = given === null ? ["task.yaml", "--dry-run"] : ["--from-issue", ...given];
		const { code, stdout, stderr } = await runCli(["post", ...args, ...(given === null ? [] : TERMS), "--json"], { env });
		expect({ code, stdout, exit: JSON.parse(stderr).error.exit_code }).toEqual({ code: expected, stdout: "", exit: expected });
		expect(platform?.calls()).toEqual([]);
	});

	it("that GitHub does not show ends with what kind of failure it is", async () => {
		for (const [status, expected] of [
			[401, 3],
			[403, 3],
			[429, 9],
			[502, 9],
		] as const) {
			github.failures.set("GET /repos", status);
			expect((await runCli(["post", "--from-issue", "ada/work#7"], { env: home() })).code).toBe(expected);
		}
		const away = { ...home(), GITHUB_API_URL: "http://127.0.0.1:9" };
		expect(await runCli(["post", "--from-issue", "ada/work#7"], { env: away })).toMatchObject({ code: 9, stdout: "" });
		for (const json of [{}, [], "x", { ...issue, pull_request: {} }, { ...issue, id: "../x" }, { ...issue, html_url: "x" }])
			expect((await runCli(["post", "--from-issue", "-", ...TERMS], { input: JSON.stringify(json) })).code).toBe(2);
		expect((await runCli(["post", "--from-issue", "-"], { input: "{" })).code).toBe(2);
	});
});

describe("the platform", () => {
	it("gets the request under the same key again after a lost response, and a claim before it", async () => {
		let entry: unknown = null;
		let drops = 1;
		const bodies: string[] = [];
		const env = await start({
			[`GET ${ENTRY}`]: ({ response }) => (entry === null ? refuse(response, { status: 404, code: "NOT_FOUND" }) : { value: entry }),
			[`PUT ${ENTRY}`]: ({ body, response }) => {
				entry = JSON.parse(body.toString()).value;
				response.setHeader("ETag", '"1"');
				return { value: entry };
			},
			"POST /api/v1/tasks": ({ body, request }) => {
				bodies.push(body.toString());
				if (drops > 0) {
					drops -= 1;
					request.socket.destroy();
					return;
				}
				return { id: TASK, title: "Parse CSV", status: "draft", warnings: [] };
			},
			[`POST /api/v1/tasks/${TASK}/lint`]: () => ({ findings: [] }),
			[`GET /api/v1/tasks/${TASK}/lint`]: () => ({ findings: [] }),
		});
		const { code, stdout, stderr } = await runCli(["post", "--from-issue", "ada/work#7", ...TERMS, "--json"], {
			env: { ...env, ...home() },
		});
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		expect(JSON.parse(stdout)).toMatchObject({
			outcome: "created",
			created: true,
			published: false,
			issue: issue.html_url,
			task: { id: TASK },
		});
		const sent = platform?.received.filter(({ call }) => call === "POST /api/v1/tasks") ?? [];
		expect(sent).toHaveLength(2);
		expect(new Set(sent.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
		expect(new Set(bodies).size).toBe(1);
		expect(entry).toEqual({ task_id: TASK, digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
		// The platform never gets GitHub's token.
		expect(JSON.stringify(platform?.received)).not.toContain("ghp_secret");
	});

	it("gets another key after a rejected draft than for the draft that was deleted before", async () => {
		let entry: unknown = { task_id: TASK, digest: "of an earlier issue" };
		const env = await start({
			[`GET ${ENTRY}`]: ({ response }) => {
				response.setHeader("ETag", '"1"');
				return entry === null ? refuse(response, { status: 404, code: "NOT_FOUND" }) : { value: entry };
			},
			[`PUT ${ENTRY}`]: ({ body, response }) => {
				entry = JSON.parse(body.toString()).value;
				response.setHeader("ETag", '"1"');
				return { value: entry };
			},
			[`DELETE ${ENTRY}`]: () => {
				entry = null;
				return { deleted: true };
			},
			"POST /api/v1/tasks": ({ response }) => refuse(response, { status: 400, code: "VALIDATION_ERROR" }),
		});
		for (let run = 0; run < 2; run += 1)
			expect(await runCli(["post", "--from-issue", "ada/work#7", ...TERMS], { env: { ...env, ...home() } })).toMatchObject({ code: 5 });
		const keys = platform?.received.flatMap(({ call, headers }) => (call === "POST /api/v1/tasks" ? [headers["idempotency-key"]] : []));
		const keyAfter = (id: string) => createHash("sha256").update(`issue github.com/900 after ${id}`).digest("hex");
		expect(keys).toEqual([keyAfter(TASK), keyAfter(TASK)]);
	});
});
