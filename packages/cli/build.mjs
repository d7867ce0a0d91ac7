// Builds dist/main.js: one file with everything in it, so that `npx` installs no other package, and the licenses of what is in it.
// Plain JavaScript, because npm runs it with the Node of the system.
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const ROOT = join(HERE, "..", "..");
const DIST = join(HERE, "dist");
/** Replaces dist/ at the end, so that a command that starts during the build finds the earlier one. */
const NEXT = `${DIST}-${process.pid}`;
const { version } = JSON.parse(readFileSync(join(HERE, "package.json"), "utf8"));

const { metafile } = await build({
	absWorkingDir: HERE,
	entryPoints: ["src/main.ts"],
	outfile: join(NEXT, "main.js"),
	bundle: true,
	format: "esm",
	platform: "node",
	target: "node20",
	define: { CLI_VERSION: JSON.stringify(version) },
	// Some dependencies are CommonJS and ask for Node's modules.
	banner: { js: 'import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);' },
	legalComments: "none",
	metafile: true,
	logLevel: "warning",
});
chmodSync(join(NEXT, "main.js"), 0o755);
writeFileSync(join(NEXT, "LICENSES.txt"), licensesOf(Object.keys(metafile.inputs)));
rmSync(DIST, { recursive: true, force: true });
renameSync(NEXT, DIST);

/** The licenses of all bundled packages, which ask to be passed on. */
function licensesOf(inputs) {
	const packages = new Set(inputs.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []));
	return [...packages]
		.toSorted()
		.map((name) => {
			const folder = join(ROOT, "node_modules", name);
			const file = existsSync(folder) ? readdirSync(folder).find((each) => /^licen[cs]e/i.test(each)) : undefined;
			if (file === undefined) throw new Error(`${name} is bundled but has no license file.`);
			return `${name}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
		})
		.join("\n----\n\n");
}
