// Tests the grader's test of itself with an engine that exists only in memory. test/e2e/grader-engine.test.ts runs real containers.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Engine, EngineFault, ImageFault } from "../../grader/engine/port.ts";
import { testEngine } from "../../grader/self-test.ts";

const IMAGE = "docker.io/library/hello-world:latest";
const END = { exitCode: 0, isTimedOut: false, isOutOfMemory: false, output: "Hello", standardOutput: "Hello", isOutputCut: false };

let workFolder = "";
const logged: unknown[] = [];

beforeAll(async () => {
	workFolder = await mkdtemp(join(tmpdir(), "self-test-"));
});

afterAll(() => rm(workFolder, { recursive: true, force: true }));

function test(change: Partial<Pick<Engine, "pull" | "run">>) {
	const engine: Engine = {
		name: "docker 29.0",
		runtime: "runc",
		pull: async () => ({ digest: "sha256:1", id: "id1", programPaths: ["/hello"] }),
		release: () => undefined,
		run: async () => END,
		removeFolder: async () => undefined,
		...change,
	};
	return testEngine(IMAGE, { engine, workFolder, logFault: (error) => logged.push(error) });
}

const failing = (error: Error) => async () => {
	throw error;
};

it("passes if an image was pulled and has run, without network and with a limit of memory", async () => {
	const specs: unknown[] = [];
	const run: Engine["run"] = async (spec) => {
		specs.push({ imageId: spec.imageId, hasNetwork: spec.hasNetwork, memoryMb: spec.memoryMb, writable: spec.writable });
		return END;
	};
	expect(await test({ run })).toEqual({ state: "ok", message: `${IMAGE} has run with docker 29.0 and runc.` });
	expect(specs).toEqual([{ imageId: "id1", hasNetwork: false, memoryMb: 512, writable: [] }]);
	expect(await readdir(workFolder)).toEqual([]);
});

it("fails with the reason, and leaves no folder", async () => {
	const failed = (message: string) => ({ state: "failed", message });
	expect(await test({ pull: failing(new EngineFault("The registry cannot be reached.")) })).toEqual(
		failed("The registry cannot be reached."),
	);
	expect(await test({ run: failing(new ImageFault("It has no program.")) })).toEqual(failed("It has no program."));
	expect(await test({ run: async () => ({ ...END, exitCode: 1, output: "no such device" }) })).toEqual(
		failed(`${IMAGE} ended with 1: no such device`),
	);
	const bug = new Error("bug");
	expect(await test({ run: failing(bug) })).toEqual(failed("The grader failed. Its log has the reason."));
	expect(logged).toEqual([bug]);
	expect(await readdir(workFolder)).toEqual([]);
});
