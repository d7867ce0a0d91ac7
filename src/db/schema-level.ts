import { sql } from "drizzle-orm";
import type { Database } from "../ports/database.ts";

/** Returns the name of the database's newest migration, or an empty text for a database without any. */
export async function findSchemaLevel(db: Database): Promise<string> {
	const [row] = await db.query.all<{ name: string }>(sql`select name from d1_migrations order by id desc limit 1`);
	return row?.name ?? "";
}
