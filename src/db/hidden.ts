import { type SQL, sql } from "drizzle-orm";
import { isAgentSuspended } from "./parties.ts";

/** An expression for the column `hidden` of a task: it was taken down, or its owner is suspended. */
export const isHiddenNow: SQL<number> = sql<number>`(tasks.taken_down_at is not null or ${isAgentSuspended(sql`tasks.company_id`)})`;
