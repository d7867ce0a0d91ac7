// Restores a copy into an object that has no task. Until the last page is written, everyone else still sees an object without a task.
import { sql } from "drizzle-orm";
import { rebuildBoard } from "../../core/competition/leaderboard/entries.ts";
import { listTables } from "../../db/object-tables.ts";
import { findTaskId } from "../../db/task/database.ts";
import { copies } from "../../db/task/schema/copies.ts";
import { submissions } from "../../db/task/schema/submissions.ts";
import { entries, tasks } from "../../db/task/schema/task.ts";
import { AppError } from "../../domain/errors.ts";
import { creatingVerb, type TaskStore } from "../../ports/task.ts";
import { raiseAll } from "../operating/tasks/rewind-task.ts";
import type { Manifest } from "./manifest.ts";
import { insertPage, quoted } from "./pages.ts";
import { schemaOf } from "./task-copies.ts";

/** The table of the task itself. Its page is inserted last. */
export const LAST_TABLE = "tasks";

/**
 * Empties the tables, which may contain rows of an interrupted restore. Returns false if this copy was already restored.
 *
 * @throws AppError `CONFLICT` if the object has a task, or if a later version of the platform made the copy.
 */
export const beginFilling = creatingVerb("beginFilling", (task, { revision, schema }: Pick<Manifest, "revision" | "schema">): boolean => {
	if (isRestored(task, revision)) return false;
	assertEmpty(task);
	if (schema > schemaOf(task.db))
		throw new AppError("CONFLICT", { message: "A later version of the platform made the copy. Deploy that version first." });
	for (const table of listTables(task.db.$client.sql)) task.db.run(sql.raw(`delete from ${quoted(table)}`));
	return true;
});

export const fillPage = creatingVerb("fillPage", (task, { table, bytes }: { table: string; bytes: Uint8Array }): void => {
	assertEmpty(task);
	insertPage(task.db.$client.sql, table, bytes);
});

/** Writes the task itself, so that it exists from then on. Its leaderboard and counters are rebuilt, and its jobs start again. */
export const endFilling = creatingVerb(
	"endFilling",
	(task, { revision, tables, pages }: Pick<Manifest, "revision" | "tables"> & { pages: readonly Uint8Array[] }): void => {
		if (isRestored(task, revision)) return;
		assertEmpty(task);
		for (const bytes of pages) insertPage(task.db.$client.sql, LAST_TABLE, bytes);
		for (const table of tables) assertWhole(task, table);
		const { db } = task;
		db.update(tasks)
			.set({
				submissionCount: sql`(select count(*) from ${submissions})`,
				competitorCount: sql`(select count(*) from ${entries})`,
			})
			.run();
		rebuildBoard(task);
		raiseAll(task);
		db.insert(copies)
			.values({ id: 1, changedAt: task.realNow, restoredFrom: revision })
			.onConflictDoUpdate({ target: copies.id, set: { restoredFrom: revision } })
			.run();
	},
);

function isRestored({ db }: TaskStore, revision: string): boolean {
	return findTaskId(db) !== null && db.select().from(copies).get()?.restoredFrom === revision;
}

function assertEmpty({ db }: TaskStore): void {
	if (findTaskId(db) === null) return;
	throw new AppError("CONFLICT", {
		message: "The task exists, so it cannot be restored from a copy. To return it to an earlier state, rewind it.",
	});
}

/** @throws AppError `CONFLICT` unless the table has as many rows as the copy. Another restore of the task may have interfered. */
function assertWhole({ db }: TaskStore, { name, rows }: Manifest["tables"][number]): void {
	const present = db.get<{ rows: number }>(sql.raw(`select count(*) as rows from ${quoted(name)}`)).rows;
	if (present === rows) return;
	const message = `The table ${name} has ${present} rows, and the copy has ${rows}. Another restore may have interfered. Run the command again.`;
	throw new AppError("CONFLICT", { message });
}
