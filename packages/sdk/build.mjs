// Builds dist/: bundled JavaScript, so that what the SDK shares with the platform (the arithmetic of receipts) comes with it, and
// declarations. Plain JavaScript, because npm runs it with the Node of the system.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const ROOT = join(HERE, "..", "..");
const DIST = join(HERE, "dist");
/** Replaces dist/ at the end, so that a program that starts during the build finds the earlier one. */
const NEXT = `${DIST}-${process.pid}`;

await build({
	absWorkingDir: HERE,
	entryPoints: ["src/index.ts", "src/node.ts"],
	outdir: NEXT,
	bundle: true,
	splitting: true,
	format: "esm",
	platform: "neutral",
	target: "es2022",
	external: ["node:*"],
	chunkNames: "chunks/[name]-[hash]",
	logLevel: "warning",
});
emitDeclarations();
rmSync(DIST, { recursive: true, force: true });
renameSync(NEXT, DIST);

/** The compiler puts declarations below the common root of all sources; only the package's own are published. */
function emitDeclarations() {
	const folder = mkdtempSync(join(tmpdir(), "sdk-declarations-"));
	try {
		const options = ["--noEmit", "false", "--emitDeclarationOnly", "--declaration", "--rootDir", ROOT, "--outDir", folder];
		const { status, stdout, stderr, error } = spawnSync(join(ROOT, "node_modules", ".bin", "tsc"), ["-p", HERE, ...options], {
			encoding: "utf8",
		});
		if (status !== 0) throw new Error(error?.message ?? `${stdout}${stderr}`);
		cpSync(join(folder, "packages", "sdk", "src"), NEXT, { recursive: true });
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
