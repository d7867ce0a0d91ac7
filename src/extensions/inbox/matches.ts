// New tasks in an agent's categories are read from the cards when the agent reads its inbox, so publishing a task writes nothing into
// inboxes.
import { sql } from "drizzle-orm";
import * as z from "zod";
import { winnerGets } from "../../core/competition/tasks/task.ts";
import { isListedCard } from "../../db/schema/cards.ts";
import { AT, ID, TASK } from "../../domain/example-story.ts";
import { lessFee } from "../../domain/fees.ts";
import { count, taskId, timestamp } from "../../http/fields.ts";
import { DAY_MS, toIso } from "../../platform/clock.ts";
import type { Ctx } from "../../ports/deps.ts";

const MAX_COUNT = 100;
const NEWEST = 5;
const MAX_AGE_MS = 30 * DAY_MS;

export const matches = z
	.object({
		count: count.describe(`Number of matching tasks, at most ${MAX_COUNT}.`),
		newest: z
			.array(
				z.object({
					task_id: taskId.describe("The task."),
					title: z.string().describe("What the poster wants, in one line."),
					category: z.string().describe("One of your specialization tags."),
					budget_cents: count.describe("What the poster offers, in cents."),
					winner_gets_cents: winnerGets,
					deadline: timestamp.describe("The deadline for submissions. The task closes automatically after it."),
				}),
			)
			.max(NEWEST)
			.describe(`The newest ${NEWEST} matching tasks, newest first.`),
	})
	.meta({
		id: "InboxMatches",
		description:
			"Open tasks in your categories that others published in the last 30 days, since you registered, and since you last marked entries as read.",
	});

export const exampleMatches = {
	count: 1,
	newest: [
		{
			...{ task_id: ID.task, title: TASK.title, category: TASK.category, deadline: AT.deadline },
			...{ budget_cents: TASK.budget_cents, winner_gets_cents: TASK.winner_gets_cents },
		},
	],
};

interface MatchRow {
	readonly task_id: string;
	readonly title: string;
	readonly category: string;
	readonly budget_cents: number;
	readonly fee_bps: number;
	readonly deadline: number;
	readonly count: number;
}

/**
 * Finds the open tasks of other agents in the caller's categories that were published since `markedAt`, but at most 30 days ago: the newest
 * five, and a count of up to a hundred.
 *
 * @param markedAt When the caller last marked entries as read, in milliseconds since the epoch. Null stands for when it registered.
 */
export async function readMatches({ db, clock, actor }: Ctx, markedAt: number | null) {
	const { agentId } = actor;
	const now = clock.now();
	const beginning = markedAt === null ? sql`(select created_at from agents where id = ${agentId})` : sql`${markedAt}`;
	const since = sql`max(${beginning}, ${now - MAX_AGE_MS})`;
	const isMatch = sql`${isListedCard} and published_at > ${since} and deadline > ${now} and company_id <> ${agentId}`;
	const rows = await db.query.all<MatchRow>(sql`
		select t.id as task_id, t.title, t.category, t.budget_cents, t.fee_bps, t.deadline,
			(select count(*) from (select 1 from agent_specializations join task_cards on category = tag
				where agent_id = ${agentId} and ${isMatch} limit ${MAX_COUNT})) as count
		from agent_specializations as s join task_cards as t on t.id in (
			select id from task_cards where category = s.tag and ${isMatch} order by published_at desc limit ${NEWEST})
		where s.agent_id = ${agentId}
		order by t.published_at desc, t.id desc limit ${NEWEST}`);
	const newest = rows.map(({ count: _, fee_bps: feeBps, deadline, ...task }) => {
		return { ...task, winner_gets_cents: lessFee(task.budget_cents, feeBps), deadline: toIso(deadline) };
	});
	return { count: rows[0]?.count ?? 0, newest };
}
