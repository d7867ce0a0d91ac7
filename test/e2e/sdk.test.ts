// Tests the SDK as its users get it: packed, installed into an empty folder, and run on two versions of Node, in a Worker and in a browser, and with Bun and Deno.
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestHarness } from "wrangler";
import { findBrowser, NO_BROWSER, shareBrowser } from "../support/browser.ts";
import { type Home, makeHome, runCommandLine, type StartedPlatform, startAtHome } from "../support/commands.ts";
import { serveLocally } from "../support/local-server.ts";
import { runPage } from "../support/sample-runner.ts";
import { PROJECT_ROOT, parsePage } from "../support/samples.ts";
import { installSdk, npm } from "../support/sdk-package.ts";
import { LOOP, PORTABLE, TYPED } from "../support/sdk-programs.ts";

const LOOP_TIMEOUT_MS = 600_000;
const NODE_20 = "/usr/bin/node";
const RUNTIMES = [[process.execPath], [NODE_20], ["bun"], ["deno", "run", "--allow-all"]] as const;

let home: Home;
let platform: StartedPlatform;
let folder = "";
let remove = async () => {};

beforeAll(async () => {
	home = await makeHome();
	const [installed, started] = await Promise.all([installSdk(), startAtHome(home)]);
	({ folder, remove } = installed);
	platform = started;
}, LOOP_TIMEOUT_MS);

afterAll(async () => {
	await platform?.stop("SIGTERM");
	await home?.remove();
	await remove();
});

describe("the packed SDK", () => {
	it("contains code and types and no dependency", async () => {
		const manifest = JSON.parse(await readFile(join(folder, "node_modules/@bounty-platform/sdk/package.json"), "utf8"));
		expect(manifest.dependencies ?? {}).toEqual({});
		const main = await readFile(join(folder, "node_modules/@bounty-platform/sdk/dist/index.js"), "utf8");
		expect(main).not.toMatch(/node:|require\(/);
	});

	it("has types that compile on their own and find mistakes", async () => {
		const compilerOptions = {
			target: "ES2023",
			lib: ["ES2023", "DOM", "DOM.Iterable"],
			types: ["node"],
			typeRoots: [join(PROJECT_ROOT, "node_modules/@types")],
			strict: true,
			exactOptionalPropertyTypes: true,
			noEmit: true,
		};
		await writeFile(join(folder, "typed.ts"), TYPED);
		await writeFile(join(folder, "required.cts"), TYPED);
		for (const [module, file] of [
			["NodeNext", "typed.ts"],
			["Node16", "typed.ts"],
			["Node16", "required.cts"],
		]) {
			await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: { ...compilerOptions, module }, files: [file] }));
			const { code, stdout } = await runCommandLine([join(PROJECT_ROOT, "node_modules/.bin/tsc"), "-p", folder], { cwd: folder });
			expect({ module, file, code, stdout }).toEqual({ module, file, code: 0, stdout: "" });
		}
	});

	it(
		"has types that TypeScript 5.0 compiles with every moduleResolution",
		async () => {
			const old = join(folder, "old");
			await mkdir(old);
			await writeFile(join(old, "package.json"), JSON.stringify({ private: true }));
			await npm(old, ["install", "typescript@5.0.4", "@types/node@18.15.11", "--no-audit", "--no-fund"]);
			await writeFile(join(old, "typed.ts"), TYPED);
			const shared = { target: "ES2022", lib: ["ES2022", "DOM", "DOM.Iterable"], types: ["node"], strict: true, skipLibCheck: false };
			const resolutions = [
				{ module: "CommonJS", moduleResolution: "node10" },
				{ module: "ES2022", moduleResolution: "node10" },
				{ module: "ES2022", moduleResolution: "bundler" },
				{ module: "Node16", moduleResolution: "node16" },
			];
			for (const resolution of resolutions) {
				const compilerOptions = { ...shared, ...resolution, noEmit: true };
				await writeFile(join(old, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["typed.ts"] }));
				const { code, stdout } = await runCommandLine(["node_modules/.bin/tsc", "-p", "."], { cwd: old });
				expect({ resolution, code, stdout }).toEqual({ resolution, code: 0, stdout: "" });
			}
		},
		LOOP_TIMEOUT_MS,
	);

	it.each([process.execPath, NODE_20])("can be required, also where %s does not require modules", async (command) => {
		await writeFile(
			join(folder, "required.cjs"),
			`const [portable, node] = [require("@bounty-platform/sdk"), require("@bounty-platform/sdk/node")];
console.log(portable.BountyApiError === node.BountyApiError, new node.BountyClient({ baseUrl: "https://b.example/" }).baseUrl);`,
		);
		for (const options of [[], ["--no-experimental-require-module"]]) {
			const result = await runCommandLine([command, "--no-warnings", ...options, "required.cjs"], { cwd: folder });
			expect(result).toMatchObject({ code: 0, stdout: "true https://b.example\n" });
		}
	});

	for (const [index, [command, ...options]] of RUNTIMES.entries()) {
		const version = spawnSync(command, ["--version"], { encoding: "utf8" }).stdout?.trim().split("\n")[0];
		// Bun and Deno are tested if they are installed.
		if (version === undefined && command !== NODE_20) continue;
		const title = `goes through the whole loop with ${basename(command)} ${version ?? ""}`;
		if (version === undefined) it.skip(`${title}: ${command} is missing`);
		else
			it(
				title,
				async () => {
					const work = await mkdtemp(join(folder, "loop-"));
					await writeFile(join(work, "loop.mjs"), LOOP);
					const { code, stdout, stderr } = await runCommandLine(
						[command, ...options, "loop.mjs", platform.url, `198.51.100.${index + 1}`],
						{ cwd: work },
					);
					const expected = { code: 0, stdout: expect.stringMatching(/^done v\d+\.\d+\.\d+\n$/), stderr: "" };
					expect({ code, stdout, stderr: code === 0 ? "" : stderr }).toEqual(expected);
				},
				LOOP_TIMEOUT_MS,
			);
	}
});

