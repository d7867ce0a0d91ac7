// Sorts a submission's files, and chooses the one to show first.

/** The size of the largest single file that the API returns. */
export const MAX_VIEWED_BYTES = 10 * 1_048_576;

export const READINGS = { full: "read", cut: "read in part", not_read: "not read" } as const;

const PICTURE_TYPES = {
	png: "image/png",
	jpg: "image/jpeg",
	jpeg: "image/jpeg",
	gif: "image/gif",
	webp: "image/webp",
	avif: "image/avif",
	svg: "image/svg+xml",
} as const;
export type PictureType = (typeof PICTURE_TYPES)[keyof typeof PICTURE_TYPES];

/** Returns true if the path is a PDF's. */
export function isPdf(path: string): boolean {
	return path.toLowerCase().endsWith(".pdf");
}

/** Larger pictures and PDFs are downloaded instead of shown. */
export const MAX_PICTURE_BYTES = 5 * 1_048_576;

/** Returns the media type of a picture by its path. Returns null for other files. */
export function pictureTypeOf(path: string): PictureType | null {
	const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
	return Object.entries(PICTURE_TYPES).find(([name]) => name === extension)?.[1] ?? null;
}

interface ListedFile {
	readonly path: string;
	readonly size_bytes: number;
}

/**
 * Chooses the path to open: the requested one, or the first that the judge quotes, or SUBMISSION.md, or the first of all. Returns null
 * without files.
 */
export function chooseFile(files: readonly ListedFile[], wanted: string | null, quotedPaths: readonly string[]): string | null {
	const has = (path: string | null | undefined) => files.some((file) => file.path === path);
	return [wanted, ...quotedPaths, "SUBMISSION.md", files[0]?.path].find((path) => has(path)) ?? null;
}
