// Holds docs/architecture.md and docs/contributing.md: each test names the files that break a rule.
import { describe, expect, it } from "vitest";
import { lineCount, readSources, type SourceFile } from "./sources.ts";

const src = readSources("src");
const wiring = readSources("queues", "durable-objects");
const all = [...src, ...wiring];
const features = src.filter(({ path }) => path.startsWith("src/features/"));

const featureOf = (path: string): string | null => /^src\/features\/([^/]+)\//.exec(path)?.[1] ?? null;
const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
const isInProject = (path: string): boolean => /^(src|queues|durable-objects)\//.test(path);

/** `a.ts -> b.ts` for each import that the predicate refuses. */
function offences(files: readonly SourceFile[], isOffence: (from: string, to: string, isTypeOnly: boolean) => boolean): string[] {
	return files.flatMap(({ path, imports }) =>
		imports.filter(({ target, isTypeOnly }) => isOffence(path, target, isTypeOnly)).map(({ target }) => `${path} -> ${target}`),
	);
}

describe("directions of imports", () => {
	it("finds the imports that it judges", () => {
		expect(all.flatMap(({ imports }) => imports).filter(({ target }) => isInProject(target)).length).toBeGreaterThan(150);
		const known = new Set(all.map(({ path }) => path));
		expect(offences(all, (_, to) => isInProject(to) && !known.has(to))).toEqual([]);
	});

	it("lets only the entry know queues/ and durable-objects/", () => {
		expect(offences(src, (from, to) => /^(queues|durable-objects)\//.test(to) && from !== "src/index.ts")).toEqual([]);
	});

	it("lets nobody import the entry, and the entry alone the app", () => {
		expect(offences(all, (from, to) => to === "src/index.ts" || (to === "src/app.ts" && from !== "src/index.ts"))).toEqual([]);
	});

	it("keeps platform/, errors.ts and env.ts free of everything above them", () => {
		const base = /^src\/(platform\/.*|errors\.ts|env\.ts)$/;
		expect(
			offences(
				src.filter(({ path }) => base.test(path)),
				(_, to) => isInProject(to) && !to.startsWith("src/platform/"),
			),
		).toEqual([]);
	});

	it("keeps db/ on platform/ and errors.ts", () => {
		const db = src.filter(({ path }) => path.startsWith("src/db/"));
		expect(offences(db, (_, to) => isInProject(to) && !/^src\/(db|platform)\/|^src\/errors\.ts$/.test(to))).toEqual([]);
	});

	it("keeps events/ and http/ off the inside of features", () => {
		const shared = src.filter(({ path }) => /^src\/(events|http)\//.test(path));
		expect(offences(shared, (_, to) => featureOf(to) !== null && nameOf(to) !== "service.ts")).toEqual([]);
	});

	it("goes from routes to service, never to the store or the database", () => {
		const routes = features.filter(({ path }) => nameOf(path) === "routes.ts");
		expect(offences(routes, (_, to) => nameOf(to) === "store.ts" || to.startsWith("src/db/") || to.startsWith("drizzle-orm"))).toEqual([]);
	});

	it("lets nobody but app.ts import routes", () => {
		expect(offences(all, (from, to) => nameOf(to) === "routes.ts" && from !== "src/app.ts")).toEqual([]);
	});

	it("keeps contracts to data", () => {
		const contracts = features.filter(({ path }) => nameOf(path) === "contract.ts");
		const isData = (to: string) =>
			/^src\/(http|db\/schema)\/|^src\/errors\.ts$|^src\/platform\//.test(to) || ["contract.ts", "rules.ts"].includes(nameOf(to));
		expect(offences(contracts, (_, to, isTypeOnly) => isInProject(to) && !isTypeOnly && !isData(to))).toEqual([]);
	});

	it("keeps rules pure: types, other rules and errors.ts", () => {
		const rules = features.filter(({ path }) => nameOf(path) === "rules.ts");
		const isPure = (to: string) => to === "src/errors.ts" || nameOf(to) === "rules.ts" || to === "src/platform/clock.ts";
		expect(offences(rules, (_, to, isTypeOnly) => isInProject(to) && !isTypeOnly && !isPure(to))).toEqual([]);
	});

	it("keeps stores below their services", () => {
		const stores = features.filter(({ path }) => nameOf(path) === "store.ts");
		const isAbove = (from: string, to: string) =>
			featureOf(from) === featureOf(to) && ["service.ts", "routes.ts", "views.ts"].includes(nameOf(to));
		expect(offences(stores, (from, to) => isAbove(from, to) || to.startsWith("src/http/"))).toEqual([]);
	});

	it("lets features use each other through service, rules and contract alone", () => {
		const isInside = (from: string, to: string) =>
			featureOf(to) !== null && featureOf(from) !== featureOf(to) && !["service.ts", "rules.ts", "contract.ts"].includes(nameOf(to));
		expect(offences(features, isInside)).toEqual([]);
	});

	it("keeps SQL in stores: nothing else of a feature makes statements", () => {
		const others = features.filter(({ path }) => nameOf(path) !== "store.ts");
		expect(offences(others, (_, to, isTypeOnly) => to.startsWith("drizzle-orm") && !isTypeOnly)).toEqual([]);
	});

	it("has no cycles, type imports included", () => {
		expect(findCycle(all)).toEqual([]);
	});
});

/** The first cycle of imports as a list of files, or nothing. */
function findCycle(files: readonly SourceFile[]): string[] {
	const targets = new Map(files.map(({ path, imports }) => [path, imports.map(({ target }) => target)]));
	const finished = new Set<string>();
	const visit = (path: string, trail: readonly string[]): string[] => {
		if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
		if (finished.has(path)) return [];
		for (const target of targets.get(path) ?? []) {
			const cycle = visit(target, [...trail, path]);
			if (cycle.length > 0) return cycle;
		}
		finished.add(path);
		return [];
	};
	return files.map(({ path }) => visit(path, [])).find((cycle) => cycle.length > 0) ?? [];
}

describe("files", () => {
	it("stay under 400 lines, and under 600 in tests", () => {
		const limits = [
			[[...all, ...readSources("scripts", "site")], 400],
			[readSources("test"), 600],
		] as const;
		const tooLong = limits.flatMap(([files, max]) =>
			files.filter(({ text }) => lineCount(text) > max).map(({ path, text }) => `${path}: ${lineCount(text)}`),
		);
		expect(tooLong).toEqual([]);
	});

	it("of a feature have the six names, or say in their first line why they are there", () => {
		const usual = ["contract.ts", "routes.ts", "service.ts", "rules.ts", "store.ts", "messages.ts"];
		const isUsual = (path: string) => path.split("/").length === 4 && usual.includes(nameOf(path));
		const unexplained = features.filter(({ path, text }) => !isUsual(path) && !/^\/\/ \S+ \S+/.test(text)).map(({ path }) => path);
		expect(unexplained).toEqual([]);
	});

	it("have named exports only, but for the entry", () => {
		const offenders = all.filter(({ code }) => /\bexport\s+default\b|\bas default\b/.test(code)).map(({ path }) => path);
		expect(offenders).toEqual(["src/index.ts"]);
	});
});

describe("the outside world", () => {
	it("is asked for time and chance in platform/ alone", () => {
		const pattern = /\bDate\.now\b|\bnew Date\b|\brandomUUID\b|\bMath\.random\b|\bgetRandomValues\b|\bperformance\.now\b/;
		const offenders = all.filter(({ path, code }) => !path.startsWith("src/platform/") && pattern.test(code)).map(({ path }) => path);
		expect(offenders).toEqual([]);
	});

	it("has its bindings read in env.ts, deps.ts, Durable Objects and the entry alone", () => {
		const readers = ["src/env.ts", "src/deps.ts", "src/index.ts"];
		const pattern = /\benv\.[A-Z]|\benv\[|\{\s*env\b[^}]*\}\s*from\s+"cloudflare:workers"/;
		const offenders = [...src, ...readSources("queues")].filter(({ path, code }) => !readers.includes(path) && pattern.test(code));
		expect(offenders.map(({ path }) => path)).toEqual([]);
	});

	it("is not typed away: no any, no double casts outside of a few named functions", () => {
		const offenders = all
			.filter(({ code }) => /\bas any\b|: any\b|<any>|@ts-(ignore|nocheck|expect-error)/.test(code))
			.map(({ path }) => path);
		expect(offenders).toEqual([]);
	});
});
