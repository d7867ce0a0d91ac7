// The engines get arguments that confine a container and name an image, and the grader checks what an engine can do.
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createArguments } from "../../grader/engine/confinement.ts";
import { createEngine } from "../../grader/engine/engine.ts";
import { findEngine } from "../../grader/engine/find.ts";
import { EngineFault, ImageFault, type RunSpec } from "../../grader/engine/port.ts";
import { readGraderSettings } from "../../grader/settings.ts";

const ID = `sha256:${"ab".repeat(32)}`;
const { signal } = new AbortController();

const SPEC: RunSpec = {
	name: "grading-a-1",
	imageId: ID,
	folder: tmpdir(),
	readOnly: [{ target: "/submission", folder: "/work folder/submission" }],
	writable: [{ target: "/results", folder: "/work folder/results" }],
	environment: { EVAL_ID: "a", TASK_FILE: "--privileged" },
	input: "",
	memoryMb: 768,
	timeoutMs: 90_500,
	hasNetwork: false,
	kill: signal,
};
const CHOICES = {
	flavour: "podman",
	containerRuntime: null,
	label: "owner=x",
	network: "none",
	imageVolumes: ["/data", "/results"],
	maxProcessesOfUser: 5_000,
	limits: { memory: true, processes: true, cpu: true },
} as const;

describe("a container", () => {
	it.each(["podman", "docker"] as const)("has only what it needs, with %s", (flavour) => {
		const args = createArguments(SPEC, { ...CHOICES, flavour });
		for (const argument of [
			"--read-only",
			"--cap-drop=ALL",
			"--security-opt=no-new-privileges",
			"--network=none",
			"--memory=768m",
			"--memory-swap=768m",
			"--cpus=1",
			"--pids-limit=256",
			"--pull=never",
			"--log-driver=none",
			"--no-healthcheck",
			"--tmpfs=/tmp:rw,exec,nosuid,nodev,mode=1777,size=768m",
			"--mount=type=bind,source=/work folder/submission,target=/submission,readonly",
			"--mount=type=bind,source=/work folder/results,target=/results",
		]) {
			expect(args).toContain(argument);
		}
		expect(args.join(" ")).not.toMatch(/(^| )--(privileged|cap-add|device|pid|ipc|userns|uts|volume)[= ]/);
		expect(args.slice(-2)).toEqual(["--", ID]);
	});

	it("treats every argument as a value, however it looks", () => {
		const args = createArguments(SPEC, CHOICES);
		expect(args.filter((argument) => !argument.startsWith("--"))).toEqual([ID]);
		expect(args).toContain("--env=TASK_FILE=--privileged");
	});

	it("of podman has no conveniences of podman, and podman ends it if the grader dies", () => {
		const args = createArguments(SPEC, CHOICES);
		for (const argument of [
			"--read-only-tmpfs=false",
			"--image-volume=ignore",
			"--http-proxy=false",
			"--systemd=false",
			"--no-hosts",
			"--timeout=151",
		]) {
			expect(args).toContain(argument);
		}
		expect(args).toContain("--ulimit=nproc=5000:5000");
	});

	it("of docker has read-only volumes, and none of the proxies that docker passes on", () => {
		const args = createArguments(SPEC, { ...CHOICES, flavour: "docker" });
		expect(args.filter((argument) => argument.startsWith("--tmpfs=") && !argument.includes("/tmp:"))).toEqual(["--tmpfs=/data:ro,size=4k"]);
		expect(args).toContain("--env=https_proxy=");
		expect(args.join(" ")).not.toContain("--systemd");
	});

	it("is started by the runtime that the operator has chosen", () => {
		const args = createArguments(SPEC, { ...CHOICES, flavour: "docker", containerRuntime: "runsc" });
		expect(args).toContain("--runtime=runsc");
		expect(createArguments(SPEC, CHOICES).join(" ")).not.toContain("--runtime");
	});

	it("has the kernel's own limits if the engine has none", () => {
		const args = createArguments(SPEC, { ...CHOICES, limits: { memory: false, processes: false, cpu: false } });
		expect(args).toContain(`--ulimit=data=${768 * 1_048_576}:${768 * 1_048_576}`);
		expect(args).toContain("--ulimit=nproc=256:256");
		expect(args.join(" ")).not.toMatch(/--(memory|pids-limit|cpus)/);
	});
});

