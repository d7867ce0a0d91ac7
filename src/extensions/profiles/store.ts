import { asc, eq, type SQL, sql } from "drizzle-orm";
import { viewResult } from "../../core/competition/results/result.ts";
import { readEndedOfPoster } from "../../core/competition/results/rows.ts";
import { isAgentSuspended, partyOf } from "../../db/parties.ts";
import { prepareRead } from "../../db/prepared.ts";
import { agentSpecializations, agents } from "../../db/schema/agents.ts";
import { isStandingDeal } from "../../db/schema/deals.ts";
import { bytesOf, textOf } from "../../db/schema/id-bytes.ts";
import { USDC_UNITS_PER_CENT } from "../../domain/chains.ts";
import { DAY_MS } from "../../platform/clock.ts";
import type { Deps } from "../../ports/deps.ts";

/** True for the card `t` of a task whose results are public. Until a task has ended, the names of others are pseudonyms. */
const isEnded = sql`t.status = 'closed' and t.access = 'public'`;
/** The ranks of a closed task can still change until it is settled. */
const isDecided = sql`t.settled_at is not null`;
/** True for the card `s` of a submission that has a score and was not voided. */
const isScored = sql`s.final_score is not null and s.details->>'voidedAt' is null`;

/** Reads an agent with its record on public tasks, in one round trip. Returns null if it is unknown, suspended or erased. */
export async function findPublicAgent({ db, clock }: Deps, agentId: string) {
	const now = clock.now();
	const [[agent], tags, [work], [ownProgram], [posted], [deals]] = await db.query.batch([
		db.query
			.select({
				id: agents.id,
				displayName: agents.displayName,
				bio: agents.bio,
				createdAt: agents.createdAt,
				tier: agents.tier,
				isHidden: isHidden(agentId),
			})
			.from(agents)
			.where(eq(agents.id, agentId)),
		db.query
			.select({ tag: agentSpecializations.tag })
			.from(agentSpecializations)
			.where(eq(agentSpecializations.agentId, agentId))
			.orderBy(asc(agentSpecializations.tag)),
		selectWork(db, agentId, JUDGED_HERE),
		selectWork(db, agentId, OWN_PROGRAM),
		selectPosted(db, agentId, now),
		db.query.select(dealCounts).from(dealsOf(agentId)),
	]);
	if (agent === undefined || work === undefined || ownProgram === undefined || posted === undefined || deals === undefined) return null;
	return agent.isHidden === 1 ? null : { agent, tags: tags.map(({ tag }) => tag), work, ownProgram, posted, deals };
}

/** Reads an agent's record as a poster, in one round trip. Returns null if the agent is unknown, suspended or erased. */
export async function findPoster({ db, clock }: Deps, agentId: string) {
	const [[agent], [posted], [deals]] = await db.query.batch([
		db.query
			.select({ isHidden: isHidden(agentId) })
			.from(agents)
			.where(eq(agents.id, agentId)),
		selectPosted(db, agentId, clock.now()),
		db.query.select(dealCounts).from(dealsOf(agentId)),
	]);
	return agent === undefined || agent.isHidden === 1 || posted === undefined || deals === undefined ? null : { posted, deals };
}

function isHidden(agentId: string) {
	return sql<number>`(${agents.erasedAt} is not null or ${isAgentSuspended(sql`${agentId}`)})`.as("is_hidden");
}

function selectPosted(db: Deps["db"], agentId: string, now: number) {
	return db.query
		.select({
			tasks: sql<number>`count(*)`.as("tasks"),
			withoutDeal: sql<number>`count(case when ${isWithoutDeal(now)} then 1 end)`.as("without_deal"),
		})
		.from(sql`task_cards t`)
		.where(sql`t.company_id = ${agentId} and t.status <> 'draft' and t.access = 'public'`);
}

/** In these modes, the platform's judge scores the work. */
const JUDGED_HERE = sql`t.eval_mode in ('llm', 'hybrid')`;
/** In these modes, the poster's own program scores the work, so the scores say less about the agent. */
const OWN_PROGRAM = sql`t.eval_mode in ('external', 'container')`;

/** If the poster changed a score in a review, the score that the judges gave counts. */
function selectWork(db: Deps["db"], agentId: string, isOfMode: SQL) {
	const work = sql`(select count(distinct s.task_id) as tasks_entered, count(case when ${isScored} then 1 end) as evaluated_submissions,
			coalesce(sum(case when ${isScored} then cast(round(s.judge_score * 100) as integer) end), 0) as score_hundredths,
			max(case when ${isScored} then s.judge_score end) as best_score
		from submission_cards s join task_cards t on t.id = ${textOf("s.task_id")}
		where s.agent_id = ${bytesOf(agentId)} and not s.is_own and ${isEnded} and ${isOfMode})`;
	return db.query
		.select({
			tasksEntered: sql<number>`tasks_entered`,
			evaluatedSubmissions: sql<number>`evaluated_submissions`,
			scoreHundredths: sql<number>`score_hundredths`,
			bestScore: sql<number | null>`best_score`,
			wins: sql<number>`(select count(*) from task_cards t where t.winner_id = ${agentId} and ${isEnded} and ${isDecided} and ${isOfMode}
				and t.id not in (select ${textOf("s.task_id")} from submission_cards s where s.agent_id = ${bytesOf(agentId)} and s.is_own))`.as(
				"wins",
			),
		})
		.from(work);
}

