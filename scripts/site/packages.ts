// Packs the packages that people install from a deployment. The build packs them, because this project owns no names in registries.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import * as z from "zod";
import { CommandError } from "../support/command.ts";
import { PROJECT_ROOT } from "../support/wrangler.ts";
import { digestOf, identityOfDeployment, type PackageIdentity, renamePackages, writeManifest } from "./package-identity.ts";
import { packWheel } from "./python.ts";
import type { SiteFiles } from "./site-files.ts";

const PACKAGES = ["sdk", "cli"] as const;

const packed = z.array(z.object({ name: z.string(), version: z.string(), filename: z.string() }));

interface Package {
	readonly kind: "npm" | "python";
	readonly name: string;
	readonly version: string;
	/** The file name that the registry's tools expect. */
	readonly filename: string;
	readonly archive: Uint8Array;
}

/** Writes `packages/sdk.tgz`, `packages/cli.tgz`, `packages/python.whl`, and `packages/built.json` with their versions and hashes. */
export async function buildPackages(): Promise<SiteFiles> {
	const files: SiteFiles = new Map();
	const listed = [];
	const packages = await packAll(identityOfDeployment(process.env));
	for (const [index, { kind, name, version, filename, archive }] of packages.entries()) {
		const isNpm = kind === "npm";
		const builtAs = isNpm ? `${PACKAGES[index]}.tgz` : "python.whl";
		const file = isNpm ? `${PACKAGES[index]}-${version}.tgz` : filename;
		files.set(`packages/${builtAs}`, archive);
		listed.push({ name, version, file, builtAs, integrity: `sha512-${createHash("sha512").update(archive).digest("base64")}` });
	}
	return files.set("packages/built.json", `${JSON.stringify({ packages: listed }, null, 2)}\n`);
}

/** Packs the SDK, the command line and the Python package, in this order. */
export async function packAll(identity: PackageIdentity): Promise<readonly Package[]> {
	const folder = await mkdtemp(join(tmpdir(), "bounty-packages-"));
	try {
		const packages: Package[] = [];
		for (const name of PACKAGES) packages.push(await packForNpm(name, identity, folder));
		return [...packages, { kind: "python", ...(await packWheel(identity)) }];
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

async function packForNpm(name: (typeof PACKAGES)[number], identity: PackageIdentity, folder: string): Promise<Package> {
	const source = join(PROJECT_ROOT, "packages", name);
	const staged = join(folder, name);
	run(process.execPath, [join(source, "build.mjs")], PROJECT_ROOT);
	await mkdir(staged);
	await cp(join(source, "dist"), join(staged, "dist"), { recursive: true });
	await copyFile(join(PROJECT_ROOT, "LICENSE"), join(staged, "LICENSE"));
	await writeFile(join(staged, "README.md"), renamePackages(await readFile(join(source, "README.md"), "utf8"), identity));
	const manifest = await readFile(join(source, "package.json"), "utf8");
	const written = writeManifest(manifest, identity, `packages/${name}`);
	await writeFile(join(staged, "package.json"), identity.hasDigest ? await addDigest(written, staged) : written);
	const [facts] = packed.parse(JSON.parse(run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", folder], staged)));
	if (facts === undefined) throw new CommandError(`npm packed nothing of packages/${name}.`);
	return { kind: "npm", ...facts, archive: await readFile(join(folder, facts.filename)) };
}

/** Adds a digest of the package to its version. The folder does not contain its package.json yet. */
async function addDigest(manifest: string, folder: string): Promise<string> {
	const files = new Map<string, Uint8Array | string>([["package.json", manifest]]);
	for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
		const path = join(entry.parentPath, entry.name);
		if (entry.isFile()) files.set(relative(folder, path), await readFile(path));
	}
	const fields = JSON.parse(manifest);
	return `${JSON.stringify({ ...fields, version: `${fields.version}-${digestOf(files)}` }, null, 2)}\n`;
}

function run(command: string, args: readonly string[], cwd: string): string {
	const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: "utf8", maxBuffer: 1 << 26 });
	if (status !== 0) throw new CommandError(`${command} ${args.join(" ")} failed:\n\n${error?.message ?? `${stdout}${stderr}`}`);
	return stdout;
}
