// Resolves an image reference to a digest when a task is published. The image is pulled, so the first run finds it on this machine.
import type { ImageResolution } from "../src/ports/grading.ts";
import { type Engine, EngineFault, ImageFault } from "./engine/port.ts";

/** Publishing waits this long for the digest. The pull continues after that. */
const ANSWER_LIMIT_MS = 15_000;
const MAX_PULLS = 4;

export interface ImageResolver {
	/** Resolves a reference. It never throws. */
	resolve(reference: string): Promise<ImageResolution>;
	/** Stops pulls that are still running. */
	close(): void;
}

export function createImageResolver(engine: Pick<Engine, "pull" | "release">, logFault: (error: unknown) => void): ImageResolver {
	const pulls = new Map<string, Promise<ImageResolution>>();
	const stop = new AbortController();

	const pull = async (reference: string): Promise<ImageResolution> => {
		try {
			const { digest, id } = await engine.pull({ reference, digest: null }, stop.signal);
			engine.release(id);
			return { state: "resolved", digest };
		} catch (error) {
			if (error instanceof ImageFault) return { state: "missing", message: error.message };
			if (!(error instanceof EngineFault) && !stop.signal.aborted) logFault(error);
			return { state: "unreachable", message: error instanceof EngineFault ? error.message : "The grader could not pull the image." };
		} finally {
			pulls.delete(reference);
		}
	};

	return {
		resolve(reference) {
			const running = pulls.get(reference);
			if (running === undefined && pulls.size >= MAX_PULLS) {
				return Promise.resolve({ state: "unreachable", message: "The grader is pulling other images." });
			}
			const pulling = running ?? pull(reference);
			pulls.set(reference, pulling);
			return within(pulling, ANSWER_LIMIT_MS);
		},
		close: () => stop.abort(),
	};
}

async function within(pulling: Promise<ImageResolution>, limitMs: number): Promise<ImageResolution> {
	const { promise, resolve } = Promise.withResolvers<ImageResolution>();
	const timer = setTimeout(() => resolve({ state: "unreachable", message: "The grader is still pulling the image." }), limitMs);
	try {
		return await Promise.race([pulling, promise]);
	} finally {
		clearTimeout(timer);
	}
}
