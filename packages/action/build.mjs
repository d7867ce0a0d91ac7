// Bundles the Action into one file that is committed, because GitHub runs an Action from its repository and installs nothing.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { licensesOf } from "../licenses.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const ROOT = join(HERE, "..", "..");

/** Returns the committed files, by their paths in the project. */
export async function bundleAction() {
	const { outputFiles, metafile } = await build({
		absWorkingDir: HERE,
		entryPoints: ["src/main.ts"],
		bundle: true,
		write: false,
		format: "esm",
		platform: "node",
		target: "node24",
		// undici is CommonJS and requires Node's modules.
		banner: { js: 'import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);' },
		minifyWhitespace: true,
		legalComments: "none",
		metafile: true,
		logLevel: "warning",
	});
	return {
		"packages/action/bundle/main.mjs": outputFiles[0].text,
		"packages/action/bundle/LICENSES.txt": licensesOf(ROOT, Object.keys(metafile.inputs)),
	};
}
