// Tests with a real engine and a local registry which image runs: resolved and pinned digests, tags that move, registries that fail,
// images that cannot be started, and the operator's runtime.
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { GradingRequest } from "../../src/ports/grading.ts";
import { type ImageChoices, runEngine, titled, whyNoContainers } from "../support/container-engine.ts";
import { gradingRequestOf } from "../support/grader-jobs.ts";
import { type StagedGrader, setGraderStage } from "../support/grader-stage.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

const run = promisify(execFile);
const score = (value: number) => ({ script: `echo '{"score": ${value}}' > "$SCORE_FILE"` });
const IMAGES = {
	ten: score(10),
	twenty: score(20),
	obedient: { script: 'sh "$SUBMISSION_DIR/run.sh"' },
	/** This script's interpreter does not exist. */
	uninterpreted: { script: "#!/no/such/shell\n", changes: ['ENTRYPOINT ["/grade.sh"]'], isExecutable: true },
	/** No machine can run this program. */
	foreign: { script: "\u007fELF\u0002\u0001\u0001\u0000 for another machine", changes: ['ENTRYPOINT ["/grade.sh"]'], isExecutable: true },
	direct: { script: "", changes: ['ENTRYPOINT ["/submission/main"]'] },
} as const satisfies Record<string, ImageChoices>;