/** Returns one file for runtimes without Node, from the installed package. */
async function bundle(program: string): Promise<string> {
	await writeFile(join(folder, "portable.ts"), PORTABLE);
	const { outputFiles } = await build({
		stdin: { contents: program, resolveDir: folder, loader: "ts" },
		bundle: true,
		format: "esm",
		platform: "neutral",
		define: { BASE_URL: JSON.stringify(platform.url) },
		write: false,
	});
	return outputFiles[0]?.text ?? "";
}

const PORTABLE_RESULT = "completed 0-255-128 criteria-llm-final";

describe("the bundled SDK", () => {
	it(
		"runs in a Worker",
		async () => {
			const code = await bundle(
				'import { run } from "./portable.ts";\nexport default { fetch: async () => new Response(await run().catch((error) => error.stack)) };',
			);
			await writeFile(join(folder, "worker.mjs"), code);
			await writeFile(
				join(folder, "wrangler.json"),
				JSON.stringify({ name: "sdk-user", main: "worker.mjs", compatibility_date: "2026-01-01" }),
			);
			const harness = createTestHarness({ root: folder, workers: [{ configPath: "./wrangler.json" }] });
			try {
				const { url } = await harness.listen();
				expect(await (await fetch(url)).text()).toBe(PORTABLE_RESULT);
			} finally {
				await harness.close();
			}
		},
		LOOP_TIMEOUT_MS,
	);

	const whyNot = findBrowser() === null ? NO_BROWSER : null;
	(whyNot === null ? it : it.skip)(
		`runs in Chromium${whyNot === null ? "" : `: ${whyNot}`}`,
		async () => {
			const code = await bundle('import { run } from "./portable.ts";\nglobalThis.sdkResult = run().catch((error) => error.stack);');
			const page = await serveLocally((request, response) => {
				const isScript = request.url === "/page.js";
				response
					.writeHead(200, { "Content-Type": isScript ? "text/javascript" : "text/html" })
					.end(isScript ? code : '<script type="module" src="/page.js"></script>');
			});
			const tab = await (await shareBrowser()).newPage();
			try {
				await tab.goto(page.url, { waitUntil: "load" });
				expect(await tab.evaluate("globalThis.sdkResult")).toBe(PORTABLE_RESULT);
			} finally {
				await tab.close();
				await page.stop();
			}
		},
		LOOP_TIMEOUT_MS,
	);
});

it(
	"the project's README plays the loop in eight lines of the SDK",
	async () => {
		const program = /```js\n([\s\S]*?)```/.exec(await readFile(join(PROJECT_ROOT, "README.md"), "utf8"))?.[1] ?? "";
		expect(program.trim().split("\n")).toHaveLength(8);
		const page = parsePage("readme", `\`\`\`js file=loop.mjs\n${program}\`\`\`\n\`\`\`sh\nnode loop.mjs\n\`\`\`\n`);
		const values = { "http://127.0.0.1:8787": platform.url };
		const run = await runPage(page, { values, engine: null, caller: 251, canUse: () => true });
		expect({ note: run.note, failed: run.failed }).toEqual({ note: "", failed: null });
		expect(run.results[0]?.stdout).toMatch(/final_score: [1-9]/);
	},
	LOOP_TIMEOUT_MS,
);

it(
	"the SDK has a README whose samples run",
	async () => {
		const source = await readFile(join(PROJECT_ROOT, "packages/sdk/README.md"), "utf8");
		const page = parsePage("sdk", source);
		const run = await runPage(page, {
			values: { "https://bounties.example": platform.url },
			engine: null,
			caller: 250,
			canUse: () => true,
		});
		expect({ note: run.note, failed: run.failed }).toEqual({ note: "", failed: null });
		expect(run.results.length).toBeGreaterThan(2);
	},
	LOOP_TIMEOUT_MS,
);
