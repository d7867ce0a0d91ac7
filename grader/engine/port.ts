// The interface of a container engine.

/** The engine or the registry cannot be used now. Its message is for the poster. */
export class EngineFault extends Error {
	override readonly name = "EngineFault";
}

/** The image cannot be run: it does not exist, or it has no program that this machine can start. Its message is for the poster. */
export class ImageFault extends Error {
	override readonly name = "ImageFault";
	/** The engine's output, for the poster. */
	readonly output: string;

	constructor(message: string, output = "") {
		super(message);
		this.output = output;
	}
}

/** An engine runs containers. Every method ends early when the signal aborts, and leaves no container behind. */
export interface Engine {
	/** The engine's name with its version. */
	readonly name: string;
	/** The runtime that starts containers. */
	readonly runtime: string;
	/**
	 * Makes an image available and finds its content. It stays on this machine until it is released as often as it was pulled.
	 *
	 * @throws EngineFault, ImageFault
	 */
	pull(image: WantedImage, signal: AbortSignal): Promise<PulledImage>;
	/** Allows the engine to remove an image later. */
	release(imageId: string): void;
	/**
	 * Runs a container to its end, confined as `spec` says. When the promise settles, all of its processes have ended and it is removed.
	 *
	 * @throws EngineFault, ImageFault. After an ImageFault nothing in the container has run.
	 */
	run(spec: RunSpec, signal: AbortSignal): Promise<ContainerEnd>;
	/**
	 * Removes a folder in which containers may have left files of users whose files this process may not remove.
	 *
	 * @throws EngineFault
	 */
	removeFolder(folder: string): Promise<void>;
}

export interface WantedImage {
	readonly reference: string;
	/** The digest of the content to run, even if the reference has moved since. With null, the reference is followed. */
	readonly digest: string | null;
}

export interface PulledImage {
	/** The digest that the evaluation records: the registry's, or the id of an image that was built on this machine. */
	readonly digest: string;
	/** The id by which the engine identifies exactly this content. */
	readonly id: string;
	/** Where the engine looks for the program to start: absolute paths, one for each folder of PATH. Empty without a program. */
	readonly programPaths: readonly string[];
}

export interface ContainerEnd extends Omit<RunEnd, "imageDigest" | "isDiskFull"> {
	/** The beginning of standard output, as much as a test case could expect. */
	readonly standardOutput: string;
	/** True if there was more. */
	readonly isOutputCut: boolean;
}

export interface RunSpec {
	/** The container's name. Each run has its own. */
	readonly name: string;
	readonly imageId: string;
	/** A folder of the machine that only this run uses. Engines may write notes to it. */
	readonly folder: string;
	/** Folders that are mounted read-only. */
	readonly readOnly: readonly Mount[];
	/** Folders that are mounted writable. */
	readonly writable: readonly Mount[];
	readonly environment: Readonly<Record<string, string>>;
	/** Written to the container's standard input, which is then closed. */
	readonly input: string;
	readonly memoryMb: number;
	readonly timeoutMs: number;
	readonly hasNetwork: boolean;
	/** Kills the container. The run then ends like any other, with what it has written. */
	readonly kill: AbortSignal;
}

/** A path in the container, and the folder of this machine that is mounted there. */
export interface Mount {
	readonly target: string;
	readonly folder: string;
}

/** How a container ended, according to the engine. */
export interface RunEnd {
	/** Null if it was killed by the engine, or because its time was up. */
	readonly exitCode: number | null;
	readonly isTimedOut: boolean;
	/** True if one of its processes was killed because of its memory. */
	readonly isOutOfMemory: boolean;
	/** True if a result folder had no room left. */
	readonly isDiskFull: boolean;
	/** The end of standard output and standard error together. */
	readonly output: string;
	readonly imageDigest: string | null;
}
