import { asc, eq, type SQL, sql } from "drizzle-orm";
import { isAgentSuspended } from "../../db/parties.ts";
import { agentSpecializations, agents } from "../../db/schema/agents.ts";
import { isStandingDeal } from "../../db/schema/deals.ts";
import { bytesOf, textOf } from "../../db/schema/id-bytes.ts";
import type { DealStatus } from "../../domain/deal-status.ts";
import { DAY_MS } from "../../platform/clock.ts";
import type { Deps } from "../../ports/deps.ts";

/** This condition is true for the card `t` of a task whose results anyone may know: names of others are pseudonyms until the end. */
const isEnded = sql`t.status = 'closed' and t.access = 'public'`;
/** The ranks of a closed task can still change until it is settled. */
const isDecided = sql`t.settled_at is not null`;
/** This condition is true for the card `s` of a submission that has a score, on a task of another party. */
const isScored = sql`s.final_score is not null and s.details->>'voidedAt' is null`;

/** Reads an agent with its record on public tasks, in one round trip. Returns null if it is unknown, suspended or erased. */
export async function findPublicAgent({ db }: Deps, agentId: string) {
	const [[agent], tags, [work], [posted], [deals]] = await db.query.batch([
		db.query
			.select({
				id: agents.id,
				displayName: agents.displayName,
				bio: agents.bio,
				createdAt: agents.createdAt,
				tier: agents.tier,
				isHidden: sql<number>`(${agents.erasedAt} is not null or ${isAgentSuspended(sql`${agentId}`)})`.as("is_hidden"),
			})
			.from(agents)
			.where(eq(agents.id, agentId)),
		db.query
			.select({ tag: agentSpecializations.tag })
			.from(agentSpecializations)
			.where(eq(agentSpecializations.agentId, agentId))
			.orderBy(asc(agentSpecializations.tag)),
		db.query
			.select({
				tasksEntered: sql<number>`tasks_entered`,
				evaluatedSubmissions: sql<number>`evaluated_submissions`,
				scoreHundredths: sql<number>`score_hundredths`,
				bestScore: sql<number | null>`best_score`,
				wins: winsOf(agentId),
			})
			.from(workOf(agentId)),
		db.query
			.select({ tasks: sql<number>`count(*)`.as("tasks") })
			.from(sql`task_cards t`)
			.where(sql`t.company_id = ${agentId} and t.status <> 'draft' and t.access = 'public'`),
		db.query.select(dealCounts).from(dealsOf(agentId)),
	]);
	if (agent === undefined || work === undefined || posted === undefined || deals === undefined || agent.isHidden === 1) return null;
	return { agent, tags: tags.map(({ tag }) => tag), work, posted, deals };
}

/** A score that the poster has changed in a review counts as the judges gave it. */
function workOf(agentId: string): SQL {
	return sql`(select count(distinct s.task_id) as tasks_entered, count(case when ${isScored} then 1 end) as evaluated_submissions,
			coalesce(sum(case when ${isScored} then cast(round(s.judge_score * 100) as integer) end), 0) as score_hundredths,
			max(case when ${isScored} then s.judge_score end) as best_score
		from submission_cards s join task_cards t on t.id = ${textOf("s.task_id")}
		where s.agent_id = ${bytesOf(agentId)} and not s.is_own and ${isEnded})`;
}

function winsOf(agentId: string) {
	return sql<number>`(select count(*) from task_cards t where t.winner_id = ${agentId} and ${isEnded} and ${isDecided}
		and t.id not in (select ${textOf("s.task_id")} from submission_cards s where s.agent_id = ${bytesOf(agentId)} and s.is_own))`.as(
		"wins",
	);
}

/** Selects one row for each deal of a poster, the paid ones numbered by how long their payment took. */
function dealsOf(posterId: string): SQL {
	return sql`(select d.status as status, d.paid_at as paid_at, (d.paid_at - d.created_at) as wait,
			row_number() over (partition by d.paid_at is null order by d.paid_at - d.created_at) as place,
			count(d.paid_at) over () as paid
		from deals d join task_cards t on t.id = d.task_id where d.company_id = ${posterId} and ${isStandingDeal("d")} and t.access = 'public')`;
}

/** The median of an even number of waits is the mean of the two in the middle. */
const isMiddle = sql`paid_at is not null and place in ((paid + 1) / 2, (paid + 2) / 2)`;

const dealCounts = {
	recorded: sql<number>`count(*)`.as("recorded"),
	paid: sql<number>`count(paid_at)`.as("paid_deals"),
	received: sql<number>`count(case when status = 'received' then 1 end)`.as("received"),
	disputed: sql<number>`count(case when status = 'disputed' then 1 end)`.as("disputed"),
	medianDays: sql<number | null>`round(max(0, avg(case when ${isMiddle} then wait end) / ${sql.raw(`${DAY_MS}.0`)}), 2)`.as("median_days"),
};

const SHOWN_TASKS = 20;

/** Reads the newest public tasks that have ended and that an agent has competed on or posted, in one round trip. */
export async function findHistory({ db }: Deps, agentId: string) {
	const ended = sql`${isEnded} and t.hidden = 0`;
	const [entered, posted] = await db.query.batch([
		db.query
			.select({
				id: sql<string>`id`,
				title: sql<string>`title`,
				endedAt: sql<number>`ended_at`,
				bestScore: sql<number>`best_score`,
				isWon: sql<number>`is_won`,
			})
			.from(
				sql`(select t.id as id, t.title as title, t.closed_at as ended_at, max(s.final_score) as best_score,
						(t.winner_id is ${agentId} and ${isDecided}) as is_won
					from submission_cards s join task_cards t on t.id = ${textOf("s.task_id")}
					where s.agent_id = ${bytesOf(agentId)} and not s.is_own and ${isScored} and ${ended}
					group by t.id order by t.closed_at desc limit ${SHOWN_TASKS})`,
			),
		db.query
			.select({
				id: sql<string>`id`,
				title: sql<string>`title`,
				endedAt: sql<number>`ended_at`,
				budgetCents: sql<number>`budget_cents`,
				competitors: sql<number>`competitors`,
				dealStatus: sql<DealStatus | null>`deal_status`,
			})
			.from(
				sql`(select t.id as id, t.title as title, t.closed_at as ended_at, t.budget_cents as budget_cents,
						t.competitor_count as competitors, (select d.status from deals d where d.task_id = t.id and ${isStandingDeal("d")}) as deal_status
					from task_cards t where t.company_id = ${agentId} and ${ended} order by t.id desc limit ${SHOWN_TASKS})`,
			),
	]);
	return { entered: entered.map((task) => ({ ...task, isWon: task.isWon === 1 })), posted };
}
