// Builds the documentation while the platform already runs.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, isAbsolute, join, normalize } from "node:path";
import { DOCS, fingerprintSources, isBuiltFrom, recordBuild, STAGED_DOCS } from "../site/fingerprint.mjs";
import { readFiles, replaceFiles } from "../site/site-files.ts";
import { CommandError } from "./command.ts";
import { PROJECT_ROOT } from "./wrangler.ts";

const SCRIPT = join(PROJECT_ROOT, "scripts", "docs.ts");

const STAGED_FOLDER = join(PROJECT_ROOT, "dist", "docs-staged");

/** Takes over what was built while an earlier platform ran. It must not run next to a platform, which would restart. */
export async function adoptStagedDocs(): Promise<void> {
	const fingerprint = fingerprintSources(PROJECT_ROOT, DOCS);
	if (isBuiltFrom(PROJECT_ROOT, DOCS, fingerprint) || !isBuiltFrom(PROJECT_ROOT, STAGED_DOCS, fingerprint)) return;
	await replaceFiles(join(PROJECT_ROOT, "dist", "site", "docs"), await readFiles(STAGED_FOLDER));
	recordBuild(PROJECT_ROOT, DOCS, fingerprint);
}

const TYPES: Readonly<Record<string, string>> = {
	".css": "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js": "text/javascript; charset=utf-8",
	".json": "application/json",
	".svg": "image/svg+xml",
	".txt": "text/plain; charset=utf-8",
	".woff2": "font/woff2",
	".xml": "application/xml",
};

/** Serves the files of a build that ends while the platform runs, on a port of loopback, because adding them to the platform's own restarts it. */
export async function serveStagedDocs(): Promise<{ readonly url: string; stop(): void }> {
	const server = createServer(async (request, response) => {
		const { pathname } = new URL(request.url ?? "/", "http://localhost");
		const path = normalize(pathname.replace(/^\/docs\//, ""));
		const isInside = pathname.startsWith("/docs/") && !path.startsWith("..") && !isAbsolute(path);
		const content = isInside ? await readFile(join(STAGED_FOLDER, path)).catch(() => null) : null;
		if (content === null) response.writeHead(404).end();
		else response.writeHead(200, { "Content-Type": TYPES[extname(path)] ?? "application/octet-stream" }).end(content);
	});
	await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
	const address = server.address();
	const port = typeof address === "object" && address !== null ? address.port : 0;
	return { url: `http://127.0.0.1:${port}`, stop: () => void server.close() };
}

interface DocsBuild {
	/** Ends a build that is under way. */
	stop(): void;
}

/** Starts the build when a source has changed. {@link serveStagedDocs} gives the files to the running platform. `DOCS=false` leaves it out. */
export function buildDocs(url: string): DocsBuild {
	const isOff = process.env["DOCS"] === "false";
	if (isOff || isBuiltFrom(PROJECT_ROOT, DOCS, fingerprintSources(PROJECT_ROOT, DOCS))) return { stop: () => undefined };
	console.log("The documentation is being built. Until it is ready, /docs has links to its Markdown.");
	// The build gets a process group, so that stopping it also stops npm.
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
 * @throws CommandError when it cannot be built. Its own messages are shown before.
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
		// It has ended.
	}
}
