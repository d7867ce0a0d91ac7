// Running containers with docker or podman, by their command line.
import { type CommandOptions, runCommand } from "./engine/command.ts";
import { createArguments } from "./engine/confinement.ts";
import { attach, concludeContainer, failedStart } from "./engine/container.ts";
import type { FoundEngine } from "./engine/find.ts";
import { type LocalImage, needsNoPull, pullFault, readImage, withoutRedundantTag } from "./engine/images.ts";
import { closePrivateRanges, USER_MODE_NETWORK } from "./engine/network.ts";
import { type ContainerEnd, type Engine, EngineFault, type RunSpec } from "./grade.ts";

const PULL_TIMEOUT_MS = 600_000;
const COMMAND_TIMEOUT_MS = 60_000;
const REMOVE_ATTEMPTS = 3;

export interface EngineOptions {
	readonly found: FoundEngine;
	/** Tells this grader's containers from those of others on the machine. */
	readonly owner: string;
	/** A network of the engine's for tasks that may use one; null for the user-mode network, where there is one. */
	readonly network: string | null;
	readonly logFault: (error: unknown) => void;
}

export interface ContainerEngine extends Engine {
	/** Removes every container that this grader has made, in this life or an earlier one. */
	removeAll(): Promise<void>;
}

const OWNER_LABEL = "bounty-platform.grader";

export function createEngine(options: EngineOptions): ContainerEngine {
	const { found, owner, logFault } = options;
	const volumesOf = new Map<string, readonly string[]>();
	const ask = (args: readonly string[], choices: Partial<CommandOptions> = {}) =>
		runCommand(found.command, [...found.globalArguments, ...args], { timeoutMs: COMMAND_TIMEOUT_MS, ...choices });

	const inspectImage = async (image: string, name: string): Promise<LocalImage | null> => {
		const { exitCode, stdout } = await ask(["image", "inspect", "--", image]);
		return exitCode === 0 ? readImage(stdout, name) : null;
	};

	const pull = async (requested: string, signal: AbortSignal): Promise<LocalImage> => {
		const image = withoutRedundantTag(requested);
		const known = await inspectImage(image, requested);
		if (known !== null && needsNoPull(image)) return known;
		// Podman takes other sources than registries, folders of this machine among them, unless it is told that it is none.
		const source = found.flavour === "podman" ? `docker://${image}` : image;
		const pulled = await ask(["pull", "--quiet", "--", source], { timeoutMs: PULL_TIMEOUT_MS, signal });
		signal.throwIfAborted();
		if (pulled.exitCode !== 0) {
			if (known !== null) return known;
			throw pullFault(requested, pulled);
		}
		const image_ = await inspectImage(found.flavour === "podman" ? pulled.stdout.trim() : image, requested);
		if (image_ === null) throw new EngineFault(`The image ${requested} was pulled and is not there.`);
		return image_;
	};

	const remove = async (name: string): Promise<void> => {
		const args = ["rm", "--force", "--volumes", ...(found.flavour === "podman" ? ["--ignore", "--time=0"] : []), name];
		for (let attempt = 1; ; attempt += 1) {
			const { exitCode, stderr } = await ask(args);
			if (exitCode === 0 || /no such container/i.test(stderr)) return;
			if (attempt < REMOVE_ATTEMPTS) continue;
			logFault(new Error(`The container ${name} could not be removed: ${stderr}`));
			return;
		}
	};

	/** Runs a container that is made. */
	const runMade = async (spec: RunSpec, signal: AbortSignal): Promise<ContainerEnd> => {
		signal.throwIfAborted();
		if (spec.hasNetwork && options.network === null) await closeNetwork(spec);
		const args = [...found.globalArguments, "start", "--attach", "--interactive", spec.name];
		const attached = await attach({ command: found.command, args, spec, signal, ask });
		signal.throwIfAborted();
		const { exitCode, stdout, stderr } = await ask(["container", "inspect", spec.name]);
		if (exitCode !== 0) throw new EngineFault("The container engine does not tell how the run ended.", { cause: stderr });
		return concludeContainer(stdout, attached, spec);
	};

	/** Sets the container's network up, before anything in it runs, and takes from it what it must not reach. */
	const closeNetwork = async ({ name, folder }: RunSpec): Promise<void> => {
		const made = await ask(["init", name], { folder });
		const { stdout } = await ask(["container", "inspect", "--format", "{{.State.Pid}}", name]);
		const pid = Number(stdout);
		const enter = process.getuid?.() === 0 ? [] : [found.command, ...found.globalArguments, "unshare"];
		const closed = made.exitCode === 0 && pid > 0 ? await closePrivateRanges(pid, enter) : made;
		if (closed.exitCode !== 0) throw new EngineFault("The container's network could not be closed off.", { cause: closed.stderr });
	};

	const networkOf = ({ hasNetwork }: RunSpec): string => {
		if (!hasNetwork) return "none";
		if (options.network !== null) return options.network;
		if (found.hasUserModeNetwork) return USER_MODE_NETWORK;
		throw new EngineFault("This grader has no network that it may give to containers; its operator can name one in GRADER_NETWORK.");
	};

	return {
		name: found.version,
		async pull(image, signal) {
			const { digest, id, volumes } = await pull(image, signal);
			volumesOf.set(id, volumes);
			return { digest, id };
		},
		async run(spec, signal) {
			signal.throwIfAborted();
			const choices = {
				flavour: found.flavour,
				label: `${OWNER_LABEL}=${owner}`,
				network: networkOf(spec),
				imageVolumes: volumesOf.get(spec.imageId) ?? [],
				maxProcessesOfUser: found.maxProcessesOfUser,
				limits: found.limits,
			};
			try {
				// Not ended early: an engine that is asked to make a container may do so after its command line is gone.
				const { exitCode, stderr } = await ask(["create", ...createArguments(spec, choices)]);
				return exitCode === 0 ? await runMade(spec, signal) : failedStart(stderr);
			} catch (error) {
				if (error instanceof EngineFault && error.cause !== undefined) logFault(error);
				throw error;
			} finally {
				await remove(spec.name);
			}
		},
		async removeAll() {
			const { exitCode, stdout, stderr } = await ask(["ps", "--all", "--quiet", "--no-trunc", "--filter", `label=${OWNER_LABEL}=${owner}`]);
			if (exitCode !== 0) throw new EngineFault("The container engine does not answer.", { cause: stderr });
			for (const id of stdout.split("\n").filter(Boolean)) await remove(id);
		},
	};
}
