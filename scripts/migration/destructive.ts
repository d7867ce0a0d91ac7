const TAKES_AWAY: readonly RegExp[] = [
	/^DROP TABLE/i,
	/^ALTER TABLE .* (?:DROP|RENAME) /i,
	// Without a default, the running version's inserts fail.
	/^ALTER TABLE .* ADD (?!.*\bDEFAULT\b).*\bNOT NULL\b/i,
	/^DELETE FROM/i,
];

/**
 * Returns the statements of a migration that remove or rename a table or a column, or delete rows. `npm run deploy` applies a migration
 * before the code that needs it, so the earlier code must work on the new schema too. Triggers are left out, because they can be dropped
 * and created again, and their bodies belong to the code.
 */
export function findDestructive(sql: string): string[] {
	return sql
		.replaceAll(/^CREATE TRIGGER [\s\S]*?^END;$/gm, "")
		.replaceAll(/--.*$/gm, "")
		.split(";")
		.map((statement) => statement.replaceAll(/\s+/g, " ").trim())
		.filter((statement) => TAKES_AWAY.some((pattern) => pattern.test(statement)));
}
