// Serves documentation that was built while a platform is running. It stays out of the platform's own files until the next start.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, isAbsolute, join, normalize } from "node:path";
import { PROJECT_ROOT } from "../support/wrangler.ts";
import { DOCS, fingerprintSources, isBuiltFrom, recordBuild, STAGED_DOCS } from "./fingerprint.mjs";
import { readFiles, replaceFiles } from "./site-files.ts";

const STAGED_FOLDER = join(PROJECT_ROOT, "dist", "docs-staged");

/**
 * Adopts the files that were built while an earlier platform was running. Must not be called while a platform is running, because that
 * platform would restart.
 */
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

/**
 * Serves the files of a build that ends while the platform is running, on a loopback port.
 * Adding them to the platform's own files would restart it.
 */
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
