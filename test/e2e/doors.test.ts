// Tests every door in an empty folder with only the URL of a platform: the commands that pages show, and the path from a key to a score.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { identityOfDeployment } from "../../scripts/site/package-identity.ts";
import { nameWheel } from "../../scripts/site/python.ts";
import { startCheckingProxy } from "../support/checking-proxy.ts";
import { readClosedDocument } from "../support/closed-document.ts";
import { runCommandLine } from "../support/commands.ts";
import { openTask, registerCaller } from "../support/http.ts";
import { callTool, connectMcp, textOf } from "../support/mcp-client.ts";
import { NO_PYTHON, PYTHON } from "../support/python.ts";
import { readPages } from "../support/samples.ts";
import { type RunningServer, startServer } from "../support/server.ts";

const TIMEOUT_MS = 600_000;
/** pip accepts a wheel under this name only. */
const WHEEL = nameWheel(identityOfDeployment(process.env));
const WORK = {
	"main.js": "// quotes, delimiter, newline\nexport const parser = (text) => text.split(',');\n",
	"SUBMISSION.md":
		"# What I Built\nA parser\n# How To Run\nnode\n# Architecture\nOne file\n# What Works\nAll\n# Known Limitations\nNone\n# Tradeoffs\nNo\n",
};

/** This test cannot run these commands, for the reason given. */
const SKIPPED: readonly (readonly [pattern: RegExp, reason: string])[] = [
	[
		/^(npm install|npx|pip install) (viem|fflate|tsx|wrangler|cryptography|openapi-typescript)\b/,
		"another project's package, from a public registry",
	],
	[/^npm (start|test|ci|run)\b|^(npx|npm) \S*(wrangler|--)/, "a command of the project's own checkout"],
];

let server: RunningServer;
let proxy: Awaited<ReturnType<typeof startCheckingProxy>>;
let folder = "";
let taskId = "";

beforeAll(async () => {
	server = await startServer();
	proxy = await startCheckingProxy(readClosedDocument(), server.url);
	taskId = await openTask(await registerCaller(server), { title: "Parse CSV files" });
}, TIMEOUT_MS);
afterAll(async () => {
	await proxy?.stop();
	await server?.close();
});
beforeEach(async () => {
	// Each door has its own IP address, so that it does not wait for the rate limits of the doors before it.
	proxy.changeAddress();
	folder = await mkdtemp(join(tmpdir(), "empty-folder-"));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));

/** Runs a command in the empty folder. It can reach no registry, and pip finds what a package needs on the machine. */
function run(command: readonly [string, ...string[]], env: Readonly<Record<string, string>> = {}) {
	const npm = {
		npm_config_registry: "http://127.0.0.1:9",
		npm_config_cache: join(folder, ".npm"),
		npm_config_prefix: join(folder, ".global"),
		npm_config_yes: "true",
	};
	const pip = {
		PIP_NO_DEPS: "1",
		PIP_TARGET: join(folder, ".python"),
		PIP_BREAK_SYSTEM_PACKAGES: "1",
		PYTHONPATH: join(folder, ".python"),
	};
	return runCommandLine(command, { cwd: folder, env: { ...npm, ...pip, HOME: folder, XDG_CONFIG_HOME: join(folder, ".config"), ...env } });
}

async function writeWork(path = folder): Promise<void> {
	await mkdir(path, { recursive: true });
	for (const [name, content] of Object.entries(WORK)) await writeFile(join(path, name), content);
}

const ENTITIES: Readonly<Record<string, string>> = { "&quot;": '"', "&#39;": "'", "&lt;": "<", "&gt;": ">", "&amp;": "&" };