/** Returns an engine that is a shell script, and records how it is called. */
describe("an engine", () => {
	let folder = "";
	const calls = async () => (await readFile(join(folder, "calls"), "utf8")).trim().split("\n");

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), "played-engine-"));
	});

	afterAll(async () => {
		await rm(folder, { recursive: true, force: true });
	});

	async function play(name: string, script: string) {
		const command = join(folder, name);
		await writeFile(
			command,
			`#!/bin/sh\necho "$*" >> "${folder}/calls"\n[ -z "$GRADER_TOKEN" ] || echo "told the token" >> "${folder}/calls"\n${script}\n`,
		);
		await chmod(command, 0o755);
		await writeFile(join(folder, "calls"), "");
		return command;
	}

	const INFO = `{"ServerVersion":"29.1","MemoryLimit":true,"PidsLimit":true,"CpuCfsQuota":false}`;

	it("is docker, with the limits that it supports", async () => {
		const command = await play("docker", `case "$1" in --version) echo "Docker version 29.1, build x";; info) echo '${INFO}';; esac`);
		expect(await findEngine({ command, runtime: undefined })).toMatchObject({
			flavour: "docker",
			version: "docker 29.1",
			runtime: "runc",
			containerRuntime: null,
			limits: { memory: true, processes: true, cpu: false },
		});
	});

	it.each([
		[
			"a docker without its daemon",
			`case "$1" in --version) echo "Docker version 29";; *) echo "Cannot connect" >&2; exit 1;; esac`,
			/Cannot connect/,
		],
		["a docker that answers anything", `echo "Docker version 29"`, /does not answer/],
		["a podman that answers anything", `echo "podman version 5"`, /does not report what it can do/],
		["a podman that fails", `case "$1" in --version) echo "podman version 5";; *) echo no >&2; exit 1;; esac`, /no/],
		["another program", "echo hello", /neither docker nor podman/],
	])("is not %s", async (_, script, reason) => {
		const found = await findEngine({ command: await play("other", script), runtime: undefined });
		expect(found).toEqual({ reasons: [expect.stringMatching(reason)] });
	});

	const RUNTIMES = `{"ServerVersion":"29.1","MemoryLimit":true,"PidsLimit":true,"CpuCfsQuota":true,"DefaultRuntime":"crun","Runtimes":{"crun":{},"runsc":{}}}`;

	it("that is docker knows the runtimes of its daemon", async () => {
		const command = await play("docker", `case "$1" in --version) echo "Docker version 29.1";; info) echo '${RUNTIMES}';; esac`);
		expect(await findEngine({ command, runtime: undefined })).toMatchObject({ runtime: "crun", containerRuntime: null });
		expect(await findEngine({ command, runtime: "runsc" })).toMatchObject({ runtime: "runsc", containerRuntime: "runsc" });
		const reasons = [expect.stringMatching(/docker: does not know the runtime kata, which GRADER_RUNTIME names/)];
		expect(await findEngine({ command, runtime: "kata" })).toEqual({ reasons });
	});

	const HOST = `{"host":{"cgroupControllers":["memory","pids","cpu"],"cgroupManager":"cgroupfs","cgroupVersion":"v2","ociRuntime":{"name":"crun"}},"version":{"Version":"5.1"}}`;

	it("that is podman gets the runtime with every command, and reports an unknown one itself", async () => {
		const script = `case "$1" in --version) echo "podman version 5.1";; --runtime=kata) echo 'Error: default OCI runtime "kata" not found: invalid argument' >&2; exit 125;; *) echo '${HOST}';; esac`;
		const command = await play("podman", script);
		const found = await findEngine({ command, runtime: "runsc" });
		expect(found).toMatchObject({ runtime: "runsc", containerRuntime: null, globalArguments: expect.arrayContaining(["--runtime=runsc"]) });
		expect(await calls()).toContain("--runtime=runsc info --format json");
		expect(await findEngine({ command, runtime: "kata" })).toEqual({
			reasons: [expect.stringContaining("does not know the runtime kata")],
		});
		expect(await findEngine({ command, runtime: undefined })).toMatchObject({ runtime: "crun" });
	});

	async function engineOf(script: string, faults: unknown[] = [], flavour: "docker" | "podman" = "docker") {
		const command = await play("engine", script);
		const limits = { memory: true, processes: true, cpu: true };
		const found = {
			command,
			flavour,
			version: "played",
			runtime: "runc",
			containerRuntime: null,
			globalArguments: [],
			hasUserModeNetwork: false,
			maxProcessesOfUser: null,
			limits,
		} as const;
		return createEngine({ found, owner: "x", network: null, logFault: (error) => faults.push(error) });
	}

	const byTag = (reference: string) => ({ reference, digest: null });
	const programPaths: string[] = [];

	const INSPECTED = JSON.stringify([
		{ Id: ID, RepoDigests: [`other@sha256:${"11".repeat(32)}`, `reg.example/a/judge@sha256:${"22".repeat(32)}`] },
	]);

	it("records the digest that the registry returned", async () => {
		const engine = await engineOf(`[ "$1" = image ] && echo '${INSPECTED}'; exit 0`);
		expect(await engine.pull(byTag("reg.example/a/judge:1"), signal)).toEqual({
			id: ID,
			digest: `sha256:${"22".repeat(32)}`,
			programPaths,
		});
		expect(await calls()).toContain("pull -- reg.example/a/judge:1");
	});

	it("records the digest of the pull, also if the image was already there from another source", async () => {
		const digest = `sha256:${"77".repeat(32)}`;
		const docker = await engineOf(`case "$1" in pull) echo "Digest: ${digest}";; *) echo '${INSPECTED}';; esac`);
		expect(await docker.pull(byTag("reg.example/a/judge:1"), signal)).toMatchObject({ digest });
	});

	it("records a digest that the registry has, of those that podman lists with every name", async () => {
		const digests = ["22", "77"].map((byte) => `reg.example/a/judge@sha256:${byte.repeat(32)}`);
		const shown = JSON.stringify([{ Id: ID, RepoDigests: digests }]);
		const script = `case "$*" in pull*${digests[0]}) exit 125;; pull*) echo ${"ab".repeat(32)};; *) echo '${shown}';; esac`;
		const podman = await engineOf(script, [], "podman");
		expect(await podman.pull(byTag("reg.example/a/judge:1"), signal)).toMatchObject({ digest: `sha256:${"77".repeat(32)}` });
	});

	it("records the id of an image that was built on this machine", async () => {
		const engine = await engineOf(`[ "$1" = image ] && echo '[{"Id": "${ID}", "RepoDigests": [], "Config": {}}]' && exit 0; exit 1`);
		expect(await engine.pull(byTag("localhost/judge:1"), signal)).toEqual({ id: ID, digest: ID, programPaths });
	});

	it("does not pull an image that is there by its digest", async () => {
		const engine = await engineOf(`echo '${INSPECTED}'`);
		expect(await engine.pull(byTag(`reg.example/a/judge:1@sha256:${"33".repeat(32)}`), signal)).toMatchObject({
			digest: `sha256:${"33".repeat(32)}`,
		});
		expect(await calls()).toEqual([`image inspect -- reg.example/a/judge@sha256:${"33".repeat(32)}`]);
	});

	it("pulls only from registries, also if podman knows other sources", async () => {
		const engine = await engineOf(`case "$1" in pull) echo ${"ab".repeat(32)};; *) echo '${INSPECTED}';; esac`, [], "podman");
		await engine.pull(byTag("containers-storage:x"), signal);
		expect(await calls()).toEqual([
			"image inspect -- containers-storage:x",
			"pull --quiet -- docker://containers-storage:x",
			`image inspect -- ${"ab".repeat(32)}`,
		]);
	});

	it("removes images that it pulled long ago, and none that were there before", async () => {
		// Image number N is new unless it was there before, which only the third one was.
		const script = `case "$1 $2" in
"image inspect") number="\${4#judge}"; [ -e "${folder}/here-$number" ] || [ "$number" = 3 ] || { touch "${folder}/here-$number"; exit 1; }
printf '[{"Id": "%064d"}]' "$number";;
esac`;
		const engine = await engineOf(script);
		for (let number = 1; number <= 24; number += 1) engine.release((await engine.pull(byTag(`judge${number}`), signal)).id);
		const id = (number: number) => `sha256:${String(number).padStart(64, "0")}`;
		expect((await calls()).filter((call) => call.startsWith("rmi"))).toEqual([`rmi ${id(1)}`, `rmi ${id(2)}`, `rmi ${id(4)}`]);
	});

	it("keeps the images of jobs that have not ended, and removes them later", async () => {
		const script = `case "$1 $2" in
"image inspect") number="\${4#judge}"; [ -e "${folder}/held-$number" ] || { touch "${folder}/held-$number"; exit 1; }
printf '[{"Id": "%064d"}]' "$number";;
esac`;
		const engine = await engineOf(script);
		const removed = async () => (await calls()).filter((call) => call.startsWith("rmi")).map((call) => Number(call.slice(-2)));
		const ids: string[] = [];
		for (let number = 1; number <= 22; number += 1) ids.push((await engine.pull(byTag(`judge${number}`), signal)).id);
		// Two jobs use the first image.
		await engine.pull(byTag("judge1"), signal);
		expect(await removed()).toEqual([]);
		for (const id of ids) engine.release(id);
		engine.release((await engine.pull(byTag("judge23"), signal)).id);
		expect(await removed()).toEqual([2, 3, 4]);
		for (let number = 24; number <= 50; number += 1) engine.release((await engine.pull(byTag(`judge${number}`), signal)).id);
		expect(await removed()).not.toContain(1);
	});

	it("does not pull an image of this machine that does not exist", async () => {
		const engine = await engineOf("exit 1");
		await expect(engine.pull(byTag("localhost/judge:1"), signal)).rejects.toThrow(ImageFault);
		expect(await calls()).toEqual(["image inspect -- localhost/judge:1"]);
	});

	it("says why it cannot pull", async () => {
		const engine = await engineOf(`echo "Error response from daemon: pull access denied" >&2; exit 1`);
		await expect(engine.pull(byTag("judge"), signal)).rejects.toThrow("The image judge cannot be pulled: pull access denied");
	});

	it.each([
		["manifest for reg.example/a/judge:1 not found: manifest unknown", ImageFault],
		["pull access denied for judge, repository does not exist or may require 'docker login'", ImageFault],
		["reading manifest 1 in reg.example/a/judge: name unknown: repository name not known to registry", ImageFault],
		["no matching manifest for linux/amd64 in the manifest list entries", ImageFault],
		['no image found in manifest list for architecture amd64, variant "", OS linux', ImageFault],
		["dial tcp: lookup reg.example: no such host", EngineFault],
		["dial tcp 192.0.2.1:443: connect: connection refused", EngineFault],
		["Get https://reg.example/v2/: net/http: TLS handshake timeout", EngineFault],
		["toomanyrequests: You have reached your pull rate limit", EngineFault],
		["received unexpected HTTP status: 503 Service Unavailable", EngineFault],
		["reading manifest 1 in reg.example/a/judge: denied: denied", ImageFault],
		["pinging container registry reg.example: invalid status code from registry 403 (Forbidden)", ImageFault],
		["pinging container registry reg.example: invalid status code from registry 503 (Service Unavailable)", EngineFault],
		["open /var/lib/containers: permission denied", EngineFault],
	])("distinguishes a missing image from a registry that fails: %s", async (said, kind) => {
		const engine = await engineOf(`cat >&2 << 'END'\nError response from daemon: ${said}\nEND\nexit 1`);
		await expect(engine.pull(byTag("reg.example/a/judge:1"), signal)).rejects.toThrow(kind);
	});

	it("finds no reason for a fault in an image's name", async () => {
		const engine = await engineOf(`echo "manifest for reg.example/connection/timeout not found" >&2; exit 1`);
		await expect(engine.pull(byTag("reg.example/connection/timeout:1"), signal)).rejects.toThrow(ImageFault);
	});

	it("never uses an older copy when the pull of a tag fails", async () => {
		const engine = await engineOf(`[ "$1" = image ] && echo '${INSPECTED}' && exit 0; echo "connection refused" >&2; exit 1`);
		await expect(engine.pull(byTag("reg.example/a/judge:1"), signal)).rejects.toThrow(/cannot be pulled/);
	});

	it("runs the digest that a task has pinned, even if the tag has moved", async () => {
		const digest = `sha256:${"44".repeat(32)}`;
		const engine = await engineOf(
			`[ "$1" = pull ] && touch "${folder}/pulled"; [ -e "${folder}/pulled" ] && echo '${INSPECTED}'; [ -e "${folder}/pulled" ]`,
		);
		expect(await engine.pull({ reference: "reg.example/a/judge:1", digest }, signal)).toMatchObject({ digest });
		expect(await calls()).toContain(`pull -- reg.example/a/judge@${digest}`);
	});

	it("finds an image that was built on this machine by its id, and no other image", async () => {
		const digest = `sha256:${"55".repeat(32)}`;
		const engine = await engineOf(`[ "$4" = "${digest}" ] && echo '${INSPECTED}' && exit 0; exit 1`);
		expect(await engine.pull({ reference: "localhost/judge:1", digest }, signal)).toMatchObject({ digest });
		const other = { reference: "localhost/judge:1", digest: `sha256:${"66".repeat(32)}` };
		await expect(engine.pull(other, signal)).rejects.toThrow(ImageFault);
		expect((await calls()).filter((call) => call.startsWith("pull"))).toEqual([]);
	});

	it.each([
		[{ Entrypoint: ["/grade"] }, ["/grade"]],
		[{ Entrypoint: null, Cmd: ["./run.sh"], WorkingDir: "/submission" }, ["/submission/run.sh"]],
		[{ Entrypoint: ["sh", "/grade.sh"], Env: ["A=b", "PATH=/bin:/input/bin"] }, ["/bin/sh", "/input/bin/sh"]],
		[{ Cmd: [] }, []],
	])("names the possible paths of the program of %j", async (Config, expected) => {
		const engine = await engineOf(`echo '${JSON.stringify([{ Id: ID, Config }])}'`);
		expect((await engine.pull(byTag("localhost/judge:1"), signal)).programPaths).toEqual(expected);
	});

	it("ends a pull that is stopped", async () => {
		const engine = await engineOf(`[ "$1" = pull ] && exec sleep 60; exit 1`);
		const stop = new AbortController();
		const pulling = engine.pull(byTag("judge"), stop.signal);
		setTimeout(() => stop.abort(), 200);
		await expect(pulling).rejects.toThrow(/abort/i);
	});

	it("that cannot create a container is the platform's fault, reported only to the operator, and removes it", async () => {
		const faults: unknown[] = [];
		const engine = await engineOf(`echo "no space left on /var/lib" >&2; exit 125`, faults);
		const running = engine.run(SPEC, signal);
		await expect(running).rejects.toThrow(EngineFault);
		await expect(running).rejects.not.toThrow(/var/);
		expect(faults.map((fault) => (fault instanceof Error ? fault.cause : null)).join()).toContain("no space left");
		expect((await calls()).at(-1)).toBe("rm --force --volumes grading-a-1");
	});

	it("that dies while a container runs is the platform's fault", async () => {
		const engine = await engineOf(`[ "$1" = create ] && exit 0; echo "daemon is gone" >&2; exit 1`);
		await expect(engine.run(SPEC, signal)).rejects.toThrow(EngineFault);
	});

	it("never receives the grader's token", async () => {
		vi.stubEnv("GRADER_TOKEN", "a-secret-of-the-grader");
		const engine = await engineOf("exit 1");
		await expect(engine.run(SPEC, signal)).rejects.toThrow(EngineFault);
		await expect(engine.pull(byTag("judge"), signal)).rejects.toThrow(EngineFault);
		vi.unstubAllEnvs();
		expect(await calls()).not.toContain("told the token");
		expect(await calls()).toContain("pull -- judge");
	});

	it("gives no container a network that is not closed", async () => {
		const engine = await engineOf("exit 0");
		await expect(engine.run({ ...SPEC, hasNetwork: true }, signal)).rejects.toThrow(/GRADER_NETWORK/);
		expect(await calls()).toEqual([""]);
	});
});

