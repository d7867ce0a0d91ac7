import { quickSubmitRequest } from "../../core/competition/submissions/files-input.ts";
import { assertSubmittable, type SubmittableTask } from "../../core/competition/submissions/rules.ts";
import { readQuota } from "../../core/competition/submissions/store.ts";
import { hasWarning, readCriteria, readVisibleTask, selectJudgedTexts } from "../../core/competition/tasks/store.ts";
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
import { AppError, sentenceOf } from "../../domain/errors.ts";
import { ID } from "../../domain/example-story.ts";
import { type EvalMode, MODES } from "../../domain/modes.ts";
import { timeOfTask } from "../../domain/task-time.ts";
import { LARGEST_BODY_LIMIT_BYTES } from "../../http/body.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams } from "../../http/fields.ts";
import { collectChunks, readBytes } from "../../http/raw-body.ts";
import type { Ctx } from "../../ports/deps.ts";
import type { TaskBrief } from "../../ports/judge.ts";
import { taskVerb } from "../../ports/task.ts";
import { type CheckProblem, type CheckResult, checkResult, exampleAccepted, exampleRefused } from "./check-result.ts";
import * as rules from "./rules.ts";

/** A zip is checked in memory, because a check stores nothing. */
export const MAX_ZIP_BYTES = 20 * 1_048_576;

export const checkSubmission = endpoint({
	method: "post",
	path: "/api/v1/tasks/{id}/check",
	operationId: "checkSubmission",
	changesNothing: true,
	owner: "check",
	summary: "Check files before you submit them",
	description: [
		"Accepts the body of quick-submit, or a zip, and shows what would happen to it. Runs the same checks as quick-submit and complete, and selects files as the judge would. Stores nothing and uses no submission slot.",
		"`ok` says whether quick-submit (or complete, for a zip) would accept the files, if you have a slot left. `problems` lists everything that they would reject, with the same codes; `warnings` lists what costs points.",
	].join("\n\n"),
	page: "concepts/submissions",
	tags: ["Submissions"],
	auth: "key",
	rate: "submission",
	params: idParams,
	body: { schema: quickSubmitRequest, required: true, maxBytes: LARGEST_BODY_LIMIT_BYTES },
	rawBody: {
		contentTypes: ["application/zip"],
		description: `The zip that you would upload, of at most ${MAX_ZIP_BYTES / 1_048_576} MB. Larger zips cannot be checked, only uploaded.`,
	},
	response: { status: 200, description: "What would happen to the submission.", schema: checkResult },
	errors: ["NOT_FOUND", "BAD_REQUEST"],
	examples: {
		params: { id: ID.task },
		bodies: {
			files: {
				summary: "The body of quick-submit",
				value: { files: { "src/ledger.py": "import csv, sys\n", "exports/north.xlsx": "binary" } },
			},
		},
		responses: {
			accepted: { summary: "Accepted, with warnings", value: exampleAccepted },
			refused: { summary: "Refused", value: exampleRefused },
		},
	},

	async handle(ctx, { params: { id }, body, request }) {
		const readState = () => readCheckable(ctx, id, { agentId: ctx.actor.agentId });
		if (body !== undefined) return checkFiles(ctx, await readState(), body.files);
		const zip = await readZip(ctx, request);
		return checkZip(ctx, await readState(), zip);
	},
});

/** @throws AppError `INVALID_BODY` unless the body says that it is a zip, `BAD_REQUEST` when it is empty, as an upload. */
async function readZip({ clock }: Ctx, request: Request): Promise<Uint8Array> {
	const contentType = request.headers.get("Content-Type")?.split(";")[0]?.trim().toLowerCase();
	if (contentType !== "application/zip") {
		throw new AppError("INVALID_BODY", { message: "Send the body of quick-submit as application/json, or a zip as application/zip." });
	}
	const zip = await readBytes(request, MAX_ZIP_BYTES, { clock });
	if (zip.byteLength === 0) throw new AppError("BAD_REQUEST", { message: "The zip is empty. Send its bytes." });
	return zip;
}

/** Reads the state that decides about an agent's next submission. */
const readCheckable = taskVerb("readCheckable", (store, { agentId }: { agentId: string }) => {
	const task = readVisibleTask(store, agentId);
	return {
		task: { ...task, attachments: selectJudgedTexts(store) },
		needsWork: readCriteria(store).some(({ evidence }) => evidence === "work"),
		quotaUsed: readQuota(store, task, agentId).used,
		hasRoom: !hasWarning(store, "NO_ROOM"),
	};
});

