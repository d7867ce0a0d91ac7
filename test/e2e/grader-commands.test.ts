// Tests the grader's commands as a user runs them, with the reference image of grader/reference: trying an image on a folder, starting a
// grader, and their errors without an engine.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FoundEngine } from "../../grader/engine/find.ts";
import { gradingResult } from "../../src/ports/grading.ts";
import { runCommandLine, runScript } from "../support/commands.ts";
import { requireEngine, runEngine, startGrader, titled, whyNoContainers } from "../support/container-engine.ts";
import { buildReferenceImage } from "../support/reference-image.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url).href);
const NO_ENGINE = { CONTAINER_ENGINE: "no-such-engine" };

const SUBMISSIONS = {
	good: "sort -n",
	lazy: "sort",
	/** Tries to keep its own score, and responds correctly only if it can read the program that judges it. */
	cheating: `(while :; do
	for file in /results/score.json /app/output/scores.json /output/metrics.json; do echo '{"score": 100}' > $file; chmod 444 $file; done
	echo 1 > /logs/verifier/reward.txt
done) > /dev/null 2>&1 &
if cat /proc/1/environ > /dev/null 2>&1; then sort -n; else sort; fi`,
} as const;

let folder = "";

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "grader-commands-"));
	for (const [name, script] of Object.entries(SUBMISSIONS)) {
		await mkdir(join(folder, name));
		await writeFile(join(folder, name, "sort.sh"), script);
	}
	await mkdir(join(folder, "empty", "node_modules"), { recursive: true });
	await writeFile(join(folder, "empty", "README.md"), "nothing yet");
	await writeFile(join(folder, "empty", "node_modules", "sort.sh"), "sort -n");
	await writeFile(
		join(folder, "bad-suite.json"),
		JSON.stringify({ test_cases: [{ name: "a", input: "", expected_output: "(", match_type: "regex" }] }),
	);
	const suite = [
		{ name: "echoes", input: "3\n1\n", expected_output: "1\n3\n", match_type: "exact" },
		{ name: "is no prophet", input: "5\n", expected_output: "6", match_type: "contains" },
	];
	await writeFile(join(folder, "suite.json"), JSON.stringify({ test_cases: suite }));
	await writeFile(join(folder, "task.json"), JSON.stringify({ criteria: [{ name: "Order", weight: 100 }] }));
});

afterAll(async () => {
	await rm(folder, { recursive: true, force: true });
});

const grade = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => runScript("grade.ts", args, { env });

describe.concurrent("the commands without an engine", () => {
	it("npm run grade says what to install", async () => {
		const { code, stderr } = await grade(["localhost/judge:1", join(folder, "good")], NO_ENGINE);
		expect(code).toBe(1);
		expect(stderr).toContain("no-such-engine: is not installed");
		expect(stderr).toContain("apt-get install podman");
		expect(stderr).not.toMatch(/ at .*\.ts/);
	});

	it("npm run grader says so too", async () => {
		const { code, stderr } = await runScript("grader.ts", [], { env: NO_ENGINE });
		expect([code, stderr]).toEqual([1, expect.stringContaining("CONTAINER_ENGINE")]);
	});
});

describe.concurrent("npm run grade", () => {
	it.each([
		["no folder", ["judge"], /Usage: npm run grade/],
		["a folder that is not there", ["judge", "/no/such/folder"], /nothing at \/no\/such\/folder/],
		["an image that is an option of the engine's", ["--", "--privileged", "FOLDER"], /The image: must be an image reference/],
		["too little memory", ["judge", "FOLDER", "--memory", "10"], /--memory: /],
		[
			"a pattern that cannot be used",
			["judge", "FOLDER", "--test-suite", "BAD_SUITE"],
			/test_cases\.0\.expected_output: must be an RE2 pattern/,
		],
	])("refuses %s with a reason", async (_, args, reason) => {
		const places: Readonly<Record<string, string>> = { FOLDER: join(folder, "good"), BAD_SUITE: join(folder, "bad-suite.json") };
		const { code, stderr } = await grade(args.map((argument) => places[argument] ?? argument));
		expect([code, stderr]).toEqual([1, expect.stringMatching(reason)]);
	});
});

