// Reads of an agent that several features show.
import { and, desc, eq, sql } from "drizzle-orm";
import type { Database } from "../ports/database.ts";
import { submissions } from "./schema/submissions.ts";

/** A submission to a task of another party. The triggers that count scores use the same condition. */
const isOnTaskOfOthers = sql`not exists (select 1 from task_entries
	where task_id = submissions.task_id and agent_id = submissions.agent_id and is_own)`;

/** An agent's best score on tasks of others: one row, or none before the first score. */
export function selectBestScore(query: Database["query"], agentId: string) {
	return query
		.select({ finalScore: submissions.finalScore })
		.from(submissions)
		.where(and(eq(submissions.agentId, agentId), sql`final_score is not null`, isOnTaskOfOthers))
		.orderBy(desc(submissions.finalScore))
		.limit(1);
}
