// Tests the grader's jobs and its HTTP surface, with scripted work.
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { EngineFault, ImageFault, type WantedImage } from "../../grader/engine/port.ts";
import { createImageResolver } from "../../grader/image-resolver.ts";
import { createJobs, type Grade, type GradingWatch, type Jobs } from "../../grader/jobs.ts";
import { platformError } from "../../grader/outcome.ts";
import { createGraderServer } from "../../grader/server.ts";
import type { GradingRequest } from "../../src/ports/grading.ts";

const HOUR_MS = 3_600_000;
const RESULT = { ...platformError(""), outcome: "graded", test_score: 50, container_score: 50 } as const;

function request(change: Partial<GradingRequest> = {}): GradingRequest {
	return {
		id: "job-1",
		image: "registry.example/judge:1",
		image_digest: null,
		artifact_url: "https://example.com/artifact.zip",
		test_suite_url: null,
		task: { id: "t", criteria: [{ name: "Speed", description: null, weight: 100 }] },
		memory_mb: 512,
		timeout_s: 600,
		network: false,
		...change,
	};
}

const toClose: (() => Promise<void>)[] = [];

afterEach(async () => {
	for (const close of toClose.splice(0)) await close();
});

function jobsWith(grade: Grade, change: Partial<Parameters<typeof createJobs>[0]> = {}): Jobs {
	const jobs = createJobs({ grade, parallel: 2, keepMs: HOUR_MS, limitMs: () => HOUR_MS, logFault: () => {}, ...change });
	toClose.push(() => jobs.close());
	return jobs;
}

