/** Runs SQL in the database of an object. */
export type CopiedSql = Pick<SqlStorage, "exec">;

/** The parts of an object's storage that a copy needs. */
export interface CopiedStorage {
	readonly sql: CopiedSql;
	transactionSync<T>(change: () => T): T;
}
