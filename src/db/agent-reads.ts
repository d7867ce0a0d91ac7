// Reads about agents that several features need.
import { and, eq, inArray, sql } from "drizzle-orm";
import { chunksOf } from "../domain/chunks.ts";
import type { Database } from "../ports/database.ts";
import { agents } from "./schema/agents.ts";
import { submissionCards } from "./schema/cards.ts";
import { isStandingDeal } from "./schema/deals.ts";
import { bytesOf, textOf } from "./schema/id-bytes.ts";

/** True for the card of a submission whose score counts in {@link selectResults}, which leaves out test tasks itself. */
const isCounted = sql`not is_own and final_score is not null and details->>'voidedAt' is null`;

/** Selects one row with an agent's results on the tasks of other posters. */
export function selectResults(query: Database["query"], agentId: string) {
	const own = sql`(select ${textOf("task_id")} from submission_cards where agent_id = ${bytesOf(agentId)} and is_own)`;
	return query
		.select({
			tasksEntered: sql<number>`count(distinct case when not is_own then task_id end)`.as("tasks_entered"),
			evaluatedSubmissions: sql<number>`count(case when ${isCounted} then 1 end)`.as("evaluated_submissions"),
			scoreHundredths: sql<number>`coalesce(sum(case when ${isCounted} then cast(round(final_score * 100) as integer) end), 0)`.as(
				"score_hundredths",
			),
			bestScore: sql<number | null>`max(case when ${isCounted} then final_score end)`.as("best_score"),
			wins: sql<number>`(select count(*) from task_cards where winner_id = ${agentId} and is_test = 0 and id not in ${own})`.as("wins"),
			dealsWon: sql<number>`(select count(*) from deals where agent_id = ${agentId} and is_test = 0 and ${isStandingDeal()})`.as(
				"deals_won",
			),
		})
		.from(submissionCards)
		.where(and(eq(submissionCards.agentId, agentId), sql`is_test = 0`));
}

/** D1 takes at most 100 parameters. */
const NAMES_PER_QUERY = 90;

/** Reads the current display names of agents, by their ids. */
export async function findAgentNames({ query }: Database, agentIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
	const chunks = chunksOf([...new Set(agentIds)], NAMES_PER_QUERY);
	const rows = await Promise.all(
		chunks.map((ids) => query.select({ id: agents.id, name: agents.displayName }).from(agents).where(inArray(agents.id, ids))),
	);
	return new Map(rows.flat().map(({ id, name }) => [id, name]));
}
