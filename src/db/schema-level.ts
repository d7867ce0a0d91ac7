import { sql } from "drizzle-orm";
import type { Database } from "../ports/database.ts";

/** The name of the newest migration that the database has; empty for one without any. */
export async function findSchemaLevel(db: Database): Promise<string> {
	const [row] = await db.query.all<{ name: string }>(sql`select name from d1_migrations order by id desc limit 1`);
	return row?.name ?? "";
}
