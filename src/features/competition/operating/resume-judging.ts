import { sql } from "drizzle-orm";
import { chunksOf } from "../../../domain/chunks.ts";
import type { Deps } from "../../../ports/deps.ts";

const TASKS_PER_RUN = 5_000;
/** A queue takes this many messages in one call. */
const MESSAGES_PER_CALL = 100;

/**
 * Sends a message to each task that paused while judging was switched off, once it is on again. A paused task asks no one, so only this
 * wakes it. The card says so until the task has resumed, so a lost message is sent again a minute later.
 */
export async function resumeJudging({ db, queues }: Deps): Promise<void> {
	const paused = await db.query.all<{ taskId: string }>(sql`
		select id as "taskId" from task_cards where judging_paused = 1
		and not exists (select 1 from switches where name = 'judging' and is_on = 0) limit ${TASKS_PER_RUN}`);
	const messages = paused.map(({ taskId }) => ({ body: { taskId } }));
	for (const chunk of chunksOf(messages, MESSAGES_PER_CALL)) await queues.tasks.sendBatch(chunk);
}
