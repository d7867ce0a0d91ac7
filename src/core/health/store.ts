import { desc, eq, sql } from "drizzle-orm";
import { auditLog, queueAge } from "../../db/schema/administration.ts";
import { GRADER_TEST_ACTION } from "../../domain/audit.ts";
import type { Database } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";

/** Reads how long the oldest evaluation had been waiting when that was last measured. Returns 0 if it was never measured. */
export async function findQueueAgeMs(deps: Deps): Promise<number> {
	const [row] = await deps.db.query.select({ ageMs: queueAge.ageMs }).from(queueAge);
	return row?.ageMs ?? 0;
}

/** Reads the result of the grader's last test from its short entry in the audit log. Returns null if there has been no test. */
export async function findGraderTest(deps: Deps): Promise<string | null> {
	const isTest = eq(auditLog.action, GRADER_TEST_ACTION);
	const [row] = await deps.db.query.select({ after: auditLog.after }).from(auditLog).where(isTest).orderBy(desc(auditLog.id)).limit(1);
	return row?.after ?? null;
}

/** Returns the name of the database's newest migration, or an empty string if there is none. */
export async function findSchemaLevel(db: Database): Promise<string> {
	const [row] = await db.query.all<{ name: string }>(sql`select name from d1_migrations order by id desc limit 1`);
	return row?.name ?? "";
}
