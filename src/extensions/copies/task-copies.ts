// A task's object copies itself to the bucket.
import { getTableName, sql } from "drizzle-orm";
import { copyPrefix } from "../../core/competition/tasks/stored-objects.ts";
import { findTaskId, hasTables, selectTask } from "../../db/task/database.ts";
import { prepareOnce } from "../../db/task/prepared.ts";
import { copiedLater, copies } from "../../db/task/schema/copies.ts";
import { board } from "../../db/task/schema/submissions.ts";
import { outbox, relays, type TaskRow } from "../../db/task/schema/task.ts";
import type { Deps } from "../../ports/deps.ts";
import type { WorkingDuty } from "../../ports/joints.ts";
import type { TaskStore } from "../../ports/task.ts";
import { noteChange } from "./book.ts";
import { advanceCopy, type CopiedObject } from "./make-copy.ts";
import { workDueAt } from "./rules.ts";

/** Tables that only grow. If an erasure changes one of their rows, the copy starts again. */
const GROWING_TABLES = ["evaluations", "public_log", "reports"] as const;

/** Tables that are not copied, each with the reason. All others are copied, including new ones. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
	[getTableName(board)]: "The board is rebuilt from entries and submissions.",
	[getTableName(copies)]: "This table describes the copies themselves.",
	[getTableName(copiedLater)]: "This table describes the copies themselves.",
	[getTableName(outbox)]: "The events in the outbox are sent within seconds, and cards are written again.",
	[getTableName(relays)]: "No relay remembers an object that was lost.",
};

const bookQuery = prepareOnce((db) => db.select().from(copies).prepare());

/** A task ends twice: when it is closed, and when its ranks are final. */
function endsOf(task: TaskRow | null): number[] {
	return [task?.closedAt ?? null, task?.settledAt ?? null].filter((at) => at !== null);
}

function copiedTask({ id, db }: TaskStore): CopiedObject {
	return {
		...{ id, prefix: copyPrefix(id), storage: db.$client, growing: GROWING_TABLES, leftOut: Object.keys(LEFT_OUT) },
		ends: () => endsOf(selectTask(db)),
		isThere: () => hasTables(db) && findTaskId(db) !== null,
		schema: () => schemaOf(db),
	};
}

/** Returns the time of the last migration that the object has applied, which identifies the migration. */
export function schemaOf(db: TaskStore["db"]): number {
	return db.get<{ at: number }>(sql`select max(created_at) as at from __drizzle_migrations`).at;
}

export const keepCopied = {
	name: "copy",
	isInRealTime: true,
	dueAt(task) {
		const book = bookQuery(task.db).get();
		return book === undefined ? null : workDueAt(book, endsOf(selectTask(task.db)));
	},
	noteChange: ({ db, realNow }) => noteChange(db.$client.sql, realNow),
	work: (task: TaskStore, { bucket, log, clock, random, ids }: Deps) =>
		advanceCopy(copiedTask(task), { bucket, log, now: () => clock.now(), random, newId: () => ids.next() }),
	// Does nothing, because making a copy does not change the task.
	run: () => {},
} satisfies WorkingDuty;
