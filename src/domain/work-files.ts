// These names are never part of a submission. The SDK, the command line, the Action and the Python package use this one list.

/** A submission never needs the history of the work, what can be installed again, and what is only for the command line. */
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

/** Tools generate these folders. The list excludes names that people also use for their own work, such as `build`. */
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
 * Returns true for a path, relative with `/`, of a file that macOS or Windows adds to folders and zips without asking: icons, thumbnails,
 * the layout of a window. They are not part of anyone's work.
 */
export function isSystemFile(path: string): boolean {
	const names = path.split("/");
	return SYSTEM_NAMES.test(names.at(-1) ?? "") || names.slice(0, -1).includes("__MACOSX");
}

/** Returns true for a path, relative with `/`, that is never sent or that tools generate. */
export function isUnsent(path: string): boolean {
	const names = path.split("/");
	return isSystemFile(path) || names.some((name) => NEVER_SENT.has(name)) || names.slice(0, -1).some((name) => GENERATED_FOLDERS.has(name));
}
