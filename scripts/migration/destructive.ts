// Which statements of a migration take something away that the version which is still running may use.
import { parseTriggers } from "./sql-files.ts";

const TAKES_AWAY: readonly RegExp[] = [
	/^DROP TABLE/i,
	/^ALTER TABLE .* (?:DROP|RENAME) /i,
	// Without a default, the running version's inserts fail.
	/^ALTER TABLE .* ADD (?:COLUMN )?.*\bNOT NULL\b(?!.*\bDEFAULT\b)/i,
	/^DELETE FROM/i,
];

/**
 * The statements of a migration that remove or rename a table or a column, or delete rows. `npm run deploy` applies a migration
 * before the code that needs it, so the code before it must work on the new schema too. Triggers are left out: they can be dropped
 * and made again, and what they do when they fire is the code's own.
 */
export function findDestructive(sql: string): string[] {
	const withoutTriggers = parseTriggers(sql).reduce((text, trigger) => text.replace(trigger.sql, ""), sql);
	return withoutTriggers
		.replaceAll(/--.*$/gm, "")
		.split(";")
		.map((statement) => statement.replaceAll(/\s+/g, " ").trim())
		.filter((statement) => TAKES_AWAY.some((pattern) => pattern.test(statement)));
}
