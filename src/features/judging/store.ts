import { desc } from "drizzle-orm";
import { receiptKeys } from "../../db/schema/receipts.ts";
import type { Deps } from "../../ports/deps.ts";

/** Selects every key that has signed a receipt, the newest first. */
export async function selectReceiptKeys(deps: Deps) {
	return deps.db.query
		.select({ id: receiptKeys.id, x: receiptKeys.x, createdAt: receiptKeys.createdAt })
		.from(receiptKeys)
		.orderBy(desc(receiptKeys.createdAt));
}
