// The engine's arguments that limit a container to what grading needs.

import type { EngineLimits, Flavour } from "./find.ts";
import type { RunSpec } from "./port.ts";

export interface ContainerChoices {
	readonly flavour: Flavour;
	/** The runtime, if the engine accepts it per container. Null if the engine accepts it before the subcommand. */
	readonly containerRuntime: string | null;
	/** A label `name=value`, by which this grader finds its own containers. */
	readonly label: string;
	/** The value of the engine's `--network`. */
	readonly network: string;
	/** Paths that the image declares as volumes, which docker would make writable, on disk and of any size. */
	readonly imageVolumes: readonly string[];
	/** The kernel's limit of processes per user on this machine. Null means no limit. */
	readonly maxProcessesOfUser: number | null;
	readonly limits: EngineLimits;
}

export const MAX_PROCESSES = 256;
const MAX_OPEN_FILES = 1_024;
const BYTES_PER_MB = 1_048_576;
/** The engine ends a run this many seconds later than the grader would, in case the grader has died. */
const ENGINE_TIMEOUT_GRACE_S = 60;

/** The arguments of every container. */
const CONFINED = [
	"--pull=never",
	"--read-only",
	"--cap-drop=ALL",
	"--security-opt=no-new-privileges",
	`--ulimit=nofile=${MAX_OPEN_FILES}:${MAX_OPEN_FILES}`,
	"--ulimit=core=0:0",
	"--hostname=grader",
	"--restart=no",
	"--no-healthcheck",
	// The grader reads the output and keeps its end. The engine's own log would have no limit.
	"--log-driver=none",
];

/** Both engines pass proxy variables to containers, and a proxy's URL often contains a password. */
const PROXY_VARIABLES = ["HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "NO_PROXY", "ALL_PROXY"];

/** Returns the arguments after the engine's `create`, up to the image. */
export function createArguments(spec: RunSpec, choices: ContainerChoices): string[] {
	return [
		`--name=${spec.name}`,
		`--label=${choices.label}`,
		"--interactive",
		...CONFINED,
		...(choices.containerRuntime === null ? [] : [`--runtime=${choices.containerRuntime}`]),
		`--network=${choices.network}`,
		...resourceLimits(spec, choices),
		// The pages of /tmp count as the container's memory.
		`--tmpfs=/tmp:rw,exec,nosuid,nodev,mode=1777,size=${spec.memoryMb}m`,
		...(choices.flavour === "podman" ? podmanOnly(spec) : dockerOnly(choices, spec)),
		...spec.readOnly.map((mount) => `--mount=type=bind,source=${mount.folder},target=${mount.target},readonly`),
		...spec.writable.map((mount) => `--mount=type=bind,source=${mount.folder},target=${mount.target}`),
		...Object.entries(spec.environment).map(([name, value]) => `--env=${name}=${value}`),
		"--",
		spec.imageId,
	];
}

/** Limits resources. Without control groups, only the kernel's limits for each process and each user are left. */
function resourceLimits({ memoryMb }: RunSpec, { limits, maxProcessesOfUser }: ContainerChoices): string[] {
	const memory = `${memoryMb}m`;
	const bytes = memoryMb * BYTES_PER_MB;
	// On machines where the limit cannot be raised, podman requests more processes than the user may have.
	const processes = limits.processes ? maxProcessesOfUser : MAX_PROCESSES;
	return [
		// The second limit is for memory and swap together, so there is no swap.
		...(limits.memory ? [`--memory=${memory}`, `--memory-swap=${memory}`] : [`--ulimit=data=${bytes}:${bytes}`]),
		...(limits.processes ? [`--pids-limit=${MAX_PROCESSES}`] : []),
		...(processes === null ? [] : [`--ulimit=nproc=${processes}:${processes}`]),
		...(limits.cpu ? ["--cpus=1"] : []),
	];
}

function podmanOnly({ timeoutMs }: RunSpec): string[] {
	return [
		// Without this, podman mounts writable memory at /run, /var/tmp and more.
		"--read-only-tmpfs=false",
		"--image-volume=ignore",
		"--http-proxy=false",
		// Podman's own hosts file names this machine, its other names, and the container, whose name is the run's.
		"--no-hosts",
		"--systemd=false",
		`--timeout=${Math.ceil(timeoutMs / 1_000) + ENGINE_TIMEOUT_GRACE_S}`,
	];
}

function dockerOnly({ imageVolumes }: ContainerChoices, { readOnly, writable }: RunSpec): string[] {
	const mounted = new Set([...readOnly, ...writable].map(({ target }) => target));
	return [
		// Docker has no volume that is read-only and removed with its container, so mount an empty read-only file system there instead.
		...imageVolumes.filter((path) => !mounted.has(path) && path !== "/tmp").map((path) => `--tmpfs=${path}:ro,size=4k`),
		...PROXY_VARIABLES.flatMap((name) => [`--env=${name}=`, `--env=${name.toLowerCase()}=`]),
	];
}
