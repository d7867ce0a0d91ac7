// Scripts, styles and pictures of the site, each under a name with its content's hash, so that a browser may keep it for good.
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SiteFiles } from "../scripts/site/site-files.ts";
import { bundle, hashedName } from "./public-assets.ts";

/** Addresses of the files that pages refer to. */
export interface Assets {
	readonly styles: string;
	readonly script: string;
	readonly icon: string;
	readonly viewer: string;
	readonly viewerStyles: string;
	/** Under what terms others may use the viewer, which who passes it on must say. */
	readonly viewerLicense: string;
	readonly referenceStyles: string;
	readonly referenceScript: string;
}

/** In the viewer's package: its notice, its license, and those of what its bundle holds. */
const VIEWER_LICENSES = ["NOTICE", "LICENSE", "swagger-ui-bundle.js.LICENSE.txt"];
const FOLDER = import.meta.dirname;
const VIEWER = fileURLToPath(import.meta.resolve("swagger-ui-dist/swagger-ui-bundle.js"));

/** Bundles and collects every file that a page loads. */
export async function buildAssets(): Promise<{ assets: Assets; files: SiteFiles }> {
	const files: SiteFiles = new Map();
	const add = (name: string, content: string | Uint8Array): string => {
		const path = `assets/${hashedName(name, content)}`;
		files.set(path, content);
		return `/${path}`;
	};
	const [styles, script, referenceStyles, referenceScript, icon, viewer, viewerStyles] = await Promise.all([
		bundle("styles/site.css"),
		bundle("client/site.ts"),
		bundle("styles/reference.css"),
		bundle("client/reference.ts"),
		readFile(join(FOLDER, "icon.svg")),
		readFile(VIEWER),
		readFile(join(dirname(VIEWER), "swagger-ui.css")),
	]);
	const assets = {
		styles: add("site.css", styles),
		script: add("site.js", script),
		icon: add("icon.svg", icon),
		viewer: add("swagger-ui.js", viewer),
		viewerLicense: add("swagger-ui.txt", await readViewerLicense()),
		viewerStyles: add("swagger-ui.css", viewerStyles),
		referenceStyles: add("reference.css", referenceStyles),
		referenceScript: add("reference.js", referenceScript),
	};
	return { assets, files };
}

async function readViewerLicense(): Promise<string> {
	const texts = await Promise.all(VIEWER_LICENSES.map((name) => readFile(join(dirname(VIEWER), name), "utf8")));
	return texts.map((text) => `${text.trim()}\n`).join("\n");
}
