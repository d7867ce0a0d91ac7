// Whose evaluation is next: the order in which a flood by one agent, operator or task does not hold up the others.
import { type SQL, sql } from "drizzle-orm";
import { partyOf } from "./parties.ts";

/** How many earlier jobs a new one reads at most. */
const MAX_SEEN = 200;
/** A job whose place is further back than this goes to the end of a queue that is too long to be read whole. */
const FLOOD = 50;

/** A condition: no consumer has looked at the job. Worded as the index `evaluation_jobs_untouched`. */
export const IS_UNTOUCHED = sql`finished_at is null and attempts = 0`;

/** The order in which consumers take untouched jobs. */
export const IN_TURN = sql`turn, party_turn, id`;

/** Columns of a new job that {@link takeTurn} computes. */
export const TURN_COLUMNS = { party: sql`party`, agentTurn: sql`agent_turn`, partyTurn: sql`party_turn`, turn: sql`turn` };

/**
 * The turn of a new job, as common table expressions and the source of an `insert … select`. Each line counts from the turn of the job
 * that is next: an agent's jobs follow each other, a party's agents take turns, and so do the parties on a task. The later of the
 * party's and the task's place counts, so neither a flood of one party over many tasks nor of many parties on one task delays others.
 * Each step is materialized, because SQLite would otherwise compute it again for every waiting job.
 */
export function takeTurn(submissionId: string): { readonly turns: SQL; readonly source: SQL } {
	const ahead = (condition: SQL) => sql`next_turn + (select count(*) from waiting as w where ${condition})`;
	const turns = sql`
		with waiting as materialized (
			select s.agent_id, s.task_id, j.party, j.agent_turn, j.party_turn, j.turn
			from evaluation_jobs as j join submissions as s on s.id = j.submission_id
			where j.finished_at is null and j.attempts = 0 order by j.turn, j.party_turn limit ${MAX_SEEN}),
		subject as materialized (
			select task_id, agent_id, ${partyOf(sql`submissions.agent_id`)} as party,
				coalesce((select min(turn) from waiting), 0) as next_turn, (select count(*) from waiting) as seen
			from submissions where id = ${submissionId}),
		in_agent as materialized (select *, ${ahead(sql`w.agent_id = subject.agent_id`)} as agent_turn from subject),
		in_party as materialized (select *, ${ahead(sql`w.party = in_agent.party and w.agent_turn <= in_agent.agent_turn`)} as party_turn from in_agent),
		in_task as materialized (select *, ${ahead(sql`w.task_id = in_party.task_id and w.party_turn <= in_party.party_turn`)} as task_turn from in_party),
		turns as (select party, agent_turn, party_turn, (case
			when seen = ${MAX_SEEN} and max(party_turn, task_turn) - next_turn > ${FLOOD}
			then (select max(turn) from evaluation_jobs where ${IS_UNTOUCHED}) + 1
			else max(party_turn, task_turn) end) as turn from in_task)`;
	return { turns, source: sql`from turns` };
}
