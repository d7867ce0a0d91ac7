// Reads ended tasks from the directory, each with its deal. All pages of results use these queries.
import { and, desc, eq, sql } from "drizzle-orm";
import { QueryBuilder } from "drizzle-orm/sqlite-core";
import { partyOf } from "../../../db/parties.ts";
import { prepareRead } from "../../../db/prepared.ts";
import { isEndedCard, taskCards } from "../../../db/schema/cards.ts";
import { deals, isStandingDeal } from "../../../db/schema/deals.ts";
import { AFTER_ALL_IDS, listedColumns, textBytes } from "../tasks/cards.ts";

type DealRow = typeof deals.$inferSelect;

export interface EndedTaskFilter {
	/** The end and the id of the previous page's last task. Null for the first page. */
	readonly before: { readonly closedAt: number; readonly id: string } | null;
	readonly limit: number;
}

/** The columns have aliases, because deals and cards have columns with the same names. */
const dealOfTask = new QueryBuilder()
	.select({
		dealTaskId: sql<string>`${deals.taskId}`.as("deal_task"),
		dealAgentId: sql<string | null>`${deals.agentId}`.as("deal_agent"),
		dealStatus: sql<DealRow["status"] | null>`${deals.status}`.as("deal_status"),
		dealValueCents: sql<number | null>`${deals.dealValueCents}`.as("deal_value"),
		dealFeeCents: sql<number | null>`${deals.platformFeeCents}`.as("deal_fee"),
		paidAt: sql<number | null>`${deals.paidAt}`.as("deal_paid_at"),
		isVerified: sql<number | null>`${deals.paymentVerified}`.as("deal_verified"),
		seenUnits: sql<string | null>`${deals.seenUnits}`.as("deal_seen_units"),
		disputeHistory: sql<string | null>`case when ${deals.status} = 'disputed' then ${deals.history} end`.as("dispute_history"),
	})
	.from(deals)
	.where(isStandingDeal())
	.as("deal");

const resultColumns = {
	...listedColumns,
	...{ closedAt: taskCards.closedAt, settledAt: taskCards.settledAt },
	...{ winnerId: taskCards.winnerId, winnerName: taskCards.winnerName, winnerScore: taskCards.winnerScore, chosen: taskCards.chosen },
	...{ dealAgentId: dealOfTask.dealAgentId, dealStatus: dealOfTask.dealStatus, dealValueCents: dealOfTask.dealValueCents },
	...{
		dealFeeCents: dealOfTask.dealFeeCents,
		paidAt: dealOfTask.paidAt,
		isVerified: dealOfTask.isVerified,
		seenUnits: dealOfTask.seenUnits,
	},
	disputeHistory: dealOfTask.disputeHistory,
};

const isOfTask = eq(dealOfTask.dealTaskId, taskCards.id);

/** An ended task with its deal. */
export type ResultRow = ReturnType<ReturnType<typeof readEnded>["mapRows"]>[number];

const isEndedBefore = and(
	isEndedCard,
	sql`(${taskCards.closedAt}, ${taskCards.id}) < (${sql.placeholder("closedAt")}, ${sql.placeholder("id")})`,
);
const byEnd = [desc(taskCards.closedAt), desc(taskCards.id)];

/** Reads ended tasks, most recent first. */
export const readEnded = prepareRead((query) =>
	query
		.select(resultColumns)
		.from(taskCards)
		.leftJoin(dealOfTask, isOfTask)
		.where(isEndedBefore)
		.orderBy(...byEnd)
		.limit(sql.placeholder("limit")),
);

/** Reads the size of the texts, in bytes, for each task in {@link readEnded}. */
export const readEndedBytes = prepareRead((query) =>
	query
		.select({ bytes: textBytes })
		.from(taskCards)
		.where(isEndedBefore)
		.orderBy(...byEnd)
		.limit(sql.placeholder("limit")),
);

export const readEndedTask = prepareRead((query) =>
	query
		.select(resultColumns)
		.from(taskCards)
		.leftJoin(dealOfTask, isOfTask)
		.where(and(eq(taskCards.id, sql.placeholder("id")), isEndedCard)),
);

/** Reads the newest ended tasks of a poster. */
export const readEndedOfPoster = prepareRead((query) =>
	query
		.select(resultColumns)
		.from(taskCards)
		.leftJoin(dealOfTask, isOfTask)
		.where(and(eq(taskCards.companyId, sql.placeholder("posterId")), isEndedCard))
		.orderBy(desc(taskCards.id))
		.limit(sql.placeholder("limit")),
);

/** Sorts after every real time. */
const AFTER_ALL_TIMES = Number.MAX_SAFE_INTEGER;

/** Returns the parameters of the queries {@link readEnded} and {@link readEndedBytes}. */
export const valuesOf = ({ before, limit }: EndedTaskFilter) => ({
	...(before ?? { closedAt: AFTER_ALL_TIMES, id: AFTER_ALL_IDS }),
	limit,
});

/** Limits the number of deals in the sum, and with it the number of rows that a page reads. */
export const MAX_SUMMED_DEALS = 10_000;

/**
 * Only deals between agents with the tier `verified` or `staked` count, because these agents belong to a signed-in person. Anyone can
 * create any number of other agents and confirm payments between them.
 */
const isSignedIn = (agent: string) => sql.raw(`${agent}.tier in ('verified', 'staked')`);

/** Reads the total of the deals whose agents say that they have been paid. */
export const readReceivedDeals = prepareRead((query) =>
	query
		.select({ count: sql<number>`count(*)`.as("received_deals"), cents: sql<number>`coalesce(sum(cents), 0)`.as("received_cents") })
		.from(
			sql`(select d.deal_value_cents - d.platform_fee_cents as cents
				from deals d join agents poster on poster.id = d.company_id join agents agent on agent.id = d.agent_id
					join task_cards t on t.id = d.task_id
				where d.status = 'received' and d.deal_value_cents > 0 and t.access = 'public' and t.hidden = 0
					and ${isSignedIn("poster")} and ${isSignedIn("agent")}
					and ${partyOf(sql`d.agent_id`)} is not ${partyOf(sql`d.company_id`)} limit ${sql.raw(String(MAX_SUMMED_DEALS))})`,
		),
);
