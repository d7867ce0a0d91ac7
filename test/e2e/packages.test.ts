// Tests the packages that a deployment serves, installed in an empty folder with only its URL.
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { identityOfDeployment } from "../../scripts/site/package-identity.ts";
import { nameWheel } from "../../scripts/site/python.ts";
import { storePackages } from "../../scripts/support/store-packages.ts";
import { runCommandLine } from "../support/commands.ts";
import { serveLocally } from "../support/local-server.ts";
import { type RunningServer, startServer } from "../support/server.ts";

const TIMEOUT_MS = 600_000;
const WHEEL = nameWheel(identityOfDeployment(process.env));
const index = z.object({ packages: z.array(z.object({ name: z.string(), version: z.string(), url: z.string(), integrity: z.string() })) });

let server: RunningServer;
let folder: string;

beforeAll(async () => {
	server = await startServer();
	folder = await mkdtemp(join(tmpdir(), "bounty-packages-"));
	await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
}, TIMEOUT_MS);

afterAll(async () => {
	await server?.close();
	if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

/** Runs a command in the empty folder, which can reach no registry. */
async function run(...command: readonly [string, ...string[]]) {
	const env = { ...process.env, npm_config_registry: "http://127.0.0.1:9", npm_config_cache: join(folder, "cache"), HOME: folder };
	return runCommandLine(command, { cwd: folder, env });
}

describe("the packages of a deployment", () => {
	it("are listed with the hashes of what is served", async () => {
		const response = await fetch(`${server.url}/packages/index.json`);
		const { packages } = index.parse(await response.json());
		const path = (name: string) =>
			expect.stringMatching(new RegExp(`^${server.url}/packages/${name}-\\d+\\.\\d+\\.\\d+-[0-9a-f]{12}\\.tgz$`));
		expect(packages.map(({ url }) => url)).toEqual([path("sdk"), path("cli"), `${server.url}/packages/${WHEEL}`]);
		for (const { url, integrity } of packages) {
			const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
			expect({ url, integrity }).toEqual({ url, integrity: `sha512-${createHash("sha512").update(bytes).digest("base64")}` });
		}
	});

	it("are stored after a deployment, which says what is not stored", async () => {
		const { packages } = index.parse(await (await fetch(`${server.url}/packages/index.json`)).json());
		const files = packages.map(({ url }) => url.split("/").at(-1) ?? "");
		expect(await storePackages(server.url, { attempts: 1 })).toEqual(files);
		await expect(storePackages("http://127.0.0.1:1", { attempts: 1 })).rejects.toThrow(`/packages/${files[0]} is not stored: fetch failed`);
		let requests = 0;
		const other = await serveLocally(async (_, response) => {
			requests += 1;
			response.writeHead(requests === 1 ? 503 : 200).end("other");
		});
		try {
			await expect(storePackages(other.url, { attempts: 1 })).rejects.toThrow("the platform returned 503");
			await expect(storePackages(other.url, { attempts: 1 })).rejects.toThrow("the platform has other bytes under this name");
		} finally {
			await other.stop();
		}
	});

	it(
		"provide a client to Python",
		async () => {
			const response = await fetch(`${server.url}/packages/python.whl`, { redirect: "manual" });
			expect({ status: response.status, location: response.headers.get("Location") }).toEqual({
				status: 302,
				location: `${server.url}/packages/${WHEEL}`,
			});
			const target = join(folder, "python");
			// The machine's own packages serve as dependencies, because no registry can be reached.
			const installed = await run("python3", "-m", "pip", "install", "--no-deps", "--target", target, `${server.url}/packages/${WHEEL}`);
			expect(installed).toMatchObject({ code: 0 });
			expect(await readdir(target)).toContain("bounty_platform");
		},
		TIMEOUT_MS,
	);

	it(
		"provide a client to a program",
		async () => {
			const installed = await run("npm", "install", `${server.url}/packages/sdk.tgz`, "--no-audit", "--no-fund");
			expect(installed).toMatchObject({ code: 0 });
			await writeFile(
				join(folder, "agent.mjs"),
				`import { BountyClient } from "@bounty-platform/sdk";
const { api_key } = await new BountyClient({ baseUrl: ${JSON.stringify(server.url)} }).registerAnonymous({ display_name: "Ada" });
console.log(api_key.slice(0, 7));`,
			);
			expect(await run("node", "agent.mjs")).toMatchObject({ code: 0, stdout: "svc_sk_\n" });
			expect(Object.keys(JSON.parse(await readFile(join(folder, "package.json"), "utf8")).dependencies)).toEqual(["@bounty-platform/sdk"]);
			const installedAt = join(folder, "node_modules", "@bounty-platform", "sdk");
			expect(await readFile(join(installedAt, "LICENSE"), "utf8")).toContain("MIT");
			const manifest = JSON.parse(await readFile(join(installedAt, "package.json"), "utf8"));
			expect(manifest).toMatchObject({ license: "MIT", version: expect.stringMatching(/^\d+\.\d+\.\d+-[0-9a-f]{12}$/) });
		},
		TIMEOUT_MS,
	);

	it(
		"provide a command line to a shell",
		async () => {
			const bounty = (...args: readonly string[]) => run("npx", "--yes", `${server.url}/packages/cli.tgz`, ...args);
			expect(await bounty("login", "--register", "--name", "Ada", "--url", server.url)).toMatchObject({ code: 0 });
			const tasks = await bounty("tasks", "--json");
			expect(tasks).toMatchObject({ code: 0 });
			expect(JSON.parse(tasks.stdout)).toMatchObject({ data: [] });
		},
		TIMEOUT_MS,
	);

	it(
		"are installed again from a lock file, with an empty cache",
		async () => {
			const { packages } = index.parse(await (await fetch(`${server.url}/packages/index.json`)).json());
			const urls = packages.flatMap(({ url }) => (url.endsWith(".tgz") ? [url] : []));
			expect(await run("npm", "install", ...urls, "--no-audit", "--no-fund")).toMatchObject({ code: 0 });
			const lock = await readFile(join(folder, "package-lock.json"), "utf8");
			for (const { url, integrity } of packages.slice(0, 2)) {
				expect([lock.includes(url), lock.includes(integrity)]).toEqual([true, true]);
			}
			for (const path of ["cache", "node_modules"]) await rm(join(folder, path), { recursive: true, force: true });
			expect(await run("npm", "ci", "--no-audit", "--no-fund")).toMatchObject({ code: 0 });
		},
		TIMEOUT_MS,
	);
});
