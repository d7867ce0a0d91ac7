// Tests the GitHub Action's bundle against a scripted platform.
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bundleAction } from "../../packages/action/build.mjs";
import { runAction } from "../support/action.ts";
import { PROJECT_ROOT } from "../support/samples.ts";
import { openStream, refuse, type ScriptedPlatform, sse, startScripted, type Turn } from "./scripted.ts";

const TASK = "01a230d9-a660-778d-8de6-c44c789d6478";
const CHECK = `POST /api/v1/tasks/${TASK}/check`;
const SUBMIT = `POST /api/v1/tasks/${TASK}/quick-submit`;
const LAST = `/api/v1/workspace/kv/work%2F${TASK}`;
const EVIL = "a\n::error::b\r%0A::set-output name=x::y <img src=x> @all [l](http://x) | c \u001b[2J\u202e";
const quoting = (path: string) => ({ checks: [{ check: "It greets", found: "yes", evidence: [{ path, start: 3, end: 4, quote: "x" }] }] });
const submission = {
	...{ id: "s1", task_id: TASK, status: "completed", evaluated: true, position: 2, quota: { used: 1, limit: 15, remaining: 14 } },
	scores: { final_score: 61.5, breakdown: {} },
	dimensions: [{ criterion_name: "Greets", score: 40, weight: 100, reasoning: EVIL, potential_points: 1, ...quoting("main.js") }],
};
const fine = { ok: true, problems: [], warnings: [], files: [{ path: "main.js", size_bytes: 1, judged: "full" }] };

let workspace = "";
let platform: ScriptedPlatform | undefined;
beforeEach(async () => {
	workspace = await mkdtemp(join(tmpdir(), "workspace-"));
	await mkdir(join(workspace, "work"));
	await writeFile(join(workspace, "work", "main.js"), "1");
});
afterEach(async () => {
	await platform?.stop();
	platform = undefined;
	await rm(workspace, { recursive: true, force: true });
});

/** Returns a platform that judges each submission at once, with scripted exceptions. */
async function start(scripts: Parameters<typeof startScripted>[0] = {}) {
	let last: unknown = null;
	platform = await startScripted({
		[CHECK]: () => fine,
		[SUBMIT]: () => ({ id: "s1" }),
		"GET /api/v1/submissions/s1": () => submission,
		"GET /api/v1/submissions/s1/stream": ({ response }) => {
			openStream(response);
			response.end(sse("terminal", "1", submission));
		},
		[`GET ${LAST}`]: ({ response }) => (last === null ? refuse(response, { status: 404, code: "NOT_FOUND" }) : { value: last }),
		[`PUT ${LAST}`]: ({ body }: Turn) => {
			last = JSON.parse(body.toString()).value;
			return { value: last };
		},
		...scripts,
	});
	return { url: platform.url, "api-key": "svc_sk_test", "task-id": TASK, path: "work" };
}

it("is bundled from its current source", async () => {
	for (const [path, text] of Object.entries(await bundleAction())) {
		expect((await readFile(join(PROJECT_ROOT, path), "utf8")) === text, `${path} is stale. Run: npm run openapi`).toBe(true);
	}
});

