import { eq, sql } from "drizzle-orm";
import { guard } from "../../../db/commit.ts";
import { abuseReports, auditLog, standingChanges, switches } from "../../../db/schema/administration.ts";
import { agents } from "../../../db/schema/agents.ts";
import type { SwitchName } from "../../../domain/switches.ts";
import type { Statement } from "../../../ports/database.ts";
import type { Deps } from "../../../ports/deps.ts";

export function insertAuditEntry(deps: Deps, row: typeof auditLog.$inferInsert): Statement {
	return deps.db.query.insert(auditLog).values(row);
}

export function setSuspendedAt(deps: Deps, agentId: string, suspendedAt: number | null): Statement {
	return deps.db.query.update(agents).set({ suspendedAt }).where(eq(agents.id, agentId));
}

export function insertStandingChange(deps: Deps, row: typeof standingChanges.$inferInsert): Statement {
	return deps.db.query.insert(standingChanges).values(row);
}

export function deleteStandingChange(deps: Deps, id: string): Statement {
	return deps.db.query.delete(standingChanges).where(eq(standingChanges.id, id));
}

export function setErasedUpTo(deps: Deps, { id, taskId }: { readonly id: string; readonly taskId: string }): Statement {
	return deps.db.query.update(standingChanges).set({ erasedUpTo: taskId }).where(eq(standingChanges.id, id));
}

/** Guard: the switch has this revision. A switch that was never changed has the revision 0. */
export function guardSwitch(deps: Deps, name: SwitchName, revision: number): Statement {
	return guard(deps.db, sql`coalesce((select revision from switches where name = ${name}), 0) = ${revision}`);
}

export function upsertSwitch(deps: Deps, { name, ...change }: typeof switches.$inferInsert): Statement {
	return deps.db.query
		.insert(switches)
		.values({ name, ...change })
		.onConflictDoUpdate({ target: switches.name, set: change });
}

/** Guard: the report is open. */
export function guardOpenReport(deps: Deps, id: string): Statement {
	return guard(deps.db, sql`exists (select 1 from reports where id = ${id} and resolved_at is null)`);
}

export function setResolvedAt(deps: Deps, id: string, resolvedAt: number): Statement {
	return deps.db.query.update(abuseReports).set({ resolvedAt }).where(eq(abuseReports.id, id));
}

export function insertReport(deps: Deps, row: typeof abuseReports.$inferInsert): Statement {
	return deps.db.query.insert(abuseReports).values(row);
}
