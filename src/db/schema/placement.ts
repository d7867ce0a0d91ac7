import { sql } from "drizzle-orm";
import { check, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Where the deployment's data is stored, recorded by the first write. The row never changes. */
export const placement = sqliteTable(
	"placement",
	{
		id: integer("id").primaryKey(),
		/** A jurisdiction of Cloudflare, or `none`. */
		jurisdiction: text("jurisdiction").notNull(),
	},
	() => [check("placement_once", sql`id = 1`)],
);
