import { AppError, invalidInput } from "../../errors.ts";
import type { TaskStatus } from "../tasks/rules.ts";

export interface SubmittedFile {
	/** Relative, with `/` separators. */
	readonly path: string;
	readonly content: Uint8Array;
}

export const MAX_FILES = 2000;
export const MAX_PATH_BYTES = 512;
/** 25 MB of file content, before packing. */
export const MAX_FILES_BYTES = 25 * 1_048_576;

/** Of a zip that is uploaded. Contract: "Limits", Upload size. */
export const MAX_ARTIFACT_BYTES = 100 * 1_048_576;
/** How long an `Idempotency-Key` is remembered. Contract: "Limits". */
export const IDEMPOTENCY_WINDOW_MS = 24 * 60 * 60 * 1000;

export const SUBMISSION_MD = "SUBMISSION.md";

/** What SUBMISSION.md should tell. Contract: "Upload-mode rules". */
export const SUBMISSION_SECTIONS = ["What I Built", "How To Run", "Architecture", "What Works", "Known Limitations", "Tradeoffs"] as const;

const encoder = new TextEncoder();

/**
 * Reads the `files` of a quick-submit. Contract: "quick-submit rules".
 *
 * @throws AppError `INVALID_BODY` naming the first path at fault, `FILE_TOO_LARGE` over 25 MB in all.
 */
export function parseFiles(files: Readonly<Record<string, unknown>>): SubmittedFile[] {
	const entries = Object.entries(files);
	if (entries.length === 0 || entries.length > MAX_FILES) throw refusePath("files", `must have 1 to ${MAX_FILES} entries`);
	assertNoCollisions(entries.map(([path]) => path));
	let total = 0;
	return entries.map(([path, value]) => {
		const content = decodeContent(path, value);
		total += content.byteLength;
		if (total > MAX_FILES_BYTES) {
			throw new AppError("FILE_TOO_LARGE", {
				message: `The files may have at most ${MAX_FILES_BYTES} bytes together.`,
				details: { max_bytes: MAX_FILES_BYTES },
			});
		}
		return { path: foldPath(path) === foldPath(SUBMISSION_MD) ? SUBMISSION_MD : path, content };
	});
}

function refusePath(path: string, message: string): AppError {
	return invalidInput("INVALID_BODY", [{ path, message }]);
}

/** Two paths that some file system takes for one, or a file that would also have to be a folder, cannot be unpacked everywhere. */
function assertNoCollisions(paths: readonly string[]): void {
	const seen = new Set<string>();
	for (const path of paths) {
		const fault = findPathFault(path);
		if (fault !== null) throw refusePath(`files[${JSON.stringify(path.slice(0, 200))}]`, fault);
		const folded = foldPath(path);
		if (seen.has(folded)) throw refusePath(`files[${JSON.stringify(path)}]`, "is equal to another path but for case or Unicode form");
		seen.add(folded);
	}
	for (const path of seen) {
		const folder = parentFolders(path).find((parent) => seen.has(parent));
		if (folder !== undefined) throw refusePath(`files[${JSON.stringify(path)}]`, `lies in ${JSON.stringify(folder)}, which is a file`);
	}
}

export function foldPath(path: string): string {
	return path.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}

export function parentFolders(path: string): string[] {
	const segments = path.split("/");
	return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join("/"));
}

/** Why a path cannot be taken, or null. A path is relative, with `/` separators and plain segments, at most 512 bytes of UTF-8. */
export function findPathFault(path: string): string | null {
	if (path === "") return "must not be empty";
	if (!path.isWellFormed()) return "must not contain lone surrogates";
	if (hasControlCharacter(path)) return "must not contain NUL or control characters";
	if (encoder.encode(path).byteLength > MAX_PATH_BYTES) return `must have at most ${MAX_PATH_BYTES} bytes`;
	if (path.includes("\\")) return "must use / as its separator";
	if (/^[a-z]:/i.test(path)) return "must not start with a drive letter";
	const segments = path.split("/");
	if (segments.some((segment) => segment === "" || segment === "." || segment === "..")) {
		return "must be relative, without empty, . or .. segments";
	}
	return null;
}

function hasControlCharacter(path: string): boolean {
	for (let index = 0; index < path.length; index += 1) {
		const code = path.charCodeAt(index);
		if (code < 0x20 || code === 0x7f) return true;
	}
	return false;
}

function decodeContent(path: string, value: unknown): Uint8Array {
	const at = `files[${JSON.stringify(path)}]`;
	if (typeof value === "string") return encodeText(at, value);
	if (typeof value !== "object" || value === null || !("content" in value) || typeof value.content !== "string") {
		throw refusePath(at, "must be a string or an object with a string content");
	}
	const encoding = "encoding" in value ? value.encoding : "utf8";
	if ("contentType" in value && value.contentType !== null && typeof value.contentType !== "string") {
		throw refusePath(`${at}.contentType`, "must be a MIME type");
	}
	if (encoding === "utf8" || encoding === undefined || encoding === null) return encodeText(at, value.content);
	if (encoding === "base64") return decodeBase64(at, value.content);
	throw refusePath(`${at}.encoding`, "must be utf8 or base64");
}

function encodeText(at: string, content: string): Uint8Array {
	if (!content.isWellFormed()) throw refusePath(at, "contains lone surrogates; send binary content as base64");
	return encoder.encode(content);
}

function decodeBase64(at: string, content: string): Uint8Array {
	try {
		return Uint8Array.fromBase64(content);
	} catch {
		throw refusePath(`${at}.content`, "is not valid base64");
	}
}