describe.skipIf(whyNoContainers !== null)(titled("the image of a run"), () => {
	const stage = setGraderStage(IMAGES);
	let registry: TestRegistry;
	let grader: StagedGrader;
	let number = 0;
	let judge = "";

	beforeAll(async () => {
		registry = await startRegistry();
		// Podman uses a registry without TLS only if it is configured; docker uses one on loopback.
		const config = join(stage.folder, "registries.conf");
		await writeFile(config, `[[registry]]\nlocation = "127.0.0.1"\n[[registry]]\nlocation = "${registry.name}"\ninsecure = true\n`);
		grader = await stage.start({ env: { CONTAINERS_REGISTRIES_CONF: config, PARALLEL_JOBS: "2" } });
	});

	afterAll(() => registry?.stop());

	beforeEach(() => {
		number += 1;
		judge = `${registry.name}/team/judge-${number}`;
		registry.failWith(null);
	});

	/** Pushes an image under a tag, and removes it from this machine. */
	async function publish(image: keyof typeof IMAGES, tag = "1"): Promise<string> {
		const name = `${judge}:${tag}`;
		runEngine(stage.engine, "tag", stage.names[image], name);
		const insecure = stage.engine.flavour === "podman" ? ["--tls-verify=false"] : [];
		// The registry is in this process, so nothing here may wait for the engine in the meantime.
		await run(stage.engine.command, [...stage.engine.globalArguments, "push", "--quiet", ...insecure, name]);
		runEngine(stage.engine, "rmi", name);
		return registry.digestOf(`team/judge-${number}`, tag);
	}

	async function grade(change: Partial<GradingRequest> = {}, submission: Readonly<Record<string, string>> = { "run.sh": "exit 1" }) {
		const id = `image-${number}-${crypto.randomUUID()}`;
		const artifact_url = stage.files.addArtifact(submission);
		return grader.grade(gradingRequestOf({ id, image: `${judge}:1`, artifact_url }, change));
	}

	const resolve = async (image: string) => (await grader.call("POST", "/images", { image })).body;

	it("is what its tag meant when it was resolved, even if the tag has moved since", async () => {
		const digest = await publish("ten");
		expect(await resolve(`${judge}:1`)).toEqual({ state: "resolved", digest });
		const moved = await publish("twenty");
		expect(moved).not.toBe(digest);
		expect(await grade({ image_digest: digest })).toMatchObject({ outcome: "graded", test_score: 10, image_digest: digest });
		expect(await grade()).toMatchObject({ outcome: "graded", test_score: 20, image_digest: moved });
		expect(await grade({ image_digest: digest })).toMatchObject({ test_score: 10, image_digest: digest });
		expect(await grade({ image: `${judge}@${moved}` })).toMatchObject({ test_score: 20, image_digest: moved });
	});

	it("is never an older local copy if the registry fails, except for a pinned one", async () => {
		const digest = await publish("ten");
		expect(await grade()).toMatchObject({ outcome: "graded", test_score: 10 });
		registry.failWith(503);
		expect(await grade()).toMatchObject({ outcome: "platform_error", test_score: null });
		expect(await resolve(`${judge}:1`)).toMatchObject({ state: "unreachable" });
		expect(await grade({ image_digest: digest })).toMatchObject({ outcome: "graded", test_score: 10 });
	});

	it("is the platform's fault if its registry cannot be reached", async () => {
		const gone = await startRegistry();
		await gone.stop();
		expect(await grade({ image: `${gone.name}/team/judge:1` })).toMatchObject({ outcome: "platform_error" });
		expect(await resolve(`${gone.name}/team/judge:1`)).toMatchObject({ state: "unreachable" });
		expect(await resolve("registry.invalid/team/judge:1")).toMatchObject({ state: "unreachable" });
	});

	it.each([
		["a tag that is not there", () => ({ image: `${judge}:2` })],
		["a repository that is not there", () => ({ image: `${registry.name}/team/nothing:1` })],
		["a digest that is not there", () => ({ image_digest: `sha256:${"ab".repeat(32)}` })],
		["a name of this machine's that is not there", () => ({ image: "localhost/bounty-test/nothing:1" })],
	])("is the poster's fault with %s", async (_, change) => {
		await publish("ten");
		expect(await grade(change())).toMatchObject({ outcome: "image_error", test_score: null, image_digest: null });
	});

	it("is the poster's fault if the registry refuses it, or has it for other machines only", async () => {
		await publish("ten");
		registry.failWith(401);
		expect(await grade()).toMatchObject({ outcome: "image_error" });
		expect(await resolve(`${judge}:1`)).toMatchObject({ state: "missing" });
		registry.failWith(null);
		registry.addForeignImage(`team/judge-${number}`, "foreign");
		expect(await grade({ image: `${judge}:foreign` })).toMatchObject({ outcome: "image_error" });
		expect(await resolve(`${judge}:foreign`)).toMatchObject({ state: "missing" });
	});

	it.each([
		["a program for another machine", "foreign", /exec format error/],
		["a script without its interpreter", "uninterpreted", /no such file/],
	] as const)("is the poster's fault with %s, which shows only once it has started", async (_, image, output) => {
		const result = await grade({ image: stage.names[image] });
		expect(result).toMatchObject({ outcome: "image_error", test_score: null, image_digest: expect.stringMatching(/^sha256:/) });
		expect(result.output).toMatch(output);
	});

	it("is not the poster's fault if the submission prints the same, or is the missing program", async () => {
		const { output } = await grade({ image: stage.names.foreign });
		const line = output.trim();
		expect(await grade({ image: stage.names.obedient }, { "run.sh": `echo '${line}' >&2; exit 1` })).toMatchObject({
			outcome: "grader_error",
		});
		expect(await grade({ image: stage.names.direct })).toMatchObject({ outcome: "grader_error" });
		expect(await grade({ image: stage.names.direct }, { main: "#!/no/such/shell\n" })).toMatchObject({ outcome: "grader_error" });
	});

	it("is pinned also if it was built on this machine", async () => {
		const first = await grade({ image: stage.names.ten });
		expect(first).toMatchObject({ outcome: "graded", test_score: 10 });
		const pinned = { image: stage.names.ten, image_digest: first.image_digest };
		expect(await grade(pinned)).toMatchObject({ outcome: "graded", test_score: 10, image_digest: first.image_digest });
		runEngine(stage.engine, "tag", stage.names.twenty, stage.names.ten);
		expect(await grade(pinned)).not.toMatchObject({ test_score: 20 });
	});

	it("is started by the runtime of GRADER_RUNTIME, without which the grader does not start", async () => {
		const health = await (await fetch(`${grader.url}/health`)).json();
		expect(health).toEqual({ status: "ok", engine: stage.engine.version, runtime: stage.engine.runtime });
		await expect(stage.start({ env: { GRADER_RUNTIME: "no-such-runtime" } })).rejects.toThrow(
			/does not know the runtime no-such-runtime, which GRADER_RUNTIME names/,
		);
		const chosen = await stage.start({ env: { GRADER_RUNTIME: stage.engine.runtime } });
		expect(await (await fetch(`${chosen.url}/health`)).json()).toMatchObject({ runtime: stage.engine.runtime });
		const artifact_url = stage.files.addArtifact({ a: "b" });
		const result = await chosen.grade(gradingRequestOf({ id: "runtime", image: stage.names.twenty, artifact_url }));
		expect(result).toMatchObject({ outcome: "graded" });
		expect(await chosen.stop()).toBe(0);
	});
});
