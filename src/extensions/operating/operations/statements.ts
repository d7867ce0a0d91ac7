import { lt, sql } from "drizzle-orm";
import { guard } from "../../../db/commit.ts";
import { queueAge, queueHours } from "../../../db/schema/administration.ts";
import type { CeilingChanges } from "../../../domain/spend.ts";
import type { Statement } from "../../../ports/database.ts";
import type { Deps } from "../../../ports/deps.ts";

/** Stores how long the oldest evaluation has been waiting, for `/ready`. Always writes, so that a full database is noticed. */
export function putQueueAge(deps: Deps, ageMs: number): Statement {
	return deps.db.query.insert(queueAge).values({ id: 1, ageMs }).onConflictDoUpdate({ target: queueAge.id, set: { ageMs } });
}

/** Stores the longest queue and the longest wait of the current hour so far, and deletes the hours before `oldest`. */
export function putQueueHour(deps: Deps, row: typeof queueHours.$inferInsert, oldest: number): Statement[] {
	const { query } = deps.db;
	const [waiting, ageMs] = [sql`max(${queueHours.waiting}, ${row.waiting})`, sql`max(${queueHours.ageMs}, ${row.ageMs})`];
	const isWorse = sql`${queueHours.waiting} < ${row.waiting} or ${queueHours.ageMs} < ${row.ageMs}`;
	return [
		query.insert(queueHours).values(row).onConflictDoUpdate({ target: queueHours.hour, set: { waiting, ageMs }, setWhere: isWorse }),
		query.delete(queueHours).where(lt(queueHours.hour, oldest)),
	];
}

/** Replaces the ceilings that operators have set, unless they have changed since they were read. */
export function replaceCeilings(deps: Deps, before: CeilingChanges, after: CeilingChanges): Statement[] {
	const [was, is] = [JSON.stringify(Object.entries(before)), JSON.stringify(Object.entries(after))];
	const asRead = sql`select value->>0, value->>1 from json_each(${was})`;
	const stored = sql`select name, value from spend_ceilings`;
	return [
		guard(deps.db, sql`not exists (${stored} except ${asRead}) and not exists (${asRead} except ${stored})`),
		deps.db.statement(sql`delete from spend_ceilings`),
		deps.db.statement(sql`insert into spend_ceilings (name, value) select value->>0, value->>1 from json_each(${is})`),
	];
}
