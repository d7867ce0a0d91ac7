// Tests of the API use the platform as its callers do. These lists have the exceptions, each with its reason, and an outdated entry
// fails.
import { describe, expect, it } from "vitest";
import { readProjectFile, readSources } from "./sources.ts";

const files = readSources("test/api").filter(({ path }) => path.endsWith(".test.ts"));

/**
 * Tests of the API may import values of these modules of `src/`, in addition to endpoints: the strict client calls these by their
 * contracts.
 */
const ALLOWED_IMPORTS: Readonly<Record<string, readonly string[]>> = {
	"The table is what the responses are compared with.": [
		"src/compose/next-actions.ts",
		"src/domain/actor.ts",
		"src/domain/admin-roles.ts",
		"src/domain/errors.ts",
		"src/domain/events.ts",
		"src/domain/receipts.ts",
		"src/features/competition/final-round/rules.ts",
		"src/features/competition/search/rules.ts",
		"src/features/judging/model/comparing.ts",
		"src/features/doors/mcp/tool-list.ts",
		"src/features/events/inbox/object/agent-inbox.ts",
		"src/features/operating/endpoints.ts",
		"src/http/endpoint.ts",
		"src/http/stream-places.ts",
	],
	"The test replaces this dependency, or counts what it is asked for.": [
		"src/compose/metrics.ts",
		"src/config/env.ts",
		"src/db/client.ts",
		"src/domain/evaluation-fault.ts",
		"src/features/identity/api-keys/service.ts",
		"src/features/identity/switches/service.ts",
		"src/features/judging/model/offline.ts",
		"src/features/judging/model/rubric.ts",
		"src/index.ts",
		"src/platform/clock.ts",
		"src/platform/shared-cache.ts",
	],
	"No request starts this work: a sweep, a consumer or an alarm does.": [
		"src/db/expired-rows.ts",
		"src/features/competition/deals/payment.ts",
		"src/features/competition/evaluation/consumer.ts",
		"src/features/competition/search/search-index.ts",
		"src/features/competition/spend/service.ts",
		"src/features/operating/operations/metrics.ts",
	],
	"Requests reach this state only after hours, or after a crash between two steps.": [
		"src/db/task/database.ts",
		"src/db/task/schema/submissions.ts",
		"src/features/competition/evaluation/outcome.ts",
		"src/features/competition/evaluation/post-external-score.ts",
		"src/features/competition/judgements/report.ts",
		"src/features/competition/leaderboard/entries.ts",
		"src/features/competition/submissions/export-task.ts",
		"src/features/competition/similarity/compared-works.ts",
		"src/features/competition/submissions/store.ts",
		"src/features/competition/tasks/cards.ts",
		"src/features/competition/tasks/store.ts",
		"src/features/identity/sign-in/session.ts",
		"src/platform/blob-writer.ts",
	],
	"Clients compute the same value, and the test is such a client.": [
		"src/domain/proof-of-work.ts",
		"src/domain/scores.ts",
		"src/features/competition/similarity/signed-work.ts",
		"src/features/identity/wallet/rules.ts",
		"src/features/identity/workspace/file.ts",
		"src/features/identity/workspace/put-upload.ts",
		"src/features/identity/workspace/rules.ts",
		"src/features/judging/artifacts/reading.ts",
		"src/http/bookmark.ts",
		"src/http/fields.ts",
		"src/http/rate-limit.ts",
		"src/platform/ids.ts",
		"src/ports/topics.ts",
	],
};

/** These tests of the API use a table, a database or the inside of an object directly instead of a helper of `test/support/`. */
const ALLOWED_TABLES: Readonly<Record<string, readonly string[]>> = {
	"It counts calls, rows or writes, or watches sockets and alarms.": ["budgets", "list-rows", "rows-written", "stream-resuming", "streams"],
	"It proves what no table has, such as a key in plain text, or that nothing stored can be read from a cursor.": [
		...["identity", "open-registration", "own-tasks", "privacy", "public-reading"],
	],
	"It proves that no second row exists beside the one that responses show.": [
		...[
			"deadlines",
			"external-scores",
			"funds",
			"mcp-oauth",
			"moderation",
			"operators",
			"quick-submit",
			"repeated-calls",
			"waiting",
			"webhook-hosts",
		],
	],
	"It begins with thousands of rows.": ["deal-payments", "deals", "matching", "operations", "received-submissions", "task-export"],
	"It begins with rows of another age, or with those that another isolate or a crash leaves.": [
		...["api-keys", "inbox", "invited-tasks", "profiles", "receipts", "results", "search-outage", "sessions", "similar-work"],
		...["reviews", "submission-files"],
	],
};

const TABLE_USE =
	/\benv\.(DB|SEARCH)\b|\bsql`|\b(queryTask|inTask|runInDurableObject)(<[^(]*>)?\(|\b(count|queryAll|queryOne)(<[^(]*>)?\(\s*["`]/;

const endpointModules = new Set(
	readSources("src/features")
		.filter(({ code }) => /^export const \w+ = endpoint\(/m.test(code))
		.map(({ path }) => path),
);

/** Returns the modules of `src/` whose values a file imports, except endpoints. */
function importedValues(code: string): string[] {
	return [...code.matchAll(/^import \{([^}]*)\} from "\.\.\/\.\.\/(src\/[^"]+)"/gm)].flatMap(([, names = "", module = ""]) => {
		const values = names
			.split(",")
			.map((name) => name.trim())
			.filter((name) => name !== "" && !name.startsWith("type "));
		const source = endpointModules.has(module) ? readProjectFile(module) : "";
		const isEndpoint = (name: string) => source.includes(`export const ${name.split(" as ")[0]} = endpoint(`);
		return values.every(isEndpoint) ? [] : [module];
	});
}

describe("tests of the API", () => {
	it("import endpoints and types, and nothing else of src", () => {
		expect(files.length).toBeGreaterThan(80);
		const imported = new Set(files.flatMap(({ code }) => importedValues(code)));
		expect([...imported].toSorted()).toEqual(Object.values(ALLOWED_IMPORTS).flat().toSorted());
	});

	it("access tables and objects only through test/support", () => {
		const using = files.filter(({ code }) => TABLE_USE.test(code)).map(({ path }) => path.slice("test/api/".length, -".test.ts".length));
		expect(using.toSorted()).toEqual(Object.values(ALLOWED_TABLES).flat().toSorted());
	});
});
