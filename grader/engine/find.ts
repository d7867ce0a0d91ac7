// Finds the container engine of this machine and the arguments that it needs here.
import { existsSync, readFileSync } from "node:fs";
import * as z from "zod";
import { runCommand } from "./command.ts";

const ANSWER_TIMEOUT_MS = 30_000;
/** Podman lowers its own limit to the number of process ids that Linux has by default. */
const PODMAN_PROCESSES = 32_768;
const CANDIDATES = ["docker", "podman"];

export const INSTALL_HINT = `Install Docker (https://docs.docker.com/engine/install/) or podman.
On Debian and Ubuntu, as root: apt-get install podman runc slirp4netns netavark
To use another command, name it in the variable CONTAINER_ENGINE.`;

/** The kind of command line. docker and podman have different defaults. */
export type Flavour = "docker" | "podman";

export interface FoundEngine {
	readonly command: string;
	readonly flavour: Flavour;
	readonly version: string;
	/** The runtime that starts containers, such as runc or runsc. */
	readonly runtime: string;
	/**
	 * The runtime, if the engine accepts it per container. Null for the default, or if the engine accepts it before the subcommand.
	 */
	readonly containerRuntime: string | null;
	/** Arguments before every subcommand. */
	readonly globalArguments: readonly string[];
	/** True if a container can get a user-mode network. */
	readonly hasUserModeNetwork: boolean;
	readonly maxProcessesOfUser: number | null;
	readonly limits: EngineLimits;
}

/** The limits that the engine can enforce on this machine. An engine without control groups ignores or rejects the others. */
export interface EngineLimits {
	readonly memory: boolean;
	readonly processes: boolean;
	readonly cpu: boolean;
}

export interface NoEngine {
	/** One line with the reason for each command that was tried. */
	readonly reasons: readonly string[];
}

/** The operator's choice of an engine. */
export interface EngineChoice {
	/** `CONTAINER_ENGINE` names the command. The default is docker or podman. */
	readonly command: string | undefined;
	/** `GRADER_RUNTIME` names the runtime. The default is the engine's. */
	readonly runtime: string | undefined;
}

/** Tries each command until one responds and knows the runtime. */
export async function findEngine({ command: configured, runtime }: EngineChoice): Promise<FoundEngine | NoEngine> {
	const reasons: string[] = [];
	for (const command of configured === undefined ? CANDIDATES : [configured]) {
		const answer = await ask(command, runtime);
		if (typeof answer !== "string") return answer;
		reasons.push(`${command}: ${answer}`);
	}
	return { reasons };
}

/** Returns the engine, or why it cannot be used. */
async function ask(command: string, runtime: string | undefined): Promise<FoundEngine | string> {
	const { exitCode, stdout, stderr } = await runCommand(command, ["--version"], { timeoutMs: ANSWER_TIMEOUT_MS });
	if (exitCode !== 0) return stderr.includes("ENOENT") ? "is not installed" : lastLine(stderr);
	if (/^podman version/i.test(stdout)) return askPodman(command, runtime);
	if (/^docker version/i.test(stdout)) return askDocker(command, runtime);
	return "is neither docker nor podman";
}

const dockerInfo = z.object({
	ServerVersion: z.string(),
	MemoryLimit: z.boolean(),
	PidsLimit: z.boolean(),
	CpuCfsQuota: z.boolean(),
	DefaultRuntime: z.string().default("runc"),
	/** The keys are the runtimes' names. */
	Runtimes: z.record(z.string(), z.unknown()).default({}),
	ServerErrors: z.array(z.string()).nullish(),
});

