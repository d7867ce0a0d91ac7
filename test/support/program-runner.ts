// Runs the samples of one of a page's tabs as one program, as a reader does who follows the page in that language.
import { spawn } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { CLI_MAIN } from "./cli-package.ts";
import { PYTHON } from "./python.ts";
import { type Exchange, hasUnexpectedStatus, type PageRun, readExchanges, type SampleResult } from "./sample-runner.ts";
import { isProgram, type Page, PROJECT_ROOT, type ProgramName, type Sample } from "./samples.ts";

const PROGRAM_TIMEOUT_MS = 300_000;

interface Runtime {
	readonly command: string;
	/** TypeScript samples are also plain JavaScript, so Node 20 runs them unchanged. */
	readonly fileName: string;
	readonly flags: readonly string[];
	/** Files that are loaded before the program. They name the running sample, report each exchange, and shorten waits. */
	readonly preludes: Readonly<Record<string, string>>;
	/** Returns a statement that says which sample begins. */
	readonly mark: (index: number) => string;
}

const REPORTED_FETCH = `import { writeSync } from "node:fs";
globalThis.__sample = (index) => [1, 2].forEach((stream) => writeSync(stream, "\\n== sample " + index + "\\n"));
const { fetch } = globalThis;
globalThis.fetch = async (resource, init) => {
	const request = new Request(resource, init);
	request.headers.set("CF-Connecting-IP", process.env.SAMPLE_CALLER);
	const response = await fetch(request);
	writeSync(2, "HTTP " + response.status + " " + request.method + " " + request.url + "\\n");
	return response;
};`;

/** Shortens pauses. Not for the SDK, because this would shorten its own time limits as well. */
const SHORT_PAUSES = `const { setTimeout } = globalThis;
globalThis.setTimeout = (callback, ms, ...rest) => setTimeout(callback, Math.min(ms, 200), ...rest);`;

const RUNTIMES: Readonly<Record<ProgramName, Runtime>> = {
	TypeScript: {
		command: process.execPath,
		fileName: "page.mjs",
		flags: ["--import", "./prelude.mjs"],
		preludes: { "prelude.mjs": `${REPORTED_FETCH}\n${SHORT_PAUSES}` },
		mark: (index) => `__sample(${index})`,
	},
	SDK: {
		command: process.execPath,
		fileName: "page.mjs",
		flags: ["--import", "./prelude.mjs"],
		preludes: { "prelude.mjs": REPORTED_FETCH },
		mark: (index) => `__sample(${index})`,
	},
	CLI: {
		command: "bash",
		fileName: "page.sh",
		flags: ["-eo", "pipefail"],
		preludes: {
			"prelude.mjs": REPORTED_FETCH,
			// BASH_ENV names this file.
			"prelude.sh": `__sample() { printf '\\n== sample %s\\n' "$1"; printf '\\n== sample %s\\n' "$1" >&2; }
bounty() { '${process.execPath}' --import "$HOME/prelude.mjs" '${CLI_MAIN}' "$@"; }`,
		},
		mark: (index) => `__sample ${index}`,
	},
	Python: {
		command: PYTHON ?? "python3",
		fileName: "page.py",
		flags: [],
		preludes: {
			"sitecustomize.py": `import builtins, os, sys, time, httpx
def sample(index):
    for stream in (sys.stdout, sys.stderr):
        stream.write(f"\\n== sample {index}\\n")
        stream.flush()
builtins.__sample = sample
sleep = time.sleep
time.sleep = lambda seconds: sleep(min(seconds, 0.2))
handle = httpx.HTTPTransport.handle_request
def report(transport, request):
    request.headers["CF-Connecting-IP"] = os.environ["SAMPLE_CALLER"]
    response = handle(transport, request)
    sys.stderr.write(f"HTTP {response.status_code} {request.method} {request.url}\\n")
    sys.stderr.flush()
    return response
httpx.HTTPTransport.handle_request = report`,
		},
		mark: (index) => `__sample(${index})`,
	},
};

interface ProgramOptions {
	/** The values of the pages' placeholders. */
	readonly values: Readonly<Record<string, string>>;
	/** The IP address from which the program's requests come. */
	readonly callerIp: string;
}

/** Runs all samples of a page's program, up to the first that fails. */
export async function runProgram(page: Page, name: ProgramName, { values, callerIp }: ProgramOptions): Promise<PageRun> {
	const samples = page.samples.filter((sample) => isProgram(sample, [name]));
	const { command, fileName, flags, preludes, mark } = RUNTIMES[name];
	const folder = await mkdtemp(join(tmpdir(), "page-program-"));
	try {
		// A reader would install these with npm and pip.
		await symlink(join(PROJECT_ROOT, "node_modules"), join(folder, "node_modules"));
		const localize = (code: string) => Object.entries(values).reduce((text, [name, value]) => text.replaceAll(name, value), code);
		for (const [path, code] of Object.entries(preludes)) await writeFile(join(folder, path), code);
		await writeFile(join(folder, fileName), samples.map(({ code }, index) => `${mark(index)}\n${localize(code)}`).join("\n"));
		const variables = {
			HOME: folder,
			PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
			LANG: "C.UTF-8",
			PYTHONPATH: `${folder}:${join(PROJECT_ROOT, "packages", "python", "src")}`,
			BASH_ENV: join(folder, "prelude.sh"),
			no_proxy: "*",
			SAMPLE_CALLER: callerIp,
		};
		const environment = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
		const { code, stdout, stderr } = await run(["-i", ...environment, command, ...flags, fileName], folder);
		const results = samples.flatMap((sample, index) => readSample(sample, { index, stdout, stderr }));
		const failed = results.find(hasUnexpectedStatus) ?? (code === 0 ? null : (results.at(-1) ?? null));
		return { results, failed, note: code === 0 ? "" : `exit code ${code}` };
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

interface Output {
	readonly code: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

/** Runs `env` with these arguments. */
async function run(args: readonly string[], cwd: string): Promise<Output> {
	const child = spawn("env", args, { cwd, timeout: PROGRAM_TIMEOUT_MS, killSignal: "SIGKILL" });
	let stdout = "";
	let stderr = "";
	child.stdout.setEncoding("utf8").on("data", (text: string) => {
		stdout += text;
	});
	child.stderr.setEncoding("utf8").on("data", (text: string) => {
		stderr += text;
	});
	const code = await new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
	return { code, stdout, stderr };
}

/** Returns the output of one sample of the program, or nothing if the program ended earlier. */
function readSample(sample: Sample, { index, stdout, stderr }: Pick<Output, "stdout" | "stderr"> & { index: number }): SampleResult[] {
	const part = (text: string) => text.split(/\n== sample \d+\n/)[index + 1];
	const [printed, reported] = [part(stdout), part(stderr)];
	if (printed === undefined || reported === undefined) return [];
	const exchanges: readonly Exchange[] = readExchanges(reported);
	return [{ sample, stdout: printed, stderr: reported, exchanges }];
}
