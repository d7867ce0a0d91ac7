// Chooses how files are sent to the platform: small ones in one request, large ones as a zip.

import { isSecretPath } from "../../../src/domain/secret-files.ts";
import { isUnsent } from "../../../src/domain/work-files.ts";

const MB = 1_048_576;
/** The maximum size of a single request, in bytes. */
const MAX_REQUEST_BYTES = 5 * MB;
const MAX_REQUEST_FILES = 2000;
const MAX_ZIP_FILES = 5_000;
const MAX_UNPACKED_BYTES = 500 * MB;
/** The maximum size of a submission's zip, in bytes. */
export const MAX_ZIP_BYTES = 100 * MB;
/** The maximum size of a zip that can be checked before it is submitted. */
export const MAX_CHECKED_ZIP_BYTES = 20 * MB;

export type Way = "request" | "zip" | "too-large";

/** Chooses how to submit files of these sizes, in bytes. */
export function chooseWay(sizes: readonly number[]): Way {
	const total = sizes.reduce((sum, size) => sum + size, 0);
	if (total > MAX_UNPACKED_BYTES || sizes.length > MAX_ZIP_FILES) return "too-large";
	return total <= MAX_REQUEST_BYTES && sizes.length <= MAX_REQUEST_FILES ? "request" : "zip";
}

/** Finds which files are sent and which look like secrets, as the command line does, but without reading ignore files. */
export function sortPaths(paths: readonly string[]): { readonly sent: ReadonlySet<string>; readonly secrets: readonly string[] } {
	const wanted = paths.filter((path) => !isUnsent(path));
	return { sent: new Set(wanted.filter((path) => !isSecretPath(path))), secrets: wanted.filter(isSecretPath) };
}

export interface Finding {
	readonly level: "problem" | "warning";
	readonly message: string;
}

interface CheckProblem {
	readonly path: string;
	readonly message: string;
}

interface Findings {
	/** Maps the path of each file to its findings. */
	readonly ofFiles: ReadonlyMap<string, readonly Finding[]>;
	/** Findings about the submission as a whole, or about missing files. */
	readonly general: readonly Finding[];
}

/** Groups a check's findings by file. `paths` are the shown files. */
export function sortFindings(
	check: { readonly problems: readonly CheckProblem[]; readonly warnings: readonly CheckProblem[] },
	paths: readonly string[],
): Findings {
	const known = new Set(paths);
	const ofFiles = new Map<string, Finding[]>();
	const general: Finding[] = [];
	const add = (level: Finding["level"]) => (found: CheckProblem) => {
		const path = fileOf(found.path);
		const finding = { level, message: found.message };
		if (known.has(path)) ofFiles.set(path, [...(ofFiles.get(path) ?? []), finding]);
		else general.push(finding);
	};
	check.problems.forEach(add("problem"));
	check.warnings.forEach(add("warning"));
	return { ofFiles, general };
}

/** Returns the file that a request path is about: `files["a.js"]` is about `a.js`. */
function fileOf(place: string): string {
	const quoted = /^files\[(".*")\]$/s.exec(place)?.[1];
	if (quoted === undefined) return place;
	try {
		const path: unknown = JSON.parse(quoted);
		return typeof path === "string" ? path : place;
	} catch {
		return place;
	}
}
