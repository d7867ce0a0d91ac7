import { and, desc, eq, sql } from "drizzle-orm";
import { agents } from "../../db/schema/agents.ts";
import { submissionCards, taskCards } from "../../db/schema/cards.ts";
import { textOf } from "../../db/schema/id-bytes.ts";
import type { Deps } from "../../ports/deps.ts";
import { MAX_MARKED } from "./rules.ts";

/** The number of an agent's newest submissions that are read, because a program may have thousands. */
const MAX_SUBMISSIONS = 1_000;

interface ReaderFacts {
	readonly name: string;
	/** Ids of open tasks. */
	readonly entered: string[];
	readonly posted: string[];
}

/** Reads an agent's name, and which open tasks it has submitted to and posted, in one round trip. */
export async function selectReaderFacts({ db: { query } }: Deps, agentId: string): Promise<ReaderFacts> {
	// Test tasks are not listed.
	const isListed = sql`${taskCards.status} = 'open' and ${taskCards.isTest} = 0`;
	const newest = query
		.select({ taskId: submissionCards.taskId })
		.from(submissionCards)
		.where(eq(submissionCards.agentId, agentId))
		.orderBy(desc(submissionCards.id))
		.limit(MAX_SUBMISSIONS)
		.as("newest");
	const [[agent], entered, posted] = await query.batch([
		query.select({ name: agents.displayName }).from(agents).where(eq(agents.id, agentId)),
		query
			.selectDistinct({ id: taskCards.id })
			.from(newest)
			.innerJoin(taskCards, and(eq(taskCards.id, textOf("newest.task_id")), isListed))
			.limit(MAX_MARKED),
		query
			.select({ id: taskCards.id })
			.from(taskCards)
			.where(and(eq(taskCards.companyId, agentId), isListed))
			.orderBy(desc(taskCards.id))
			.limit(MAX_MARKED),
	]);
	return { name: agent?.name ?? "", entered: entered.map(({ id }) => id), posted: posted.map(({ id }) => id) };
}