describe("a run", () => {
	it("reports score, rank, slots and reasons, at the places that the judge quotes", async () => {
		const inputs = await start();
		const { code, log, outputs, summary } = await runAction({ workspace, inputs });
		expect({ code, outputs }).toEqual({
			code: 0,
			outputs: {
				...{ "submission-id": "s1", score: "61.5", rank: "2", status: "completed", "remaining-slots": "14", unchanged: "false" },
				...{ "task-id": "", "task-url": "", outcome: "" },
			},
		});
		expect(log).toContain("::warning file=work/main.js,line=3,endLine=4,title=Greets%3A 40 of 100::a%0A::error::b%0D%250A");
		expect(summary).toContain("| Greets | 40 | 100 % |");
		expect(summary).toContain(`(${platform?.url}/tasks/${TASK}), rank 2. Slots left: 14.`);
		// A command in a stranger's text would be at the beginning of a line.
		const commands = log.split(/[\r\n]+/).filter((line) => line.startsWith("::"));
		expect(commands.map((line) => line.slice(0, 12))).toEqual(["::add-mask::", "::warning fi"]);
		for (const part of ["<img", "@all", "](http://x)", "\u001b", "\u202e"]) expect(summary).not.toContain(part);
	});

	it("fails below the minimum score, without a task, and with a wrong key or input", async () => {
		const inputs = await start();
		expect(await runAction({ workspace, inputs: { ...inputs, "minimum-score": "90" } })).toMatchObject({
			code: 8,
			log: expect.stringContaining("::error::The score 61.5 is below 90."),
		});
		await platform?.stop();
		for (const [status, code] of [
			[404, 4],
			[401, 3],
			[409, 5],
		] as const) {
			const others = await start({ [CHECK]: ({ response }) => refuse(response, { status, code: "X" }) });
			const failed = await runAction({ workspace, inputs: others });
			expect(failed).toMatchObject({
				code,
				outputs: { "submission-id": "", status: "" },
				log: expect.stringContaining("::error::It is X. (X)"),
			});
			expect(failed.summary).toContain("The step failed");
			await platform?.stop();
		}
		const wrong = [
			{ mode: "sell" },
			{ "minimum-score": "101" },
			{ "check-only": "yes" },
			{ "task-id": "x" },
			{ path: "none" },
			{ "api-key": "" },
		];
		for (const input of wrong) expect((await runAction({ workspace, inputs: { ...inputs, ...input } })).code).toBe(2);
	});

	it("names the submission whose scores did not come in time", async () => {
		const inputs = await start({
			"GET /api/v1/submissions/s1": () => ({ ...submission, status: "running", evaluated: false, scores: null }),
			"GET /api/v1/submissions/s1/stream": ({ response }) => openStream(response),
		});
		const late = await runAction({ workspace, inputs: { ...inputs, "timeout-minutes": "0.01" }, isInside: true });
		expect(late).toMatchObject({ code: 9, outputs: { "submission-id": "s1", score: "", unchanged: "false" } });
		expect(late.log).toContain("Waiting for submission s1");
	});

	it("uses no slot for the files of the last submission, except on request", async () => {
		const inputs = await start();
		expect((await runAction({ workspace, inputs })).outputs["unchanged"]).toBe("false");
		const again = await runAction({ workspace, inputs });
		expect(again).toMatchObject({ code: 0, outputs: { unchanged: "true", "submission-id": "s1", score: "61.5" } });
		expect(again.summary).toContain("no slot was used");
		const submits = () => platform?.received.filter(({ call }) => call === SUBMIT) ?? [];
		expect(submits()).toHaveLength(1);
		await runAction({ workspace, inputs: { ...inputs, "skip-unchanged": "false" } });
		await writeFile(join(workspace, "work", "main.js"), "2");
		await runAction({ workspace, inputs });
		expect(new Set(submits().map(({ headers }) => headers["idempotency-key"])).size).toBe(3);
	});

	it("only checks with check-only, and shows its findings at the files", async () => {
		const warnings = [{ code: "CUT", path: "main.js", message: "is read in part" }];
		const inputs = { ...(await start({ [CHECK]: () => ({ ...fine, warnings }) })), "check-only": "true" };
		const checked = await runAction({ workspace, inputs });
		expect(checked).toMatchObject({ code: 0, outputs: { status: "checked", "submission-id": "" } });
		expect(checked.log).toContain("::warning file=work/main.js::main.js: is read in part");
		expect(platform?.calls()).toEqual([CHECK]);
		await platform?.stop();
		const problems = [{ code: "X", path: "files", message: "too many" }];
		const bad = await start({ [CHECK]: () => ({ ...fine, ok: false, problems }) });
		const rejected = { code: 6, outputs: { status: "rejected" }, log: expect.stringContaining("::error::files: too many") };
		expect(await runAction({ workspace, inputs: { ...bad, "check-only": "true" } })).toMatchObject(rejected);
		// A submission is checked first, and then uses no slot either.
		expect(await runAction({ workspace, inputs: bad })).toMatchObject(rejected);
	});

	interface Identity {
		readonly user?: string;
		readonly viewer?: string;
		/** The status of what the token may not read. */
		readonly failure?: number;
		/** A GitHub Enterprise server does not have GraphQL below the path of its API. */
		readonly graphql?: string;
	}

	/** Plays GitHub's comments API with stored comments, whose writer is the token's user. `viewer` is told only by GraphQL. */
	async function startGitHub(
		comments: { id: number; user: object; body: string }[],
		{ user, viewer, failure = 403, graphql = "/graphql" }: Identity,
	) {
		const login = user ?? viewer ?? "github-actions[bot]";
		const forbid = ({ response }: Turn) => refuse(response, { status: failure, code: "FORBIDDEN" });
		const inputs = await start({
			"GET /user": user === undefined ? forbid : () => ({ login: user }),
			[`POST ${graphql}`]: viewer === undefined ? forbid : () => ({ data: { viewer: { login: viewer } } }),
			"GET /repos/ada/work/issues/7/comments": ({ call }) => {
				const page = Number(new URL(call.slice(4), "http://x").searchParams.get("page"));
				return comments.slice((page - 1) * 100, page * 100);
			},
			"POST /repos/ada/work/issues/7/comments": ({ body }) => {
				comments.push({ id: comments.length + 1, user: { login, type: "X" }, body: JSON.parse(body.toString()).body });
				return {};
			},
			...Object.fromEntries(
				Array.from({ length: 200 }, (_, index) => [
					`PATCH /repos/ada/work/issues/comments/${index}`,
					({ body }: Turn) => {
						for (const each of comments) if (each.id === index) each.body = JSON.parse(body.toString()).body;
						return {};
					},
				]),
			),
		});
		await writeFile(join(workspace, "event.json"), JSON.stringify({ pull_request: { number: 7 } }));
		const env = {
			GITHUB_API_URL: inputs.url,
			GITHUB_GRAPHQL_URL: `${inputs.url}${graphql}`,
			GITHUB_EVENT_PATH: join(workspace, "event.json"),
		};
		const given = { ...inputs, comment: "true", "check-only": "true", "github-token": "ghs_x" };
		return { env, inputs: given };
	}

	it.each([
		["the job's token", {}],
		["a personal token", { user: "ada" }],
		["an app's token", { viewer: "my-app[bot]" }],
		["an app's token on a server with GraphQL elsewhere", { viewer: "my-app[bot]", graphql: "/api/graphql" }],
	])("writes one comment for the task with %s, also after 120 others, and overwrites no other", async (_, identity) => {
		const mark = `<!-- bounty-platform task=${TASK} -->`;
		const comments = Array.from({ length: 120 }, (_unused, index) => ({ id: index + 1, user: { login: "bob", type: "User" }, body: "Hi" }));
		const foreign = [`${mark} of a person`, `${mark} of another app`, "<!-- bounty-platform task=other -->\nold"];
		const own = Object.values(identity)[0] ?? "github-actions[bot]";
		for (const [index, login] of ["bob", "other[bot]", own].entries()) {
			comments.push({ id: comments.length + 1, user: { login, type: index === 0 ? "User" : "Bot" }, body: foreign[index] ?? "" });
		}
		const { env, inputs } = await startGitHub(comments, identity);
		for (let run = 0; run < 3; run += 1) expect((await runAction({ workspace, inputs, env })).code).toBe(0);
		expect(comments).toHaveLength(124);
		expect(comments.slice(120, 123).map(({ body }) => body)).toEqual(foreign);
		expect(comments[123]?.body).toMatch(new RegExp(`^${mark}\n## Bounty`));
		for (const { call, headers } of platform?.received ?? [])
			if (call.includes("/repos/")) expect(headers.authorization).toBe("Bearer ghs_x");
	});

	it("writes no second comment where GitHub does not say who the token writes as, and none to another host's GraphQL", async () => {
		const comments = [{ id: 1, user: { login: "github-actions[bot]", type: "Bot" }, body: `<!-- bounty-platform task=${TASK} -->` }];
		const broken = await startGitHub(comments, { failure: 502 });
		const failed = await runAction({ workspace, ...broken });
		expect(failed).toMatchObject({ code: 0, log: expect.stringContaining("::warning::No comment was written") });
		expect(failed.log).toContain("GitHub failed with status 502 (GET /user)");
		const elsewhere = await startScripted({});
		try {
			const { inputs, env } = await startGitHub(comments, {});
			const other = await runAction({ workspace, inputs, env: { ...env, GITHUB_GRAPHQL_URL: `${elsewhere.url}/graphql` } });
			expect(other.log).toContain("is not on the host of GitHub's API");
			expect(elsewhere.calls()).toEqual([]);
		} finally {
			await elsewhere.stop();
		}
		expect(comments).toHaveLength(1);
	});
});

