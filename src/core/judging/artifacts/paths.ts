// Decides from a file's path whether the file is text that a person wrote.
import { foldLook } from "../../../domain/look.ts";

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(" "));

const MEDIA = setOf(
	"png jpg jpeg gif webp avif ico bmp tiff pdf doc docx ppt pptx xls xlsx odt mp3 mp4 wav ogg webm mov woff woff2 ttf otf eot zip gz tgz bz2 xz 7z tar jar war wasm so dylib dll exe bin class o a pyc parquet sqlite db npy pt onnx",
);
const GENERATED_FOLDERS = setOf(
	"node_modules bower_components vendor third_party dist build out target coverage .git .next .nuxt .svelte-kit .venv venv site-packages __pycache__ .gradle pods",
);
const GENERATED_NAMES =
	/^(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum|.*\.lock|.*\.lockb|.*[.-]min\.[a-z]+|.*\.bundle\.[a-z]+|.*\.map)$/;

/**
 * Returns true if the file was generated, was copied from another project, or is not text, judging by its path. These files are read last.
 */
export function isGenerated(path: string): boolean {
	const segments = foldLook(path).toLowerCase().split("/");
	const name = segments.pop() ?? "";
	return segments.some((folder) => GENERATED_FOLDERS.has(folder)) || GENERATED_NAMES.test(name) || MEDIA.has(endingOf(name));
}

function endingOf(name: string): string {
	return /[^./]\.([^./]+)$/.exec(name)?.[1] ?? "";
}

/** Sorts files by path, with generated, copied and binary files at the end. */
export function sortForReading<File extends { readonly path: string }>(files: readonly File[]): File[] {
	return files
		.map((file) => ({ file, isLast: isGenerated(file.path) }))
		.toSorted((a, b) => Number(a.isLast) - Number(b.isLast) || comparePaths(a.file.path, b.file.path))
		.map(({ file }) => file);
}

export function comparePaths(a: string, b: string): number {
	return a < b ? -1 : Number(a > b);
}

const CLAIM_FILE = /^(?:submission\.md|readme(?:\.[^/]*)?)$/i;

/** Returns true for SUBMISSION.md and the README at the root, the only files whose content counts as the author's claims. */
export function isClaimFile(path: string): boolean {
	return CLAIM_FILE.test(foldLook(path));
}
