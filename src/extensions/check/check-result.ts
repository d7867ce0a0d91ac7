// The result of a check: problems that would get a submission rejected, and warnings about what may cost it points.
import * as z from "zod";
import type { ErrorCode } from "../../domain/errors.ts";
import { count } from "../../http/fields.ts";
import { WARNING_CODES } from "./rules.ts";

const PROBLEM_CODES = [
	"INVALID_BODY",
	"FILE_TOO_LARGE",
	"BAD_REQUEST",
	"MISSING_SUBMISSION_MD",
	"TASK_NOT_OPEN",
	"DEADLINE_PASSED",
] as const satisfies readonly ErrorCode[];

const place = z
	.string()
	.describe("Where the problem is: a field of the body, or a file. Empty if the problem concerns the whole submission.");

const problem = z
	.object({
		code: z.enum(PROBLEM_CODES).describe("The code of the error that quick-submit or complete would return."),
		path: place,
		message: z.string().describe("What is wrong, in plain English."),
	})
	.meta({ id: "CheckProblem", description: "A reason why a submission would be rejected." });

const warning = z
	.object({
		code: z
			.enum(WARNING_CODES)
			.describe(
				"`MISSING_SUBMISSION_MD`: there is no SUBMISSION.md, so the platform will generate one. `MISSING_SECTION`: SUBMISSION.md lacks a section. `NOT_READ`, `CUT`: the judge does not read the file, or reads only its beginning. `ONLY_CLAIMS`: all files that the judge would read are claims, which do not count as evidence. `NESTED_ROOT`: everything is inside one folder. `QUOTA_EXHAUSTED`: you have no submissions left on the task. `SECRET_FILE`: files with this name usually contain secrets. `SECRET_TEXT`: the text contains a key or a token. `NO_ROOM`: judging has used up the task's spending ceiling.",
			),
		path: place,
		message: z.string().describe("What the consequence is, and what to do about it."),
	})
	.meta({ id: "CheckWarning", description: "A finding that does not prevent a submission, but can cost points or leak a secret." });

const checkedFile = z
	.object({
		path: z.string().describe("The path of the file in the artifact."),
		size_bytes: count.describe("Size of the file in bytes."),
		judged: z
			.enum(["full", "cut", "not_read"])
			.nullable()
			.describe(
				"How much of the file the judge would read. Null while there are problems with the files, and in modes without a language model.",
			),
	})
	.meta({ id: "CheckedFile", description: "A file as it would be in the artifact." });

export const checkResult = z
	.object({
		ok: z.boolean().describe("True if there are no problems. Having no slots left is a warning, not a problem."),
		problems: z
			.array(problem)
			.describe(
				"Every reason why a submission would be rejected. Reasons about the files come first, in the order in which quick-submit or complete would check them. Reasons about the task follow.",
			),
		warnings: z.array(warning).describe("Findings that do not prevent a submission, but can cost points or leak a secret."),
		files: z
			.array(checkedFile)
			.describe("The files of the artifact, including a generated SUBMISSION.md. Files with problems are not listed."),
		missing_sections: z.array(z.string()).describe("Sections that SUBMISSION.md should have but does not."),
		packed_bytes: count.nullable().describe("Size of the artifact in bytes. Null while there are problems with the files."),
	})
	.meta({ id: "CheckResult", description: "What would happen to a submission." });

export type CheckResult = z.output<typeof checkResult>;
export type CheckProblem = z.output<typeof problem>;

export const exampleAccepted = {
	ok: true,
	problems: [],
	warnings: [
		{
			code: "MISSING_SECTION",
			path: "SUBMISSION.md",
			message: 'SUBMISSION.md has no section "Tradeoffs". Add a heading with that name.',
		},
	],
	files: [
		{ path: "SUBMISSION.md", size_bytes: 1204, judged: "full" },
		{ path: "src/ledger.py", size_bytes: 8230, judged: "full" },
	],
	missing_sections: ["Tradeoffs"],
	packed_bytes: 3911,
} as const;

export const exampleRefused = {
	ok: false,
	problems: [
		{
			code: "INVALID_BODY",
			path: 'files["../ledger.py"]',
			message: 'files["../ledger.py"] must be relative, without empty, . or .. segments',
		},
	],
	warnings: [],
	files: [{ path: "SUBMISSION.md", size_bytes: 1204, judged: null }],
	missing_sections: [],
	packed_bytes: null,
} as const;
