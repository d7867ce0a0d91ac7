// Moves every inline script and style of the built pages into files, so that the Content-Security-Policy needs no hash and no
// 'unsafe-inline'. It also writes `{base_url}`, which the Worker fills in, for the reader's origin.
import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AstroIntegration } from "astro";
import { BASE_URL_MARK } from "../src/markdown/code-blocks.ts";
import { EXAMPLE_ORIGIN } from "./openapi.ts";

const BASE = "/docs";
const FOLDER = "_astro";
const CLASS_PREFIX = "s-";
const TAG = /<([a-zA-Z][\w:-]*)((?:\s+[^\s=>"'/]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?)*)\s*(\/?)>/g;
const STYLE_ATTRIBUTE = /\s+style=(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/;
const CLASS_ATTRIBUTE = /(\s+class=)(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/;
/** A longer host that begins with the same letters, such as `bounties.example.com`, is another one. */
const ORIGIN_OF_EXAMPLES = new RegExp(`${RegExp.escape(EXAMPLE_ORIGIN)}(?![\\w-]|\\.\\w)`, "g");
const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)(?![^>]*type="application\/)([^>]*)>([\s\S]*?)<\/script>/g;
const INLINE_STYLE = /<style[^>]*>([\s\S]*?)<\/style>/g;

/** Maps file names to the contents of what was inline. Equal parts of several pages are one file. */
type InlineFiles = Map<string, string>;

export function strictPolicy(): AstroIntegration {
	return {
		name: "strict-policy",
		hooks: {
			"astro:build:done": async ({ dir }) => {
				const root = fileURLToPath(dir);
				const paths = (await readdir(root, { recursive: true })).filter((path) => path.endsWith(".html"));
				const pages = new Map<string, string>();
				for (const path of paths) pages.set(path, await readFile(join(root, path), "utf8"));
				const { html, files } = extractInlineParts(pages);
				const font = (await readdir(join(root, FOLDER))).find((name) => name.endsWith(".woff2"));
				for (const [path, text] of html) await writeFile(join(root, path), preloadFont(text, font));
				const sheets = (await readdir(join(root, FOLDER))).filter((name) => name.endsWith(".css"));
				for (const name of sheets) files.set(name, colourByClass(await readFile(join(root, FOLDER, name), "utf8")));
				for (const [name, text] of files) await writeFile(join(root, FOLDER, name), text);
			},
		},
	};
}

/** Preloads the typeface. It is optional, so a page that does not request it early shows the system's at the first visit. */
function preloadFont(page: string, font: string | undefined): string {
	if (font === undefined) return page;
	return page.replace("</head>", `<link rel="preload" as="font" type="font/woff2" crossorigin href="${BASE}/${FOLDER}/${font}"></head>`);
}

/** Returns the same pages without anything inline, and the files that they load instead. */
export function extractInlineParts(pages: ReadonlyMap<string, string>): { html: Map<string, string>; files: InlineFiles } {
	const files: InlineFiles = new Map();
	const rules = new Map<string, string>();
	const moved = new Map([...pages].map(([path, text]) => [path, moveStyles(moveScripts(text, files), rules)]));
	const styles = [...rules].map(([name, style]) => `.${name}{${style}}`).join("\n");
	const sheet = addFile(files, styles, "css");
	const link = `<link rel="stylesheet" href="${sheet}">`;
	const html = new Map([...moved].map(([path, text]) => [path, fillOrigin(repair(text.replace("</head>", `${link}</head>`)))]));
	return { html, files };
}

function addFile(files: InlineFiles, text: string, kind: "css" | "js"): string {
	const name = `inline.${hashOf(text)}.${kind}`;
	files.set(name, text);
	return `${BASE}/${FOLDER}/${name}`;
}

function hashOf(text: string): string {
	return createHash("sha256").update(text).digest("hex").slice(0, 10);
}

/** Moves scripts into files. A script without `async` or `defer` runs at its place in the page, inline or not. */
function moveScripts(page: string, files: InlineFiles): string {
	return page
		.replace(INLINE_SCRIPT, (_, attributes: string, code: string) => `<script${attributes} src="${addFile(files, code, "js")}"></script>`)
		.replace(INLINE_STYLE, (_, code: string) => `<link rel="stylesheet" href="${addFile(files, code, "css")}">`);
}

/** Turns each style attribute into a class. Highlighted code has thousands of them, with few different values. */
function moveStyles(page: string, rules: Map<string, string>): string {
	return page.replace(TAG, (tag: string, ...parts: string[]) => {
		const [name = "", attributes = "", slash = ""] = parts;
		const found = STYLE_ATTRIBUTE.exec(attributes);
		if (found === null) return tag;
		const style = decodeAttribute(found[1] ?? found[2] ?? found[3] ?? "");
		const rest = attributes.replace(STYLE_ATTRIBUTE, "");
		if (style.trim() === "") return `<${name}${rest}${slash}>`;
		const className = `${CLASS_PREFIX}${hashOf(style)}`;
		rules.set(className, style);
		const given = CLASS_ATTRIBUTE.exec(rest);
		const classes = [given?.[2] ?? given?.[3] ?? given?.[4] ?? "", className].join(" ").trim();
		const others = given === null ? rest : rest.replace(CLASS_ATTRIBUTE, "");
		return `<${name}${others} class="${classes}"${slash}>`;
	});
}

/** Selects the marks of highlighting by class, because their style attributes are classes now. */
function colourByClass(sheet: string): string {
	return sheet.replace(/span\[style\^=(['"]?)--\1\]:not\(\[class\]\)/g, `span[class^='${CLASS_PREFIX}']`);
}

function decodeAttribute(text: string): string {
	return text.replaceAll("&quot;", '"').replaceAll("&#34;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");
}

/** Repairs faults of accessibility in the markup of Starlight and starlight-openapi. */
function repair(page: string): string {
	return (
		page
			// The shortcut is not a part of the button's name. src/styles/theme.css shows it.
			.replace(/<kbd class="sl-hidden[\s\S]*?<\/kbd><\/kbd>/, "")
			// Content that is too wide scrolls in its own box, by keyboard too.
			.replaceAll("<pre data-language=", '<pre tabindex="0" data-language=')
			.replaceAll("<table>", '<table tabindex="0">')
			// A heading of level 5 needs one of level 4 before it.
			.replace(/<h5( class="sl-openapi-[^>]*>[^<]*)<\/h5>/g, "<p$1</p>")
	);
}

/** Turns links to the own origin into paths. Everywhere else the Worker fills in the reader's origin. */
function fillOrigin(page: string): string {
	return page
		.replaceAll(`href="${EXAMPLE_ORIGIN}/`, 'href="/')
		.replaceAll(ORIGIN_OF_EXAMPLES, "{base_url}")
		.replaceAll(BASE_URL_MARK, "{base_url}");
}
