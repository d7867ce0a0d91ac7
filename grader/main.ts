// The grader as a program: its settings come from the environment, and standard output gets one line, the address where it answers.
import { rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type FoundEngine, findEngine, INSTALL_HINT } from "./engine/find.ts";
import { createEngine } from "./engine.ts";
import { type GraderOptions, gradeSubmission } from "./grade.ts";
import { createJobs } from "./jobs.ts";
import { takeWorkFolder, type WorkFolder, WorkFolderFault } from "./leftovers.ts";
import { makeResultFolders, type ResultLimit } from "./result-folders.ts";
import { createGraderServer } from "./server.ts";
import { type GraderSettings, readGraderSettings } from "./settings.ts";

const KEEP_RESULTS_MS = 3_600_000;
/** For what comes before and after the image's own time: pulling, fetching the artifact, making and removing the container. */
const AROUND_RUN_MS = 900_000;
/** Between asking all jobs to stop and leaving all the same. Whoever starts the grader next cleans up then. */
const STOP_LIMIT_MS = 60_000;

/** The grader cannot start; its message says what to do. */
class StartFault extends Error {
	override readonly name = "StartFault";
}

const logFault = (error: unknown): void => console.error(error);

await main().catch((error: unknown) => {
	console.error(error instanceof StartFault || error instanceof WorkFolderFault ? error.message : error);
	process.exitCode = 1;
});

async function main(): Promise<void> {
	const settings = readGraderSettings(process.env);
	if (!("PORT" in settings)) throw new StartFault(settings.join("\n"));
	// Whoever an image runs as must be able to read the submission.
	process.umask(0o022);
	const found = await requireEngine(settings);
	const folder = await takeWorkFolder(settings.WORK_FOLDER);
	const engine = createEngine({ found, owner: folder.owner, network: settings.GRADER_NETWORK ?? null, logFault });
	await engine.removeAll();
	await folder.clear();
	const options: GraderOptions = {
		engine,
		workFolder: folder.path,
		resultLimit: settings.RESULT_LIMIT ?? (await findResultLimit(folder)),
		now: () => performance.now(),
	};
	const jobs = createJobs({
		grade: (request, watch) => gradeSubmission(request, watch, options),
		parallel: settings.PARALLEL_JOBS,
		keepMs: KEEP_RESULTS_MS,
		limitMs: ({ timeout_s }) => timeout_s * 1_000 + AROUND_RUN_MS,
		logFault,
	});
	const server = createGraderServer({ jobs, token: settings.GRADER_TOKEN, engine: engine.name, logFault });
	const stop = async () => {
		setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
		server.close();
		server.closeAllConnections();
		await jobs.close();
		await engine.removeAll().catch(logFault);
		await folder.clear().catch(logFault);
		await folder.release();
		process.exit(0);
	};
	for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, stop);
	server.once("error", (error) => {
		console.error(`Cannot listen on ${settings.HOST}:${settings.PORT}: ${error.message}`);
		process.exitCode = 1;
	});
	server.listen(settings.PORT, settings.HOST, () => console.log(addressOf(server.address(), settings.HOST)));
}

async function requireEngine({ CONTAINER_ENGINE }: GraderSettings): Promise<FoundEngine> {
	const found = await findEngine(CONTAINER_ENGINE);
	if ("command" in found) return found;
	throw new StartFault(`There is no container engine that answers.\n${found.reasons.join("\n")}\n\n${INSTALL_HINT}`);
}

/** Whether this process may mount, found out by doing it. */
async function findResultLimit({ path }: WorkFolder): Promise<ResultLimit> {
	const probe = join(path, "probe");
	try {
		await (await makeResultFolders(probe, ["/results"], "mount")).remove();
		return "mount";
	} catch {
		await rm(probe, { recursive: true, force: true });
		return "watch";
	}
}

function addressOf(address: AddressInfo | string | null, host: string): string {
	const port = typeof address === "object" && address !== null ? address.port : 0;
	return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
