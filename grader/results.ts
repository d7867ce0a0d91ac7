// Reads the results of an image after its container has ended. The folders can contain anything.

import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { GradingTask } from "../src/ports/grading.ts";
import type { Mount } from "./engine/port.ts";
import { SCORE_FORMATS } from "./scores/formats.ts";
import { SAME_SCORE, ScoreFault, type ScoreReport } from "./scores/report.ts";

export const MAX_SCORE_FILE_BYTES = 1_048_576;
/** A test of three characters in a file takes a hundred in the result, and the platform reads at most 8 MB of a result. */
const MAX_TESTS = 10_000;

/**
 * Returns the score that an image has written, or null if it has written none.
 *
 * @throws ScoreFault if a score file is not a regular file, is too large, is not UTF-8, has no valid score or has too many tests, or
 * if two differ.
 */
export async function readScore(mounts: readonly Mount[], task: GradingTask): Promise<ScoreReport | null> {
	const reports: { path: string; report: ScoreReport }[] = [];
	for (const { path, parse } of SCORE_FORMATS) {
		const mount = mounts.find(({ target }) => path.startsWith(`${target}/`));
		const text = mount === undefined ? null : await readScoreFile(mount, path);
		if (text === null) continue;
		const report = named(path, () => parse(text, task));
		if (report.tests.length > MAX_TESTS) throw new ScoreFault(`${path}: reports more than ${MAX_TESTS} tests.`);
		reports.push({ path, report });
	}
	const [first, ...others] = reports;
	const other = others.find(({ report }) => Math.abs(report.score - (first?.report.score ?? 0)) > SAME_SCORE);
	if (first !== undefined && other !== undefined) {
		throw new ScoreFault(
			`${first.path} says ${first.report.score} and ${other.path} says ${other.report.score}. Write one score, in one place.`,
		);
	}
	return first?.report ?? null;
}

function named<T>(path: string, parse: () => T): T {
	try {
		return parse();
	} catch (error) {
		throw error instanceof ScoreFault ? new ScoreFault(`${path}: ${error.message}`) : error;
	}
}

/** Returns null if there is no such file. Links are rejected at every step of the path, because they could lead out of the folder. */
async function readScoreFile({ target, folder }: Mount, path: string): Promise<string | null> {
	const steps = path.slice(target.length + 1).split("/");
	for (let depth = 1; depth < steps.length; depth += 1) {
		const parent = await openPlain(join(folder, ...steps.slice(0, depth)), path, constants.O_DIRECTORY);
		if (parent === null) return null;
		await parent.close();
	}
	const file = await openPlain(join(folder, ...steps), path, constants.O_NONBLOCK);
	if (file === null) return null;
	try {
		const status = await file.stat();
		if (!status.isFile()) throw new ScoreFault(`${path} is not a regular file.`);
		if (status.size > MAX_SCORE_FILE_BYTES) throw new ScoreFault(`${path} has ${status.size} bytes; at most 1 MB is read.`);
		const bytes = await file.readFile();
		return named(path, () => decode(bytes));
	} finally {
		await file.close();
	}
}

/** Opens a regular file. It reads the same descriptor that it checks, so nothing can be replaced in between. */
async function openPlain(location: string, path: string, flags: number) {
	try {
		return await open(location, constants.O_RDONLY | constants.O_NOFOLLOW | flags);
	} catch (error) {
		const code = error instanceof Error && "code" in error ? error.code : null;
		if (code === "ENOENT") return null;
		if (code === "ELOOP" || code === "ENOTDIR") throw new ScoreFault(`${path} is a link or its path contains one.`);
		if (code === "ENXIO" || code === "EACCES" || code === "EPERM") throw new ScoreFault(`${path} is not a regular file that can be read.`);
		throw error;
	}
}

function decode(bytes: Uint8Array): string {
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
	} catch {
		throw new ScoreFault("is not UTF-8.");
	}
}
