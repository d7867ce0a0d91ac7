// Provides the SDK as its users get it: built, packed and installed into a separate folder.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VERSION } from "../../src/domain/version.ts";
import { runCommandLine } from "./commands.ts";
import { PROJECT_ROOT } from "./samples.ts";

/** Builds packages/sdk/dist, the target of `node_modules/@bounty-platform/sdk`. */
export async function buildSdk(): Promise<void> {
	const { code, stdout, stderr } = await runCommandLine([process.execPath, join(PROJECT_ROOT, "packages", "sdk", "build.mjs")]);
	if (code !== 0) throw new Error(`The SDK cannot be built:\n${stdout}${stderr}`);
}

/** Returns a folder with the package installed from its archive, without the registry. */
export async function installSdk(): Promise<{ readonly folder: string; remove(): Promise<void> }> {
	const folder = await mkdtemp(join(tmpdir(), "sdk-installed-"));
	await npm(PROJECT_ROOT, ["pack", "--workspace", "packages/sdk", "--pack-destination", folder]);
	await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
	await npm(folder, ["install", `./bounty-platform-sdk-${VERSION}.tgz`, "--offline", "--no-audit", "--no-fund"]);
	return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

export async function npm(cwd: string, args: readonly string[]): Promise<void> {
	const { code, stdout, stderr } = await runCommandLine(["npm", ...args], { cwd });
	if (code !== 0) throw new Error(`npm ${args.join(" ")} failed:\n${stdout}${stderr}`);
}
