// Verbs that change scores bring the entries of the leaderboard up to date with these functions.
import { type SQL, sql } from "drizzle-orm";
import { board } from "../../../db/task/schema/submissions.ts";
import { tasks } from "../../../db/task/schema/task.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { findFirst } from "../directory/cards.ts";
import { readTask, updateTaskRow } from "../tasks/store.ts";

/** The work of a submission `s` arrived at this time, which decides between equal scores. Its slot can be reserved long before. */
const handedInAt: SQL = sql`coalesce(s.handed_in_at, s.created_at)`;

/**
 * Brings an agent's entry up to date: its best scored submission, or its candidate once the final round has ended. Removes the entry of
 * an agent that has none left.
 */
export function refreshEntry(task: TaskStore, agentId: string): void {
	replaceEntries(
		task,
		sql`agent_id = ${agentId}`,
		sql`
		from submissions as s left join final_candidates as c on c.agent_id = s.agent_id
			and (select round_status from tasks) = 'ended'
			and not exists (select 1 from submissions v where v.id = c.submission_id and v.voided_at is not null)
		where s.agent_id = ${agentId} and s.final_score is not null and s.voided_at is null
			and (c.submission_id is null or c.submission_id = s.id)
		order by s.final_score desc, ${handedInAt}, s.id
		limit 1`,
	);
}

/** Ranks all candidates of a final round by the submissions that entered it, when it ends. */
export function confirmEntries(task: TaskStore): void {
	const isScored = sql`s.final_score is not null and s.voided_at is null`;
	const candidates = sql`from final_candidates as c join submissions as s on s.id = c.submission_id where ${isScored}`;
	replaceEntries(task, sql`agent_id in (select s.agent_id ${candidates})`, candidates);
}

/**
 * The rank key sorts like the leaderboard: confirmed candidates of an ended final round, then those that failed, then others; hundredths
 * below 100 points, time of handing in, submission.
 *
 * @param replaced A condition: the entries to replace.
 * @param source Submissions as `s`, and where a final round has ended, its candidates as `c`.
 */
function replaceEntries(task: TaskStore, replaced: SQL, source: SQL): void {
	const { db } = task;
	const columns = sql`agent_id, submission_id, agent_name, final_score, test_score, llm_score, samples, confirmed, reviewed,
		comparison_group, achieved_at, rank_key`;
	const stored = sql`select ${columns} from board where ${replaced}`;
	const wanted = sql`select * from (
		select s.agent_id, s.id, s.agent_display_name, s.final_score, s.test_score, s.llm_score, coalesce(s.samples, 1),
			c.state is 'confirmed', s.reviewed, coalesce(s.comparison_group, 1), ${handedInAt},
			printf('%d%04x%011x', iif(c.agent_id is null, 2, iif(c.state is 'confirmed', 0, 1)),
				10000 - cast(round(s.final_score * 100) as integer), ${handedInAt}) || s.id
		${source})`;
	const isChanged = sql`exists (${stored} except ${wanted}) or exists (${wanted} except ${stored})`;
	if (db.get<{ changed: number }>(sql`select ${isChanged} as changed`).changed === 0) return;
	const earlier = findFirst(db);
	db.delete(board).where(replaced).run();
	db.run(sql`insert into board (${columns}) ${wanted}`);
	db.update(tasks)
		.set({ boardRevision: sql`${tasks.boardRevision} + 1` })
		.run();
	const first = findFirst(db);
	if (first?.agentId !== earlier?.agentId) recordLeader(task, { earlier, first });
	// The card of a closed task shows the winner, and an evaluation may end after the close.
	if (readTask(task).status === "closed" && JSON.stringify(first) !== JSON.stringify(earlier)) updateTaskRow(task, {});
}

type Leader = ReturnType<typeof findFirst>;

function recordLeader(task: TaskStore, { earlier, first }: { readonly earlier: Leader; readonly first: Leader }): void {
	const leaderOf = ({ agentId, submissionId }: NonNullable<Leader>) => ({ agentId, submissionId });
	task.record({
		type: "leaderboard.leader_changed",
		taskId: task.id,
		earlier: earlier === undefined ? null : leaderOf(earlier),
		first: first === undefined ? null : { ...leaderOf(first), finalScore: first.finalScore },
	});
}
