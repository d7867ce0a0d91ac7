// Which container engine there is on this machine, and what it needs to be told there.
import { existsSync, readFileSync } from "node:fs";
import * as z from "zod";
import { runCommand } from "./command.ts";
import type { Flavour } from "./confinement.ts";

const ANSWER_TIMEOUT_MS = 30_000;
/** Podman lowers its own limit to the number of process ids that Linux has by default. */
const PODMAN_PROCESSES = 32_768;
const CANDIDATES = ["docker", "podman"];

export const INSTALL_HINT = `Install Docker (https://docs.docker.com/engine/install/) or podman.
On Debian and Ubuntu, as root: apt-get install podman runc slirp4netns netavark
Another command than docker or podman is named by the variable CONTAINER_ENGINE.`;

export interface FoundEngine {
	readonly command: string;
	readonly flavour: Flavour;
	readonly version: string;
	/** What goes before every subcommand. */
	readonly globalArguments: readonly string[];
	/** Whether a user-mode network can be made for a container. */
	readonly hasUserModeNetwork: boolean;
	readonly maxProcessesOfUser: number | null;
}

export interface NoEngine {
	/** Why, one line for each command that was tried. */
	readonly reasons: readonly string[];
}

/** Tries `CONTAINER_ENGINE`, or docker and podman, until one answers. */
export async function findEngine(configured: string | undefined): Promise<FoundEngine | NoEngine> {
	const reasons: string[] = [];
	for (const command of configured === undefined ? CANDIDATES : [configured]) {
		const answer = await ask(command);
		if (typeof answer !== "string") return answer;
		reasons.push(`${command}: ${answer}`);
	}
	return { reasons };
}

/** The engine, or why it is none. */
async function ask(command: string): Promise<FoundEngine | string> {
	const { exitCode, stdout, stderr } = await runCommand(command, ["--version"], { timeoutMs: ANSWER_TIMEOUT_MS });
	if (exitCode !== 0) return stderr.includes("ENOENT") ? "is not installed" : lastLine(stderr);
	if (/^podman version/i.test(stdout)) return askPodman(command);
	if (/^docker version/i.test(stdout)) return askDocker(command);
	return "is neither docker nor podman";
}

async function askDocker(command: string): Promise<FoundEngine | string> {
	const args = ["version", "--format", "{{.Server.Version}}"];
	const { exitCode, stdout, stderr } = await runCommand(command, args, { timeoutMs: ANSWER_TIMEOUT_MS });
	if (exitCode !== 0) return lastLine(stderr);
	const version = `docker ${stdout.trim()}`;
	return { command, flavour: "docker", version, globalArguments: [], hasUserModeNetwork: false, maxProcessesOfUser: null };
}

const podmanInfo = z.object({
	host: z.object({
		cgroupManager: z.string(),
		cgroupVersion: z.string(),
		ociRuntime: z.object({ name: z.string() }),
		slirp4netns: z.object({ executable: z.string() }).optional(),
	}),
	version: z.object({ Version: z.string() }),
});

async function askPodman(command: string): Promise<FoundEngine | string> {
	const args = ["info", "--format", "json"];
	const { exitCode, stdout, stderr } = await runCommand(command, args, { timeoutMs: ANSWER_TIMEOUT_MS });
	if (exitCode !== 0) return lastLine(stderr);
	const { host, version } = podmanInfo.parse(JSON.parse(stdout));
	return {
		command,
		flavour: "podman",
		version: `podman ${version.Version}`,
		globalArguments: podmanArguments(host),
		hasUserModeNetwork: process.platform === "linux" && (host.slirp4netns?.executable ?? "") !== "",
		maxProcessesOfUser: readProcessLimit(),
	};
}

/** Instead of a containers.conf: what podman presumes and is not so on a machine without systemd, or with control groups of version 1. */
function podmanArguments({ cgroupManager, cgroupVersion, ociRuntime }: z.output<typeof podmanInfo>["host"]): string[] {
	const isWithoutSystemd = process.platform === "linux" && !existsSync("/run/systemd/system");
	const hasOldGroups = cgroupVersion === "v1" && ociRuntime.name === "crun";
	return [
		...(isWithoutSystemd && cgroupManager === "systemd" ? ["--cgroup-manager=cgroupfs"] : []),
		...(isWithoutSystemd ? ["--events-backend=file"] : []),
		...(hasOldGroups ? ["--runtime=runc"] : []),
	];
}

/** No more than podman leaves to itself, so that it never has to be raised; null where the kernel says nothing. */
function readProcessLimit(): number | null {
	try {
		const limit = Number(/^Max processes\s+\d+\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]);
		return Number.isInteger(limit) ? Math.min(limit, PODMAN_PROCESSES) : null;
	} catch {
		return null;
	}
}

export function lastLine(text: string): string {
	return text.trim().split("\n").at(-1)?.trim() ?? "";
}
