import { eq, gte, lt, lte, notInArray, sql } from "drizzle-orm";
import { alerts, serverErrors } from "../../../db/schema/administration.ts";
import { HOUR_MS, MINUTE_MS } from "../../../platform/clock.ts";
import type { Deps } from "../../../ports/deps.ts";
import { type Cause, REPEAT_MS, SERVER_ERROR_MINUTES } from "./rules.ts";

/** Claims the message about a cause. Returns false if it was sent within the last hour. */
export async function claimAlert({ db, clock }: Deps, { name, text }: Cause): Promise<boolean> {
	const now = clock.now();
	const claimed = await db.query
		.insert(alerts)
		.values({ cause: name, text, sentAt: now })
		.onConflictDoUpdate({ target: alerts.cause, set: { text, sentAt: now }, setWhere: lte(alerts.sentAt, now - REPEAT_MS) })
		.returning({ cause: alerts.cause });
	return claimed.length > 0;
}

/** Makes the message about a cause due again, because no one received it. */
export async function releaseAlert({ db }: Deps, cause: string): Promise<void> {
	await db.query.update(alerts).set({ sentAt: 0 }).where(eq(alerts.cause, cause));
}

type Alert = typeof alerts.$inferSelect;

/** Deletes the causes that are over, and returns those that operators have been told of. */
export async function endAlerts({ db }: Deps, lasting: readonly string[]): Promise<Alert[]> {
	const ended = await db.query
		.delete(alerts)
		.where(notInArray(alerts.cause, [...lasting]))
		.returning();
	return ended.filter(({ sentAt }) => sentAt > 0);
}

/** Keeps a cause that is over, because no one received the message about its end. */
export async function keepAlert({ db }: Deps, alert: Alert): Promise<void> {
	await db.query.insert(alerts).values(alert).onConflictDoNothing();
}

/** @param minute Minutes count from the epoch. */
export async function noteServerErrors({ db }: Deps, minute: number, errors: number): Promise<void> {
	await db.query
		.insert(serverErrors)
		.values({ minute, errors })
		.onConflictDoUpdate({ target: serverErrors.minute, set: { errors: sql`${serverErrors.errors} + ${errors}` } });
}

/** Sums the responses with 5xx of the last minutes, as far as isolates have written them. */
export async function sumServerErrors({ db, clock }: Deps): Promise<number> {
	const since = Math.floor(clock.now() / MINUTE_MS) - SERVER_ERROR_MINUTES;
	const [row] = await db.query
		.select({ sum: sql<number>`coalesce(sum(errors), 0)` })
		.from(serverErrors)
		.where(gte(serverErrors.minute, since));
	return row?.sum ?? 0;
}

export async function forgetServerErrors({ db, clock }: Deps): Promise<void> {
	await db.query.delete(serverErrors).where(lt(serverErrors.minute, Math.floor((clock.now() - HOUR_MS) / MINUTE_MS)));
}