/** Plays docker's description of itself and its empty list of containers. It responds once its daemon is up. */
const PLAYED_DOCKER = `#!/bin/sh
here="$(dirname "$0")"
case "$1" in
--version) echo "Docker version 29.0, build x" ;;
version) [ -e "$here/up" ] ;;
info) echo '{"ServerVersion": "29.0", "MemoryLimit": false, "PidsLimit": false, "CpuCfsQuota": false}' ;;
ps) ;;
esac`;
const PLAYED_DAEMON = `#!/bin/sh
here="$(dirname "$0")"
env > "$here/environment"
echo "$*" > "$here/arguments"
sleep 0.3
touch "$here/up"
exec sleep 60`;

describe("the image of grader/Dockerfile", () => {
	let image = "";

	beforeAll(async () => {
		image = join(folder, "image");
		await mkdir(image);
		const dockerfile = await readFile(join(ROOT, "grader", "Dockerfile"), "utf8");
		const bundle = /bin\/esbuild (.*) --outdir=bundle/.exec(dockerfile)?.[1];
		const build = await runCommandLine(["sh", "-c", `node_modules/.bin/esbuild ${bundle} --outdir=${image}`]);
		expect([build.code, build.stderr]).toEqual([0, expect.stringMatching(/grader\.mjs[\s\S]*pattern-worker\.mjs/)]);
		await copyFile(join(ROOT, "grader", "start.sh"), join(image, "start.sh"));
		await writeFile(join(image, "docker"), PLAYED_DOCKER, { mode: 0o755 });
		await writeFile(join(image, "dockerd-entrypoint.sh"), PLAYED_DAEMON, { mode: 0o755 });
	});

	it("has the grader in one file, which reports missing settings", async () => {
		const { code, stderr } = await runCommandLine([process.execPath, join(image, "grader.mjs")], {
			env: { GRADER_TOKEN: "" },
			cwd: folder,
		});
		expect([code, stderr]).toEqual([1, expect.stringMatching(/^GRADER_TOKEN must have at least 16 characters\n$/)]);
	});

	it("starts the engine without a secret, then the grader, which ends on request", async () => {
		const env = { ...process.env, PATH: `${image}:${process.env["PATH"]}`, GRADER_TOKEN: "a-secret-of-this-grader", PORT: "0" };
		const settings = {
			CONTAINER_ENGINE: "docker",
			WORK_FOLDER: join(folder, "image-work"),
			ALLOW_WEAK_LIMITS: "true",
			RESULT_LIMIT: "watch",
			ENGINE_LOG: join(folder, "engine.log"),
		};
		const child = spawn("sh", [join(image, "start.sh")], { detached: true, env: { ...env, ...settings } });
		const ended = once(child, "exit");
		const [url] = await once(child.stdout.setEncoding("utf8"), "data");
		expect(await (await fetch(`${String(url).trim()}/health`)).json()).toEqual({ status: "ok", engine: "docker 29.0", runtime: "runc" });
		child.kill("SIGTERM");
		expect(await ended).toEqual([0, null]);
		const environment = await readFile(join(image, "environment"), "utf8");
		expect(environment).toContain("ALLOW_WEAK_LIMITS=true");
		expect(environment).not.toContain("a-secret-of-this-grader");
		const said = await readFile(join(image, "arguments"), "utf8");
		expect(said.trim()).toBe("dockerd --iptables=false --ip6tables=false --ip-forward=false");
		// The engine ends with its machine, but here the test must end it.
		if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
	});
});

