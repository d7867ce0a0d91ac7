// Conditions and guards that several features use.
import { type SQL, sql } from "drizzle-orm";
import type { StoredTaskWarning } from "../domain/task-warnings.ts";
import type { Database, Statement } from "../ports/database.ts";
import { guard } from "./commit.ts";

/** Holds while the task is as it was read. */
export function guardTaskRevision(db: Database, { id, revision }: { readonly id: string; readonly revision: number }): Statement {
	return guard(db, sql`exists (select 1 from tasks where id = ${id} and revision = ${revision})`);
}

/** True while the task does not have the warning. */
export function lacksWarning(taskId: string, code: StoredTaskWarning): SQL {
	return sql`not exists (select 1 from task_warnings where task_id = ${taskId} and code = ${code})`;
}

/** Holds while the submission is the agent's, on the task, and has a score that counts. */
export function isPickable({ taskId, agentId, submissionId }: { taskId: string; agentId: string; submissionId: string | null }): SQL {
	return sql`exists (select 1 from submissions where id = ${submissionId} and task_id = ${taskId} and agent_id = ${agentId}
		and final_score is not null and voided_at is null)`;
}

/** True for a webhook that counts toward the limit of this host. Worded as the index `webhooks_capped`. */
export function countsTowardHost(host: string): SQL {
	return sql`host = ${host} and active = 1 and is_capped = 1`;
}

/** True for a webhook with deliveries that wait or have failed. Worded as the index `webhooks_troubled`. */
export function isTroubled(): SQL {
	return sql`(waiting_deliveries > 0 or has_failed_deliveries = 1)`;
}