describe("the settings", () => {
	const TOKEN = "0123456789abcdef";

	it("have defaults for everything except the token", () => {
		expect(readGraderSettings({ GRADER_TOKEN: TOKEN, PORT: "", WORK_FOLDER: "" })).toMatchObject({
			HOST: "127.0.0.1",
			PORT: 8788,
			ALLOW_WEAK_LIMITS: "false",
		});
	});

	it.each([
		[{}, /GRADER_TOKEN must be set/],
		[{ GRADER_TOKEN: "short" }, /GRADER_TOKEN must have at least 16/],
		[{ GRADER_TOKEN: TOKEN, PORT: "x" }, /PORT must be a whole number/],
		[{ GRADER_TOKEN: TOKEN, PORT: "65536" }, /PORT must be at most/],
		[{ GRADER_TOKEN: TOKEN, PARALLEL_JOBS: "0" }, /PARALLEL_JOBS must be from 1/],
		[{ GRADER_TOKEN: TOKEN, GRADER_NETWORK: "a b" }, /GRADER_NETWORK/],
		[{ GRADER_TOKEN: TOKEN, GRADER_RUNTIME: "--privileged" }, /GRADER_RUNTIME must be the name/],
		[{ GRADER_TOKEN: TOKEN, RESULT_LIMIT: "none" }, /RESULT_LIMIT/],
	])("%j are rejected with a reason", (environment, reason) => {
		expect(readGraderSettings(environment)).toEqual([expect.stringMatching(reason)]);
	});
});
