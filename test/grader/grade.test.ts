// Tests grading from artifact to result with a scripted engine, which sees what a container would see.
import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zipSync } from "fflate";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ContainerEnd, type Engine, EngineFault, ImageFault, type PulledImage, type RunSpec } from "../../grader/engine/port.ts";
import { gradeSubmission } from "../../grader/grade.ts";
import { type GradingRequest, gradingResult } from "../../src/ports/grading.ts";
import { serveLocally } from "../support/local-server.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const DIGEST = `sha256:${"ab".repeat(32)}`;
const SUITE = {
	test_cases: [
		{ name: "one", input: "1", expected_output: "1", match_type: "exact", public: true },
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
	({ url, stop: stopServer } = await serveLocally((request, response) => {
		const body = files[request.url ?? ""];
		response.writeHead(body === undefined ? 404 : 200, { Connection: "close" }).end(body);
	}));
});

afterEach(async () => {
	await stopServer();
	expect(await readdir(workFolder)).toEqual([]);
	await rm(workFolder, { recursive: true, force: true });
});

const PULLED: PulledImage = { digest: DIGEST, id: "sha256:cd", programPaths: ["/bin/sh"] };

interface Scene {
	readonly container?: (spec: RunSpec) => Promise<Partial<ContainerEnd>>;
	readonly pull?: Engine["pull"];
	readonly change?: Partial<GradingRequest>;
	readonly now?: () => number;
}

async function grade({ container = async () => ({}), pull = async () => PULLED, change = {}, now = () => 0 }: Scene) {
	const specs: RunSpec[] = [];
	const progress: string[] = [];
	const released: string[] = [];
	const engine: Engine = {
		name: "played",
		runtime: "played",
		removeFolder: () => Promise.reject(new Error("everything here can be removed")),
		pull,
		release: (id) => released.push(id),
		async run(spec) {
			expect(released).toEqual([]);
			specs.push(spec);
			const ended = { exitCode: 0, isTimedOut: false, isOutOfMemory: false, output: "", standardOutput: "", isOutputCut: false };
			return { ...ended, ...(await container(spec)) };
		},
	};
	const request: GradingRequest = {
		id: "job-1",
		image: "registry.example/judge:1",
		image_digest: null,
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
			newEvaluationId: randomUUID,
			logFault: (error) => expect.unreachable(String(error)),
		}),
	);
	return { result, specs, progress, released };
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
	expect(result).toMatchObject({ outcome: "graded", test_score: 61, container_score: 61, image_digest: DIGEST });
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
	["time over", { exitCode: null, isTimedOut: true }, "grader_timeout", null],
	["no score", {}, "grader_no_result", null],
] as const)("returns the result of a run with %s unchanged", async (_, end, outcome, test_score) => {
	const { result } = await grade({ container: async () => end });
	expect(result).toMatchObject({ outcome, test_score });
});

