// Reads the submission, the task and the test suite for `npm run grade`. A folder is packed as an agent would pack it.
import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type Zippable, zipSync } from "fflate";
import { findSuiteFaults } from "../../src/core/competition/tasks/rules.ts";
import type { GradingTask } from "../../src/ports/grading.ts";
import { testSuite } from "../../src/ports/grading.ts";
import { CommandError } from "../support/command.ts";
import { readJsonFile, readWork } from "../support/read-files.ts";

/** The zip attribute that marks Unix modes. */
const UNIX = 3;
const MODE_SHIFT = 16;

/** Reads a zip, or zips a folder's files. */
export async function packSubmission(path: string): Promise<Uint8Array> {
	const found = await stat(path).catch(() => null);
	if (found === null) throw new CommandError(`There is nothing at ${path}.`);
	if (!found.isDirectory()) return readFile(path);
	const files: Zippable = {};
	for (const [name, bytes] of await readWork(path)) {
		const { mode } = await stat(join(path, name));
		files[name] = [bytes, { os: UNIX, attrs: mode << MODE_SHIFT }];
	}
	return zipSync(files);
}

/** Reads the task, or makes a task without criteria if there is no file. */
export async function readGradingTask(path: string | undefined): Promise<GradingTask> {
	if (path === undefined) return { id: "local", criteria: [] };
	// The schema of tasks takes a moment to load, and only this function needs it.
	const { readRubric } = await import("../judge/rubric.ts");
	const { criteria } = await readRubric(path);
	return { id: "local", criteria: criteria.map(({ name, description, weight }) => ({ name, description, weight })) };
}

/** Reads the bytes of a test suite that the platform would accept. */
export async function readSuite(path: string): Promise<Uint8Array> {
	const parsed = testSuite.safeParse(await readJsonFile(path));
	if (!parsed.success) {
		throw new CommandError(listFaults(path, parsed.error.issues));
	}
	const faults = findSuiteFaults(parsed.data.test_cases);
	if (faults.length > 0) throw new CommandError(listFaults(path, faults));
	return readFile(path);
}

function listFaults(file: string, faults: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[]): string {
	return `${file}:\n${faults.map(({ path, message }) => `  ${path.join(".")}: ${message}`).join("\n")}`;
}

export interface ServedFiles {
	readonly artifactUrl: string;
	readonly suiteUrl: string | null;
	stop(): void;
}

/** Serves the files only on loopback. The grader downloads what it grades over HTTP. */
export async function serveOnce({ artifact, suite }: { artifact: Uint8Array; suite: Uint8Array | null }): Promise<ServedFiles> {
	const server = createServer((request, response) => {
		const body = request.url === "/artifact.zip" ? artifact : suite;
		response.writeHead(body === null ? 404 : 200, { Connection: "close" }).end(body);
	});
	await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
	const url = `http://127.0.0.1:${portOf(server.address())}`;
	return {
		artifactUrl: `${url}/artifact.zip`,
		suiteUrl: suite === null ? null : `${url}/test_suite.json`,
		stop: () => server.close().closeAllConnections(),
	};
}

function portOf(address: AddressInfo | string | null): number {
	if (address === null || typeof address === "string") throw new Error("A server that listens has a port.");
	return address.port;
}
