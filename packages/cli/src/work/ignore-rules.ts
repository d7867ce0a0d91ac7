// `.gitignore` and `.bountyignore`, in the folder and in every folder below it.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import ignore, { type Ignore } from "ignore";
import { isMissing } from "../core/config.ts";

/** The second one has the last word. */
const FILES = [".gitignore", ".bountyignore"];

/** Rules of one file. They are for paths below its folder. */
interface Rules {
	/** The path has a slash at its end. It is empty for the root. */
	readonly prefix: string;
	readonly matcher: Ignore;
}

/** The rules that are in force in a folder, outermost first. */
export type IgnoreRules = readonly Rules[];

/** The rules of a folder: those of its parents, and its own. */
export async function readRules(parent: IgnoreRules, { folder, prefix }: { folder: string; prefix: string }): Promise<IgnoreRules> {
	const texts = await Promise.all(FILES.map((name) => readRuleFile(join(folder, name))));
	return [...parent, ...texts.flatMap((text) => (text === null ? [] : [{ prefix, matcher: ignore().add(text) }]))];
}

/** A folder of that name has no rules. Links are followed: ignoring less than the user expects could send a secret. */
async function readRuleFile(path: string): Promise<string | null> {
	try {
		return await readFile(path, "utf8");
	} catch (error) {
		if (isMissing(error) || (error instanceof Error && "code" in error && error.code === "EISDIR")) return null;
		throw error;
	}
}

/** True if a path is ignored. A folder's path ends with a slash. Rules further in override those further out. */
export function isIgnored(rules: IgnoreRules, path: string): boolean {
	let ignored = false;
	for (const { prefix, matcher } of rules) {
		const verdict = matcher.test(path.slice(prefix.length));
		if (verdict.ignored) ignored = true;
		else if (verdict.unignored) ignored = false;
	}
	return ignored;
}
