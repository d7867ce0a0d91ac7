// Builds dist/main.js as one file that contains all dependencies, so that `npx` installs no other package, and writes their licenses.
// This script is plain JavaScript, because npm runs it with the system's Node.
import { chmodSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { licensesOf } from "../licenses.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const ROOT = join(HERE, "..", "..");
const DIST = join(HERE, "dist");
/** The build replaces dist/ only at its end, so that a command that starts during the build still finds the previous one. */
const NEXT = `${DIST}-${process.pid}`;

const { metafile } = await build({
	absWorkingDir: HERE,
	entryPoints: ["src/main.ts"],
	outfile: join(NEXT, "main.js"),
	bundle: true,
	format: "esm",
	platform: "node",
	target: "node20",
	// Some dependencies are CommonJS and require Node's modules.
	banner: { js: 'import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);' },
	minifyWhitespace: true,
	legalComments: "none",
	metafile: true,
	logLevel: "warning",
});
chmodSync(join(NEXT, "main.js"), 0o755);
writeFileSync(join(NEXT, "LICENSES.txt"), licensesOf(ROOT, Object.keys(metafile.inputs)));
rmSync(DIST, { recursive: true, force: true });
renameSync(NEXT, DIST);
