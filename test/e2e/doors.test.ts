// Runs the commands that pages show in an empty folder, with only the URL of a platform. The tests of each package play the loop with it.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { identityOfDeployment } from "../../scripts/site/package-identity.ts";
import { nameWheel } from "../../scripts/site/python.ts";
import { runCommandLine } from "../support/commands.ts";
import { openTask, registerCaller } from "../support/http.ts";
import { PYTHON } from "../support/python.ts";
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
let folder = "";
let taskId = "";

beforeAll(async () => {
	server = await startServer();
	taskId = await openTask(await registerCaller(server), { title: "Parse CSV files" });
}, TIMEOUT_MS);
afterAll(async () => {
	await server?.close();
});
beforeEach(async () => {
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
	const pages = await Promise.all(built.map(async (path) => (await fetch(server.url + path, { headers: { Accept: "text/html" } })).text()));
	const docs = readPages().map(({ prose }) => prose.replaceAll("{base_url}", server.url));
	return [...new Set([...pages, ...docs].flatMap(commandsIn))];
}
