// Open streams find out about the end of a credential only by its row in `credential_ends`. So every statement that ends one is listed
// here, and its file writes that row. `test/api/credential-ends.test.ts` plays each.
import { expect, it } from "vitest";
import { readSources } from "../../scripts/support/sources.ts";

/** These texts end a key, a session, an operator token or an agent. */
const ENDS =
	/revokedAt: now|revoked_at = (?!\?)|set\(\{ suspendedAt|suspended_at = coalesce|delete\(sessions\)|delete from (sessions|api_keys|operator_tokens)/i;
const NOTES = /noteEnds\(|noteEndOfAgent\(|endStanding\(/;

/** This file only builds the statement. The other one commits it together with the note. */
const BUILDERS = { "src/extensions/operating/admin/statements.ts": "src/extensions/operating/admin/suspension.ts" };

it("every file that ends credentials notes it", () => {
	const sources = readSources("src", "scripts/admin").filter(({ path }) => !path.includes("/schema/"));
	const ending = sources.filter(({ code }) => ENDS.test(code)).map(({ path }) => path);
	expect(ending).toEqual([
		"src/core/identity/api-keys/statements.ts",
		"src/core/identity/operators/statements.ts",
		"src/core/identity/sign-in/statements.ts",
		"src/extensions/operating/admin/statements.ts",
		"src/extensions/operating/privacy/statements.ts",
		"scripts/admin/withdrawals.ts",
	]);
	const builders: Readonly<Record<string, string>> = BUILDERS;
	const noting = ending.map((path) => builders[path] ?? path);
	expect(noting.filter((path) => !NOTES.test(sources.find((source) => source.path === path)?.code ?? ""))).toEqual([]);
});
