// Builds the files that public pages load. Each name contains a hash of the content, so that browsers can cache it forever.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { SiteFiles } from "../scripts/site/site-files.ts";
import type { PageFiles } from "../src/extensions/pages/page-files.ts";

const HASH_LENGTH = 10;
const FOLDER = import.meta.dirname;
/** styles/fonts.css refers to this package. */
const FONT = "@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-normal.woff2";

/** Builds the styles, script and pictures of the public pages, and `pages.json`, which gives the Worker their URLs. */
export async function buildPublicAssets(): Promise<SiteFiles> {
	const files: SiteFiles = new Map();
	const add = (name: string, content: string | Uint8Array): string => {
		const path = `assets/${hashedName(name, content)}`;
		files.set(path, content);
		return `/${path}`;
	};
	const font = add("sans.woff2", await readFile(fileURLToPath(import.meta.resolve(FONT))));
	const urls: PageFiles = {
		font,
		styles: add("public.css", await bundle("styles/public.css", font)),
		theme: add("theme.js", await bundle("client/stored-theme.ts")),
		script: add("public.js", await bundle("client/public.tsx")),
		icon: add("icon.svg", await readFile(join(FOLDER, "icon.svg"))),
		card: add("card.png", await readFile(join(FOLDER, "card.png"))),
	};
	files.set("pages.json", JSON.stringify(urls));
	return files;
}

/** Returns a name with a hash of the content, such as `site.0123456789.css` for `site.css`. */
function hashedName(name: string, content: string | Uint8Array): string {
	const hash = createHash("sha256").update(content).digest("hex").slice(0, HASH_LENGTH);
	return name.replace(/(\.[a-z0-9]+)$/, `.${hash}$1`);
}

/** Bundles a script or style sheet with everything that it imports. A style sheet finds its typeface at the URL `font`. */
async function bundle(entry: string, font = ""): Promise<Uint8Array> {
	const { outputFiles } = await build({
		entryPoints: [join(FOLDER, entry)],
		bundle: true,
		minify: true,
		write: false,
		format: "iife",
		target: "es2023",
		jsx: "automatic",
		jsxImportSource: "hono/jsx/dom",
		legalComments: "none",
		logLevel: "silent",
		...(font === "" ? {} : { alias: { [FONT]: font }, external: [font] }),
	});
	const [output] = outputFiles;
	if (output === undefined) throw new Error(`${entry} produced no file.`);
	return output.contents;
}
