// Tests the grader with real containers, over HTTP as the platform calls it: what only an engine enforces when an image or a submission
// ends, misbehaves or attacks, and that nothing is left. test/grader reads scores and exit codes.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { beforeAll, describe, expect, it } from "vitest";
import type { GradingRequest, GradingResult } from "../../src/ports/grading.ts";
import { type ImageChoices, titled, whyNoContainers } from "../support/container-engine.ts";
import { gradingRequestOf, ownAddress, reachLine } from "../support/grader-jobs.ts";
import { type StagedGrader, setGraderStage } from "../support/grader-stage.ts";

const IMAGES = {
	/** Does everything that the submission says, so it plays every possible image. */
	obedient: { script: 'exec sh "$SUBMISSION_DIR/run.sh"' },
	/** This is the same as a user other than root. */
	plain: { script: 'exec sh "$SUBMISSION_DIR/run.sh"', changes: ["USER 1000:1000"] },
	/** Runs the submission, ends it, clears what it left, and writes its own score last. */
	careful: {
		script: `sh "$SUBMISSION_DIR/run.sh" &
sleep 0.3
kill -9 -1
rm -rf /results/* /autograder/results/* /app/output/* /logs/verifier/* /output/*
echo '{"score": 10}' > "$SCORE_FILE"`,
	},
	/** Writes its score at once, and leaves the submission running. */
	hasty: { script: `sh "$SUBMISSION_DIR/run.sh" & echo '{"score": 10}' > "$SCORE_FILE"` },
	/** This image has a volume, which engines would make writable. */
	roomy: {
		script: `echo x > /data/x || echo '{"score": 33}' > "$SCORE_FILE"`,
		changes: ["VOLUME /data"],
	},
	broken: { script: "", changes: ['ENTRYPOINT ["/no/such/program"]'] },
	idle: { script: "", changes: ["ENTRYPOINT []"] },
} as const satisfies Record<string, ImageChoices>;

type ImageName = keyof typeof IMAGES;

interface Case {
	readonly image?: ImageName;
	/** This is the submission's run.sh. */
	readonly run?: string;
	readonly change?: Partial<GradingRequest>;
	readonly expected: Partial<Omit<GradingResult, "message" | "output">>;
	readonly message?: RegExp;
	readonly output?: RegExp;
}

const score = (value: number, path = "/results/score.json", key = "score") => `echo '{"${key}": ${value}}' > ${path}`;
const graded = (value: number) => ({ outcome: "graded", test_score: value, container_score: value }) as const;
const failed = (outcome: GradingResult["outcome"]) => ({ outcome, test_score: null, container_score: null }) as const;
const CHEAT = `while :; do
	for file in /results/score.json /app/output/scores.json /output/metrics.json; do echo '{"score": 100}' > $file; done 2> /dev/null
	echo 1 > /logs/verifier/reward.txt
done`;

