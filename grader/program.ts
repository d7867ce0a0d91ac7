// Connects the engine, the work folder, the jobs and the server.
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createEngine } from "./engine/engine.ts";
import { type FoundEngine, findEngine, INSTALL_HINT } from "./engine/find.ts";
import { gradeSubmission } from "./grade.ts";
import { createImageResolver } from "./image-resolver.ts";
import { createJobs } from "./jobs.ts";
import { takeWorkFolder, type WorkFolder, WorkFolderFault } from "./leftovers.ts";
import { makeResultFolders, type ResultLimit } from "./result-folders.ts";
import { discard, type GraderOptions } from "./run.ts";
import { testEngine } from "./self-test.ts";
import { createGraderServer } from "./server.ts";
import { type GraderSettings, readGraderSettings, type WorkshopSettings } from "./settings.ts";

const KEEP_RESULTS_MS = 3_600_000;
/** How long the steps around a run may take: pulling, fetching the artifact, creating and removing the container. */
const AROUND_RUN_MS = 900_000;

/** The grader cannot start. Its message says what to do. */
export class StartFault extends Error {
	override readonly name = "StartFault";
}

type LogFault = (error: unknown) => void;

export interface Workshop {
	readonly options: GraderOptions;
	/** Removes every container and file, and releases the work folder for another grader. */
	close(): Promise<void>;
}

/**
 * Prepares everything that grading needs, and removes what an earlier grader left.
 *
 * @throws StartFault
 */
export async function openWorkshop(settings: WorkshopSettings, logFault: LogFault): Promise<Workshop> {
	// An image can run as any user, and that user must be able to read the submission.
	process.umask(0o022);
	const found = await requireEngine(settings);
	const folder = await takeWorkFolder(settings.WORK_FOLDER).catch(explainFolder);
	const engine = createEngine({ found, owner: folder.owner, network: settings.GRADER_NETWORK ?? null, logFault });
	const clear = async () => {
		await engine.removeAll();
		await folder.unmountAll();
		for (const left of await folder.list()) await discard(left, { engine, logFault });
	};
	await clear();
	const resultLimit = settings.RESULT_LIMIT ?? (await findResultLimit(folder));
	return {
		options: { engine, workFolder: folder.path, resultLimit, now: () => performance.now(), newEvaluationId: randomUUID, logFault },
		async close() {
			await clear().catch(logFault);
			await folder.release();
		},
	};
}

function explainFolder(error: unknown): never {
	throw error instanceof WorkFolderFault ? new StartFault(error.message) : error;
}

async function requireEngine({ CONTAINER_ENGINE, GRADER_RUNTIME, ALLOW_WEAK_LIMITS }: WorkshopSettings) {
	const found = await findEngine({ command: CONTAINER_ENGINE, runtime: GRADER_RUNTIME });
	if (!("command" in found)) {
		throw new StartFault(`There is no usable container engine.\n\n  ${found.reasons.join("\n  ")}\n\n${INSTALL_HINT}`);
	}
	const missing = missingLimits(found);
	if (missing.length === 0 || ALLOW_WEAK_LIMITS === "true") return found;
	throw new StartFault(`${found.version} cannot limit ${missing.join(", ")} here. "Limits" in docs/grader.md says what to do.`);
}

function missingLimits({ limits }: FoundEngine): string[] {
	return Object.entries(limits).flatMap(([name, isThere]) => (isThere ? [] : [name]));
}

/** Tries to mount a folder of limited size. A process without that right watches the folder's size instead. */
async function findResultLimit({ path }: WorkFolder): Promise<ResultLimit> {
	const probe = join(path, "probe");
	try {
		await (await makeResultFolders(probe, ["/results"], "mount")).release();
		return "mount";
	} catch {
		return "watch";
	} finally {
		await rm(probe, { recursive: true, force: true });
	}
}

export interface RunningGrader {
	readonly url: string;
	/** The engine's name includes its version. */
	readonly engine: string;
	readonly runtime: string;
	/** Stops every job and removes everything that it has created. */
	stop(): Promise<void>;
}

/**
 * Starts the grader with the variables of an environment.
 *
 * @throws StartFault
 */
export async function startGrader(environment: Readonly<Record<string, string | undefined>>, logFault: LogFault): Promise<RunningGrader> {
	const settings = readGraderSettings(environment);
	if (!("PORT" in settings)) throw new StartFault(settings.join("\n"));
	const { options, close } = await openWorkshop(settings, logFault);
	const jobs = createJobs({
		grade: (request, watch) => gradeSubmission(request, watch, options),
		parallel: settings.PARALLEL_JOBS,
		keepMs: KEEP_RESULTS_MS,
		limitMs: ({ timeout_s }) => timeout_s * 1_000 + AROUND_RUN_MS,
		logFault,
	});
	const { name: engine, runtime } = options.engine;
	const images = createImageResolver(options.engine, logFault);
	const selfTest = (image: string) => testEngine(image, options);
	const server = createGraderServer({ jobs, images, selfTest, token: settings.GRADER_TOKEN, engine, runtime, logFault });
	const url = await listen(server, settings).catch(async (error: unknown) => {
		await close();
		throw error;
	});
	return {
		url,
		engine,
		runtime,
		async stop() {
			server.close();
			server.closeAllConnections();
			images.close();
			await jobs.close();
			await close();
		},
	};
}

function listen(server: ReturnType<typeof createGraderServer>, { HOST, PORT }: GraderSettings): Promise<string> {
	return new Promise((resolve, reject) => {
		server.once("error", (error) => reject(new StartFault(`Cannot listen on ${HOST}:${PORT}: ${error.message}`)));
		server.listen(PORT, HOST, () => resolve(addressOf(server.address(), HOST)));
	});
}

function addressOf(address: AddressInfo | string | null, host: string): string {
	const port = typeof address === "object" && address !== null ? address.port : 0;
	return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
