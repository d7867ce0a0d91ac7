// A workspace's object copies itself to the bucket, including the inbox.
import { listTables } from "../../db/object-tables.ts";
import type { RestoreWorkspace, WorkspaceRefusal } from "../../ports/workspace.ts";
import { noteChange, readBook } from "./book.ts";
import { advanceCopy, type CopiedObject, type CopyMeans, deleteExcept } from "./make-copy.ts";
import { insertPage, quoted } from "./pages.ts";
import { workDueAt } from "./rules.ts";

/** Tables that are not copied, each with the reason. All others are copied, including new ones. */
export const LEFT_OUT = {
	copies: "This table describes the copies themselves.",
	copied_later: "This table describes the copies themselves.",
	inbox_relays: "No relay remembers an object that was lost.",
	schema_steps: "This table describes the object's own tables, which may be newer than the copy.",
} as const satisfies Readonly<Record<string, string>>;

/** `owner` is the agent's id. It is stored, because an alarm does not say whose workspace to copy. */
const BOOK = `
	create table if not exists copies (
		id integer primary key,
		owner text,
		changed_at integer,
		is_urgent integer not null default 0,
		revision text,
		copied_at integer,
		digest text,
		under_way text,
		must_clean integer not null default 0,
		tries integer not null default 0,
		next_try_at integer not null default 0
	) strict;
	create table if not exists copied_later (table_name text not null, key text not null, primary key (table_name, key)) strict, without rowid`;

/** Tables that are created with one row in them. A new workspace has this row, so it still counts as empty. */
const MADE_WITH_ROWS: readonly string[] = ["totals"];

export function workspaceCopyPrefix(agentId: string): string {
	return `workspaces/${agentId}/copy/`;
}

/** The state of one object's copies, and the code that makes them. */
export class WorkspaceCopies {
	readonly #storage: DurableObjectStorage;
	readonly #means: CopyMeans;

	constructor(storage: DurableObjectStorage, means: CopyMeans) {
		this.#storage = storage;
		this.#means = means;
	}

	/** Records that the workspace has changed. Returns true for the first change since the newest copy, which schedules the next copy. */
	noteChange(agentId: string): boolean {
		const { sql } = this.#storage;
		if (this.#hasBook() && readBook(sql).changedAt !== null) return false;
		sql.exec(BOOK);
		noteChange(sql, this.#means.now());
		sql.exec("update copies set owner = ?", agentId);
		return true;
	}

	/** Returns when the next step is due, in milliseconds since the epoch. Null if none is due. */
	nextDue(): number | null {
		return this.#hasBook() ? workDueAt(readBook(this.#storage.sql), []) : null;
	}

	/** Runs the next step if it is due: either of making a copy, or of deleting older ones. */
	async advance(): Promise<void> {
		const due = this.nextDue();
		if (due === null || due > this.#means.now()) return;
		const { owner } = this.#storage.sql.exec<{ owner: string }>("select owner from copies").one();
		await advanceCopy(this.#objectOf(owner), this.#means);
	}

	/** Deletes all copies of an erased workspace. A copy in progress notices the erasure, and deletes what it stores. */
	async erase(agentId: string): Promise<void> {
		await deleteExcept(this.#means.bucket, workspaceCopyPrefix(agentId), null);
	}

	/** Fills an empty workspace, in one transaction. Refuses a workspace that contains rows, and a copy with newer tables. */
	restore(
		agentId: string,
		{ pages, tables, schema }: RestoreWorkspace,
	): { readonly rows: number } | WorkspaceRefusal<"NOT_EMPTY" | "UNKNOWN_TABLE"> {
		const { sql } = this.#storage;
		const own = listTables(sql).filter((name) => !Object.hasOwn(LEFT_OUT, name));
		if (own.some((name) => !MADE_WITH_ROWS.includes(name) && this.#count(name) > 0)) return { refused: "NOT_EMPTY" };
		if (schema > this.#schema() || tables.some((name) => !own.includes(name))) return { refused: "UNKNOWN_TABLE" };
		const rows = this.#storage.transactionSync(() => {
			for (const name of own) sql.exec(`delete from ${quoted(name)}`);
			return pages.reduce((sum, { table, bytes }) => sum + insertPage(sql, table, bytes), 0);
		});
		this.noteChange(agentId);
		return { rows };
	}

	#count(table: string): number {
		return this.#storage.sql.exec<{ rows: number }>(`select count(*) as rows from ${quoted(table)}`).one().rows;
	}

	#hasBook(): boolean {
		return [...this.#storage.sql.exec("select 1 from sqlite_master where name = 'copies'")].length > 0;
	}

	#objectOf(id: string): CopiedObject {
		return {
			...{ id, prefix: workspaceCopyPrefix(id), storage: this.#storage, growing: [], leftOut: Object.keys(LEFT_OUT) },
			ends: () => [],
			isThere: () => this.#hasBook(),
			schema: () => this.#schema(),
		};
	}

	/** Returns the number of the last migration that the object has applied. */
	#schema(): number {
		return this.#storage.sql.exec<{ step: number }>("select max(step) as step from schema_steps").one().step;
	}
}
