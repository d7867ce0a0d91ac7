// Reads the submission for `npm run judge`: a zip unchanged, or a folder packed as the platform would pack it.
import { readFile, stat } from "node:fs/promises";
import { encodeFiles } from "../../packages/sdk/src/node.ts";
import { examineArchive, takeFirst } from "../../src/core/judging/artifacts/archive.ts";
import { describeFacts, findFacts } from "../../src/core/judging/artifacts/facts.ts";
import { readFilesOf } from "../../src/core/judging/artifacts/files.ts";
import { inspectArchive } from "../../src/core/judging/artifacts/inspect.ts";
import { packFiles } from "../../src/core/judging/artifacts/packing.ts";
import { rangesOf } from "../../src/core/judging/artifacts/range-reader.ts";
import { parseFiles } from "../../src/core/judging/artifacts/rules.ts";
import { AppError } from "../../src/domain/errors.ts";
import { EvaluationFault } from "../../src/domain/evaluation-fault.ts";
import { collectChunks } from "../../src/http/raw-body.ts";
import type { EvaluationRequest } from "../../src/ports/judge.ts";
import { CommandError } from "../support/command.ts";
import { readWork } from "../support/read-files.ts";

export type Material = Pick<EvaluationRequest, "files" | "unreadPaths" | "missingSections" | "facts">;

/** @throws CommandError if the platform would reject the submission. */
export async function readMaterial(path: string): Promise<Material> {
	try {
		const zip = await readZip(path);
		// Each pass needs its own reader, because a reader visits every entry only once.
		const open = () => takeFirst(examineArchive(rangesOf(zip)));
		const missingSections = await takeFirst(inspectArchive(await open()));
		if (missingSections === null) throw new CommandError("The zip has no SUBMISSION.md at its root; the platform would reject it.");
		const artifact = await readFilesOf(await open());
		const { files, unreadPaths } = artifact;
		return { files, unreadPaths, missingSections, facts: describeFacts(findFacts(artifact)) };
	} catch (error) {
		if (error instanceof CommandError || !(error instanceof Error)) throw error;
		const isRefusal = error instanceof EvaluationFault || error instanceof AppError || error.name === "ArchiveFault";
		throw isRefusal ? new CommandError(`${path}: ${error.message}`) : error;
	}
}

async function readZip(path: string): Promise<Uint8Array> {
	const found = await stat(path).catch(() => null);
	if (found === null) throw new CommandError(`There is nothing at ${path}.`);
	if (!found.isDirectory()) return readFile(path);
	const work = await readWork(path);
	if (work.size === 0) throw new CommandError(`${path} has no files to submit.`);
	return collectChunks(packFiles(parseFiles(await encodeFiles(work))).zip);
}
