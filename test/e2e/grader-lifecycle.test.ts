// Tests the grader over time with real containers: suites, the network, stopped jobs, stopped and killed graders, and its start.
import { execFileSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import type { GradingRequest } from "../../src/ports/grading.ts";
import { runEngine, titled, whyNoContainers } from "../support/container-engine.ts";
import { gradingRequestOf, ownAddress, reachLine } from "../support/grader-jobs.ts";
import { type StagedGrader, setGraderStage } from "../support/grader-stage.ts";

const IMAGES = {
	obedient: { script: 'exec sh "$SUBMISSION_DIR/run.sh"' },
	plain: { script: 'exec sh "$SUBMISSION_DIR/run.sh"', changes: ["USER 1000:1000"] },
	/** Fails if an earlier case has left something. */
	tidy: {
		script: `cat; find /results /tmp -mindepth 1 | grep -c .; touch /results/mark /tmp/mark; echo '{"score": 20, "notes": "noted"}' > "$SCORE_FILE"`,
	},
} as const;

type ImageName = keyof typeof IMAGES;

const SLEEP = "echo '{\"score\": 50}' > /results/score.json; sleep 1000";

describe.skipIf(whyNoContainers !== null)(titled("a grader with containers over time"), () => {
	const stage = setGraderStage(IMAGES);
	let number = 0;

	function request(image: ImageName, run: string, change: Partial<GradingRequest> = {}): GradingRequest {
		number += 1;
		const artifact_url = stage.files.addArtifact({ "run.sh": run });
		return gradingRequestOf({ id: `life-${number}`, image: stage.names[image], artifact_url }, change);
	}

	const suite = (...cases: readonly (readonly [input: string, expected_output: string, match_type: string])[]) => ({
		test_suite_url: stage.files.addText(
			JSON.stringify({
				test_cases: cases.map(([input, expected_output, match_type], index) => ({
					name: `case ${index + 1}`,
					input,
					expected_output,
					match_type,
				})),
			}),
		),
	});

	/** Returns the id of the process by which the grader talks to a container. */
	function pidOfClient(name: string): number {
		const lines = execFileSync("ps", ["-A", "-o", "pid=,args="], { encoding: "utf8" }).split("\n");
		return Number.parseInt(lines.find((line) => line.includes(`start --attach --interactive ${name}`)) ?? "", 10);
	}

	/** Waits until the job's container runs. */
	async function untilRunning(id: string): Promise<void> {
		const list = () => runEngine(stage.engine, "ps", "--filter", "status=running", "--format", "{{.Names}}");
		await expect.poll(list, { timeout: 50_000, interval: 250 }).toContain(`grading-${id}-`);
	}

	describe.concurrent("while it runs", () => {
		let grader: StagedGrader;

		beforeAll(async () => {
			grader = await stage.start({ env: { PARALLEL_JOBS: "4" } });
		});

		it("runs each case of a suite on a clean machine, and keeps the image's own score", async () => {
			const { id } = await grader.submit(request("tidy", "", suite(["a\n", "a\n0\n", "exact"], ["b\n", "b\n0\n", "exact"])));
			expect(await grader.finish(id)).toMatchObject({ outcome: "graded", test_score: 100, container_score: 20, notes: "noted" });
		});

		it("passes 1 MB of input to an image that reads none of it", async () => {
			const run = "echo '{\"score\": 1}' > /results/score.json";
			const { id } = await grader.submit(request("obedient", run, suite(["x".repeat(1_048_576), "", "exact"])));
			expect(await grader.finish(id)).toMatchObject({ outcome: "graded", test_score: 100 });
		});

		it("ends the container of a job that is stopped, and forgets the job", async () => {
			const { id } = await grader.submit(request("obedient", SLEEP));
			await untilRunning(id);
			expect(await grader.call("DELETE", `/jobs/${id}`)).toMatchObject({ status: 200 });
			expect(await grader.leftoversOf(id)).toEqual([]);
			expect(await grader.call("GET", `/jobs/${id}`)).toMatchObject({ status: 404 });
		});

		it("blames the platform if the engine dies, and clears up", async () => {
			const { id } = await grader.submit(request("obedient", SLEEP));
			await untilRunning(id);
			const names = runEngine(stage.engine, "ps", "--format", "{{.Names}}").split("\n");
			process.kill(pidOfClient(names.find((name) => name.startsWith(`grading-${id}-`)) ?? ""), "SIGKILL");
			expect(await grader.finish(id)).toMatchObject({ outcome: "platform_error", test_score: null });
			expect(await grader.leftoversOf(id)).toEqual([]);
		});

		it("ends jobs that are stopped at any moment of their start", async () => {
			const jobs = await Promise.all(
				[0, 100, 250, 500].map(async (delayMs) => ({ delayMs, ...(await grader.submit(request("obedient", SLEEP))) })),
			);
			await Promise.all(
				jobs.map(async ({ id, delayMs }) => {
					await new Promise((resolve) => setTimeout(resolve, delayMs));
					expect((await grader.call("DELETE", `/jobs/${id}`)).status).toBe(200);
				}),
			);
			for (const { id } of jobs) expect(await grader.leftoversOf(id)).toEqual([]);
		});

		it("gives a task a network without this machine and private ranges, or none at all", async () => {
			const ports = {
				[ownAddress()]: stage.files.port,
				"10.0.2.2": stage.files.port,
				"169.254.169.254": 80,
				"192.168.0.1": 80,
				"10.0.2.9": 80,
			};
			const probes = Object.entries(ports).map(([host, port]) => `${reachLine(host, port)} && echo reached`);
			const run = `${probes.join("\n")}
ip route del unreachable 10.0.0.0/8 2> /dev/null && echo opened
ip route get 1.1.1.1
echo '{"score": 1}' > /results/score.json`;
			const { id } = await grader.submit(request("obedient", run, { network: true }));
			const { outcome, message, output } = await grader.finish(id);
			expect(stage.files.misses).toEqual([]);
			expect(await grader.leftoversOf(id)).toEqual([]);
			if (!stage.engine.hasUserModeNetwork)
				return expect([outcome, message]).toEqual(["platform_error", expect.stringContaining("GRADER_NETWORK")]);
			expect(outcome).toBe("graded");
			expect(output).not.toMatch(/reached|opened/);
			expect(output.match(/No route to host/g)).toHaveLength(probes.length);
			expect(output).toMatch(/^1\.1\.1\.1 via 10\.0\.2\.2 dev tap0/m);
		});
	});

	describe("that cannot mount volumes", () => {
		const CASES = [
			["8 MB and more", "obedient", "yes > /results/big", /8 MB/],
			["more than 8 MB as another user", "plain", "yes > /results/big", /8 MB/],
			["more files than allowed", "obedient", "n=0; while : ; do n=$((n + 1)); echo > /results/$n; done", /1,000 files/],
			[
				"more than 8 MB before anybody looks, with a score",
				"obedient",
				"head -c 9000000 /dev/zero > /output/x; echo '{\"score\": 1}' > /results/score.json",
				/8 MB/,
			],
			["a folder that it locks", "plain", "mkdir /results/a; echo > /results/a/b; chmod 0 /results/a; exit 1", /exit code 1/],
		] as const;

		let grader: StagedGrader;
		const ids: string[] = [];

		beforeAll(async () => {
			grader = await stage.start({ env: { RESULT_LIMIT: "watch", PARALLEL_JOBS: "3" } });
			for (const [, image, run] of CASES) ids.push((await grader.submit(request(image, run))).id);
		});

		it.each(CASES.map((entry, index) => [...entry, index] as const))(
			"ends an image that writes %s, and clears up",
			async (_, __, ___, message, index) => {
				const id = ids[index] ?? "";
				expect(await grader.finish(id)).toMatchObject({ outcome: "grader_error", message: expect.stringMatching(message) });
				expect(await grader.leftoversOf(id)).toEqual([]);
			},
		);
	});

	describe.concurrent("at its end", () => {
		it("stops and removes everything first on request, and then exits", async () => {
			const grader = await stage.start();
			const { id } = await grader.submit(request("obedient", SLEEP));
			await untilRunning(id);
			expect(await grader.stop("SIGTERM")).toBe(0);
			expect(await grader.leftoversOf(id)).toEqual([]);
			expect(await readdir(grader.workFolder)).toEqual([]);
		});

		it("is cleared up after a kill by the next one in its folder", async () => {
			const grader = await stage.start();
			const { id } = await grader.submit(request("obedient", SLEEP));
			await untilRunning(id);
			await grader.stop("SIGKILL");
			expect(await grader.leftoversOf(id)).not.toEqual([]);
			const next = await stage.start({ workFolder: grader.workFolder });
			expect(await grader.leftoversOf(id)).toEqual([]);
			expect(await readdir(grader.workFolder)).toEqual([]);
			expect(await next.call("GET", `/jobs/${id}`)).toMatchObject({ status: 404 });
		});

		it("touches nothing of another grader on the same machine", async () => {
			const one = await stage.start();
			const { id } = await one.submit(request("obedient", SLEEP));
			await untilRunning(id);
			const other = await stage.start();
			await other.stop();
			expect(await one.look(id)).toMatchObject({ state: "running" });
			expect(await one.leftoversOf(id)).not.toEqual([]);
			await one.stop();
			expect(await one.leftoversOf(id)).toEqual([]);
		});
	});
});