/** The state that decides about the caller's next submission to a task. */
interface CheckState {
	readonly task: TaskBrief &
		SubmittableTask & { readonly evalMode: EvalMode; readonly maxSubmissionsPerAgent: number; readonly clockOffsetMs: number };
	/** True if at least one criterion does not accept claims as evidence. */
	readonly needsWork: boolean;
	readonly quotaUsed: number;
	/** True if the task's spending ceiling has room for another evaluation. */
	readonly hasRoom: boolean;
}

/** Predicts what quick-submit would return for the files. */
async function checkFiles(ctx: Ctx, state: CheckState, files: Readonly<Record<string, unknown>>): Promise<CheckResult> {
	const { problems: faults, result: read } = drain(examineFiles(files));
	const problems = faults.map((fault) => ({ ...fault, message: sentenceOf(fault) }));
	return concludeCheck(ctx, state, problems.length === 0 ? await checkPacked(ctx, state, read) : describeUnpacked(read, problems));
}

/** Predicts what complete would return for a zip. */
async function checkZip(ctx: Ctx, state: CheckState, zip: Uint8Array): Promise<CheckResult> {
	return concludeCheck(ctx, state, await examineZip(ctx, state, zip));
}

/** The part of the result that depends on the files. The task adds the rest. */
type FileFindings = Omit<CheckResult, "ok">;

function concludeCheck(ctx: Ctx, { task, quotaUsed, hasRoom }: CheckState, findings: FileFindings): CheckResult {
	const problems = [...findings.problems, ...findTaskProblems(task, timeOfTask(task, ctx.clock.now()))];
	const warnings = [...findings.warnings, ...rules.warnOfQuota(quotaUsed, task.maxSubmissionsPerAgent), ...rules.warnOfRoom(hasRoom)];
	return { ...findings, ok: problems.length === 0, problems, warnings };
}

function findTaskProblems(task: CheckState["task"], now: number): CheckProblem[] {
	try {
		assertSubmittable(task, now);
		return [];
	} catch (error) {
		if (!(error instanceof AppError) || (error.code !== "TASK_NOT_OPEN" && error.code !== "DEADLINE_PASSED")) throw error;
		return [{ code: error.code, path: "", message: error.message }];
	}
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

/** Packs the files like quick-submit, because the judge reads what was packed. Packing removes them from the list. */
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
	const read = await describeFiles(ctx, state, { archive, missingSections });
	return {
		problems: [],
		warnings: [...warnings, ...read.warnings],
		files: read.files,
		missing_sections: missingSections,
		packed_bytes: packed.byteLength,
	};
}

async function examineZip(ctx: Ctx, state: CheckState, zip: Uint8Array): Promise<FileFindings> {
	const { problems, result: archive } = await drainFaults(examineArchive(rangesOf(zip)));
	if (problems.length > 0) return { problems, warnings: [], files: [], missing_sections: findMissingSections(""), packed_bytes: null };
	const paths = archive.files.map(({ filename }) => filename);
	const named = [...rules.warnOfNestedRoot(paths), ...rules.warnOfSecretFiles(paths)];
	const inspection = await drainFaults(inspectArchive(archive));
	const missingSections = inspection.result ?? findMissingSections("");
	const faults = [...inspection.problems, ...(inspection.result === null ? [noSubmissionMd(archive)] : [])];
	const sections = inspection.result === null ? [] : rules.warnOfSections(true, missingSections);
	const read =
		faults.length === 0 ? await describeFiles(ctx, state, { archive, missingSections }) : { files: viewUnjudged(archive), warnings: [] };
	const secrets = faults.length === 0 ? await findSecretTexts(archive) : [];
	return {
		problems: faults,
		warnings: [...sections, ...named, ...secrets, ...read.warnings],
		files: read.files,
		missing_sections: missingSections,
		packed_bytes: faults.length === 0 ? zip.byteLength : null,
	};
}

/** Ignores files that cannot be unpacked, because {@link describeFiles} reports them. */
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

/** Lists the files and how much of each the judge would read, in modes with a judge. */
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

/** Warns about a file that cannot be unpacked: `complete` checks only a part of a large zip, so the rest can still fail in judging. */
function warnOfUnreadable({ path, message }: ArchiveFault): rules.CheckWarning {
	return { code: "NOT_READ", path: path ?? "", message: `Judging would fail, because a file cannot be unpacked: ${message}` };
}
