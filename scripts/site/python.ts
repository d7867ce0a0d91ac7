// Builds the wheel of packages/python. A wheel is a zip with a list of its files, so it needs neither Python nor network.
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { packZip } from "../../packages/sdk/src/submit/zip.ts";
import { CommandError } from "../support/command.ts";
import { PROJECT_ROOT } from "../support/wrangler.ts";
import { type PackageIdentity, renamePackages } from "./package-identity.ts";

const FOLDER = join(PROJECT_ROOT, "packages", "python");

/** A wheel, with its data for an index of packages. */
export interface Wheel {
	readonly name: string;
	readonly version: string;
	/** The file is called `bounty_platform-<version>-py3-none-any.whl`. pip accepts no other name. */
	readonly filename: string;
	readonly archive: Uint8Array;
}

/** Packs the Python package. The same sources always give the same bytes. */
export async function packWheel(identity: PackageIdentity): Promise<Wheel> {
	const project = { ...(await readProject()), name: identity.pythonName };
	const distribution = project.name.replaceAll("-", "_");
	const info = `${distribution}-${project.version}.dist-info`;
	const files = new Map<string, Uint8Array<ArrayBuffer>>();
	for (const path of await listSources()) files.set(path, new Uint8Array(await readFile(join(FOLDER, "src", path))));
	files.set(`${info}/licenses/LICENSE`, new Uint8Array(await readFile(join(PROJECT_ROOT, "LICENSE"))));
	files.set(`${info}/METADATA`, toBytes(writeMetadata(project, identity, await readFile(join(FOLDER, "README.md"), "utf8"))));
	files.set(`${info}/WHEEL`, toBytes("Wheel-Version: 1.0\nGenerator: bounty-platform\nRoot-Is-Purelib: true\nTag: py3-none-any\n"));
	const record = [...files].map(([path, bytes]) => `${path},sha256=${hash(bytes)},${bytes.length}\n`);
	files.set(`${info}/RECORD`, toBytes(`${record.join("")}${info}/RECORD,,\n`));
	const filename = `${distribution}-${project.version}-py3-none-any.whl`;
	return { name: project.name, version: project.version, filename, archive: await packZip(files) };
}

interface Project {
	readonly name: string;
	readonly version: string;
	readonly description: string;
	readonly requiresPython: string;
	readonly dependencies: readonly string[];
	readonly extras: readonly (readonly [name: string, dependencies: readonly string[]])[];
}

/** Reads the fields of pyproject.toml that a wheel repeats. */
async function readProject(): Promise<Project> {
	const text = await readFile(join(FOLDER, "pyproject.toml"), "utf8");
	const field = (name: string): string => {
		const value = new RegExp(`^${name} = "([^"\\n]*)"$`, "m").exec(text)?.[1];
		if (value === undefined) throw new CommandError(`packages/python/pyproject.toml has no ${name}.`);
		return value;
	};
	const list = (source: string): string[] => [...source.matchAll(/"([^"]+)"/g)].map(([, item = ""]) => item);
	const extras = /^\[project\.optional-dependencies\]\n((?:.+\n)*)/m.exec(text)?.[1] ?? "";
	return {
		name: field("name"),
		version: field("version"),
		description: field("description"),
		requiresPython: field("requires-python"),
		dependencies: list(/^dependencies = \[(.*)\]$/m.exec(text)?.[1] ?? ""),
		extras: [...extras.matchAll(/^(\w+) = \[(.*)\]$/gm)].map(([, name = "", items = ""]) => [name, list(items)] as const),
	};
}

function writeMetadata(project: Project, identity: PackageIdentity, readme: string): string {
	const { name, version, description, requiresPython, dependencies, extras } = project;
	return [
		"Metadata-Version: 2.1",
		`Name: ${name}`,
		`Version: ${version}`,
		`Summary: ${description}`,
		"License: MIT",
		"License-File: LICENSE",
		...(identity.repository === null ? [] : [`Project-URL: Repository, ${identity.repository}`]),
		`Requires-Python: ${requiresPython}`,
		...dependencies.map((each) => `Requires-Dist: ${each}`),
		...extras.flatMap(([extra, items]) => [
			`Provides-Extra: ${extra}`,
			...items.map((each) => `Requires-Dist: ${each}; extra == "${extra}"`),
		]),
		"Description-Content-Type: text/markdown",
		"",
		renamePackages(readme, identity),
	].join("\n");
}

/** Returns the package's files, relative to src/, without what Python has compiled. */
async function listSources(): Promise<string[]> {
	const found = await readdir(join(FOLDER, "src"), { recursive: true });
	return found.filter((path) => /\.(py|typed)$/.test(path)).toSorted();
}

function hash(bytes: Uint8Array): string {
	return createHash("sha256").update(bytes).digest("base64url");
}

function toBytes(text: string): Uint8Array<ArrayBuffer> {
	return new Uint8Array(new TextEncoder().encode(text));
}