const CASES = {
	"a good score file": { run: `${score(75)}; echo graded`, expected: graded(75), output: /graded\n$/ },
	"another user than root": { image: "plain", run: `id; ${score(74)}`, expected: graded(74), output: /uid=1000/ },
	"a program that is not there": { image: "broken", expected: failed("image_error"), message: /cannot be started/, output: /no such file/ },
	"no program": { image: "idle", expected: failed("image_error"), message: /cannot be started/ },
	"an image that is not there": {
		change: { image: "registry.invalid/nothing:1" },
		expected: failed("platform_error"),
		message: /registry\.invalid\/nothing:1 cannot be pulled/,
	},
	"a fork bomb": {
		run: "bomb() { bomb | bomb & }; (bomb) 2> /dev/null & while :; do read -r line < /dev/null; done",
		change: { timeout_s: 2 },
		expected: failed("grader_timeout"),
		message: /within 2 seconds/,
	},
	"memory above the limit": { run: "tail /dev/zero", expected: failed("grader_oom"), message: /512 MB of memory/ },
	"memory above the limit on the temporary disk": {
		run: "dd if=/dev/zero of=/tmp/big bs=1M count=600",
		expected: failed("grader_oom"),
		message: /512 MB/,
	},
	"a submission above the memory limit that the image survives": {
		run: `tail /dev/zero; echo "ended with $?"; ${score(7)}`,
		expected: graded(7),
		output: /ended with 137/,
	},
	"an endless run": {
		run: `${score(50)}; echo waiting; sleep 1000`,
		change: { timeout_s: 5 },
		expected: failed("grader_timeout"),
		message: /within 5 seconds/,
		output: /waiting/,
	},
	"a program that ignores being asked to end": {
		run: "trap '' TERM INT HUP; while :; do sleep 1; done",
		change: { timeout_s: 1 },
		expected: failed("grader_timeout"),
	},
	"a volume of the image": { image: "roomy", expected: graded(33), output: /Read-only/ },
	"8 MB and more of results": {
		run: "dd if=/dev/zero of=/results/big bs=1M count=50; exit 1",
		expected: failed("grader_error"),
		message: /8 MB/,
		output: /No space left/,
	},
	"more results than fit, with a score": {
		run: `${score(50)}; dd if=/dev/zero of=/results/big bs=1M count=50; exit 0`,
		expected: failed("grader_error"),
		message: /8 MB/,
	},
	"a flood of files": {
		run: "number=0; while : > /results/$number; do number=$((number + 1)); done; exit 1",
		expected: failed("grader_error"),
		message: /1,000 files/,
		output: /results\/1000: No space left/,
	},
	"100 MB of output": {
		run: `yes | head -c 100000000; echo "the end"; ${score(5)}`,
		expected: graded(5),
		output: /^(?=[\s\S]{4096}$)[y\n]+the end\n$/,
	},
	"a submission that overwrites the result until the image ends it": { image: "careful", run: CHEAT, expected: graded(10) },
	"a submission that overwrites the result after the image's end": {
		image: "hasty",
		run: `sleep 1; ${score(100)}`,
		expected: graded(10),
	},
	"writing elsewhere": {
		run: `for place in / /etc /bin /root /run /var /task /submission /agent_output /input /app /app/input/res /sys /proc/sys/kernel; do
	(echo x > $place/x) 2> /dev/null && echo "wrote to $place"
done
(echo x > /submission/run.sh) 2> /dev/null && echo "changed the submission"
mount -o remount,rw / 2> /dev/null && echo "remounted"
mknod /tmp/device b 254 0 2> /dev/null && echo "made a device"
chown 1:1 /tmp 2> /dev/null && echo "changed an owner"
grep -E 'Cap(Prm|Eff|Bnd)|NoNewPrivs' /proc/self/status
echo x > /tmp/x && ${score(3)}`,
		expected: graded(3),
		output: /^CapPrm:\t0+\nCapEff:\t0+\nCapBnd:\t0+\nNoNewPrivs:\t1\n$/,
	},
	"everything it may know": {
		run: `env; cat "$TASK_FILE"; ls -d /submission /agent_output/run.sh; ${score(4)}`,
		change: { memory_mb: 600, timeout_s: 50 },
		expected: graded(4),
		output: /EVAL_ID=[0-9a-f]{8}-[0-9a-f-]{27}\n[\s\S]*"memory_mb":600,"timeout_s":50/,
	},
	"no name of this machine": {
		run: `cat /etc/hosts; ls /etc/resolv.conf; ${score(6)}`,
		expected: graded(6),
		output: /^127\.0\.0\.1\tlocalhost\n::1\tlocalhost\n(ls: .*)?\n?$/,
	},
	"nobody on the network": {
		run: `ip address | grep -c '^[0-9]'; if REACH; then echo reached; fi; ${score(1)}`,
		expected: graded(1),
		output: /^1\n.*Network is unreachable\n$/,
	},
} as const satisfies Record<string, Case>;

const idOf = (title: string) => title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

const SECRET_PROXY = "http://user:proxy-password@127.0.0.1:9";

describe.skipIf(whyNoContainers !== null)(titled("the grader with containers"), () => {
	const stage = setGraderStage(IMAGES);
	let grader: StagedGrader;

	const request = (title: string, { image = "obedient", run = "", change = {} }: Case): GradingRequest => {
		const artifact_url = stage.files.addArtifact({ "run.sh": run.replace("REACH", reachLine(ownAddress(), stage.files.port)) });
		return gradingRequestOf({ id: idOf(title), image: stage.names[image], artifact_url }, change);
	};

	beforeAll(async () => {
		grader = await stage.start({ env: { PARALLEL_JOBS: "4", HTTP_PROXY: SECRET_PROXY, https_proxy: SECRET_PROXY } });
		for (const [title, choices] of Object.entries<Case>(CASES)) await grader.submit(request(title, choices));
	});

	it.each(Object.entries<Case>(CASES))("ends %s as it should, and leaves nothing", async (title, { expected, message, output }) => {
		const result = await grader.finish(idOf(title));
		expect(result, result.message).toMatchObject(expected);
		expect(result.message).toMatch(message ?? /^$|./);
		if (result.outcome === "graded") expect(result.message).toBe("");
		expect(result.output).toMatch(output ?? /^/);
		if (!result.message.includes("cannot be pulled")) expect(result.image_digest).toMatch(/^sha256:[0-9a-f]{64}$/);
		expect(await grader.leftoversOf(idOf(title))).toEqual([]);
	});

	it("tells no image a secret", async () => {
		const { output } = await grader.finish("everything-it-may-know");
		expect(output).not.toMatch(/token|proxy=./i);
		expect(output).not.toContain(grader.token);
	});

	it("has grown by little through all that output", () => {
		const kilobytes = Number(execFileSync("ps", ["-o", "rss=", "-p", String(grader.process.pid)], { encoding: "utf8" }));
		expect(kilobytes).toBeGreaterThan(10_000);
		expect(kilobytes).toBeLessThan(250_000);
	});

	it("has let no container reach this machine, which others can", async () => {
		expect(stage.files.misses).toEqual([]);
		await once(spawn("sh", ["-c", reachLine(ownAddress(), stage.files.port)]), "close");
		expect(stage.files.misses).toEqual(["/reached-from-container"]);
	});
});
