import { receiptKeys } from "../../db/schema/receipts.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";

/** Lists the key of a receipt. Every commit of a receipt contains this, so a receipt is never visible before its key. */
export function listReceiptKey(deps: Deps, { id, x }: Pick<typeof receiptKeys.$inferInsert, "id" | "x">): Statement {
	return deps.db.query.insert(receiptKeys).values({ id, x, createdAt: deps.clock.now() }).onConflictDoNothing();
}
