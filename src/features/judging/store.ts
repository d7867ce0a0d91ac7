import { desc } from "drizzle-orm";
import { receiptKeys } from "../../db/schema/receipts.ts";
import type { Deps } from "../../ports/deps.ts";

/** Lists the key of a receipt, once. */
export async function listReceiptKey({ db, clock }: Deps, { kid, x }: { readonly kid: string; readonly x: string }): Promise<void> {
	await db.idempotent.insert(receiptKeys).values({ id: kid, x, createdAt: clock.now() }).onConflictDoNothing();
}

/** Selects every key that has signed a receipt, the newest first. */
export async function selectReceiptKeys({ db }: Deps) {
	return db.query.select().from(receiptKeys).orderBy(desc(receiptKeys.createdAt));
}
