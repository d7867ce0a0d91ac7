// Examines files before they are submitted: what quick-submit or complete would reject, and what the judge would read.
import type { SubmittableTask } from "../../core/competition/submissions/rules.ts";
import { type Archive, examineArchive, takeFirst } from "../../core/judging/artifacts/archive.ts";
import { readFilesOf } from "../../core/judging/artifacts/files.ts";
import { inspectArchive } from "../../core/judging/artifacts/inspect.ts";
import { packFiles } from "../../core/judging/artifacts/packing.ts";
import { isClaimFile } from "../../core/judging/artifacts/paths.ts";
import { ArchiveFault } from "../../core/judging/artifacts/policy.ts";
import { rangesOf } from "../../core/judging/artifacts/range-reader.ts";
import {
	describeMissingSubmissionMd,
	examineFiles,
	type FileContent,
	findMissingSections,
	SUBMISSION_MD,
} from "../../core/judging/artifacts/rules.ts";
import { planReadingOf } from "../../core/judging/engine/choose.ts";
import { sentenceOf } from "../../domain/errors.ts";
import { type EvalMode, MODES } from "../../domain/modes.ts";
import { collectChunks } from "../../http/raw-body.ts";
import type { Ctx } from "../../ports/deps.ts";
import type { TaskBrief } from "../../ports/judge.ts";
import type { CheckProblem, CheckResult } from "./check-result.ts";
import * as rules from "./rules.ts";

/** The part of a task's state that a check of the caller's files depends on. */
export interface CheckState {
	readonly task: TaskBrief &
		SubmittableTask & { readonly evalMode: EvalMode; readonly maxSubmissionsPerAgent: number; readonly clockOffsetMs: number };
	/** True if at least one criterion does not accept claims as evidence. */
	readonly needsWork: boolean;
	readonly quotaUsed: number;
	/** True if the task's spending ceiling has room for another evaluation. */
	readonly hasRoom: boolean;
}

/** The part of the result that depends on the files. The rest depends on the task. */
export type FileFindings = Omit<CheckResult, "ok">;

/** Examines files as quick-submit does. */
export async function examineRequest(ctx: Ctx, state: CheckState, files: Readonly<Record<string, unknown>>): Promise<FileFindings> {
	const { problems: faults, result: contents } = drain(examineFiles(files));
	const problems = faults.map((fault) => ({ ...fault, message: sentenceOf(fault) }));
	return problems.length === 0 ? checkPacked(ctx, state, contents) : describeUnpacked(contents, problems);
}

function drain<Fault, Result>(reading: Generator<Fault, Result, void>): { problems: Fault[]; result: Result } {
	const problems: Fault[] = [];
	for (let step = reading.next(); ; step = reading.next()) {
		if (step.done === true) return { problems, result: step.value };
		problems.push(step.value);
	}
}

async function drainFaults<Result>(examination: AsyncGenerator<ArchiveFault, Result, void>) {
	const problems: CheckProblem[] = [];
	for (let step = await examination.next(); ; step = await examination.next()) {
		if (step.done === true) return { problems, result: step.value };
		problems.push({ code: "BAD_REQUEST", path: step.value.path ?? "", message: step.value.message });
	}
}

function describeUnpacked(files: readonly FileContent[], problems: CheckProblem[]): FileFindings {
	const submission = files.find(({ path }) => path === SUBMISSION_MD);
	const missingSections = findMissingSections(submission === undefined ? "" : new TextDecoder().decode(submission.content));
	return {
		problems,
		warnings: [
			...rules.warnOfSections(submission !== undefined, missingSections),
			...rules.warnOfNestedRoot(files.map(({ path }) => path)),
		],
		files: files.map(({ path, content }) => ({ path, size_bytes: content.byteLength, judged: null })),
		missing_sections: missingSections,
		packed_bytes: null,
	};
}

/** Packs the files as quick-submit does, because the judge reads the packed files. Empties `files`. */
async function checkPacked(ctx: Ctx, state: CheckState, files: FileContent[]): Promise<FileFindings> {
	const hasSubmissionMd = files.some(({ path }) => path === SUBMISSION_MD);
	const paths = files.map(({ path }) => path);
	const secrets = files.flatMap(({ path, content }) => rules.warnOfSecretText(path, new TextDecoder().decode(content)));
	const { zip, missingSections } = packFiles(files);
	const packed = await collectChunks(zip);
	const archive = await takeFirst(examineArchive(rangesOf(packed)));
	const warnings = [
		...rules.warnOfSections(hasSubmissionMd, missingSections),
		...rules.warnOfNestedRoot(paths),
		...rules.warnOfSecretFiles(paths),
		...secrets,
	];
	const described = await describeFiles(ctx, state, { archive, missingSections });
	return {
		problems: [],
		warnings: [...warnings, ...described.warnings],
		files: described.files,
		missing_sections: missingSections,
		packed_bytes: packed.byteLength,
	};
}

