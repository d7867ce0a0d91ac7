// Holds docs/architecture.md and docs/contributing.md to the code: each test names the files that break a rule.
import { globSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { GROUPS, LADDER, unitOf } from "../../scripts/openapi/ladder-picture.ts";
import { lineCount, readProjectFile, readSources, type SourceFile } from "../../scripts/support/sources.ts";
import { EXTENSIONS } from "../../src/compose/joints/extensions.ts";
import { EVAL_MODES } from "../../src/domain/modes.ts";
import { TASK_ACCESS } from "../../src/domain/task-status.ts";
import { PROJECT_ROOT } from "../support/samples.ts";

const all = readSources("src");
const features = all.filter(({ path }) => /^src\/(core|extensions)\//.test(path));
/** Files that `npm run openapi` writes are left out. */
const packages = readSources("packages/sdk/src", "packages/cli/src").filter(({ path }) => !path.includes("/generated/"));
const everywhere = [...all, ...readSources("grader", "scripts", "site"), ...packages];

const extensionOf = (path: string): string | null => /^src\/extensions\/([^/]+)\//.exec(path)?.[1] ?? null;
const featureOf = (path: string): string | null => extensionOf(path) ?? /^src\/core\/([^/]+\/[^/]+)\//.exec(path)?.[1] ?? null;
const requiredBy = (extension: string): readonly string[] => EXTENSIONS.find(({ name }) => name === extension)?.requires ?? [];
/** An import of an extension by something else than an extension or the wiring. */
const isAcrossBorder = (from: string, to: string): boolean => from.startsWith("src/core/") && to.startsWith("src/extensions/");
const isFromExtensionToCore = (from: string, to: string): boolean => extensionOf(from) !== null && extensionOf(to) === null;
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));
const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
/** Stores contain reads that run, and statements contain writes that are built. stores.test.ts checks the difference. */
const hasSql = (path: string): boolean => ["store.ts", "statements.ts"].includes(nameOf(path));
const isDrizzle = ({ target, isTypeOnly }: SourceFile["imports"][number]): boolean => target.startsWith("drizzle-orm") && !isTypeOnly;
/** A verb reads, decides and writes in one place, and so do the functions that verbs call: both get the store of a Task object. */
const isInTaskObject = ({ imports }: SourceFile): boolean =>
	imports.some(({ target }) => target === "src/ports/task.ts" || target.startsWith("src/db/task/"));
const readsDirectory = ({ imports }: SourceFile): boolean =>
	imports.some(({ target, isTypeOnly }) => target.startsWith("src/db/schema/") && !isTypeOnly);
/** The schema of a Durable Object is in its feature's folder. */
const isObjectSchema = (path: string): boolean => path.endsWith("/object/schema.ts");
const isInProject = (path: string): boolean => path.startsWith("src/");

/** Returns `a.ts -> b.ts` for each import that the predicate rejects. */
function offences(files: readonly SourceFile[], isOffence: (from: string, to: string, isTypeOnly: boolean) => boolean): string[] {
	return files.flatMap(({ path, imports }) =>
		imports.filter(({ target, isTypeOnly }) => isOffence(path, target, isTypeOnly)).map(({ target }) => `${path} -> ${target}`),
	);
}

