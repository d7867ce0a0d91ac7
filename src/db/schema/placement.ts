import { sql } from "drizzle-orm";
import { check, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The first write records where the data of the deployment is. The row never changes. */
export const placement = sqliteTable(
	"placement",
	{
		id: integer("id").primaryKey(),
		/** The jurisdiction; `none` without one. */
		jurisdiction: text("jurisdiction").notNull(),
	},
	() => [check("placement_once", sql`id = 1`)],
);