/** Lists the commands that a runner of GitHub finds in a log, in either form: actions/runner, ActionCommand.cs. */
function commandsIn(log: string): string[] {
	return log.split(/[\r\n]+/).flatMap((line) => {
		const found = /^\s*::([\w-]+).*?::/.exec(line) ?? /##\[([\w-]+).*?\]/.exec(line);
		return found?.[1] === undefined ? [] : [found[1]];
	});
}

describe("a hostile platform", () => {
	const COMMANDS = "##[set-output name=score]100\n::stop-commands::x\r##\u0000[add-path]x [l](http://x) @all";

	it("puts no command in the log and no markup in the summary", async () => {
		const refused = { error: { code: "SERVICE_BUSY", message: COMMANDS } };
		const busy = ({ count, response }: Turn) => {
			if (count > 0) return fine;
			response.writeHead(503, { "Content-Type": "application/json", "Retry-After": "0" }).end(JSON.stringify(refused));
			return;
		};
		const hostile = {
			...{ ...submission, id: "s1", task_id: `x) ${COMMANDS}`, position: COMMANDS, quota: { ...submission.quota, remaining: COMMANDS } },
			scores: { final_score: COMMANDS, breakdown: {} },
			dimensions: [
				{ criterion_name: "Greets", score: COMMANDS, weight: COMMANDS, reasoning: COMMANDS, potential_points: 1, ...quoting(COMMANDS) },
			],
		};
		const inputs = await start({
			[CHECK]: busy,
			"GET /api/v1/submissions/s1": () => hostile,
			"GET /api/v1/submissions/s1/stream": ({ response }) => {
				openStream(response);
				response.end(sse("terminal", "1", hostile));
			},
		});
		const { log, summary, outputs } = await runAction({ workspace, inputs });
		expect(log).toContain("Trying again");
		expect(commandsIn(log)).toEqual(["add-mask", "notice"]);
		expect(Object.keys(outputs)).toEqual([
			...["submission-id", "score", "rank", "status", "remaining-slots", "unchanged"],
			...["task-id", "task-url", "outcome"],
		]);
		for (const part of ["](http://x)", "@all"]) expect(summary).not.toContain(part);
	});

	it("gets the key at its own URL only", async () => {
		const elsewhere = await startScripted({});
		try {
			const inputs = await start({
				[CHECK]: ({ response }) => {
					response.writeHead(307, { Location: `${elsewhere.url}/?${COMMANDS.replace(/\s/g, "+").replace("\u0000", "")}` }).end();
				},
			});
			const { code, log } = await runAction({ workspace, inputs });
			expect(code).toBe(9);
			expect(commandsIn(log)).toEqual(["add-mask", "error"]);
			expect(elsewhere.calls()).toEqual([]);
		} finally {
			await elsewhere.stop();
		}
	});
});

