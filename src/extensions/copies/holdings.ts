import { sql } from "drizzle-orm";
import type { Holding } from "../../ports/joints.ts";
import { ASK_AT_ONCE } from "./book.ts";

/** What is erased in the object must leave the bucket too. */
export const copyHolding: Holding = {
	erase: ({ db }) => void db.run(sql.raw(ASK_AT_ONCE)),
};
