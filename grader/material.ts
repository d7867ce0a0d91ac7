// Prepares the files that the containers of one job see: the submission, the task and the cases. Expected outputs stay in memory.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type GradingRequest, type TestCase, testSuite } from "../src/ports/grading.ts";
import type { Mount } from "./engine/port.ts";
import { downloadArtifact, downloadSuite, unpack } from "./unpack.ts";

/** Images that were written for other platforms look for the submission in these folders. */
const SUBMISSION_TARGETS = ["/submission", "/agent_output", "/autograder/submission", "/app/input/res", "/input"];
/** A hosts file that reveals nothing about this machine. Without it, engines write their own file or show the machine's. */
const HOSTS = "127.0.0.1\tlocalhost\n::1\tlocalhost\n";

export interface Material {
	/** The suite's cases, or null without a suite. */
	readonly cases: readonly TestCase[] | null;
	/** Lists the mounts of a container for one case. Pass null if there is no suite. */
	mountsFor(testCase: TestCase | null): readonly Mount[];
	/** Mounts without the submission, to test whether the image starts at all. */
	readonly mountsWithoutSubmission: readonly Mount[];
}

/**
 * Fetches and unpacks everything into a folder.
 *
 * @throws DownloadFault, ArchiveFault
 */
export async function prepareMaterial(folder: string, request: GradingRequest, signal: AbortSignal): Promise<Material> {
	const at = (name: string) => join(folder, name);
	for (const name of ["submission", "nothing", "task", "task-public"]) await mkdir(at(name));
	await writeFile(at("hosts"), HOSTS);
	await unpack(await downloadArtifact(request.artifact_url, signal), at("submission"));
	const cases = request.test_suite_url === null ? null : await readCases(request.test_suite_url, signal);
	await describeTask(at("task"), request, cases);
	// Agents see the output of a public case's run, so that run must not see hidden cases.
	await describeTask(at("task-public"), request, cases?.filter((testCase) => testCase.public) ?? null);
	const hosts = { target: "/etc/hosts", folder: at("hosts") };
	const mounts = (submission: string, task: string) => [
		...SUBMISSION_TARGETS.map((target) => ({ target, folder: at(submission) })),
		{ target: "/task", folder: at(task) },
		hosts,
	];
	return {
		cases,
		mountsFor: (testCase) => mounts("submission", testCase?.public === true ? "task-public" : "task"),
		mountsWithoutSubmission: mounts("nothing", "task"),
	};
}

async function readCases(url: string, signal: AbortSignal): Promise<readonly TestCase[]> {
	const bytes = await downloadSuite(url, signal);
	return testSuite.parse(JSON.parse(new TextDecoder().decode(bytes))).test_cases;
}

/** Writes only names and inputs. What a case expects, and how it is compared, never enters a container. */
async function describeTask(
	folder: string,
	{ task, memory_mb, timeout_s }: GradingRequest,
	cases: readonly TestCase[] | null,
): Promise<void> {
	await writeFile(join(folder, "task.json"), JSON.stringify({ ...task, memory_mb, timeout_s }));
	if (cases === null) return;
	const test_cases = cases.map(({ name, input }) => ({ name, input }));
	await writeFile(join(folder, "test_suite.json"), JSON.stringify({ test_cases }));
}

/** Returns true if an image's program is a part of the submission, so that a submission without it keeps the image from starting. */
export function isInSubmission(path: string): boolean {
	return SUBMISSION_TARGETS.some((target) => path === target || path.startsWith(`${target}/`));
}
