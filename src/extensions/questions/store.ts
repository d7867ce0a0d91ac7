// Cards for agents that have asked about a task.
// They let an export or an erasure of an agent find its questions, because an agent that only asks has no other card of the task.
import { eq, sql } from "drizzle-orm";
import { askerCards } from "../../db/schema/cards.ts";
import { questions } from "../../db/task/schema/questions.ts";
import { chunksOf } from "../../domain/chunks.ts";
import type { Deps, RecordedEvent } from "../../ports/deps.ts";
import type { TaskStore } from "../../ports/task.ts";

/** Writes the card of the agent that has asked. Writes none if the question was deleted in the meantime. */
export async function cardAsker({ id, db }: TaskStore, deps: Deps, { event }: RecordedEvent): Promise<null> {
	if (event.type !== "question.asked") return null;
	const row = db.select({ agentId: questions.agentId }).from(questions).where(eq(questions.id, event.questionId)).get();
	if (row !== undefined) await writeAskerCards(deps, id, [row.agentId]);
	return null;
}

/** The ids of this many agents fit into one parameter, whose maximum size is 2 MB. */
const CARDS_PER_STATEMENT = 20_000;

/** Writes cards that say that agents have asked about a task. Safe to repeat. */
export async function writeAskerCards({ db }: Deps, taskId: string, agentIds: readonly string[]): Promise<void> {
	for (const chunk of chunksOf(agentIds, CARDS_PER_STATEMENT)) {
		await db.idempotent.batch([
			db.statement(sql`insert into ${askerCards} (agent_id, task_id) select value, ${taskId} from json_each(${JSON.stringify(chunk)}) where true
				on conflict do nothing`),
		]);
	}
}