/** Examines a zip as complete does. */
export async function examineZip(ctx: Ctx, state: CheckState, zip: Uint8Array): Promise<FileFindings> {
	const { problems, result: archive } = await drainFaults(examineArchive(rangesOf(zip)));
	if (problems.length > 0) return { problems, warnings: [], files: [], missing_sections: findMissingSections(""), packed_bytes: null };
	const paths = archive.files.map(({ filename }) => filename);
	const named = [...rules.warnOfNestedRoot(paths), ...rules.warnOfSecretFiles(paths)];
	const inspection = await drainFaults(inspectArchive(archive));
	const missingSections = inspection.result ?? findMissingSections("");
	const faults = [...inspection.problems, ...(inspection.result === null ? [noSubmissionMd(archive)] : [])];
	const sections = inspection.result === null ? [] : rules.warnOfSections(true, missingSections);
	const findings = { problems: faults, missing_sections: missingSections };
	if (faults.length > 0) return { ...findings, warnings: [...sections, ...named], files: viewUnjudged(archive), packed_bytes: null };
	const described = await describeFiles(ctx, state, { archive, missingSections });
	const secrets = await findSecretTexts(archive);
	const warnings = [...sections, ...named, ...secrets, ...described.warnings];
	return { ...findings, warnings, files: described.files, packed_bytes: zip.byteLength };
}

/** Looks for credentials in the files. Returns nothing if a file cannot be unpacked, because {@link describeFiles} reports that. */
async function findSecretTexts(archive: Archive): Promise<rules.CheckWarning[]> {
	const artifact = await readFilesOf(archive).catch((error: unknown) => {
		if (error instanceof ArchiveFault) return { files: [] };
		throw error;
	});
	return artifact.files.flatMap(({ path, text }) => rules.warnOfSecretText(path, text));
}

function noSubmissionMd({ files }: Archive): CheckProblem {
	return {
		code: "MISSING_SUBMISSION_MD",
		path: SUBMISSION_MD,
		message: describeMissingSubmissionMd(files.map(({ filename }) => filename)),
	};
}

function viewUnjudged({ files }: Archive): CheckResult["files"] {
	return files.map(({ filename, uncompressedSize }) => ({ path: filename, size_bytes: uncompressedSize, judged: null }));
}

/** Lists the files and, in modes with a judge, how much of each the judge would read. */
async function describeFiles(
	ctx: Ctx,
	{ task, needsWork }: CheckState,
	{ archive, missingSections }: { readonly archive: Archive; readonly missingSections: readonly string[] },
) {
	if (!MODES[task.evalMode].usesJudge) return { files: viewUnjudged(archive), warnings: [] };
	const artifact = await readFilesOf(archive).catch((error: unknown) => {
		if (error instanceof ArchiveFault) return error;
		throw error;
	});
	if (artifact instanceof ArchiveFault) return { files: viewUnjudged(archive), warnings: [warnOfUnreadable(artifact)] };
	const coverage = planReadingOf(ctx.config, {
		...{ task, missingSections, facts: [] },
		...{ files: artifact.files, unreadPaths: artifact.unreadPaths },
	});
	const files = artifact.manifest.map(({ path, bytes }) => ({ path, size_bytes: bytes, judged: coverage.get(path) ?? "not_read" }));
	const readings = files.flatMap(({ path, judged }) => rules.warnOfReading(path, judged));
	const hasOnlyClaims = needsWork && artifact.files.length > 0 && artifact.files.every(({ path }) => isClaimFile(path));
	return { files, warnings: [...readings, ...rules.warnOfClaims(hasOnlyClaims)] };
}

/** Warns about a file that cannot be unpacked. `complete` checks only a part of a large zip, so the rest can still fail in judging. */
function warnOfUnreadable({ path, message }: ArchiveFault): rules.CheckWarning {
	return { code: "NOT_READ", path: path ?? "", message: `Judging would fail, because a file cannot be unpacked: ${message}` };
}
