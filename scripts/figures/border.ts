// Measures the border between the core and its extensions (docs/architecture/extensions.md).
import { EXTENSIONS } from "../../src/compose/joints/extensions.ts";

interface SourceFile {
	readonly path: string;
	readonly text: string;
}

/** Folders that should know extensions only through table rows that name an extension as their `owner`. */
const CORE = /^src\/(core|db|domain|http)\//;

/**
 * Returns true for a file of tables or facts that is named after an extension, and counts as part of it. It is in another folder because
 * migrations and facts belong to the platform.
 */
function isOwnFile(path: string, name: string): boolean {
	return new RegExp(`^src/(db/schema|db/task/schema|domain)/${name}\\.ts$`).test(path);
}

export interface Border {
	/** Each has the form `from -> to`, from a file of the core to a file of an extension. */
	readonly imports: readonly string[];
	/** The number of lines in the core that contain a word of the extension, by the extension's name. */
	readonly lines: Readonly<Record<string, number>>;
}

/** Measures the border in the files of src, whose paths begin with `src/`. */
export function measureBorder(files: readonly SourceFile[]): Border {
	const core = files.filter(({ path }) => CORE.test(path));
	const imports = core.flatMap(({ path, text }) =>
		[...text.matchAll(/^(?:import|export)\b[^;]*?from "([^"]*\/extensions\/[^"]+)"/gm)].map(([, target = ""]) => `${path} -> ${target}`),
	);
	const count = (name: string, words: readonly string[]) => {
		if (words.length === 0) return 0;
		const lines = core.filter(({ path }) => !isOwnFile(path, name)).flatMap(({ text }) => text.split("\n"));
		return lines.filter((line) => new RegExp(words.join("|"), "i").test(line)).length;
	};
	return { imports, lines: Object.fromEntries(EXTENSIONS.map(({ name, words }) => [name, count(name, words)])) };
}
