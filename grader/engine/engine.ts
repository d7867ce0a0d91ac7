// Runs containers with the command line of docker or podman.
import { createArguments } from "./confinement.ts";
import { attach, concludeContainer, startFault } from "./container.ts";
import type { FoundEngine } from "./find.ts";
import { pullImage } from "./images.ts";
import { closeNetwork, USER_MODE_NETWORK } from "./network.ts";
import { type ContainerEnd, type Engine, EngineFault, type RunSpec } from "./port.ts";
import { openShell, type Shell } from "./shell.ts";

const REMOVE_ATTEMPTS = 3;
/** The number of pulled images that the grader keeps, so that the next evaluation of the same task does not have to pull them. */
const MAX_KEPT_IMAGES = 20;
export const OWNER_LABEL = "bounty-platform.grader";

export interface EngineOptions {
	readonly found: FoundEngine;
	/** Distinguishes this grader's containers from others on the machine. */
	readonly owner: string;
	/** The engine's network for tasks that may use one. Null means the user-mode network, if there is one. */
	readonly network: string | null;
	readonly logFault: (error: unknown) => void;
}

export interface ContainerEngine extends Engine {
	/** Removes every container that this grader has created, including before a restart. */
	removeAll(): Promise<void>;
}

export function createEngine({ found, owner, network, logFault }: EngineOptions): ContainerEngine {
	const shell = openShell(found);
	const label = `${OWNER_LABEL}=${owner}`;
	const volumesOf = new Map<string, readonly string[]>();
	const kept = keepImages(shell);
	return {
		name: found.version,
		runtime: found.runtime,
		async pull(image, signal) {
			const { digest, id, programPaths, volumes, isNew } = await pullImage(shell, image, signal);
			volumesOf.set(id, volumes);
			await kept.use(id, isNew);
			return { digest, id, programPaths };
		},
		release: kept.release,
		async run(spec, signal) {
			signal.throwIfAborted();
			const imageVolumes = volumesOf.get(spec.imageId) ?? [];
			const args = createArguments(spec, { ...found, label, network: networkFor(spec, found, network), imageVolumes });
			try {
				// Do not end this call early, because an engine may create the container after its command line has ended.
				const { exitCode, stderr } = await shell.ask(["create", ...args], { folder: spec.folder });
				if (exitCode !== 0) throw startFault(stderr);
				signal.throwIfAborted();
				if (spec.hasNetwork && network === null) await closeNetwork(shell, spec);
				return await runMade(shell, spec, signal);
			} catch (error) {
				if (error instanceof EngineFault && error.cause !== undefined) logFault(error);
				throw error;
			} finally {
				await remove(shell, spec.name).catch(logFault);
			}
		},
		async removeFolder(folder) {
			if (found.flavour !== "podman" || process.getuid?.() === 0) throw new EngineFault(`${folder} cannot be removed.`);
			// In podman's user namespace, the grader's user may remove the files of the container's users.
			const { exitCode, stderr } = await shell.ask(["unshare", "rm", "-rf", "--one-file-system", "--", folder]);
			if (exitCode !== 0) throw new EngineFault(`${folder} cannot be removed.`, { cause: stderr });
		},
		async removeAll() {
			const { exitCode, stdout, stderr } = await shell.ask(["ps", "--all", "--quiet", "--no-trunc", "--filter", `label=${label}`]);
			if (exitCode !== 0) throw new EngineFault("The container engine does not respond.", { cause: stderr });
			for (const id of stdout.split("\n").filter(Boolean)) await remove(shell, id);
		},
	};
}

/**
 * Removes the least recently used images if there are too many. Images that a job needs stay, because between two runs no container holds
 * them. Images that the machine had before stay too.
 */
function keepImages({ ask }: Shell) {
	const kept = new Set<string>();
	const uses = new Map<string, number>();
	const removeOldest = async () => {
		for (const oldest of [...kept]) {
			if (kept.size <= MAX_KEPT_IMAGES) return;
			if (uses.has(oldest) || !kept.delete(oldest)) continue;
			// An image that something else on this machine needs cannot be removed, so it counts as recently used.
			if ((await ask(["rmi", oldest])).exitCode !== 0) kept.add(oldest);
		}
	};
	return {
		async use(id: string, isNew: boolean): Promise<void> {
			uses.set(id, (uses.get(id) ?? 0) + 1);
			if (!isNew && !kept.has(id)) return;
			kept.delete(id);
			kept.add(id);
			await removeOldest();
		},
		release(id: string): void {
			const others = (uses.get(id) ?? 0) - 1;
			if (others > 0) uses.set(id, others);
			else uses.delete(id);
		},
	};
}

/** Returns the value of the engine's `--network`. */
function networkFor({ hasNetwork }: RunSpec, { hasUserModeNetwork }: FoundEngine, network: string | null): string {
	if (!hasNetwork) return "none";
	if (network !== null) return network;
	if (hasUserModeNetwork) return USER_MODE_NETWORK;
	throw new EngineFault("This grader has no network for containers. Its operator can set one in GRADER_NETWORK.");
}

/** Starts a created container, and waits for its end. */
async function runMade(shell: Shell, spec: RunSpec, signal: AbortSignal): Promise<ContainerEnd> {
	const attached = await attach(shell, spec, signal);
	signal.throwIfAborted();
	const { exitCode, stdout, stderr } = await shell.ask(["container", "inspect", spec.name]);
	if (exitCode !== 0) throw new EngineFault("The container engine does not report how the run ended.", { cause: stderr });
	return concludeContainer(stdout, attached, spec);
}

/** @throws EngineFault */
async function remove({ found, ask }: Shell, name: string): Promise<void> {
	const args = ["rm", "--force", "--volumes", ...(found.flavour === "podman" ? ["--ignore", "--time=0"] : []), name];
	for (let attempt = 1; ; attempt += 1) {
		const { exitCode, stderr } = await ask(args);
		if (exitCode === 0 || /no such container/i.test(stderr)) return;
		if (attempt >= REMOVE_ATTEMPTS) throw new EngineFault(`The container ${name} could not be removed.`, { cause: stderr });
	}
}
