// Runs the TypeScript or Python samples of one page as one program, as a reader would who follows the page in that language.
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Exchange, hasUnexpectedStatus, type PageRun, readExchanges, type SampleResult } from "./sample-runner.ts";
import { isProgram, type Page, type ProgramLanguage, type Sample } from "./samples.ts";

const PROGRAM_TIMEOUT_MS = 100_000;

interface Runtime {
	readonly command: string;
	/** TypeScript samples are plain JavaScript too, so Node 20 runs them as they are. */
	readonly fileName: string;
	readonly flags: readonly string[];
	/** Loaded before the program: names the sample that runs, reports each exchange, and shortens waiting. */
	readonly prelude: { readonly fileName: string; readonly code: string };
}

const RUNTIMES: Readonly<Record<ProgramLanguage, Runtime>> = {
	ts: {
		command: process.execPath,
		fileName: "page.mjs",
		flags: ["--import", "./prelude.mjs"],
		prelude: {
			fileName: "prelude.mjs",
			code: `import { writeSync } from "node:fs";
globalThis.__sample = (index) => [1, 2].forEach((stream) => writeSync(stream, "\\n== sample " + index + "\\n"));
const { fetch, setTimeout } = globalThis;
globalThis.setTimeout = (callback, ms, ...rest) => setTimeout(callback, Math.min(ms, 200), ...rest);
globalThis.fetch = async (resource, init) => {
	const request = new Request(resource, init);
	request.headers.set("CF-Connecting-IP", process.env.SAMPLE_CALLER);
	const response = await fetch(request);
	writeSync(2, "HTTP " + response.status + " " + request.method + " " + request.url + "\\n");
	return response;
};`,
		},
	},
	py: {
		command: "python3",
		fileName: "page.py",
		flags: [],
		prelude: {
			fileName: "sitecustomize.py",
			code: `import builtins, os, sys, time, urllib.request
def sample(index):
    for stream in (sys.stdout, sys.stderr):
        stream.write(f"\\n== sample {index}\\n")
        stream.flush()
builtins.__sample = sample
sleep = time.sleep
time.sleep = lambda seconds: sleep(min(seconds, 0.2))
class Recorder(urllib.request.BaseHandler):
    handler_order = 100
    def http_request(self, request):
        request.add_unredirected_header("CF-Connecting-IP", os.environ["SAMPLE_CALLER"])
        return request
    def http_response(self, request, response):
        sys.stderr.write(f"HTTP {response.status} {request.get_method()} {request.full_url}\\n")
        sys.stderr.flush()
        return response
urllib.request.install_opener(urllib.request.build_opener(Recorder))`,
		},
	},
};

interface ProgramOptions {
	/** Placeholders of the pages, and their values here. */
	readonly values: Readonly<Record<string, string>>;
	/** The IP address that the program's requests come from. */
	readonly callerIp: string;
}

/** Runs all samples of a page in one language, up to the first that fails. */
export async function runProgram(page: Page, language: ProgramLanguage, { values, callerIp }: ProgramOptions): Promise<PageRun> {
	const samples = page.samples.filter((sample) => isProgram(sample) && sample.language === language);
	const { command, fileName, flags, prelude } = RUNTIMES[language];
	const folder = await mkdtemp(join(tmpdir(), "page-program-"));
	try {
		const localize = (code: string) => Object.entries(values).reduce((text, [name, value]) => text.replaceAll(name, value), code);
		await writeFile(join(folder, prelude.fileName), prelude.code);
		await writeFile(join(folder, fileName), samples.map(({ code }, index) => `__sample(${index})\n${localize(code)}`).join("\n"));
		const variables = {
			HOME: folder,
			PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
			LANG: "C.UTF-8",
			PYTHONPATH: folder,
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

/** What one sample of the program printed; empty when the program did not get there. */
function readSample(sample: Sample, { index, stdout, stderr }: Pick<Output, "stdout" | "stderr"> & { index: number }): SampleResult[] {
	const part = (text: string) => text.split(/\n== sample \d+\n/)[index + 1];
	const [printed, reported] = [part(stdout), part(stderr)];
	if (printed === undefined || reported === undefined) return [];
	const exchanges: readonly Exchange[] = readExchanges(reported);
	return [{ sample, stdout: printed, stderr: reported, exchanges }];
}
