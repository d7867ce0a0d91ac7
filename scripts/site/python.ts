// Builds the wheel of packages/python. A wheel is a zip with a list of its files, so this needs neither Python nor a network.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packZip } from "../../packages/sdk/src/submit/zip.ts";
import { CommandError } from "../support/command.ts";
import { PROJECT_ROOT } from "../support/wrangler.ts";
import { digestOf, type PackageIdentity, renamePackages } from "./package-identity.ts";

const FOLDER = join(PROJECT_ROOT, "packages", "python");

/** A wheel, with its data for a package index. */
export interface Wheel {
	readonly name: string;
	readonly version: string;
	/**
	 * The file is called `bounty_platform-<version>-py3-none-any.whl`, with a `+` in the version of a deployment's package. pip accepts no
	 * other name.
	 */
	readonly filename: string;
	readonly archive: Uint8Array;
}

/** Packs the Python package. The same sources always give the same bytes. */
export async function packWheel(identity: PackageIdentity): Promise<Wheel> {
	const { project, files, metadata } = collect(identity);
	const distribution = project.name.replaceAll("-", "_");
	const info = `${distribution}-${project.version}.dist-info`;
	files.set(`${info}/licenses/LICENSE`, new Uint8Array(readFileSync(join(PROJECT_ROOT, "LICENSE"))));
	files.set(`${info}/METADATA`, toBytes(metadata));
	files.set(`${info}/WHEEL`, toBytes("Wheel-Version: 1.0\nGenerator: bounty-platform\nRoot-Is-Purelib: true\nTag: py3-none-any\n"));
	const record = [...files].map(([path, bytes]) => `${path},sha256=${hash(bytes)},${bytes.length}\n`);
	files.set(`${info}/RECORD`, toBytes(`${record.join("")}${info}/RECORD,,\n`));
	return { name: project.name, version: project.version, filename: fileNameOf(project), archive: await packZip(files) };
}

/** Returns the name of the wheel, by which pip finds it. */
export function nameWheel(identity: PackageIdentity): string {
	return fileNameOf(collect(identity).project);
}

function fileNameOf({ name, version }: Project): string {
	return `${name.replaceAll("-", "_")}-${version}-py3-none-any.whl`;
}

/** Reads the contents of a wheel, and its version, which is derived from the content. */
function collect(identity: PackageIdentity) {
	const plain = { ...readProject(), name: identity.pythonName };
	const readme = readFileSync(join(FOLDER, "README.md"), "utf8");
	const files = new Map<string, Uint8Array<ArrayBuffer>>();
	for (const path of listSources()) files.set(path, new Uint8Array(readFileSync(join(FOLDER, "src", path))));
	const digest = digestOf(new Map<string, Uint8Array | string>([...files, ["METADATA", writeMetadata(plain, identity, readme)]]));
	const project = identity.hasDigest ? { ...plain, version: `${plain.version}+${digest}` } : plain;
	return { project, files, metadata: writeMetadata(project, identity, readme) };
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
function readProject(): Project {
	const text = readFileSync(join(FOLDER, "pyproject.toml"), "utf8");
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

/** Returns the package's files, relative to src/, without Python's compiled files. */
function listSources(): string[] {
	const found = readdirSync(join(FOLDER, "src"), { recursive: true });
	return found
		.map(String)
		.filter((path) => /\.(py|typed)$/.test(path))
		.toSorted();
}

function hash(bytes: Uint8Array): string {
	return createHash("sha256").update(bytes).digest("base64url");
}

function toBytes(text: string): Uint8Array<ArrayBuffer> {
	return new Uint8Array(new TextEncoder().encode(text));
}