/** Returns the commands in the code of an HTML page, or of a Markdown text. */
function commandsIn(text: string): string[] {
	const html = [...text.matchAll(/<code[^>]*>([\s\S]*?)<\/code>/g)].map(([, code = ""]) =>
		code.replace(/&(quot|#39|lt|gt|amp);/g, (each) => ENTITIES[each] ?? each),
	);
	const markdown = [...text.replace(/```[\s\S]*?```/g, "").matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);
	// Scripts of the project need a clone; verify-command.test.ts runs the one that pages name.
	return [...html, ...markdown].filter((code) => /^(npx|npm(?! run )|pip|curl) \S/.test(code));
}

describe("the commands that pages show", () => {
	const runShown = async (command: string, key: string) => {
		// A bare `npx <cli>` is the name of the command in the guide's text, so the test prints its help.
		const line = /^npx \S+$/.test(command) ? `${command} --help` : command;
		const { code, stdout, stderr } = await run(["bash", "-eo", "pipefail", "-c", line], { BOUNTY_API_KEY: key });
		const isRefused = command.startsWith("curl") && stdout.includes('"error"');
		const output = code === 0 && !isRefused ? "" : stdout + stderr;
		expect({ command, code, output }).toEqual({ command, code: 0, output: "" });
	};

	it(
		"run in an empty folder",
		async () => {
			const runnable = (await readCommands()).filter((command) => !SKIPPED.some(([pattern]) => pattern.test(command)));
			for (const part of ["sdk.tgz", "cli.tgz login", `--task ${taskId}`, WHEEL, "register-anonymous", "quick-submit"]) {
				expect({ part, isShown: runnable.some((command) => command.includes(part)) }).toEqual({ part, isShown: true });
			}
			const { key } = await registerCaller(server);
			await writeWork();
			await writeFile(join(folder, "package.json"), JSON.stringify({ private: true }));
			const possible = runnable.filter((command) => PYTHON !== null || !command.startsWith("pip"));
			for (const command of possible) await runShown(command, command.includes("login") ? "" : key);
		},
		TIMEOUT_MS,
	);
});

/**
 * Returns everything that the pages of the platform and of its documentation show. The fences of the documentation run in
 * doc-samples.test.ts.
 */
async function readCommands(): Promise<string[]> {
	const built = ["/", `/tasks/${taskId}`, "/tasks", "/skill.md", "/llms.txt", "/AGENTS.md", "/.well-known/mcp.json"];
	const pages = await Promise.all(built.map(async (path) => (await fetch(proxy.url + path, { headers: { Accept: "text/html" } })).text()));
	const docs = readPages().map(({ prose }) => prose.replaceAll("{base_url}", proxy.url));
	return [...new Set([...pages, ...docs].flatMap(commandsIn))];
}

describe("the path from a URL to a score", () => {
	it(
		"works in TypeScript",
		async () => {
			await writeWork(join(folder, "work"));
			await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
			expect(await run(["npm", "install", `${proxy.url}/packages/sdk.tgz`, "--no-audit", "--no-fund"])).toMatchObject({ code: 0 });
			await writeFile(
				join(folder, "agent.ts"),
				`import { BountyClient } from "@bounty-platform/sdk/node";
const baseUrl: string = process.argv[2] ?? "";
const { api_key: apiKey } = await new BountyClient({ baseUrl }).registerAnonymous({ display_name: "TypeScript" });
const client = new BountyClient({ baseUrl, apiKey });
const [task] = (await client.listTasks().page()).items;
if (task === undefined) throw new Error("There is no task.");
const submission = await client.submit(task.id, "work");
const { scores } = await submission.wait();
console.log(JSON.stringify({ task: task.id, score: scores?.final_score }));`,
			);
			const { code, stdout, stderr } = await run([process.execPath, "agent.ts", proxy.url]);
			expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
			expect(JSON.parse(stdout)).toEqual({ task: taskId, score: expect.any(Number) });
		},
		TIMEOUT_MS,
	);

	(PYTHON === null ? it.skip : it)(
		`in Python${PYTHON === null ? `: ${NO_PYTHON}` : ""}`,
		async () => {
			await writeWork(join(folder, "work"));
			const python = PYTHON ?? "python3";
			expect(await run([python, "-m", "pip", "install", `${proxy.url}/packages/${WHEEL}`])).toMatchObject({ code: 0 });
			await writeFile(
				join(folder, "agent.py"),
				`import sys
from bounty_platform import BountyClient
url = sys.argv[1]
with BountyClient(url) as anonymous:
    key = anonymous.register_anonymous(display_name="Python").api_key
with BountyClient(url, key) as client:
    task = next(iter(client.list_tasks()))
    result = client.submit(task.id, "work").wait(timeout=60)
    print(task.id, result.scores.final_score)`,
			);
			const { code, stdout, stderr } = await run([python, "agent.py", proxy.url]);
			expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
			expect(stdout).toMatch(new RegExp(`^${taskId} \\d+(\\.\\d+)?\\n$`));
		},
		TIMEOUT_MS,
	);

	it(
		"works on the command line",
		async () => {
			const bounty = async (...args: readonly string[]) => {
				const { code, stdout, stderr } = await run(["npx", `${proxy.url}/packages/cli.tgz`, ...args, "--json"]);
				expect({ args, code, stderr: code === 0 ? "" : stderr }).toEqual({ args, code: 0, stderr: "" });
				return JSON.parse(stdout);
			};
			await bounty("login", "--register", "--name", "CLI", "--url", proxy.url);
			const [task] = (await bounty("tasks")).data;
			await bounty("init", `${proxy.url}/tasks/${task.id}`, "work");
			await writeWork(join(folder, "work"));
			const { scores, task_id } = await bounty("submit", "work", "--note", "first");
			expect({ scores, task_id }).toMatchObject({ task_id: taskId, scores: { final_score: expect.any(Number) } });
			expect((await bounty("results")).data).toMatchObject([{ note: "first" }]);
		},
		TIMEOUT_MS,
	);

	it.each(["HTTP", "bounty mcp"] as const)(
		"works with MCP over %s",
		async (door) => {
			const main = join(folder, "node_modules", "@bounty-platform", "cli", "dist", "main.js");
			await writeFile(join(folder, "package.json"), JSON.stringify({ private: true }));
			expect(await run(["npm", "install", `${proxy.url}/packages/cli.tgz`, "--no-audit", "--no-fund"])).toMatchObject({ code: 0 });
			const stranger = await connectMcp(proxy, { door, mode: "auto", main });
			const key = textOf(await callTool(stranger, "register", { display_name: door }), "api_key");
			const client = await connectMcp(proxy, { door, mode: "auto", key, main });
			const { tasks } = z
				.object({ tasks: z.array(z.looseObject({ task_id: z.string() })) })
				.parse(await callTool(client, "find_tasks", {}));
			const task_id = tasks[0]?.task_id ?? "";
			const { submission_id } = await callTool(client, "submit_files", { task_id, files: WORK });
			expect(await callTool(client, "wait_for_score", { submission_id })).toMatchObject({
				task_id: taskId,
				final_score: expect.any(Number),
			});
		},
		TIMEOUT_MS,
	);
});

it("the doors get the responses that docs/openapi.json describes", () => {
	// The official client checks the messages of the MCP server.
	expect(proxy.faults().filter((fault) => !fault.startsWith("POST /mcp"))).toEqual([]);
	expect(proxy.counts().responses).toBeGreaterThan(20);
});
