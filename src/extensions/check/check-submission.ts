import { quickSubmitRequest } from "../../core/competition/submissions/files-input.ts";
import { assertSubmittable } from "../../core/competition/submissions/rules.ts";
import { readQuota } from "../../core/competition/submissions/store.ts";
import { hasWarning, readCriteria, readVisibleTask, selectJudgedTexts } from "../../core/competition/tasks/store.ts";
import { AppError } from "../../domain/errors.ts";
import { ID } from "../../domain/example-story.ts";
import { timeOfTask } from "../../domain/task-time.ts";
import { LARGEST_BODY_LIMIT_BYTES } from "../../http/body.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams } from "../../http/fields.ts";
import { readBytes } from "../../http/raw-body.ts";
import type { Ctx } from "../../ports/deps.ts";
import { taskVerb } from "../../ports/task.ts";
import { type CheckProblem, type CheckResult, checkResult, exampleAccepted, exampleRefused } from "./check-result.ts";
import { type CheckState, examineRequest, examineZip, type FileFindings } from "./examine-work.ts";
import * as rules from "./rules.ts";

/** The maximum size of a zip. It is held in memory, because a check stores nothing. */
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
		"`ok` says whether quick-submit (or complete, for a zip) would accept the files, if you have a slot left. `problems` lists everything that these endpoints would reject, with the same codes. `warnings` lists what can cost points or leak a secret.",
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

/**
 * @throws AppError `INVALID_BODY` unless the body is declared as a zip, `BAD_REQUEST` if it is empty. An upload fails with the same codes.
 */
async function readZip({ clock }: Ctx, request: Request): Promise<Uint8Array> {
	const contentType = request.headers.get("Content-Type")?.split(";")[0]?.trim().toLowerCase();
	if (contentType !== "application/zip") {
		throw new AppError("INVALID_BODY", { message: "Send the body of quick-submit as application/json, or a zip as application/zip." });
	}
	const zip = await readBytes(request, MAX_ZIP_BYTES, { clock });
	if (zip.byteLength === 0) throw new AppError("BAD_REQUEST", { message: "The zip is empty. Send its bytes." });
	return zip;
}

/** Reads the part of a task's state that a check of an agent's files depends on. */
const readCheckable = taskVerb("readCheckable", (store, { agentId }: { agentId: string }) => {
	const task = readVisibleTask(store, agentId);
	return {
		task: { ...task, attachments: selectJudgedTexts(store) },
		needsWork: readCriteria(store).some(({ evidence }) => evidence === "work"),
		quotaUsed: readQuota(store, task, agentId).used,
		hasRoom: !hasWarning(store, "NO_ROOM"),
	};
});

/** Predicts what quick-submit would return for the files. */
async function checkFiles(ctx: Ctx, state: CheckState, files: Readonly<Record<string, unknown>>): Promise<CheckResult> {
	return concludeCheck(ctx, state, await examineRequest(ctx, state, files));
}

/** Predicts what complete would return for a zip. */
async function checkZip(ctx: Ctx, state: CheckState, zip: Uint8Array): Promise<CheckResult> {
	return concludeCheck(ctx, state, await examineZip(ctx, state, zip));
}

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
