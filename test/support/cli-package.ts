// Provides the command line, bundled into one file as it is published.
import { join } from "node:path";
import { runCommandLine } from "./commands.ts";
import { PROJECT_ROOT } from "./samples.ts";

export const CLI_MAIN = join(PROJECT_ROOT, "packages", "cli", "dist", "main.js");

/** Builds packages/cli/dist. */
export async function buildCli(): Promise<void> {
	const { code, stdout, stderr } = await runCommandLine([process.execPath, join(PROJECT_ROOT, "packages", "cli", "build.mjs")]);
	if (code !== 0) throw new Error(`The command line cannot be built:\n${stdout}${stderr}`);
}