describe("a hostile pull request under pull_request_target", () => {
	it("runs and configures nothing", async () => {
		const inputs = await start();
		const touched = join(workspace, "touched");
		const code = `require("node:fs").writeFileSync(${JSON.stringify(touched)}, "1")`;
		const hostile: Readonly<Record<string, string>> = {
			"package.json": '{"type":"commonjs","main":"evil.cjs","scripts":{"preinstall":"touch touched","prepare":"touch touched"}}',
			".npmrc": "node-options=--require ./evil.cjs\nscript-shell=./evil.sh\n",
			".env": `BOUNTY_URL=http://127.0.0.1:9\nNODE_OPTIONS=--require ${workspace}/evil.cjs\n`,
			".bounty.json": '{"version":1,"url":"http://127.0.0.1:9","task_id":"01a230d9-0000-778d-8de6-c44c789d6478"}',
			".config/bounty/config.json": '{"current":"default","profiles":{"default":{"url":"http://127.0.0.1:9","api_key":"x"}}}',
			"node.config.json": '{"nodeOptions":{"import":"./evil.cjs"}}',
			".bountyignore": "!.env\n!.npmrc\n!**\n",
			"node_modules/undici/index.js": code,
			"action.yml": "runs: {using: composite, steps: [{run: touch touched, shell: bash}]}",
			"main.mjs": code,
			"evil.cjs": code,
			"evil.sh": "#!/bin/sh\ntouch touched\n",
		};
		for (const [path, content] of Object.entries(hostile)) {
			for (const at of ["", "work/"]) {
				await mkdir(join(workspace, at, path, ".."), { recursive: true });
				await writeFile(join(workspace, at, path), content, { mode: 0o755 });
			}
		}
		const { code: exitCode } = await runAction({ workspace, inputs });
		expect(exitCode).toBe(0);
		await expect(readFile(touched)).rejects.toThrow("ENOENT");
		await expect(readFile(join(workspace, "work", "touched"))).rejects.toThrow("ENOENT");
		const sent = Object.keys(JSON.parse(platform?.received.find(({ call }) => call === SUBMIT)?.body.toString() ?? "").files);
		expect(sent.filter((path) => /env|npmrc|bounty\.json|node_modules/.test(path))).toEqual([]);
	});

	it("has no command in the names of its files", async () => {
		const inputs = await start();
		for (const name of ["##[stop-commands]x", "::stop-commands::x", "##\u202e[set-output name=score]100"]) {
			await mkdir(join(workspace, "work", name, "node_modules"), { recursive: true });
			await symlink("nowhere", join(workspace, "work", name, "link\n::error::x"));
			await writeFile(join(workspace, "work", name, ".env"), "A=1");
		}
		const { code, log } = await runAction({ workspace, inputs });
		expect(code).toBe(0);
		expect(log).toContain("Left out because these links do not lead to a file that is sent");
		expect(log).toContain("looks like a secret");
		expect(commandsIn(log)).toEqual(["add-mask", "warning", "warning", "warning", "warning"]);
	});

	it("sends no file from outside of the workspace", async () => {
		const inputs = await start();
		const outside = await mkdtemp(join(tmpdir(), "outside-"));
		try {
			await writeFile(join(outside, "token"), "1");
			await rm(join(workspace, "work"), { recursive: true });
			await symlink(outside, join(workspace, "work"));
			expect(await runAction({ workspace, inputs })).toMatchObject({ code: 2, log: expect.stringContaining("inside the workspace") });
			expect((await runAction({ workspace, inputs: { ...inputs, path: ".." } })).code).toBe(2);
			await rm(join(workspace, "work"));
			await mkdir(join(workspace, "work"));
			await writeFile(join(workspace, "work", "main.js"), "1");
			await symlink(join(outside, "token"), join(workspace, "work", "link"));
			expect((await runAction({ workspace, inputs })).log).toContain(
				"Left out because these links do not lead to a file that is sent: link",
			);
			const sent = platform?.received.find(({ call }) => call === SUBMIT)?.body.toString() ?? "";
			expect(Object.keys(JSON.parse(sent).files)).toEqual(["main.js"]);
		} finally {
			await rm(outside, { recursive: true, force: true });
		}
	});
});
