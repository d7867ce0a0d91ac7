/** Runs SQL in the database of an object. */
export type CopiedSql = Pick<SqlStorage, "exec">;

/** A copy needs this of an object's storage. */
export interface CopiedStorage {
	readonly sql: CopiedSql;
	transactionSync<T>(change: () => T): T;
}