async function askDocker(command: string, runtime: string | undefined): Promise<FoundEngine | string> {
	const args = ["info", "--format", "{{json .}}"];
	const { exitCode, stdout, stderr } = await runCommand(command, args, { timeoutMs: ANSWER_TIMEOUT_MS });
	const parsed = dockerInfo.safeParse(parseJson(stdout));
	// Without its daemon, docker prints JSON with an empty version.
	if (!parsed.success || parsed.data.ServerVersion === "") return lastLine(stderr) || "does not answer";
	if (exitCode !== 0) return lastLine(stderr);
	const { ServerVersion, MemoryLimit, PidsLimit, CpuCfsQuota, DefaultRuntime, Runtimes } = parsed.data;
	if (runtime !== undefined && !Object.hasOwn(Runtimes, runtime)) return unknownRuntime(runtime);
	return {
		command,
		flavour: "docker",
		version: `docker ${ServerVersion}`,
		runtime: runtime ?? DefaultRuntime,
		containerRuntime: runtime ?? null,
		globalArguments: [],
		hasUserModeNetwork: false,
		maxProcessesOfUser: null,
		limits: { memory: MemoryLimit, processes: PidsLimit, cpu: CpuCfsQuota },
	};
}

function unknownRuntime(runtime: string): string {
	return `does not know the runtime ${runtime}, which GRADER_RUNTIME names`;
}

const podmanInfo = z.object({
	host: z.object({
		cgroupControllers: z.array(z.string()).nullish(),
		cgroupManager: z.string(),
		cgroupVersion: z.string(),
		ociRuntime: z.object({ name: z.string() }),
		slirp4netns: z.object({ executable: z.string() }).optional(),
	}),
	version: z.object({ Version: z.string() }),
});

/** Asks podman itself, which looks for its runtime with every command and so reports an unknown one. */
async function askPodman(command: string, runtime: string | undefined): Promise<FoundEngine | string> {
	const args = [...(runtime === undefined ? [] : [`--runtime=${runtime}`]), "info", "--format", "json"];
	const { exitCode, stdout, stderr } = await runCommand(command, args, { timeoutMs: ANSWER_TIMEOUT_MS });
	if (exitCode !== 0)
		return runtime !== undefined && stderr.includes("runtime") && stderr.includes("not found") ? unknownRuntime(runtime) : lastLine(stderr);
	const parsed = podmanInfo.safeParse(parseJson(stdout));
	if (!parsed.success) return "does not report what it can do";
	const { host, version } = parsed.data;
	const needed = runtime ?? neededRuntime(host);
	const controllers = new Set(host.cgroupControllers);
	return {
		command,
		flavour: "podman",
		version: `podman ${version.Version}`,
		runtime: needed ?? host.ociRuntime.name,
		containerRuntime: null,
		globalArguments: [...podmanArguments(host), ...(needed === null ? [] : [`--runtime=${needed}`])],
		hasUserModeNetwork: process.platform === "linux" && (host.slirp4netns?.executable ?? "") !== "",
		maxProcessesOfUser: readProcessLimit(),
		limits: { memory: controllers.has("memory"), processes: controllers.has("pids"), cpu: controllers.has("cpu") },
	};
}

/** Returns arguments that replace a containers.conf, because some of podman's defaults need systemd, or control groups of version 2. */
function podmanArguments({ cgroupManager }: z.output<typeof podmanInfo>["host"]): string[] {
	const isWithoutSystemd = process.platform === "linux" && !existsSync("/run/systemd/system");
	return [
		// Podman's warnings would be part of the image's output.
		"--log-level=error",
		...(isWithoutSystemd && cgroupManager === "systemd" ? ["--cgroup-manager=cgroupfs"] : []),
		...(isWithoutSystemd ? ["--events-backend=file"] : []),
	];
}

/**
 * Returns `runc` on a machine with control groups of version 1 if podman's default is crun, which does not run there. Otherwise returns
 * null, for the default.
 */
function neededRuntime({ cgroupVersion, ociRuntime }: z.output<typeof podmanInfo>["host"]): string | null {
	return cgroupVersion === "v1" && ociRuntime.name === "crun" ? "runc" : null;
}

/** Returns the kernel's limit, but at most podman's own, so that podman never has to raise it. Returns null if the kernel has no limit. */
function readProcessLimit(): number | null {
	try {
		const limit = Number(/^Max processes\s+\d+\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]);
		return Number.isInteger(limit) ? Math.min(limit, PODMAN_PROCESSES) : null;
	} catch {
		return null;
	}
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}

export function lastLine(text: string): string {
	return text.trim().split("\n").at(-1)?.trim() ?? "";
}
