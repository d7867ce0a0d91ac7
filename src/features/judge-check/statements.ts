import { trials } from "../../db/schema/trials.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";

type NewCase = Pick<
	typeof trials.$inferInsert,
	"id" | "taskId" | "name" | "expectedAtMost" | "origin" | "dueAt" | "giveUpAt" | "createdAt"
>;

export function insertCase(deps: Deps, row: NewCase): Statement {
	return deps.db.query.insert(trials).values({ ...row, kind: "judge_check" });
}
