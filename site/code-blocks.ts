// Blocks of code: highlighted at build time with classes, under a line with the language or the file and a copy button.
import type { Element, Root } from "hast";
import bash from "highlight.js/lib/languages/bash";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import http from "highlight.js/lib/languages/http";
import ini from "highlight.js/lib/languages/ini";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import yaml from "highlight.js/lib/languages/yaml";
import { visit } from "unist-util-visit";
import { element, text } from "./element.ts";

const LANGUAGES = { bash, dockerfile, http, ini, javascript, json, markdown, python, sql, typescript, yaml };

export const HIGHLIGHTING = { languages: LANGUAGES, plainText: ["text", "txt", "csv", "sse"] };

const LABELS: Readonly<Record<string, string>> = {
	bash: "Shell",
	sh: "Shell",
	json: "JSON",
	jsonc: "JSON",
	ts: "TypeScript",
	typescript: "TypeScript",
	js: "JavaScript",
	javascript: "JavaScript",
	py: "Python",
	python: "Python",
	dockerfile: "Dockerfile",
	http: "HTTP",
	toml: "TOML",
	ini: "INI",
	yaml: "YAML",
	yml: "YAML",
	sql: "SQL",
	md: "Markdown",
	markdown: "Markdown",
	csv: "CSV",
	sse: "Event stream",
};

const BASE_URL = "{base_url}";
/** One character that no grammar knows, so that highlighting never takes the placeholder apart. */
const STAND_IN = "\uE000";

export function hideBaseUrl(tree: Root): void {
	replaceInCode(tree, BASE_URL, STAND_IN);
}

export function showBaseUrl(tree: Root): void {
	replaceInCode(tree, STAND_IN, BASE_URL);
}

/** Half of the highlighter's marks are for brackets and commas, which have no colour of their own here. */
export function dropPunctuation(tree: Root): void {
	visit(tree, "element", (node, index, parent) => {
		const names = node.properties["className"];
		if (!Array.isArray(names) || !names.includes("hljs-punctuation") || parent === undefined || index === undefined) return undefined;
		parent.children.splice(index, 1, ...node.children);
		return index;
	});
}

function replaceInCode(tree: Root, from: string, to: string): void {
	visit(tree, "element", (node) => {
		if (node.tagName !== "pre") return;
		visit(node, "text", (found) => {
			found.value = found.value.replaceAll(from, to);
		});
	});
}

export function frameCode(tree: Root): void {
	visit(tree, "element", (node, index, parent) => {
		if (node.tagName !== "pre" || parent === undefined || index === undefined) return undefined;
		const [code] = node.children;
		if (code?.type !== "element" || code.tagName !== "code") return undefined;
		parent.children[index] = frame(node, code);
		return index + 1;
	});
}

function frame(pre: Element, code: Element): Element {
	const meta = metaOf(code);
	const isOutput = /(?:^|\s)output(?:\s|$)/.test(meta);
	const label = isOutput ? "Output" : (/(?:^|\s)file="?([^\s"]+)/.exec(meta)?.[1] ?? LABELS[languageOf(code)] ?? "Text");
	// A box that scrolls must be reachable by keyboard.
	pre.properties["tabIndex"] = 0;
	return element("div", { className: isOutput ? ["code", "code-output"] : ["code"] }, [
		element("div", { className: ["code-head"] }, [
			element("span", { className: ["code-label"] }, [text(label)]),
			element("button", { type: "button", className: ["copy"] }, [text("Copy")]),
		]),
		pre,
	]);
}

function metaOf(code: Element): string {
	const meta: unknown = code.data === undefined ? undefined : Reflect.get(code.data, "meta");
	return typeof meta === "string" ? meta : "";
}

function languageOf(code: Element): string {
	const classes = code.properties["className"];
	const named = Array.isArray(classes) ? classes.map(String).find((name) => name.startsWith("language-")) : undefined;
	return named?.slice("language-".length) ?? "";
}
