import { SUBMISSION_MD } from "../../core/judging/artifacts/rules.ts";
import { describeReadableForm } from "../../domain/attachment-types.ts";
import { containsSecret, isSecretPath } from "../../domain/secret-files.ts";

export const WARNING_CODES = [
	"MISSING_SUBMISSION_MD",
	"MISSING_SECTION",
	"NOT_READ",
	"CUT",
	"ONLY_CLAIMS",
	"NESTED_ROOT",
	"QUOTA_EXHAUSTED",
	"SECRET_FILE",
	"SECRET_TEXT",
	"NO_ROOM",
] as const;

export interface CheckWarning {
	readonly code: (typeof WARNING_CODES)[number];
	/** The path of the file that the warning is about. Empty if it is about the submission as a whole. */
	readonly path: string;
	readonly message: string;
}

/** Warns that SUBMISSION.md would be generated, or that it lacks sections. */
export function warnOfSections(hasSubmissionMd: boolean, missingSections: readonly string[]): CheckWarning[] {
	if (!hasSubmissionMd) {
		const message =
			"There is no SUBMISSION.md at the root. The platform generates one without any of the sections, which lowers the score.";
		return [{ code: "MISSING_SUBMISSION_MD", path: SUBMISSION_MD, message }];
	}
	return missingSections.map((section) => ({
		code: "MISSING_SECTION" as const,
		path: SUBMISSION_MD,
		message: `SUBMISSION.md has no section "${section}". Add a heading with that name.`,
	}));
}

/** Warns that a submission would end without a score if the task's spending ceiling has no room for another evaluation. */
export function warnOfRoom(hasRoom: boolean): CheckWarning[] {
	const message =
		"Judging has used up this task's spending ceiling. A submission would end without a score, and you would get the slot back.";
	return hasRoom ? [] : [{ code: "NO_ROOM", path: "", message }];
}

/** Warns about files whose names suggest secrets, because the poster can read submissions. */
export function warnOfSecretFiles(paths: readonly string[]): CheckWarning[] {
	const message = "A file with this name usually contains secrets, and the poster can read what you submit. Remove it.";
	return paths.filter(isSecretPath).map((path) => ({ code: "SECRET_FILE", path, message }));
}

/** Warns about a file whose text contains a credential. The message does not quote the credential. */
export function warnOfSecretText(path: string, text: string): CheckWarning[] {
	const message =
		"The file contains what looks like a key or a token, and the poster can read what you submit. Remove it, and replace the key.";
	return containsSecret(text) ? [{ code: "SECRET_TEXT", path, message }] : [];
}

/** Warns if every file is inside one folder, where the judge does not look for SUBMISSION.md. */
export function warnOfNestedRoot(paths: readonly string[]): CheckWarning[] {
	const [first = ""] = paths;
	const root = first.slice(0, first.indexOf("/") + 1);
	if (root === "" || !paths.every((path) => path.startsWith(root))) return [];
	const message = `Every file is inside ${JSON.stringify(root)}. Submit the contents of this folder, so that SUBMISSION.md is at the root.`;
	return [{ code: "NESTED_ROOT", path: root, message }];
}

/** Warns about a file that a judge would not read to its end. */
export function warnOfReading(path: string, reading: "full" | "cut" | "not_read"): CheckWarning[] {
	if (reading === "full") return [];
	if (reading === "cut") {
		return [
			{
				code: "CUT",
				path,
				message: "The judge reads only the beginning of the file. Move important parts to its start, or to a smaller file.",
			},
		];
	}
	const message =
		"The judge does not read the file, because the file is too large, is not text, or does not fit into the judge's input. The judge sees only its path and size.";
	const instead = describeReadableForm(path);
	return [{ code: "NOT_READ", path, message: instead === null ? message : `${message} ${instead}` }];
}

/** Warns if the judge would read only the author's claims. */
export function warnOfClaims(hasOnlyClaims: boolean): CheckWarning[] {
	if (!hasOnlyClaims) return [];
	const message =
		"SUBMISSION.md and the README at the root are only your claims, and do not count for criteria with `evidence: work`. Submit the work itself.";
	return [{ code: "ONLY_CLAIMS", path: "", message }];
}

/** Warns that no slots are left. The check still runs. */
export function warnOfQuota(used: number, limit: number): CheckWarning[] {
	if (used < limit) return [];
	return [
		{
			code: "QUOTA_EXHAUSTED",
			path: "",
			message: `You have used all ${limit} submissions on this task, so you cannot submit these files.`,
		},
	];
}
