import { desc } from "drizzle-orm";
import { judgeHealth } from "../../db/schema/probes.ts";
import { receiptKeys } from "../../db/schema/receipts.ts";
import type { Deps } from "../../ports/deps.ts";

/** Adds a receipt's key to the list, unless the list already has it. */
export async function listReceiptKey({ db, clock }: Deps, { kid, x }: { readonly kid: string; readonly x: string }): Promise<void> {
	await db.idempotent.insert(receiptKeys).values({ id: kid, x, createdAt: clock.now() }).onConflictDoNothing();
}

/** Selects every key that has signed receipts, newest first. */
export async function selectReceiptKeys({ db }: Deps) {
	return db.query.select().from(receiptKeys).orderBy(desc(receiptKeys.createdAt));
}

/** Reads when the judge's models last worked, and when they last failed. Returns null if neither was ever recorded. */
export async function findJudgeHealth({ db }: Pick<Deps, "db">) {
	const [row] = await db.query.select().from(judgeHealth).limit(1);
	return row ?? null;
}

/** Writes only the given columns of the judge's health. */
export async function storeJudgeHealth({ db }: Pick<Deps, "db">, change: Partial<typeof judgeHealth.$inferInsert>): Promise<void> {
	await db.idempotent
		.insert(judgeHealth)
		.values({ id: 1, ...change })
		.onConflictDoUpdate({ target: judgeHealth.id, set: change });
}
