// Measures the border between the core and its extensions (docs/architecture/extensions.md).
import { EXTENSIONS } from "../../src/compose/joints/extensions.ts";

interface SourceFile {
	readonly path: string;
	readonly text: string;
}

/** These folders should know extensions only by rows with an owner. */
const CORE = /^src\/(core|db|domain|http)\//;

export interface Border {
	/** Each is `from -> to`, of a file of the core and a file of an extension. */
	readonly imports: readonly string[];
	/** Lines of the core that contain a word of the extension, by its name. */
	readonly lines: Readonly<Record<string, number>>;
}

/** Measures the border in the files of src, whose paths begin with `src/`. */
export function measureBorder(files: readonly SourceFile[]): Border {
	const core = files.filter(({ path }) => CORE.test(path));
	const imports = core.flatMap(({ path, text }) =>
		[...text.matchAll(/^(?:import|export)\b[^;]*?from "([^"]*\/extensions\/[^"]+)"/gm)].map(([, target = ""]) => `${path} -> ${target}`),
	);
	const lines = core.flatMap(({ text }) => text.split("\n"));
	const count = (words: readonly string[]) =>
		words.length === 0 ? 0 : lines.filter((line) => new RegExp(words.join("|"), "i").test(line)).length;
	return { imports, lines: Object.fromEntries(EXTENSIONS.map(({ name, words }) => [name, count(words)])) };
}