it("runs a suite's cases one by one with separate inputs and results, within the time of one run", async () => {
	let now = 0;
	const { result, specs, released } = await grade({
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
	expect(released).toEqual([PULLED.id]);
});

it("needs no score file with a suite", async () => {
	const { result } = await grade({ change: { test_suite_url: `${url}/suite.json` }, container: async () => ({ standardOutput: "1" }) });
	expect(result).toMatchObject({ outcome: "graded", container_score: null, message: "" });
});

it("blames the task for a suite whose pattern is invalid, and runs nothing", async () => {
	const broken = { name: "open", input: "", expected_output: "(", match_type: "regex" };
	files["/suite.json"] = encode(JSON.stringify({ test_cases: [...SUITE.test_cases, broken] }));
	const { result, specs } = await grade({ change: { test_suite_url: `${url}/suite.json` } });
	expect(specs).toEqual([]);
	expect(result).toMatchObject({ outcome: "image_error", image_digest: DIGEST, message: expect.stringMatching(/"open" cannot be used/) });
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
] as const)("blames the platform for %s", async (_, scene, message) => {
	const { result } = await grade(scene);
	expect(result).toMatchObject({ outcome: "platform_error", test_score: null });
	expect(result.message).toMatch(message);
});

it.each([
	["is no zip", encode("no zip")],
	["is broken in an entry", brokenZip()],
	["has a name that no file system has", zipSync({ ["n".repeat(300)]: encode("x") })],
])("blames the submission for an artifact that %s, and runs nothing", async (_, artifact) => {
	files["/artifact.zip"] = artifact;
	const { result, specs } = await grade({});
	expect(result).toMatchObject({ outcome: "submission_invalid", test_score: 0, container_score: 0, image_digest: DIGEST });
	expect(result.message).toMatch(/^The artifact cannot be unpacked: /);
	expect(specs).toEqual([]);
});

/** Returns an archive with one entry whose content does not match its checksum. */
function brokenZip(): Uint8Array {
	const zip = zipSync({ "a.txt": [encode("x".repeat(1_000)), { level: 0 }] });
	zip[500] = 0;
	return zip;
}

describe("an image that cannot be run", () => {
	const broken = (message = "The image cannot be started.") => Promise.reject(new ImageFault(message, "exec: no such file"));

	it("is missing, or cannot be started, which gives no score", async () => {
		const missing = await grade({ pull: () => broken("The image is not there.") });
		expect(missing.result).toMatchObject({
			outcome: "image_error",
			message: "The image is not there.",
			image_digest: null,
			test_score: null,
		});
		const unstartable = await grade({ container: () => broken() });
		expect(unstartable.result).toMatchObject({ outcome: "image_error", image_digest: DIGEST, output: "exec: no such file" });
	});

	it.each(["/submission/run.sh", "/autograder/submission/bin/main", "/input/x"])(
		"is blamed on the submission if its program is %s",
		async (path) => {
			const { result } = await grade({ pull: async () => ({ ...PULLED, programPaths: [path] }), container: () => broken() });
			expect(result).toMatchObject({ outcome: "grader_error", test_score: null });
		},
	);

	it("counts as failed if an earlier case could be run", async () => {
		const { result } = await grade({
			change: { test_suite_url: `${url}/suite.json` },
			container: async ({ input }) => (input === "1" ? { standardOutput: "1" } : broken()),
		});
		expect(result).toMatchObject({ outcome: "grader_error", tests: [{ name: "one" }] });
	});

	const EXEC_FAULT = { exitCode: 1, output: "exec /bin/sh: exec format error\n" };

	it("is recognized if it fails in the same way without the submission", async () => {
		const { result, specs } = await grade({ container: async () => EXEC_FAULT });
		expect(result).toMatchObject({ outcome: "image_error", image_digest: DIGEST, output: EXEC_FAULT.output });
		expect(specs).toHaveLength(2);
	});

	it("cannot be imitated by a submission that prints what a runtime would", async () => {
		const { result, specs } = await grade({
			container: async (spec) => ((await readdir(folderOf(spec, "/submission"))).length > 0 ? EXEC_FAULT : { exitCode: 0, output: "" }),
		});
		expect(specs).toHaveLength(2);
		expect(result).toMatchObject({ outcome: "grader_error", message: "The image failed with exit code 1." });
	});

	it("is suspected after no other failure", async () => {
		for (const end of [
			{ exitCode: 1, output: "it broke\n" },
			{ exitCode: 64, output: "a\nexec x: permission denied" },
			{ exitCode: 0, output: EXEC_FAULT.output },
		]) {
			expect((await grade({ container: async () => end })).specs).toHaveLength(1);
		}
	});
});

describe("a container's knowledge", () => {
	const SECRETS = /expected|match_type|secret answer|contains|regex/;
	const SECRET_SUITE = {
		test_cases: [
			{ name: "one", input: "1", expected_output: "1 is the secret answer", match_type: "exact", public: true },
			{ name: "two", input: "2", expected_output: "secret answer", match_type: "contains" },
			{ name: "three", input: "3", expected_output: "secret answer \\d", match_type: "regex" },
		],
	};

	/** Returns everything that the container receives: folders, environment, arguments, input. */
	async function everythingIn(spec: RunSpec): Promise<string> {
		const texts: string[] = [];
		for (const { folder } of [...spec.readOnly, ...spec.writable]) {
			const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
			for (const entry of entries) if (entry.isFile()) texts.push(await readFile(join(entry.parentPath, entry.name), "utf8"));
		}
		return [...texts, JSON.stringify({ ...spec, kill: null })].join("\n");
	}

	it("excludes what a case expects, and how it is compared", async () => {
		files["/suite.json"] = encode(JSON.stringify(SECRET_SUITE));
		const seen: string[] = [];
		await grade({
			change: { test_suite_url: `${url}/suite.json` },
			async container(spec) {
				seen.push(await everythingIn(spec));
				return { standardOutput: spec.input };
			},
		});
		expect(seen).toHaveLength(3);
		for (const text of seen) expect(text).not.toMatch(SECRETS);
	});

	it("includes names and inputs of the cases; of the public ones only, if agents see its output", async () => {
		const suites: unknown[] = [];
		await grade({
			change: { test_suite_url: `${url}/suite.json` },
			async container(spec) {
				suites.push(JSON.parse(await readFile(join(folderOf(spec, "/task"), "test_suite.json"), "utf8")));
				return { standardOutput: spec.input };
			},
		});
		const all = SUITE.test_cases.map(({ name, input }) => ({ name, input }));
		expect(suites).toEqual([{ test_cases: all.slice(0, 1) }, { test_cases: all }, { test_cases: all }]);
	});

	it("excludes how often it runs, and as which user", async () => {
		const ids = new Set<string>();
		const paths = new Set<string>();
		for (const id of ["job-7-1", "job-7-2"]) {
			await grade({
				change: { id, test_suite_url: `${url}/suite.json` },
				async container(spec) {
					ids.add(spec.environment["EVAL_ID"] ?? "");
					for (const { folder } of [...spec.readOnly, ...spec.writable]) paths.add(folder.slice(workFolder.length));
					return { standardOutput: spec.input };
				},
			});
		}
		expect(ids.size).toBe(6);
		for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
		for (const path of paths) expect(path).not.toMatch(/job|-[0-9]\b/);
	});

	it("excludes every name of this machine", async () => {
		await grade({
			async container(spec) {
				expect(await readFile(folderOf(spec, "/etc/hosts"), "utf8")).toBe("127.0.0.1\tlocalhost\n::1\tlocalhost\n");
				return writeScore(spec, 1);
			},
		});
	});
});
