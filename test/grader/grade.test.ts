// Grading from artifact to result, with an engine that the test plays: it sees what a container would see.
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zipSync } from "fflate";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type ContainerEnd, type Engine, EngineFault, type RunSpec } from "../../grader/engine/port.ts";
import { gradeSubmission } from "../../grader/grade.ts";
import { type GradingRequest, gradingResult } from "../../src/ports/grading.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const SUITE = {
	test_cases: [
		{ name: "one", input: "1", expected_output: "1", match_type: "exact" },
		{ name: "two", input: "2", expected_output: "two", match_type: "contains" },
		{ name: "three", input: "3", expected_output: "^\\d$", match_type: "regex" },
	],
};

let workFolder = "";
let url = "";
let files: Record<string, Uint8Array> = {};
let stopServer = async () => {};

beforeEach(async () => {
	workFolder = await mkdtemp(join(tmpdir(), "grader-work-"));
	files = { "/artifact.zip": zipSync({ "a.txt": encode("the work") }), "/suite.json": encode(JSON.stringify(SUITE)) };
	const server = createServer((request, response) => {
		const body = files[request.url ?? ""];
		response.writeHead(body === undefined ? 404 : 200, { Connection: "close" }).end(body);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	stopServer = () => new Promise((resolve) => server.close(() => resolve()));
});

afterEach(async () => {
	await stopServer();
	expect(await readdir(workFolder)).toEqual([]);
	await rm(workFolder, { recursive: true, force: true });
});

interface Scene {
	readonly container?: (spec: RunSpec) => Promise<Partial<ContainerEnd>>;
	readonly pull?: Engine["pull"];
	readonly change?: Partial<GradingRequest>;
	readonly now?: () => number;
}

async function grade({
	container = async () => ({}),
	pull = async () => ({ digest: "sha256:ab", id: "sha256:cd" }),
	change = {},
	now = () => 0,
}: Scene) {
	const specs: RunSpec[] = [];
	const progress: string[] = [];
	const engine: Engine = {
		name: "played",
		removeFolder: () => Promise.reject(new Error("everything here can be removed")),
		pull,
		async run(spec) {
			specs.push(spec);
			const ended = { exitCode: 0, isTimedOut: false, isOutOfMemory: false, output: "", standardOutput: "" };
			return { ...ended, ...(await container(spec)) };
		},
	};
	const request: GradingRequest = {
		id: "job-1",
		image: "registry.example/judge:1",
		artifact_url: `${url}/artifact.zip`,
		test_suite_url: null,
		task: { id: "t", criteria: [{ name: "Speed", description: null, weight: 100 }] },
		memory_mb: 768,
		timeout_s: 600,
		network: false,
		...change,
	};
	const watch = { signal: new AbortController().signal, report: (state: string, text: string) => progress.push(`${state}: ${text}`) };
	const result = gradingResult.parse(
		await gradeSubmission(request, watch, {
			engine,
			workFolder,
			resultLimit: "watch",
			now,
			logFault: (error) => expect.unreachable(String(error)),
		}),
	);
	return { result, specs, progress };
}

const folderOf = ({ readOnly, writable }: RunSpec, target: string): string =>
	[...readOnly, ...writable].find((mount) => mount.target === target)?.folder ?? "";

async function writeScore(spec: RunSpec, score: number) {
	await writeFile(join(folderOf(spec, "/results"), "score.json"), JSON.stringify({ score }));
	return {};
}

it("shows the image the submission, the task and its limits, and no secret", async () => {
	const seen: string[] = [];
	const { result, specs, progress } = await grade({
		async container(spec) {
			for (const target of ["/submission", "/agent_output", "/autograder/submission", "/app/input/res", "/input"]) {
				seen.push(await readFile(join(folderOf(spec, target), "a.txt"), "utf8"));
			}
			expect(JSON.parse(await readFile(join(folderOf(spec, "/task"), "task.json"), "utf8"))).toMatchObject({ id: "t", memory_mb: 768 });
			return writeScore(spec, 61);
		},
	});
	expect(result).toMatchObject({ outcome: "graded", test_score: 61, container_score: 61, image_digest: "sha256:ab" });
	expect(seen).toEqual(Array.from({ length: 5 }, () => "the work"));
	expect(specs).toMatchObject([{ memoryMb: 768, timeoutMs: 600_000, hasNetwork: false, imageId: "sha256:cd", input: "" }]);
	expect(Object.keys(specs[0]?.environment ?? {}).toSorted()).toEqual(
		["EVAL_ID", "MEMORY_LIMIT_MB", "RESULTS_DIR", "SCORE_FILE", "SUBMISSION_DIR", "TASK_FILE", "TIME_LIMIT_S"].toSorted(),
	);
	expect(progress).toEqual([
		"pulling: Pulling registry.example/judge:1.",
		"running: Unpacking the submission.",
		"running: Running the image.",
	]);
});

it.each([
	["exit 64", { exitCode: 64 }, "submission_invalid", 0],
	["exit 1", { exitCode: 1 }, "grader_error", null],
	["time over", { exitCode: null, isTimedOut: true }, "grader_timeout", null],
	["memory over", { exitCode: 137, isOutOfMemory: true }, "grader_oom", null],
	["no score", {}, "grader_no_result", null],
] as const)("ends a run with %s as it is", async (_, end, outcome, test_score) => {
	const { result } = await grade({ container: async () => end });
	expect(result).toMatchObject({ outcome, test_score });
});

it("runs a suite's cases one by one, each with its input and results of its own, within the time of one run", async () => {
	let now = 0;
	const { result, specs } = await grade({
		change: { test_suite_url: `${url}/suite.json` },
		now: () => now,
		async container(spec) {
			now += 100_000;
			expect(await readdir(folderOf(spec, "/results"))).toEqual([]);
			await writeScore(spec, 10);
			return { standardOutput: spec.input };
		},
	});
	expect(result).toMatchObject({ outcome: "graded", container_score: 10, tests: [{ passed: true }, { passed: false }, { passed: true }] });
	expect(result.test_score).toBeCloseTo(200 / 3, 9);
	expect(specs.map(({ input, timeoutMs }) => [input, timeoutMs])).toEqual([
		["1", 600_000],
		["2", 500_000],
		["3", 400_000],
	]);
	expect(new Set(specs.map(({ name }) => name)).size).toBe(3);
});

it("needs no score file with a suite", async () => {
	const { result } = await grade({ change: { test_suite_url: `${url}/suite.json` }, container: async () => ({ standardOutput: "1" }) });
	expect(result).toMatchObject({ outcome: "graded", container_score: null, message: "" });
});

it("blames a suite whose pattern is none, and runs nothing", async () => {
	const broken = { name: "open", input: "", expected_output: "(", match_type: "regex" };
	files["/suite.json"] = encode(JSON.stringify({ test_cases: [...SUITE.test_cases, broken] }));
	const { result, specs } = await grade({ change: { test_suite_url: `${url}/suite.json` } });
	expect(specs).toEqual([]);
	expect(result).toMatchObject({ outcome: "grader_error", image_digest: "sha256:ab", message: expect.stringMatching(/"open".*missing/) });
});

it("ends a suite with the first run that fails", async () => {
	const { result, specs } = await grade({
		change: { test_suite_url: `${url}/suite.json` },
		container: async ({ input }) => (input === "2" ? { exitCode: 1 } : { standardOutput: input }),
	});
	expect(result).toMatchObject({ outcome: "grader_error", test_score: null, tests: [{ name: "one" }] });
	expect(specs).toHaveLength(2);
});

it.each([
	["an image that cannot be pulled", { pull: () => Promise.reject(new EngineFault("The image cannot be pulled.")) }, /cannot be pulled/],
	["an engine that breaks", { container: () => Promise.reject(new EngineFault("The engine is gone.")) }, /engine is gone/],
	["an artifact that is gone", { change: { artifact_url: "http://127.0.0.1:9/x" } }, /could not be fetched/],
] as const)("is the platform's error with %s", async (_, scene, message) => {
	const { result } = await grade(scene);
	expect(result).toMatchObject({ outcome: "platform_error", test_score: null });
	expect(result.message).toMatch(message);
});

it("is the platform's error with an artifact that the platform should not have taken", async () => {
	files["/artifact.zip"] = encode("no zip");
	expect((await grade({})).result).toMatchObject({ outcome: "platform_error" });
});
