// Provides the previous version of the platform, in a worktree of its own.
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommandLine } from "../../support/run-command.ts";
import { PROJECT_ROOT } from "../../support/wrangler.ts";

export const CLASSES = ["Task", "Bounties", "Workspace", "TopicRelay", "Watch", "WebhookSender", "TargetHost", "Grader"] as const;

async function git(...args: readonly string[]) {
	return runCommandLine(["git", "-C", PROJECT_ROOT, ...args]);
}

/**
 * Reads the commit of the previous version.
 *
 * @throws Error if this clone does not have it.
 */
async function readPreviousVersion(): Promise<string> {
	const lines = (await readFile(join(PROJECT_ROOT, "scripts", "previous-version"), "utf8")).split("\n");
	const commit = lines.find((line) => /^[0-9a-f]{40}$/.test(line));
	if (commit === undefined) throw new Error("scripts/previous-version names no commit.");
	const { code } = await git("cat-file", "-e", `${commit}^{commit}`);
	if (code !== 0) {
		const shallow = "A shallow clone has no history. `git fetch --unshallow` fetches it. In CI, check out the whole history.";
		throw new Error(`This clone lacks ${commit}, the previous version (scripts/previous-version). ${shallow}`);
	}
	return commit;
}

/** Checks out the previous version, with the installed packages. Remove it afterwards. */
async function checkOut(commit: string): Promise<{ readonly root: string; remove(): Promise<void> }> {
	const folder = await mkdtemp(join(tmpdir(), "bounty-platform-version-"));
	const root = join(folder, "checkout");
	const { code, stderr } = await git("worktree", "add", "--detach", root, commit);
	if (code !== 0) throw new Error(`git worktree add failed: ${stderr}`);
	await symlink(join(PROJECT_ROOT, "node_modules"), join(root, "node_modules"));
	return {
		root,
		async remove() {
			await git("worktree", "remove", "--force", root);
			await rm(folder, { recursive: true, force: true });
		},
	};
}

/** Writes the entry file of a Worker that runs a version of the platform with injected faults. Returns the path of the file. */
async function writeEntry(folder: string, { name, root }: { readonly name: string; readonly root: string }): Promise<string> {
	const faults = join(PROJECT_ROOT, "scripts", "rehearsal", "two-versions", "faults.ts");
	const classes = CLASSES.map(
		(each) => `export class ${each} extends platform.${each} {\n\tconstructor(ctx, env) {\n\t\tsuper(ctx, faultyEnv(env));\n\t}\n}\n`,
	);
	const entry = join(folder, `${name}.mjs`);
	const imports = [
		`import * as platform from ${JSON.stringify(join(root, "src", "index.ts"))};`,
		`import { faultyEnv, faultyWorker } from ${JSON.stringify(faults)};`,
	];
	await writeFile(entry, [...imports, "", "export default faultyWorker(platform.default);", "", ...classes].join("\n"));
	return entry;
}

export interface Entries {
	readonly present: string;
	readonly previous: string;
	remove(): Promise<void>;
}

/** Checks out the previous version, and writes an entry for it and one for this version. Remove them afterwards. */
export async function prepareEntries(): Promise<Entries> {
	const previous = await checkOut(await readPreviousVersion());
	const folder = await mkdtemp(join(tmpdir(), "bounty-platform-entries-"));
	return {
		present: await writeEntry(folder, { name: "present", root: PROJECT_ROOT }),
		previous: await writeEntry(folder, { name: "previous", root: previous.root }),
		async remove() {
			await previous.remove();
			await rm(folder, { recursive: true, force: true });
		},
	};
}
