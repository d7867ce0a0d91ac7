// Builds dist/: JavaScript that contains all dependencies, so that npm installs no other package; type declarations; and the licenses of
// the dependencies. This script is plain JavaScript, because npm runs it with the system's Node.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";
import { licensesOf } from "../licenses.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const ROOT = join(HERE, "..", "..");
const DIST = join(HERE, "dist");
/** The build replaces dist/ only at its end, so that a program that starts during the build still finds the previous one. */
const NEXT = `${DIST}-${process.pid}`;

const { metafile } = await build({
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
	metafile: true,
	logLevel: "warning",
});
emitDeclarations();
await addCommonJs();
writeFileSync(join(NEXT, "LICENSES.txt"), licensesOf(ROOT, Object.keys(metafile.inputs)));
rmSync(DIST, { recursive: true, force: true });
renameSync(NEXT, DIST);

/**
 * The compiler keeps the project's folders, so the declarations of src/domain end up outside of the package. Moves them into it, and makes
 * all declarations readable for older compilers.
 */
function emitDeclarations() {
	const folder = mkdtempSync(join(tmpdir(), "sdk-declarations-"));
	try {
		const options = [
			"--noEmit",
			"false",
			"--emitDeclarationOnly",
			"--declaration",
			"--stripInternal",
			"--rootDir",
			ROOT,
			"--outDir",
			folder,
		];
		const { status, stdout, stderr, error } = spawnSync(join(ROOT, "node_modules", ".bin", "tsc"), ["-p", HERE, ...options], {
			encoding: "utf8",
		});
		if (status !== 0) throw new Error(error?.message ?? `${stdout}${stderr}`);
		cpSync(join(folder, "packages", "sdk", "src"), NEXT, { recursive: true });
		cpSync(join(folder, "src", "domain"), join(NEXT, "domain"), { recursive: true });
		for (const path of readdirSync(NEXT, { recursive: true })) {
			if (!path.endsWith(".d.ts")) continue;
			const up = relative(dirname(path), "domain");
			// TypeScript before 5.7 knows `Uint8Array` only without a type argument.
			const text = readFileSync(join(NEXT, path), "utf8").replace(/\bUint8Array<\w+>/g, "Uint8Array");
			writeFileSync(join(NEXT, path), text.replace(/"(?:\.\.\/)+src\/domain\//g, `"${up.startsWith(".") ? up : `./${up}`}/`));
		}
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/**
 * Also writes each file as CommonJS, because Node before 20.19 cannot `require` modules. The files stay separate, so that both entries
 * share their classes.
 */
async function addCommonJs() {
	const folder = join(NEXT, "cjs");
	for (const path of readdirSync(NEXT, { recursive: true })) {
		if (!/\.(js|d\.ts)$/.test(path)) continue;
		const text = readFileSync(join(NEXT, path), "utf8");
		mkdirSync(dirname(join(folder, path)), { recursive: true });
		writeFileSync(join(folder, path), path.endsWith(".js") ? (await transform(text, { format: "cjs", target: "node18" })).code : text);
	}
	writeFileSync(join(folder, "package.json"), '{ "type": "commonjs" }\n');
}
