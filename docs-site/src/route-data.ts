// Adds to every page the time of its last change, and the navigation of its part of the site.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineRouteMiddleware } from "@astrojs/starlight/route-data";
import { openAPISidebarGroups } from "starlight-openapi";
import { PROJECT_ROOT } from "./project-root.ts";

const REFERENCE = /^\/docs\/reference(?:\/|$)/;
const OPERATING = /^\/docs\/operating\//;
/** The section of docs/pages/order.json for those who run a platform. */
const RUNNING = "Running the platform";
const placeholders = openAPISidebarGroups.map(({ label }) => label);

let changes: ReadonlyMap<string, Date> | undefined;

export const onRequest = defineRouteMiddleware(({ locals, url }) => {
	const route = locals.starlightRoute;
	const isReference = REFERENCE.test(url.pathname);
	const isOperating = OPERATING.test(url.pathname);
	// All parts in one list would be 160 links on every page, and few readers run a platform.
	const isShown = ({ label }: { label: string }) => placeholders.includes(label) === isReference && (label === RUNNING) === isOperating;
	route.sidebar = route.sidebar.filter((entry) => isShown(entry) || entry.label === "More");
	if (isReference) {
		const isCurrent = /^\/docs\/reference\/schemas(?:\/|$)/.test(url.pathname);
		const schemas = { type: "link", label: "Schemas", href: "/docs/reference/schemas", isCurrent, badge: undefined, attrs: {} } as const;
		route.sidebar = [...route.sidebar.filter(({ label }) => label !== "More"), schemas];
	}
	if (isReference) {
		route.entry.data.title = titleOf(url.pathname) ?? route.entry.data.title;
		// Operations, schemas and texts have names in common.
		const part = url.pathname.includes("/schemas/") ? "Schema" : "API reference";
		for (const tag of route.head) if (tag.tag === "title") tag.content = `${route.entry.data.title} · ${part} | ${route.siteTitle}`;
	}
	changes ??= readChanges();
	const changed = changes.get((route.entry.filePath ?? "").replace(/^\.\.\//, ""));
	if (changed !== undefined) route.lastUpdated = changed;
});

/** Returns distinct titles for the pages that starlight-openapi calls "Overview", of the document and of each tag. */
function titleOf(path: string): string | null {
	if (/^\/docs\/reference\/?$/.test(path)) return "API reference";
	const tag = /^\/docs\/reference\/operations\/tags\/([^/]+)\/?$/.exec(path)?.[1];
	return tag === undefined ? null : (readTags().find((name) => name.toLowerCase().replaceAll(" ", "-") === tag) ?? null);
}

function readTags(): readonly string[] {
	const document: { tags: { name: string }[] } = JSON.parse(readFileSync(join(PROJECT_ROOT, "docs", "openapi.json"), "utf8"));
	return document.tags.map(({ name }) => name);
}

/** Returns the time of each source's last commit. Without a history (in an export of the project) no page has a time. */
function readChanges(): ReadonlyMap<string, Date> {
	const found = new Map<string, Date>();
	let time = "";
	for (const line of readLog().split("\n")) {
		if (line.startsWith("\0")) time = line.slice(1);
		else if (line !== "" && !found.has(line)) found.set(line, new Date(time));
	}
	return found;
}

function readLog(): string {
	const args = ["log", "--format=%x00%cI", "--name-only", "--", "docs/pages", "CHANGELOG.md"];
	try {
		return execFileSync("git", args, { cwd: PROJECT_ROOT, encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
	} catch {
		return "";
	}
}
