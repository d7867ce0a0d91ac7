// The packages that people install from a deployment: packed at build, because no registry has them under a name that this project owns.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { WHEEL } from "../../src/domain/packages.ts";
import { CommandError } from "../support/command.ts";
import { PROJECT_ROOT } from "../support/wrangler.ts";
import { packWheel } from "./python.ts";
import type { SiteFiles } from "./site-files.ts";

const PACKAGES = ["sdk", "cli"] as const;

const packed = z.array(z.object({ name: z.string(), version: z.string(), filename: z.string() }));

/** `packages/sdk.tgz`, `packages/cli.tgz`, the wheel under the only name that pip accepts, and `packages/index.json` with versions and hashes. */
export async function buildPackages(): Promise<SiteFiles> {
	const folder = await mkdtemp(join(tmpdir(), "bounty-packages-"));
	try {
		const files: SiteFiles = new Map();
		const listed = [];
		for (const name of PACKAGES) {
			const { archive, ...facts } = await pack(name, folder);
			files.set(`packages/${name}.tgz`, archive);
			listed.push({ ...facts, url: `/packages/${name}.tgz`, integrity: integrityOf(archive) });
		}
		const { archive, filename, name, version } = await packWheel();
		if (filename !== WHEEL) throw new CommandError(`The wheel is called ${filename}. Write that name into src/domain/packages.ts.`);
		files.set(`packages/${filename}`, archive);
		listed.push({ name, version, url: `/packages/${filename}`, integrity: integrityOf(archive) });
		return files.set("packages/index.json", `${JSON.stringify({ packages: listed }, null, 2)}\n`);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

function integrityOf(archive: Uint8Array): string {
	return `sha512-${createHash("sha512").update(archive).digest("base64")}`;
}

async function pack(name: (typeof PACKAGES)[number], folder: string) {
	run(process.execPath, [join(PROJECT_ROOT, "packages", name, "build.mjs")]);
	const output = run("npm", ["pack", "--ignore-scripts", "--json", "--workspace", `packages/${name}`, "--pack-destination", folder]);
	const [facts] = packed.parse(JSON.parse(output));
	if (facts === undefined) throw new CommandError(`npm packed nothing of packages/${name}.`);
	const { filename, ...rest } = facts;
	return { ...rest, archive: await readFile(join(folder, filename)) };
}

function run(command: string, args: readonly string[]): string {
	const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: PROJECT_ROOT, encoding: "utf8", maxBuffer: 1 << 26 });
	if (status !== 0) throw new CommandError(`${command} ${args.join(" ")} failed:\n\n${error?.message ?? `${stdout}${stderr}`}`);
	return stdout;
}