/** False for deals `d` of 0 cents, deals with oneself, and declined deals, because they say nothing about a poster. */
const isTelling = sql`${isStandingDeal("d")} and d.deal_value_cents > 0 and ${partyOf(sql`d.agent_id`)} is not ${partyOf(sql`d.company_id`)}`;

/** If a poster has not chosen an agent after this time, the task counts as one without a deal. */
const WITHOUT_DEAL_MS = 14 * DAY_MS;

/** True for a task `t` that has a scored submission, ended long ago, and has no chosen agent. */
function isWithoutDeal(now: number): SQL {
	return sql`t.status = 'closed' and t.winner_id is not null and min(t.deadline, t.closed_at) < ${now - WITHOUT_DEAL_MS}
		and not exists (select 1 from deals d where d.task_id = t.id and ${isTelling})`;
}

/** Selects one row for each deal of a poster. Verified deals are numbered by how long their payment took. */
function dealsOf(posterId: string): SQL {
	return sql`(select d.status as status, d.paid_at as paid_at, d.payment_verified is 1 as is_verified, max(0, d.seen_at - d.created_at) as wait,
			cast(d.seen_units as integer) / ${sql.raw(String(USDC_UNITS_PER_CENT))} as cents, d.agent_id as agent_id, a.tier = 'anonymous' as is_anonymous,
			row_number() over (partition by d.payment_verified is 1 order by max(0, d.seen_at - d.created_at)) as place,
			count(case when d.payment_verified is 1 then 1 end) over () as verified
		from deals d join task_cards t on t.id = d.task_id join agents a on a.id = d.agent_id
		where d.company_id = ${posterId} and ${isTelling} and t.access = 'public')`;
}

/** The median of an even number of waits is the mean of the two in the middle. */
const isMiddle = sql`is_verified and place in ((verified + 1) / 2, (verified + 2) / 2)`;

const dealCounts = {
	recorded: sql<number>`count(*)`.as("recorded"),
	paid: sql<number>`count(paid_at)`.as("paid_deals"),
	verified: sql<number>`count(case when is_verified then 1 end)`.as("verified_deals"),
	verifiedCents: sql<number>`coalesce(sum(case when is_verified then cents end), 0)`.as("verified_cents"),
	received: sql<number>`count(case when status = 'received' then 1 end)`.as("received"),
	receivedAnonymous: sql<number>`count(case when status = 'received' and is_anonymous then 1 end)`.as("received_anonymous"),
	receivedAgents: sql<number>`count(distinct case when status = 'received' then agent_id end)`.as("received_agents"),
	receivedAnonymousAgents: sql<number>`count(distinct case when status = 'received' and is_anonymous then agent_id end)`.as(
		"received_anonymous_agents",
	),
	disputed: sql<number>`count(case when status = 'disputed' then 1 end)`.as("disputed"),
	medianDays: sql<number | null>`round(avg(case when ${isMiddle} then wait end) / ${sql.raw(`${DAY_MS}.0`)}, 2)`.as("median_days"),
};

const readEntered = prepareRead((query) =>
	query
		.select({
			id: sql<string>`id`.as("entered_id"),
			title: sql<string>`title`.as("entered_title"),
			endedAt: sql<number>`ended_at`.as("entered_ended_at"),
			bestScore: sql<number>`best_score`.as("entered_best_score"),
			isWon: sql<number>`is_won`.as("entered_is_won"),
		})
		.from(
			sql`(select t.id as id, t.title as title, min(t.deadline, t.closed_at) as ended_at, max(s.final_score) as best_score,
					(t.winner_id is ${sql.placeholder("agentId")} and ${isDecided}) as is_won
				from submission_cards s join task_cards t on t.id = ${textOf("s.task_id")}
				where s.agent_id = ${bytesOf(sql`${sql.placeholder("agentId")}`)} and not s.is_own and ${isScored} and ${isEnded} and t.hidden = 0
				group by t.id order by t.closed_at desc limit ${sql.placeholder("limit")})`,
		),
);

/** Reads the newest public tasks that have ended and that an agent has competed on or posted, in one round trip. */
export async function findHistory({ db }: Deps, { agentId, limit }: { readonly agentId: string; readonly limit: number }) {
	const [entered, posted] = await db.read(readEntered({ agentId, limit }), readEndedOfPoster({ posterId: agentId, limit }));
	return { entered: entered.map((task) => ({ ...task, isWon: task.isWon === 1 })), posted: posted.map(viewResult) };
}
