// Builds the documentation while the platform is already running.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { DOCS, fingerprintSources, isBuiltFrom } from "../site/fingerprint.mjs";
import { CommandError } from "./command.ts";
import { PROJECT_ROOT } from "./wrangler.ts";

const SCRIPT = join(PROJECT_ROOT, "scripts", "docs.ts");

interface DocsBuild {
	/** Ends a running build. */
	stop(): void;
}

/** Starts the build if a source has changed. `serveStagedDocs` passes the files to the running platform. `DOCS=false` disables it. */
export function buildDocs(url: string): DocsBuild {
	const isOff = process.env["DOCS"] === "false";
	if (isOff || isBuiltFrom(PROJECT_ROOT, DOCS, fingerprintSources(PROJECT_ROOT, DOCS))) return { stop: () => undefined };
	console.log("The documentation is being built. Until it is ready, /docs has links to its Markdown.");
	// The build leads a process group, so that stopping it also stops npm.
	const child = spawn(process.execPath, [SCRIPT, "--staged"], {
		cwd: PROJECT_ROOT,
		stdio: ["ignore", "ignore", "inherit"],
		detached: true,
	});
	child.on("error", (error) => console.error(`The documentation could not be built: ${error.message}`));
	child.on("exit", (code) => {
		if (code === 0) console.log(`The documentation is ready: ${url}/docs`);
		else if (code !== null) console.error("The documentation was not built. To try again: npm run docs");
	});
	return { stop: () => stopGroup(child.pid) };
}

/**
 * Builds the documentation, if a source has changed, and waits for it.
 *
 * @throws CommandError if it cannot be built, after the build's own messages.
 */
export async function buildDocsNow(): Promise<void> {
	const child = spawn(process.execPath, [SCRIPT], { cwd: PROJECT_ROOT, stdio: ["ignore", "inherit", "inherit"] });
	const [code] = await once(child, "exit");
	if (code !== 0) throw new CommandError("The documentation was not built, so nothing was deployed.");
}

function stopGroup(pid: number | undefined): void {
	try {
		if (pid !== undefined) process.kill(-pid, "SIGTERM");
	} catch {
		// The build has already ended.
	}
}
