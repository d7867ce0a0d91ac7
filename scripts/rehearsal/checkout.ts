// Makes checkouts of the project that a rehearsal may change: one for each version that it deploys.
import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { makeDevVars } from "../setup/dev-vars.mjs";
import { PROJECT_ROOT } from "../support/wrangler.ts";

/** Files that a checkout shares through links, because no command changes them. */
const LINKED = ["node_modules", "dist", "docs"];
/**
 * Files that are not copied. .dev.vars may name a judge that costs money, or a receiver of alerts, so each copy gets the values of
 * development.
 */
const LEFT_OUT = [".git", ".wrangler", ".dev.vars", "test"];
/** Returns true for a file that another command may be writing, or may delete before it is copied. */
const isPassing = (name: string) => name.startsWith(".state") || name.startsWith("wrangler.deploy-");

export async function copyProject(folder: string, root = PROJECT_ROOT): Promise<string> {
	await mkdir(folder, { recursive: true });
	for (const name of await readdir(root)) {
		if (LEFT_OUT.includes(name) || isPassing(name)) continue;
		const [from, to] = [join(root, name), join(folder, name)];
		if (LINKED.includes(name)) await symlink(from, to);
		else await cp(from, to, { recursive: true, filter: (source) => !source.includes("node_modules") });
	}
	makeDevVars(folder);
	return folder;
}

async function edit(path: string, change: (text: string) => string): Promise<void> {
	const text = await readFile(path, "utf8");
	const changed = change(text);
	if (changed === text) throw new Error(`${path} does not have what the rehearsal wants to change.`);
	await writeFile(path, changed);
}

/** Adds a migration as `npm run migration` does, or replaces it. */
export async function writeMigration(root: string, { tag, sql }: { tag: string; sql: string }): Promise<void> {
	const folder = join(root, "migrations");
	await writeFile(join(folder, `${tag}.sql`), `${sql}\n`);
	const path = join(folder, "meta", "_journal.json");
	const journal = z.looseObject({ entries: z.array(z.looseObject({ tag: z.string() })) }).parse(JSON.parse(await readFile(path, "utf8")));
	const others = journal.entries.filter((entry) => entry.tag !== tag);
	const entry = { idx: others.length, version: "6", when: 1, tag, breakpoints: true };
	await writeFile(path, JSON.stringify({ ...journal, entries: [...others, entry] }));
}

/** Sets secrets of the platform that runs from a checkout. The platform reads them when it starts. */
export function setSecrets(root: string, secrets: Readonly<Record<string, string>>): Promise<void> {
	const lines = Object.entries(secrets).map(([name, value]) => `${name}=${value}`);
	return edit(join(root, ".dev.vars"), (text) => {
		const others = text.split("\n").filter((line) => !Object.keys(secrets).includes(line.split("=", 1)[0] ?? ""));
		return [...others, ...lines, ""].join("\n");
	});
}

/** Switches the grader's container of every deployment on or off in wrangler.toml, as an operator does. */
export function chooseContainer(root: string, isChosen: boolean): Promise<void> {
	return edit(join(root, "wrangler.toml"), (text) =>
		text.replaceAll(`GRADER_CONTAINER = "${!isChosen}"`, `GRADER_CONTAINER = "${isChosen}"`),
	);
}
