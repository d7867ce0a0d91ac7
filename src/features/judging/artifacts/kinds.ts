// Sorts the files of an artifact by what they are for: what they can prove, and when they are read.

/** A judge sees the kinds in this order. */
export const FILE_KINDS = ["document", "configuration", "source", "test", "generated"] as const;

export type FileKind = (typeof FILE_KINDS)[number];

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(" "));

const PROSE = setOf("md mdx markdown txt text rst adoc asciidoc org textile rtf log out nfo");
const DATA = setOf("csv tsv json jsonl ndjson xml svg yaml yml geojson plist po dat");
const SETTINGS = setOf("json5 jsonc toml ini cfg conf env properties gradle cmake mk mod editorconfig");
const SOURCES = setOf(
	"astro bash bat c cc cjs clj coffee cpp cs css cts cu cuh dart elm erl ex exs f90 fs glsl go graphql groovy h hcl hpp hs htm html ipynb java jl js jsx kt less lisp lua m mjs ml mts nim nix pas php pl prisma proto ps1 py pyi r rb rkt rs sass scala scm scss sh sol sql sv svelte swift tcl tf ts tsx v vb vhdl vue wat wgsl zig zsh",
);
const MEDIA = setOf(
	"png jpg jpeg gif webp avif ico bmp tiff pdf doc docx ppt pptx xls xlsx odt mp3 mp4 wav ogg webm mov woff woff2 ttf otf eot zip gz tgz bz2 xz 7z tar jar war wasm so dylib dll exe bin class o a pyc parquet sqlite db npy pt onnx",
);
/** Build tools read files with these names, so their ending and size do not matter. */
const SETTINGS_NAMES = setOf(
	"makefile dockerfile containerfile gemfile procfile rakefile justfile vagrantfile jenkinsfile brewfile pipfile cmakelists.txt requirements.txt package.json composer.json build workspace",
);

const GENERATED_FOLDERS = setOf(
	"node_modules bower_components vendor third_party dist build out target coverage .git .next .nuxt .svelte-kit .venv venv site-packages __pycache__ .gradle pods",
);
const GENERATED_NAMES =
	/^(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum|.*\.lock|.*\.lockb|.*[.-]min\.[a-z]+|.*\.bundle\.[a-z]+|.*\.map)$/;
const TEST_FOLDERS = setOf("test tests __tests__ spec specs e2e testing");
const TEST_NAMES = /^(?:test_.*|conftest\.py|.*[._-](?:test|tests|spec|specs)\.[a-z0-9]+|.*tests?\.(?:java|kt|cs|scala|swift))$/;

/** Data files above this size are the work of a program. */
export const MAX_DATA_BYTES = 64 * 1024;

/** The path and the size determine what a file is for. */
export interface FileStat {
	readonly path: string;
	readonly bytes: number;
}

/** Returns the kind of a file by its path and size. */
export function kindOf({ path, bytes }: FileStat): FileKind {
	const segments = foldLook(path).toLowerCase().split("/");
	const name = segments.pop() ?? "";
	const ending = endingOf(name);
	if (isGenerated(path) || MEDIA.has(ending) || (DATA.has(ending) && !SETTINGS_NAMES.has(name) && bytes > MAX_DATA_BYTES))
		return "generated";
	if (isProseName(name)) return "document";
	if (segments.some((folder) => TEST_FOLDERS.has(folder)) || TEST_NAMES.test(name)) return "test";
	return SETTINGS_NAMES.has(name) || name.startsWith(".") || DATA.has(ending) || SETTINGS.has(ending) ? "configuration" : "source";
}

/** Returns true for a path whose files were generated or copied from another project. */
export function isGenerated(path: string): boolean {
	const segments = foldLook(path).toLowerCase().split("/");
	const name = segments.pop() ?? "";
	return segments.some((folder) => GENERATED_FOLDERS.has(folder)) || GENERATED_NAMES.test(name);
}

/** Returns true for a file that cannot be quoted, because it is not text. */
export function isMedia(path: string): boolean {
	return MEDIA.has(endingOf(foldLook(path).toLowerCase()));
}

function endingOf(name: string): string {
	return /[^./]\.([^./]+)$/.exec(name)?.[1] ?? "";
}

/** Returns true for names such as `notes.md` and `LICENSE`, and for scripts without an ending, which only their text shows. */
function isProseName(name: string): boolean {
	if (SETTINGS_NAMES.has(name) || name.startsWith(".")) return false;
	return PROSE.has(endingOf(name)) || !name.includes(".");
}

/**
 * Returns true for a file that only says what its author asserts about the work: prose, logs, licences and reports of tests, under any
 * name, and what is text in a PDF or a picture. A file with an unknown ending is prose when it reads like prose.
 *
 * @param text The content; null when it was not read.
 */
export function isClaim(path: string, text: string | null): boolean {
	const name = foldLook(path).toLowerCase().split("/").pop() ?? "";
	if (isProseName(name)) return name.includes(".") || text?.startsWith("#!") !== true;
	const ending = endingOf(name);
	if (isTestReport(ending, text)) return true;
	if (MEDIA.has(ending)) return text !== null;
	if (SOURCES.has(ending) || DATA.has(ending) || SETTINGS.has(ending)) return false;
	return text !== null && readsLikeProse(text);
}

/** A report of tests says that tests have passed, as a log does, and its author can write it by hand. Anything can be in front of it. */
function isTestReport(ending: string, text: string | null): boolean {
	if (ending === "xml" || ending === "trx") return TEST_REPORT_XML.test(text ?? "");
	return ending === "json" && TEST_REPORT_JSON.test(text ?? "");
}

/** The elements are those of JUnit, NUnit, xUnit and Visual Studio. */
const TEST_REPORT_XML = /<(?:testsuites?|test-run|test-results|assemblies|TestRun)[\s>]/;
/** The fields are those of CTRF, Jest, pytest and Mocha. */
const TEST_REPORT_JSON =
	/"results"\s*:\s*\{\s*"(?:tool|summary|tests)"|"reportFormat"\s*:\s*"CTRF"|"(?:numPassedTests|nodeid|fullTitle)"\s*:/;

const PROSE_SAMPLE_LENGTH = 4_000;

/** Prose has words in rows, and few of the signs that programs and data are full of. */
function readsLikeProse(text: string): boolean {
	const sample = text.slice(0, PROSE_SAMPLE_LENGTH);
	const lines = sample.split("\n").filter((line) => line.trim() !== "");
	const words = sample.match(/[\p{L}\p{M}’']{2,}/gu)?.length ?? 0;
	const signs = sample.match(/[{}[\]();=<>$&|\\~^@%]/g)?.length ?? 0;
	return words >= 8 && words >= 5 * lines.length && signs * 8 <= words;
}

/** Returns the same text for paths that look alike in a list: without invisible characters and white space, in one Unicode form. */
export function foldLook(path: string): string {
	return path.normalize("NFKC").replace(/[\p{Default_Ignorable_Code_Point}\p{Cc}\s]+/gu, "");
}