/** The sections of {@link SUBMISSION_SECTIONS} for which a SUBMISSION.md has no heading. */
export function findMissingSections(markdown: string): string[] {
	const headings = markdown.split(/\r?\n/).flatMap((line) => {
		// What closes a heading is punctuation and goes with the rest of it, so that no pattern has to look for the end of the line.
		const heading = /^ {0,3}#{1,6}[ \t](.*)$/s.exec(line)?.[1];
		return heading === undefined ? [] : [normalizeHeading(heading)];
	});
	return SUBMISSION_SECTIONS.filter((section) => !headings.includes(normalizeHeading(section)));
}

/** Compares headings by their words: case, numbering and punctuation around them do not matter. */
function normalizeHeading(heading: string): string {
	return heading
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]+/gu, " ")
		.replace(/^ *\d+ /, "")
		.trim();
}

type SubmissionStatus = "registered" | "running" | "completed" | "failed" | "evaluation_failed";

interface Transition {
	/** Empty for what makes a submission. */
	readonly from: readonly SubmissionStatus[];
	readonly to: SubmissionStatus;
}

/** Every change of a submission's status. Contract: "Submission states". */
export const SUBMISSION_TRANSITIONS = {
	register: { from: [], to: "registered" },
	quickSubmit: { from: [], to: "running" },
	complete: { from: ["registered"], to: "running" },
	refuseArtifact: { from: ["registered"], to: "failed" },
	score: { from: ["running"], to: "completed" },
	giveUp: { from: ["running"], to: "evaluation_failed" },
	postScore: { from: ["registered", "running"], to: "completed" },
	postFault: { from: ["registered", "running"], to: "evaluation_failed" },
	reEvaluate: { from: ["completed", "failed", "evaluation_failed"], to: "running" },
} as const satisfies Record<string, Transition>;

/** Whether a submission of this status can make a change. */
function canMove(status: SubmissionStatus, { from }: Transition): boolean {
	return from.includes(status);
}

interface SubmittableTask {
	readonly status: TaskStatus;
	readonly deadline: number;
}

/**
 * @param now Milliseconds since the epoch.
 * @throws AppError `TASK_NOT_OPEN`, or `DEADLINE_PASSED` for a task that is still open past its deadline.
 */
export function assertSubmittable(task: SubmittableTask, now: number): void {
	if (task.status !== "open") {
		throw new AppError("TASK_NOT_OPEN", { message: `The task is ${task.status}. GET /api/v1/tasks lists those that take submissions.` });
	}
	if (task.deadline <= now) throw new AppError("DEADLINE_PASSED");
}

/** @throws AppError `QUOTA_EXHAUSTED` when no slot is left. Contract: "Limits", Submission quota per task. */
export function assertQuotaLeft(used: number, limit: number): void {
	if (used < limit) return;
	throw new AppError("QUOTA_EXHAUSTED", {
		message: `You have used all ${limit} submissions on this task.`,
		details: { used, limit, remaining: 0 },
	});
}

export const UPLOAD_GRACE_MS = 60 * 60 * 1000;

/** Until when a submission's artifact and its `complete` are taken: an hour past the deadline. Milliseconds since the epoch. */
export function uploadDeadline(task: { readonly deadline: number }): number {
	return task.deadline + UPLOAD_GRACE_MS;
}

interface UploadState {
	readonly submission: { readonly status: SubmissionStatus };
	readonly task: { readonly deadline: number; readonly closedBy: "owner" | "deadline" | null };
}

/**
 * @param now Milliseconds since the epoch.
 * @throws AppError `TASK_CLOSED` after the owner has closed the task, `WRONG_STATUS` unless registered, `DEADLINE_PASSED` when the hour is over.
 */
export function assertTakesArtifact({ submission, task }: UploadState, now: number): void {
	if (task.closedBy === "owner")
		throw new AppError("TASK_CLOSED", { message: "The task's owner has closed it, so nothing more is taken." });
	if (!canMove(submission.status, SUBMISSION_TRANSITIONS.complete)) {
		throw new AppError("WRONG_STATUS", { message: `The submission is ${submission.status}; its artifact can no longer change.` });
	}
	if (uploadDeadline(task) <= now)
		throw new AppError("DEADLINE_PASSED", { message: "Artifacts were taken until one hour past the deadline." });
}

export const RE_EVALUATION_COOLDOWN_MS = 60 * 60 * 1000;

interface ReEvaluationState {
	readonly submission: { readonly status: SubmissionStatus; readonly artifactKey: string | null; readonly reEvaluatedAt: number | null };
	readonly task: { readonly status: TaskStatus; readonly deadline: number };
}

/**
 * Contract: "request_re_eval rules".
 *
 * @param now Milliseconds since the epoch.
 * @throws AppError `TASK_CLOSED`, `WRONG_STATUS`, `SUBMISSION_IN_PROGRESS`, `NO_ARTIFACT`, `RE_EVAL_COOLDOWN`, in this order.
 */
export function assertReEvaluable({ submission, task }: ReEvaluationState, now: number): void {
	if (task.status !== "open" || task.deadline <= now) {
		throw new AppError("TASK_CLOSED", { message: "Submissions are re-evaluated only while their task is open." });
	}
	if (!canMove(submission.status, SUBMISSION_TRANSITIONS.reEvaluate)) {
		if (submission.status === "running") throw new AppError("SUBMISSION_IN_PROGRESS");
		throw new AppError("WRONG_STATUS", {
			message: "The submission has not been evaluated yet. Upload its artifact and complete it first.",
		});
	}
	if (submission.artifactKey === null) throw new AppError("NO_ARTIFACT");
	const waitMs = (submission.reEvaluatedAt ?? 0) + RE_EVALUATION_COOLDOWN_MS - now;
	if (submission.reEvaluatedAt !== null && waitMs > 0) throw new AppError("RE_EVAL_COOLDOWN", { retryAfterSeconds: waitMs / 1000 });
}
