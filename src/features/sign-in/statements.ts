import { eq } from "drizzle-orm";
import { sessions, users } from "../../db/schema/users.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";

export function insertUser(deps: Deps, row: typeof users.$inferInsert): Statement {
	return deps.db.query.insert(users).values(row);
}

export function insertSession(deps: Deps, row: typeof sessions.$inferInsert): Statement {
	return deps.db.query.insert(sessions).values(row);
}

export function deleteSession(deps: Deps, hash: string): Statement {
	return deps.db.query.delete(sessions).where(eq(sessions.hash, hash));
}
