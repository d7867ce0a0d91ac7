// The names of files and folders that are not sent as part of a submission. The SDK, the command line, the Action and the Python package
// share them.

/**
 * The names that are never sent: version history, installed packages, files of operating systems, and files that are only for the command
 * line.
 */
export const NEVER_SENT: ReadonlySet<string> = new Set([
	".git",
	".hg",
	".svn",
	"node_modules",
	".DS_Store",
	"__MACOSX",
	"Thumbs.db",
	"desktop.ini",
	".bountyignore",
	".bounty.json",
]);

/** Folders that tools generate. Names that people also use for their own work, such as `build`, are not listed. */
export const GENERATED_FOLDERS: ReadonlySet<string> = new Set([
	"__pycache__",
	".venv",
	".tox",
	".nox",
	".pytest_cache",
	".mypy_cache",
	".ruff_cache",
	".ipynb_checkpoints",
	".gradle",
	".terraform",
	".next",
	".nuxt",
	".svelte-kit",
	".turbo",
	".parcel-cache",
	".wrangler",
]);

const SYSTEM_NAMES = /^(\._.+|\.DS_Store|Thumbs\.db|desktop\.ini)$/i;

/**
 * Returns true for files that macOS and Windows add to folders and zips, such as thumbnails and window layouts. The path is relative and
 * separated by `/`.
 */
export function isSystemFile(path: string): boolean {
	const names = path.split("/");
	return SYSTEM_NAMES.test(names.at(-1) ?? "") || names.slice(0, -1).includes("__MACOSX");
}

/** Returns true for files that are never sent, or that tools generate. The path is relative and separated by `/`. */
export function isUnsent(path: string): boolean {
	const names = path.split("/");
	return isSystemFile(path) || names.some((name) => NEVER_SENT.has(name)) || names.slice(0, -1).some((name) => GENERATED_FOLDERS.has(name));
}
