// The files of a submission, and which one to show first.

/** Over this size the API does not hand out single files. */
export const MAX_VIEWED_BYTES = 10 * 1_048_576;

export const READINGS = { full: "read", cut: "read in part", not_read: "not read" } as const;

interface ListedFile {
	readonly path: string;
	readonly size_bytes: number;
}

/** The path to open: the wanted one, or else the first that the judge quotes, SUBMISSION.md, or the first. Null without files. */
export function chooseFile(files: readonly ListedFile[], wanted: string | null, quotedPaths: readonly string[]): string | null {
	const has = (path: string | null | undefined) => files.some((file) => file.path === path);
	return [wanted, ...quotedPaths, "SUBMISSION.md", files[0]?.path].find((path) => has(path)) ?? null;
}
