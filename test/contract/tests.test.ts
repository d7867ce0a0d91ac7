// Tests of the API use the platform as its callers do. These lists have the exceptions, each with its reason, and an outdated entry
// fails.
import { describe, expect, it } from "vitest";
import { readSources } from "../../scripts/support/sources.ts";

/** Tests of an extension are tests of the API unless they are in its folder `rules` or `inside`. */
const OF_API = /^test\/(?:api|extensions\/[\w-]+)\/([\w-]+)\.test\.ts$/;
const files = readSources("test").filter(({ path }) => OF_API.test(path));

/** Every test of the API may import these: facts that responses are compared with, and what the strict client calls. */
const FACTS = /^src\/(?:domain\/.*|http\/endpoint)\.ts$/;

/** Other modules of `src/` whose values tests of the API import. */
const ALLOWED_IMPORTS: Readonly<Record<string, readonly string[]>> = {
	"The test replaces this dependency, or counts what it is asked for.": [
		"src/app.ts",
		"src/compose/endpoints.ts",
		"src/compose/metrics.ts",
		"src/config/env.ts",
		"src/compose/work-off.ts",
		"src/core/identity/switches/service.ts",
		"src/http/middlewares.ts",
		"src/http/networks.ts",
		"src/http/rate-limit.ts",
		"src/queues/sweeps.ts",
		"src/platform/clock.ts",
		"src/platform/shared-cache.ts",
		"src/ports/topics.ts",
	],
	"Requests reach this state only after hours, or after a crash between two steps.": [
		"src/db/task/schema/submissions.ts",
		"src/core/competition/evaluation/outcome.ts",
		"src/core/competition/evaluation/pause.ts",
		"src/core/competition/judgements/report.ts",
		"src/extensions/similarity/compared-works.ts",
		"src/extensions/similarity/pairs.ts",
		"src/extensions/similarity/rules.ts",
		"src/extensions/similarity/signed-work.ts",
		"src/core/competition/submissions/store.ts",
		"src/core/competition/results/result.ts",
		"src/platform/blob-writer.ts",
		"src/extensions/oauth/object/device-request.ts",
	],
};

/** These tests of the API use a table, a database or the inside of an object directly instead of a helper of `test/support/`. */
const ALLOWED_TABLES: Readonly<Record<string, readonly string[]>> = {
	"It counts calls, rows or writes, or watches sockets and alarms.": ["budgets", "list-rows", "rows-written", "stream-resuming", "streams"],
	"It proves that nothing is left of a person in any table, or that no second one is made.": ["privacy", "public-log"],
	"It begins with thousands of rows.": ["deals", "inbox-matches", "matching", "received-submissions", "task-export"],
	"It begins with rows of another age, or with those that another isolate or a crash leaves.": [
		...[
			"absence",
			"after-the-deal",
			"clock",
			"deal-chains",
			"deal-payments",
			"inbox",
			"operations",
			"outcome",
			"profiles",
			"receipts",
			"results",
			"reviews",
			"search-outage",
			"similar-work",
			"test-tasks",
		],
		...["submission-files", "waiting"],
	],
};

const TABLE_USE =
	/\benv\.(DB|SEARCH)\b|\bsql`|\b(queryTask|inTask|runInDurableObject)(<[^(]*>)?\(|\b(count|queryAll|queryOne)(<[^(]*>)?\(\s*["`]/;

/** Returns the modules of `src/` whose values a file imports. */
function importedValues(code: string): string[] {
	return [...code.matchAll(/^import \{([^}]*)\} from "(?:\.\.\/)+(src\/[^"]+)"/gm)].flatMap(([, names = "", module = ""]) => {
		const isType = (name: string) => name === "" || name.startsWith("type ");
		return names.split(",").every((name) => isType(name.trim())) ? [] : [module];
	});
}

describe("tests of the API", () => {
	it("import types and facts, and nothing else of src", () => {
		expect(files.length).toBeGreaterThan(80);
		const imported = new Set(files.flatMap(({ code }) => importedValues(code)));
		expect([...imported].filter((module) => !FACTS.test(module)).toSorted()).toEqual(Object.values(ALLOWED_IMPORTS).flat().toSorted());
	});

	it("access tables and objects only through test/support", () => {
		const using = files.filter(({ code }) => TABLE_USE.test(code)).map(({ path }) => OF_API.exec(path)?.[1]);
		expect(using.toSorted()).toEqual(Object.values(ALLOWED_TABLES).flat().toSorted());
	});
});