describe("the direction of imports", () => {
	it("is known for the imports of every unit", () => {
		expect(all.flatMap(({ imports }) => imports).filter(({ target }) => isInProject(target)).length).toBeGreaterThan(150);
		const known = new Set(all.map(({ path }) => path));
		const isGenerated = (path: string) => /\/(object\/migrations\/migrations\.js|pages\/example\.json)$/.test(path);
		expect(offences(all, (_, to) => isInProject(to) && !known.has(to) && !isGenerated(to))).toEqual([]);
	});

	it("is defined for every unit", () => {
		expect([...new Set(all.map(({ path }) => unitOf(path)))].toSorted()).toEqual(LADDER.toSorted());
	});

	it("is what docs/architecture.md shows, from the top", () => {
		const [, shown = ""] = /^src\/core\/ {2,}.*\n([\s\S]*?)^src\//m.exec(readProjectFile("docs/architecture.md")) ?? [];
		const groups = GROUPS.map((group) => group.slice("core/".length));
		expect([...shown.matchAll(/^ {2}(\S+)/gm)].map(([, name]) => name)).toEqual(groups.toReversed());
	});

	it("is down the ladder, type imports included", () => {
		const place = (path: string) => LADDER.indexOf(unitOf(path));
		const isUp = (from: string, to: string) => isInProject(to) && place(to) > place(from);
		expect(offences(all, isUp)).toEqual([]);
	});

	it("is from extensions to the core and never back", () => {
		expect(offences(all, isAcrossBorder)).toEqual([]);
	});

	it("is to another extension only where the extension requires it", () => {
		const isToAnother = (from: string, to: string) => {
			const [extension, other] = [extensionOf(from), extensionOf(to)];
			return extension !== null && other !== null && extension !== other && !requiredBy(extension).includes(other);
		};
		expect(offences(all, isToAnother)).toEqual([]);
	});

	it("lets the grader import public features, and nothing import the grader", () => {
		expect(offences(all, (_, to) => to.startsWith("grader/"))).toEqual([]);
		expect(
			offences(readSources("grader"), (_, to) => isInProject(to) && !/^src\/(domain|platform|ports|core\/judging\/artifacts)\//.test(to)),
		).toEqual([]);
	});

	it("lets the packages import only pure data of the platform, and files only behind their own entry", () => {
		expect(offences(packages, (_, to) => isInProject(to) && !to.startsWith("src/domain/"))).toEqual([]);
		const isPortable = (from: string) => from.startsWith("packages/sdk/") && !/^packages\/sdk\/src\/node(\.ts$|\/)/.test(from);
		const isNodes = (to: string) => to.startsWith("node:") || to.startsWith("packages/sdk/src/node/");
		expect(offences(packages, (from, to) => isPortable(from) && isNodes(to))).toEqual([]);
		expect(offences(packages, (from, to) => to.startsWith("packages/cli/") && !from.startsWith("packages/cli/"))).toEqual([]);
		const isOutside = (to: string) => isInProject(to) || to.startsWith("packages/sdk/");
		expect(
			offences(packages, (from, to) => from.startsWith("packages/cli/") && isOutside(to) && from !== "packages/cli/src/core/sdk.ts"),
		).toEqual([]);
		expect(offences(all, (_, to) => to.startsWith("packages/") || to.startsWith("@bounty-platform/"))).toEqual([]);
	});

	it("lets only compose/ import the lists of endpoints", () => {
		const isList = (to: string) => nameOf(to) === "endpoints.ts" && /^src\/(core|extensions)\//.test(to);
		expect(all.filter(({ path }) => isList(path)).length).toBeGreaterThan(3);
		expect(offences(all, (from, to) => isList(to) && folderOf(from) !== "src/compose" && !isList(from))).toEqual([]);
	});

	it("keeps rules pure: they import types, other rules, the domain and units of time", () => {
		const rules = features.filter(({ path }) => nameOf(path) === "rules.ts");
		const isPure = (to: string) => to.startsWith("src/domain/") || nameOf(to) === "rules.ts" || to === "src/platform/clock.ts";
		expect(offences(rules, (_, to, isTypeOnly) => isInProject(to) && !isTypeOnly && !isPure(to))).toEqual([]);
	});

	it("keeps SQL below all services", () => {
		const stores = features.filter(({ path }) => hasSql(path));
		expect(stores.length).toBeGreaterThan(20);
		const isAbove = (to: string) => ["service.ts", "endpoints.ts"].includes(nameOf(to)) || to.startsWith("src/http/");
		expect(offences(stores, (_, to) => isAbove(to))).toEqual([]);
	});

	it("keeps a feature's SQL of the directory private, while verbs share the rows of the Task object, and extensions the core's SQL", () => {
		const ofObjects = new Set(features.filter(isInTaskObject).map(({ path }) => path));
		const isInside = (from: string, to: string) =>
			featureOf(to) !== null && featureOf(from) !== featureOf(to) && hasSql(to) && !ofObjects.has(to) && !isFromExtensionToCore(from, to);
		expect(offences(features, isInside)).toEqual(SHARED_SQL);
	});

	it("keeps SQL in store.ts and statements.ts, or with the decision in the Task object", () => {
		const others = features.filter(({ path, imports }) => !hasSql(path) && !isObjectSchema(path) && imports.some(isDrizzle));
		const ofObjects = others.filter((file) => isInTaskObject(file) && !readsDirectory(file));
		expect(ofObjects.length).toBeGreaterThan(30);
		expect(others.filter((file) => !ofObjects.includes(file)).map(({ path }) => path.slice("src/".length))).toEqual(DIRECTORY_SQL);
	});

	it("has no cycles between files, type imports included", () => {
		expect(findCycle(graphOf(everywhere, (path) => path))).toEqual([]);
	});

	it("has no cycles between folders, type imports included", () => {
		expect(findCycle(graphOf(everywhere, folderOf))).toEqual([]);
	});

	it("has no cycles between folders of the console", () => {
		expect(findCycle(graphOf(readSources("console/src"), folderOf))).toEqual([]);
	});
});

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Maps each importer to its imports. `nodeOf` makes a node of a path: the file itself, or its folder. */
function graphOf(files: readonly SourceFile[], nodeOf: (path: string) => string): Graph {
	const known = new Set(files.map(({ path }) => path));
	const graph = new Map<string, Set<string>>();
	for (const { path, imports } of files) {
		const node = nodeOf(path);
		const targets = graph.get(node) ?? new Set();
		graph.set(node, targets);
		for (const { target } of imports) if (known.has(target) && nodeOf(target) !== node) targets.add(nodeOf(target));
	}
	return graph;
}

/** Returns the first cycle as a list of nodes, or nothing. */
function findCycle(graph: Graph): string[] {
	const finished = new Set<string>();
	const visit = (node: string, trail: readonly string[]): string[] => {
		if (trail.includes(node)) return [...trail.slice(trail.indexOf(node)), node];
		if (finished.has(node)) return [];
		for (const target of graph.get(node) ?? []) {
			const cycle = visit(target, [...trail, node]);
			if (cycle.length > 0) return cycle;
		}
		finished.add(node);
		return [];
	};
	return [...graph.keys()].map((node) => visit(node, [])).find((cycle) => cycle.length > 0) ?? [];
}

describe("files", () => {
	it("stay under 400 lines, and under 600 in tests", () => {
		const limits = [
			[[...all, ...readSources("scripts", "site"), ...packages], 400],
			[readSources("test"), 600],
		] as const;
		const tooLong = limits.flatMap(([files, max]) =>
			files.filter(({ text }) => lineCount(text) > max).map(({ path, text }) => `${path}: ${lineCount(text)}`),
		);
		expect(tooLong).toEqual([]);
	});

	it("have named exports only, except for the entry", () => {
		const offenders = all.filter(({ code }) => /\bexport\s+default\b|\bas default\b/.test(code)).map(({ path }) => path);
		expect(offenders).toEqual(["src/index.ts"]);
	});
});

describe("one question", () => {
	const consoleFiles = readSources("console/src");
	const comparing = (files: readonly SourceFile[], values: string) =>
		files.filter(({ code }) => new RegExp(`(===|!==) "(${values})"`).test(code)).map(({ path }) => path);

	it("about a mode is asked of the table of modes: only the dispatch to their code has a case for each", () => {
		expect(comparing([...everywhere, ...consoleFiles], EVAL_MODES.join("|"))).toEqual([]);
		const dispatching = all.filter(({ code }) => new RegExp(`case "(${EVAL_MODES.join("|")})":`).test(code)).map(({ path }) => path);
		expect(dispatching).toEqual(["src/core/judging/modes/evaluate-by-mode.ts"]);
	});

	it("about the access of a task is asked of its predicate", () => {
		expect(comparing(all, TASK_ACCESS.join("|"))).toEqual(["src/domain/task-status.ts"]);
	});

	it("about sealed work is asked of its predicate", () => {
		expect(all.filter(({ code }) => /\bsealed &&/.test(code)).map(({ path }) => path)).toEqual(["src/core/competition/tasks/rules.ts"]);
	});
});

describe("the outside world", () => {
	it("provides time and randomness only in platform/", () => {
		const pattern = /\bDate\.now\b|\bnew Date\b|\brandomUUID\b|\bMath\.random\b|\bgetRandomValues\b|\bperformance\.now\b/;
		const offenders = all.filter(({ path, code }) => !path.startsWith("src/platform/") && pattern.test(code)).map(({ path }) => path);
		expect(offenders).toEqual([]);
	});

	it("has its bindings read only in config/env.ts, compose/, Durable Objects and the entry", () => {
		const readers = ["src/config/env.ts", "src/compose/create-deps.ts", "src/compose/hubs.ts", "src/index.ts"];
		const pattern = /\benv\.[A-Z]|\benv\[|\{\s*env\b[^}]*\}\s*from\s+"cloudflare:workers"/;
		const isReader = (path: string) => readers.includes(path) || path.startsWith("src/durable-objects/");
		const offenders = all.filter(({ path, code }) => !isReader(path) && pattern.test(code));
		expect(offenders.map(({ path }) => path)).toEqual([]);
	});

	it("gets every alarm, because none of them throws: the runtime forgets an alarm that has thrown seven times", () => {
		const ringing = all.filter(({ code }) => /\balarm\(\): Promise<void> \{|override async alarm/.test(code));
		const classes = ringing.filter(({ code }) => /extends DurableObject|extends AgentWorkspace/.test(code));
		expect(classes.length).toBeGreaterThanOrEqual(5);
		const unguarded = classes.filter(
			({ code }) => !/\bkeepAlarm\(|override async alarm\(\): Promise<void> \{\s*this\.#alarmAt = null;\s*try \{/.test(code),
		);
		expect(unguarded.map(({ path }) => path)).toEqual([]);
	});

	it("has no folder of a developer's machine: temporary files are in the folder that the system names", () => {
		// Paths inside the grader's containers are of the image.
		const code = [...everywhere, ...readSources("test/support", "test/bench", "console/src")].filter(
			({ path }) => !/grader|eval-images/.test(path),
		);
		const pattern = /["'`](?:\/tmp|\/var\/tmp|\/home|\/root|\/work|\/Users)\//;
		expect(code.filter((file) => pattern.test(file.code)).map(({ path }) => path)).toEqual([]);
	});

	it("is described in docs for developers that name only files of the project", () => {
		const files = globSync("**/*.{ts,tsx,mjs}", { cwd: PROJECT_ROOT, exclude: ["**/node_modules/**", "dist/**"] });
		const pages = ["AGENTS.md", ...globSync(["docs/*.md", "docs/architecture/*.md"], { cwd: PROJECT_ROOT })];
		const named = pages.flatMap((page) =>
			[...readProjectFile(page).matchAll(/`([\w./-]+\.(?:ts|tsx|mjs))`/g)].map(([, file = ""]) => file),
		);
		const unknown = named.filter((name) => !files.some((file) => `/${file}`.endsWith(`/${name}`)));
		// "Add an endpoint" makes this file.
		expect(unknown.filter((name) => name !== "src/core/competition/tasks/get-stats.ts")).toEqual([]);
	});

	it("has exact types: no any, and double casts only in functions that say why they are safe", () => {
		const banned = /\bas any\b|: any\b|<any>|@ts-(ignore|nocheck|expect-error)/;
		expect(everywhere.filter(({ code }) => banned.test(code)).map(({ path }) => path)).toEqual([]);
		const casts = everywhere.flatMap(({ path, code }) => [...code.matchAll(/\bas unknown as\b/g)].map(() => path));
		expect(casts.toSorted()).toEqual(DOUBLE_CASTS);
	});
});

/** These use the SQL of another feature, in the same commit or for a page of it. The list may only get shorter. */
const SHARED_SQL: readonly string[] = [
	"src/core/competition/directory/cards.ts -> src/core/identity/operators/statements.ts",
	"src/core/competition/lifecycle/publish-task.ts -> src/core/identity/agents/store.ts",
	"src/core/competition/submissions/reservations.ts -> src/core/identity/operators/statements.ts",
	"src/extensions/pages/agent.tsx -> src/extensions/profiles/store.ts",
	"src/extensions/pages/get-agent-page.ts -> src/extensions/profiles/store.ts",
];

/** Each of these reads or writes the directory in its own file, although a `store.ts` would be its place. The list may only get shorter. */
const DIRECTORY_SQL: readonly string[] = [
	"core/competition/dashboard/list-submissions.ts",
	"core/competition/directory/cards.ts",
	"core/competition/directory/locate.ts",
	"core/competition/results/rows.ts",
	"core/competition/search/rebuild-index.ts",
	"core/competition/search/search-index.ts",
	"core/competition/spend/service.ts",
	"core/competition/submissions/list-submissions.ts",
	"core/competition/submissions/reservations.ts",
	"core/competition/tasks/cards.ts",
	"core/events/webhooks/audience.ts",
	"extensions/inbox/list-waiting.ts",
	"extensions/inbox/matches.ts",
	"extensions/inbox/notify.ts",
	"extensions/operating/tasks/rebuild-directory.ts",
];

/** Each double cast is the body of a function whose docstring says why it is safe. */
const DOUBLE_CASTS = [
	"src/db/client.ts",
	"src/db/client.ts",
	"src/db/prepared.ts",
	"src/db/prepared.ts",
	"src/http/chain.ts",
	"src/http/chain.ts",
];