/** Returns work that continues until the test ends it, or until its job is stopped. */
function manualWork() {
	const running = new Map<string, { finish: () => void; watch: GradingWatch }>();
	const started: string[] = [];
	const grade: Grade = ({ id }, watch) => {
		started.push(id);
		watch.report("running", "Running the image.");
		return new Promise((resolve, reject) => {
			const end = (settle: () => void) => () => {
				running.delete(id);
				settle();
			};
			running.set(id, { watch, finish: end(() => resolve(RESULT)) });
			watch.signal.addEventListener(
				"abort",
				end(() => reject(new Error("called off"))),
			);
		});
	};
	return { grade, running, started };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("jobs", () => {
	it("go from queued to running to done", async () => {
		const work = manualWork();
		const jobs = jobsWith(work.grade, { parallel: 1 });
		jobs.submit(request({ id: "a" }));
		jobs.submit(request({ id: "b" }));
		expect(jobs.find("a")).toMatchObject({ state: "running", result: null });
		expect(jobs.find("b")).toMatchObject({ state: "queued", result: null });
		work.running.get("a")?.finish();
		await turn();
		expect(jobs.find("a")).toMatchObject({ state: "done", result: RESULT });
		expect(jobs.find("b")).toMatchObject({ state: "running" });
	});

	it("with the same id are one, also when submitted in parallel", async () => {
		const work = manualWork();
		const jobs = jobsWith(work.grade);
		await Promise.all(Array.from({ length: 20 }, async () => jobs.submit(request())));
		work.running.get("job-1")?.finish();
		await turn();
		expect(jobs.submit(request({ image: "other" }))).toMatchObject({ state: "done" });
		expect(work.started).toEqual(["job-1"]);
	});

	it("run in parallel only up to the limit", () => {
		const work = manualWork();
		const jobs = jobsWith(work.grade, { parallel: 3 });
		for (let index = 0; index < 10; index += 1) jobs.submit(request({ id: `j${index}` }));
		expect(work.started).toEqual(["j0", "j1", "j2"]);
	});

	it("that are stopped end their work, are forgotten, and make room", async () => {
		const work = manualWork();
		const jobs = jobsWith(work.grade, { parallel: 1 });
		jobs.submit(request({ id: "a" }));
		jobs.submit(request({ id: "b" }));
		expect(await jobs.stop("a")).toBe(true);
		expect(work.running.has("a")).toBe(false);
		expect(jobs.find("a")).toBeNull();
		await turn();
		expect(jobs.find("b")).toMatchObject({ state: "running" });
		expect(await jobs.stop("a")).toBe(false);
	});

	it("that are stopped while they wait never start", async () => {
		const work = manualWork();
		const jobs = jobsWith(work.grade, { parallel: 1 });
		jobs.submit(request({ id: "a" }));
		jobs.submit(request({ id: "b" }));
		await jobs.stop("b");
		work.running.get("a")?.finish();
		await turn();
		expect(work.started).toEqual(["a"]);
	});

	it("that are out of time are stopped, as the platform's fault", async () => {
		const work = manualWork();
		const jobs = jobsWith(work.grade, { limitMs: () => 20 });
		jobs.submit(request());
		await expect.poll(() => jobs.find("job-1")?.state).toBe("done");
		expect(jobs.find("job-1")?.result).toMatchObject({ outcome: "platform_error", test_score: null });
	});

	it("that crash are the platform's fault, without internal details", async () => {
		const faults: unknown[] = [];
		const jobs = jobsWith(() => Promise.reject(new Error("secret path")), { logFault: (error) => faults.push(error) });
		jobs.submit(request());
		await turn();
		expect(jobs.find("job-1")?.result).toMatchObject({ outcome: "platform_error", message: "The grader failed." });
		expect(String(faults[0])).toContain("secret path");
	});

	it("are forgotten after a while", async () => {
		const jobs = jobsWith(async () => RESULT, { keepMs: 10 });
		jobs.submit(request());
		await expect.poll(() => jobs.find("job-1")).toBeNull();
	});
});

const DIGEST = `sha256:${"ab".repeat(32)}`;

/** Returns a registry that has one image. */
async function pullPlayed({ reference }: WantedImage) {
	if (reference === "registry.example/judge:1") return { digest: DIGEST, id: DIGEST, programPaths: [] };
	if (reference.startsWith("registry.example/")) throw new ImageFault("manifest unknown");
	throw new EngineFault("connection refused");
}

async function serve(grade: Grade) {
	const jobs = jobsWith(grade);
	const images = createImageResolver({ pull: pullPlayed, release: () => {} }, () => {});
	const selfTest = async (image: string) => ({ state: "ok" as const, message: `${image} has run.` });
	const facts = { token: "t0ken", engine: "podman 4.3.1", runtime: "runsc" };
	const server = createGraderServer({ jobs, images, selfTest, ...facts, logFault: () => {} });
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	toClose.push(() => new Promise((resolve) => server.close(() => resolve())));
	const { port } = server.address() as AddressInfo;
	return async (method: string, path: string, body?: unknown, token = "t0ken") => {
		const response = await fetch(`http://127.0.0.1:${port}${path}`, {
			method,
			headers: { Authorization: `Bearer ${token}`, Connection: "close" },
			...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
		});
		return { status: response.status, body: await response.json() };
	};
}

describe("the HTTP surface", () => {
	it("tests the engine for those who have the token", async () => {
		const call = await serve(manualWork().grade);
		const image = { image: "registry.example/judge:1" };
		expect((await call("POST", "/self-test", image, "other")).status).toBe(401);
		expect(await call("POST", "/self-test", image)).toEqual({
			status: 200,
			body: { state: "ok", message: "registry.example/judge:1 has run." },
		});
	});

	it("names the engine and its runtime without a token", async () => {
		const call = await serve(manualWork().grade);
		expect(await call("GET", "/health", undefined, "")).toEqual({
			status: 200,
			body: { status: "ok", engine: "podman 4.3.1", runtime: "runsc" },
		});
	});

	it("accepts a job, shows it, and returns its result", async () => {
		const work = manualWork();
		const call = await serve(work.grade);
		expect(await call("POST", "/jobs", request())).toMatchObject({ status: 202, body: { id: "job-1" } });
		expect(await call("GET", "/jobs/job-1")).toMatchObject({ status: 200, body: { state: "running", progress: "Running the image." } });
		work.running.get("job-1")?.finish();
		expect(await call("GET", "/jobs/job-1")).toMatchObject({
			status: 200,
			body: { state: "done", result: { outcome: "graded", test_score: 50 } },
		});
		expect(await call("POST", "/jobs", request())).toMatchObject({ status: 202, body: { state: "done" } });
	});

	it("stops a job, which is then unknown", async () => {
		const call = await serve(manualWork().grade);
		await call("POST", "/jobs", request());
		expect(await call("DELETE", "/jobs/job-1")).toMatchObject({ status: 200 });
		expect((await call("GET", "/jobs/job-1")).status).toBe(404);
		expect((await call("DELETE", "/jobs/job-1")).status).toBe(404);
	});

	it.each([
		["POST", "/jobs"],
		["GET", "/jobs/job-1"],
		["DELETE", "/jobs/job-1"],
		["POST", "/images"],
		["GET", "/elsewhere"],
		["GET", "//"],
	])("refuses %s %s without the token", async (method, path) => {
		const call = await serve(manualWork().grade);
		for (const token of ["", "t0ke", "t0ken2", "T0KEN"]) expect((await call(method, path, undefined, token)).status).toBe(401);
	});

	it.each([
		["no JSON", "{", 400],
		["no id", { ...request(), id: undefined }, 400],
		["an id that is a path", request({ id: "../x" }), 400],
		["an image that is an option", request({ image: "--privileged" }), 400],
		["an image with a space", request({ image: "a b" }), 400],
		["a digest that is none", request({ image_digest: "sha256:x; rm" }), 400],
		["an artifact that is a file", request({ artifact_url: "file:///etc/passwd" }), 400],
		["too little memory", request({ memory_mb: 1 }), 400],
		["too much memory", request({ memory_mb: 100_000 }), 400],
		["no end", request({ timeout_s: 1e9 }), 400],
		["too much of everything", "x".repeat(1_048_577), 413],
	])("refuses a job with %s", async (_, body, status) => {
		const work = manualWork();
		const call = await serve(work.grade);
		expect((await call("POST", "/jobs", body)).status).toBe(status);
		expect(work.started).toEqual([]);
	});

	it("accepts a job that pins no digest", async () => {
		const work = manualWork();
		const call = await serve(work.grade);
		expect((await call("POST", "/jobs", { ...request(), image_digest: undefined })).status).toBe(202);
		expect(work.started).toEqual(["job-1"]);
	});

	it.each([
		["registry.example/judge:1", { state: "resolved", digest: DIGEST }],
		["registry.example/other:1", { state: "missing", message: "manifest unknown" }],
		["elsewhere.example/judge:1", { state: "unreachable", message: "connection refused" }],
	])("returns the current digest of %s", async (image, body) => {
		const call = await serve(manualWork().grade);
		expect(await call("POST", "/images", { image })).toEqual({ status: 200, body });
	});

	it.each(["--privileged", "dir:/etc", ""])("does not ask an engine about %j", async (image) => {
		const call = await serve(manualWork().grade);
		expect((await call("POST", "/images", { image })).status).toBe(400);
	});

	it.each(["/jobs/", "/jobs/a/b", "/jobs/..%2f", "/"])("returns 404 at %s", async (path) => {
		const call = await serve(manualWork().grade);
		expect((await call("GET", path)).status).toBe(404);
	});
});

describe("the digest of an image", () => {
	const never = new Promise<never>(() => {});

	it("is looked up once for parallel requests", async () => {
		const pulled: string[] = [];
		const released: string[] = [];
		const images = createImageResolver(
			{
				release: (id) => released.push(id),
				async pull({ reference }) {
					pulled.push(reference);
					await turn();
					return { digest: DIGEST, id: DIGEST, programPaths: [] };
				},
			},
			() => {},
		);
		const answers = await Promise.all([1, 2, 3].map(() => images.resolve("a/b:1")));
		expect(answers).toEqual(answers.map(() => ({ state: "resolved", digest: DIGEST })));
		expect(pulled).toEqual(["a/b:1"]);
		await images.resolve("a/b:1");
		expect(pulled).toHaveLength(2);
		expect(released).toEqual([DIGEST, DIGEST]);
	});

	it("is returned within 15 seconds for any pull, and few images are pulled in parallel", async () => {
		vi.useFakeTimers();
		const images = createImageResolver({ pull: () => never, release: () => {} }, () => {});
		const slow = ["a", "b", "c", "d"].map((image) => images.resolve(image));
		expect(await images.resolve("e")).toMatchObject({ state: "unreachable" });
		await vi.advanceTimersByTimeAsync(15_000);
		for (const answer of await Promise.all(slow)) expect(answer).toMatchObject({ state: "unreachable" });
		vi.useRealTimers();
	});
});