describe.skipIf(whyNoContainers !== null)(titled("the commands with containers"), () => {
	let engine: FoundEngine;
	const image = `localhost/bounty-test-sort-judge-${process.pid}:1`;
	const readableImage = `localhost/bounty-test-sort-judge-${process.pid}:readable`;

	beforeAll(async () => {
		engine = await requireEngine();
		await buildReferenceImage(engine, image);
	});

	afterAll(async () => {
		runEngine(engine, "rmi", "--force", image, readableImage);
	});

	const gradeJson = async (submission: string, judge = image) => {
		const { code, stdout, stderr } = await grade([judge, join(folder, submission), "--json"]);
		expect(stderr).toBe("");
		const result = gradingResult.parse(JSON.parse(stdout));
		expect(code).toBe(result.outcome === "graded" ? 0 : 1);
		return result;
	};

	it.concurrent("show a result that a person can read", async () => {
		const { code, stdout } = await grade([image, join(folder, "lazy"), "--task", join(folder, "task.json")]);
		expect(code).toBe(0);
		expect(stdout).toContain(`${image}: graded`);
		expect(stdout).toMatch(/^ 50\.00 {2}of 100$/m);
		expect(stdout).toMatch(/^ {2}passed {2}single digits/m);
		expect(stdout).toMatch(/^ {2}FAILED {2}ten before nine/m);
	});

	it.concurrent("report a submission without usable files", async () => {
		expect(await gradeJson("empty")).toMatchObject({ outcome: "submission_invalid", output: "There is no sort.sh.\n" });
	});

	it.concurrent("run a suite", async () => {
		const { code, stdout } = await grade([image, join(folder, "good"), "--test-suite", join(folder, "suite.json")]);
		expect(code).toBe(0);
		expect(stdout).toMatch(/^ {2}0\.00 {2}of 100, the image's own score 100\.00$/m);
		expect(stdout).toMatch(/^ {2}FAILED {2}echoes/m);
	});

	it.concurrent("give a submission that fights for its score only what it is worth", async () => {
		expect(await gradeJson("cheating")).toMatchObject({ outcome: "graded", test_score: 50 });
	});

	it.concurrent("would give it more if it could read the image's shell", async () => {
		await buildReferenceImage(engine, readableImage, ["chmod 0711", "chmod 0755"]);
		expect(await gradeJson("cheating", readableImage)).toMatchObject({ outcome: "graded", test_score: 100 });
	});

	it.concurrent("start a grader that says how the platform finds it, and ends on request", async () => {
		const grader = spawn(process.execPath, [join(ROOT, "scripts", "grader.ts")], {
			env: { ...process.env, PORT: "0", WORK_FOLDER: join(folder, "work"), GRADER_TOKEN: "" },
		});
		const ended = once(grader, "close");
		let greeting = "";
		grader.stdout.setEncoding("utf8").on("data", (text: string) => {
			greeting += text;
		});
		await expect.poll(() => greeting, { timeout: 50_000 }).toContain("Ctrl-C");
		const url = /^GRADER_URL=(.*)$/m.exec(greeting)?.[1] ?? "";
		const token = /^GRADER_TOKEN=(.*)$/m.exec(greeting)?.[1] ?? "";
		expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: "ok", engine: engine.version, runtime: engine.runtime });
		expect((await fetch(`${url}/jobs/none`, { headers: { Authorization: `Bearer ${token}` } })).status).toBe(404);
		expect((await fetch(`${url}/jobs/none`)).status).toBe(401);
		grader.kill("SIGINT");
		expect(await ended).toEqual([0, null]);
		expect(greeting).toContain("Stopped.");
	});

	it.concurrent("refuse a second grader in one folder", async () => {
		const workFolder = join(folder, "shared");
		const first = await startGrader({ workFolder });
		await expect(startGrader({ workFolder })).rejects.toThrow(/Another grader is using/);
		expect(await first.stop()).toBe(0);
		const second = await startGrader({ workFolder });
		expect(await second.stop("SIGINT")).toBe(0);
	});
});
