// Runs the shell samples of one page in order, in one bash, as a reader does who pastes them one after the other.
import { spawn, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { findFreePort } from "../../scripts/support/platform.ts";
import { isProgram, isShell, type Page, PROJECT_ROOT, type Sample } from "./samples.ts";

const PAGE_TIMEOUT_MS = 300_000;
/** The ports that pages name for readers. Each run replaces them with free ones. */
const SAMPLE_PORT = /\b900\d\b/g;
/**
 * The prefix of IP addresses that are reserved for documentation (RFC 5737). Each page gets one of them, so that no page uses up another's
 * limits.
 */
const CALLER_PREFIX = "203.0.113.";

/** Returns the IP address of one of the 254 callers. */
export function callerIpOf(caller: number): string {
	return `${CALLER_PREFIX}${caller}`;
}

export interface SampleResult {
	readonly sample: Sample;
	readonly stdout: string;
	readonly stderr: string;
	/** The requests of the sample, in order. */
	readonly exchanges: readonly Exchange[];
}

export interface Exchange {
	readonly method: string;
	readonly url: string;
	/** The status, or 0 if there was no response. */
	readonly status: number;
}

export interface PageRun {
	readonly results: readonly SampleResult[];
	/** The sample that failed. Null if all succeeded. */
	readonly failed: SampleResult | null;
	readonly note: string;
}

export type Tool = "python3" | "engine";

/** Returns the tools that a sample needs and a machine may lack. */
export function toolsOf(sample: Sample): Tool[] {
	const tools: Tool[] = [];
	if (isShell(sample) && /\bpython3\b/.test(sample.code)) tools.push("python3");
	if (sample.meta["needs"] === "engine") tools.push("engine");
	return tools;
}

/** Returns true if the command can start. */
export function isCommand(...command: readonly [string, ...string[]]): boolean {
	const [name, ...args] = command;
	return spawnSync(name, args, { stdio: "ignore" }).status === 0;
}

/** Returns true if a sample is part of the page's shell script. */
export function isRunnable(sample: Sample): boolean {
	return isShell(sample) && !isProgram(sample) && sample.meta["skip"] === undefined;
}

interface RunOptions {
	/** The values of names in pages for what differs from place to place. */
	readonly values: Readonly<Record<string, string>>;
	/** The engine's command line up to its subcommand, which readers call docker. Null if there is none. */
	readonly engine: string | null;
	/** The number of the caller, from 1 to 254. */
	readonly caller: number;
	readonly canUse: (tool: Tool) => boolean;
}

/** Runs a page's samples against a platform, up to the first that fails. */
export async function runPage(page: Page, { values, engine, caller, canUse }: RunOptions): Promise<PageRun> {
	const folder = await mkdtemp(join(tmpdir(), "page-samples-"));
	const home = join(folder, "home");
	await mkdir(home);
	// A reader would install these with npm.
	await symlink(join(PROJECT_ROOT, "node_modules"), join(folder, "node_modules"));
	try {
		const samples = runnablePart(page, canUse);
		const script = await writeScript(samples, { folder, values });
		const note = await runScript(script, { home, caller, engine });
		const current = Number(await readFile(join(folder, "current"), "utf8").catch(() => "-1"));
		const ran = samples.map((sample, index) => ({ sample, index })).filter(({ sample, index }) => isRunnable(sample) && index <= current);
		const results = await Promise.all(ran.map(({ sample, index }) => readResult(sample, join(folder, String(index)))));
		const failed = note === "" ? (results.find(hasUnexpectedStatus) ?? null) : (results.at(-1) ?? null);
		return { results, failed, note };
	} finally {
		await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
	}
}

/** Returns a page's samples up to the first that needs something missing, because later ones may depend on it. */
function runnablePart({ samples }: Page, canUse: RunOptions["canUse"]): readonly Sample[] {
	const end = samples.findIndex((sample) => !toolsOf(sample).every(canUse));
	return end === -1 ? samples : samples.slice(0, end);
}

async function writeScript(
	samples: readonly Sample[],
	{ folder, values }: Pick<RunOptions, "values"> & { readonly folder: string },
): Promise<string> {
	const ports = new Map<string, string>();
	for (const { code } of samples) {
		for (const [port] of code.matchAll(SAMPLE_PORT)) if (!ports.has(port)) ports.set(port, String(await findFreePort()));
	}
	const localize = (code: string) =>
		Object.entries(values)
			.reduce((text, [name, value]) => text.replaceAll(name, value), code)
			.replace(SAMPLE_PORT, (port) => ports.get(port) ?? port);
	const steps: string[] = [PRELUDE];
	for (const [index, sample] of samples.entries()) {
		const at = join(folder, String(index));
		const { file, expect = "", cwd } = sample.meta;
		if (file !== undefined) {
			await writeFile(`${at}.file`, localize(sample.code));
			steps.push(`mkdir -p "$HOME/$(dirname ${file})" && cp ${at}.file "$HOME/${file}"`);
		} else if (isRunnable(sample)) {
			const place = cwd === "checkout" ? PROJECT_ROOT : "$HOME";
			steps.push(`echo ${index} > ${folder}/current; __expect=${expect}; cd "${place}"`);
			steps.push(`{\n${localize(sample.code)}\n} > ${at}.out 2> ${at}.err`);
		}
	}
	const path = join(folder, "page.sh");
	await writeFile(path, `${steps.join("\n")}\n`);
	return path;
}

/** Makes curl fail on statuses that a page does not announce, sends the page's own IP address, and shortens waits. */
const PRELUDE = `set -eo pipefail
curl() {
	local fail=--fail-with-body
	[ -n "$__expect" ] && fail=-sS
	command curl -sS $fail -H "CF-Connecting-IP: $SAMPLE_CALLER" -w '%{stderr}HTTP %{http_code} %{method} %{url_effective}\\n' "$@"
}
sleep() { command sleep 0.2; }
docker() { HOME=$SAMPLE_ENGINE_HOME command $SAMPLE_ENGINE "$@"; }`;

/** Returns an empty string if the script succeeded, and otherwise its error. */
async function runScript(
	script: string,
	{ home, caller, engine }: Pick<RunOptions, "caller" | "engine"> & { readonly home: string },
): Promise<string> {
	const variables = {
		HOME: home,
		TMPDIR: home,
		LANG: "C.UTF-8",
		PATH: [dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter),
		no_proxy: "*",
		SAMPLE_ENGINE: engine ?? "false",
		// An engine stores its images and settings in the user's own home.
		SAMPLE_ENGINE_HOME: homedir(),
		XDG_DATA_HOME: process.env["XDG_DATA_HOME"] ?? join(homedir(), ".local", "share"),
		XDG_CONFIG_HOME: process.env["XDG_CONFIG_HOME"] ?? join(homedir(), ".config"),
		XDG_RUNTIME_DIR: process.env["XDG_RUNTIME_DIR"] ?? "",
		CONTAINER_ENGINE: engine?.split(" ")[0] ?? "",
		SAMPLE_CALLER: callerIpOf(caller),
	};
	const environment = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
	const child = spawn("env", ["-i", ...environment, "bash", script], { cwd: home, detached: true, stdio: "ignore" });
	const stop = () => {
		try {
			if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
		} catch {
			// All processes have ended already.
		}
	};
	let isLate = false;
	const timer = setTimeout(() => {
		isLate = true;
		stop();
	}, PAGE_TIMEOUT_MS);
	const code = await new Promise<number | null>((resolve, reject) => child.on("error", reject).on("exit", resolve));
	clearTimeout(timer);
	stop();
	if (isLate) return `not done after ${PAGE_TIMEOUT_MS / 1000} s`;
	return code === 0 ? "" : `exit code ${code}`;
}

async function readResult(sample: Sample, at: string): Promise<SampleResult> {
	const read = (end: string) => readFile(`${at}.${end}`, "utf8").catch(() => "");
	const [stdout, stderr] = await Promise.all([read("out"), read("err")]);
	return { sample, stdout, stderr, exchanges: readExchanges(stderr) };
}

/** Reads the lines `HTTP 200 GET https://...` that samples write to standard error when they run here. */
export function readExchanges(stderr: string): Exchange[] {
	return [...stderr.matchAll(/^HTTP (\d+) (\S+) (\S+)$/gm)].map(([, status, method = "", url = ""]) => ({
		method,
		url,
		status: Number(status),
	}));
}

/** Returns true if the request is the command line's lookup of its last submission in the workspace, which is 404 before the first one. */
function isFirstLook({ method, url, status }: Exchange): boolean {
	return method === "GET" && status === 404 && url.includes("/api/v1/workspace/kv/work%2F");
}

/** Returns true if a request fails with a status that the sample does not announce, or if none fails with the one that it announces. */
export function hasUnexpectedStatus({ sample, exchanges }: SampleResult): boolean {
	const expected = sample.meta["expect"] === undefined ? null : Number(sample.meta["expect"]);
	const failures = exchanges
		.filter((each) => !isFirstLook(each))
		.map(({ status }) => status)
		.filter((status) => status === 0 || status >= 400);
	return failures.some((status) => status !== expected) || (expected !== null && !failures.includes(expected));
}
