// Updates leaderboard entries. Verbs that change scores call these functions.
import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { prepareOnce } from "../../../db/task/prepared.ts";
import { board } from "../../../db/task/schema/submissions.ts";
import { tasks } from "../../../db/task/schema/task.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { findFirst } from "../directory/places.ts";
import { readTask, updateTaskRow } from "../tasks/store.ts";

/**
 * When the files of a submission `s` arrived. Breaks ties, because the submission may have been registered long before its files arrived.
 */
const handedInAt: SQL = sql`coalesce(s.handed_in_at, s.created_at)`;

/** Updates an agent's entry. Removes it if the agent has no scored submission left. */
export function refreshEntry(task: TaskStore, agentId: string): void {
	refreshEntries(task, [agentId]);
}

/** The submission that determines an agent's rank. Smaller tiers rank first. */
interface Standing {
	readonly agentId: string;
	readonly submissionId: string;
	readonly tier: number;
}

/** Ranks agents by these submissions from now on, instead of by their best ones. Ignores submissions without a score. */
export function standWith(task: TaskStore, standings: readonly Standing[]): void {
	task.db.run(sql`
		update entries set stands_id = value->>'submissionId', tier = value->>'tier'
		from json_each(${JSON.stringify(standings)}) join submissions as s on s.id = value->>'submissionId' and ${isRanked}
		where entries.agent_id = value->>'agentId'`);
	refreshEntries(
		task,
		standings.map(({ agentId }) => agentId),
	);
}

const isRanked: SQL = sql`s.final_score is not null and s.voided_at is null`;

/** Rebuilds the whole board after its rows were lost. Ranks stay the same. */
export function rebuildBoard({ db }: TaskStore): void {
	db.delete(board).run();
	db.run(sql`insert into board (${BOARD_COLUMNS}) ${standingsOf(sql`true`)}`);
}

const BOARD_COLUMNS: SQL = sql`agent_id, submission_id, agent_name, final_score, test_score, llm_score, samples, tier, is_by_person,
	comparison_group, achieved_at, rank_key`;

/**
 * Selects the rows of the board from submissions. The order of rank keys is the order of the leaderboard: tier, hundredths below 100
 * points, time, submission.
 */
function standingsOf(isWanted: SQL): SQL {
	return sql`select ${BOARD_COLUMNS} from (
		select s.agent_id, s.id as submission_id, s.agent_display_name as agent_name, s.final_score, s.test_score, s.llm_score,
			coalesce(s.samples, 1) as samples, e.tier, s.is_by_person, coalesce(s.comparison_group, 1) as comparison_group,
			${handedInAt} as achieved_at,
			printf('%d%04x%011x', e.tier, 10000 - cast(round(s.final_score * 100) as integer), ${handedInAt}) || s.id as rank_key,
			row_number() over (partition by s.agent_id order by s.final_score desc, ${handedInAt}, s.id) as place
		from submissions as s join entries as e on e.agent_id = s.agent_id
		where ${isWanted} and ${isRanked} and (e.stands_id is null or e.stands_id = s.id)
	) where place = 1`;
}

/** Builds a condition on the column `agent_id`. */
function isTheirs(agentIds: string | Placeholder): SQL {
	return sql`agent_id in (select value from json_each(${agentIds}))`;
}

const changedQuery = prepareOnce((db) => {
	const agentIds = sql.placeholder("agentIds");
	const stored = sql`select ${BOARD_COLUMNS} from board where ${isTheirs(agentIds)}`;
	const wanted = standingsOf(sql`s.${isTheirs(agentIds)}`);
	return db
		.select({ one: sql`1` })
		.from(sql`(select 1)`)
		.where(sql`exists (${stored} except ${wanted}) or exists (${wanted} except ${stored})`)
		.prepare();
});

function refreshEntries(task: TaskStore, ids: readonly string[]): void {
	const { db } = task;
	const agentIds = JSON.stringify(ids);
	if (changedQuery(db).get({ agentIds }) === undefined) return;
	const earlier = findFirst(db);
	db.delete(board).where(isTheirs(agentIds)).run();
	db.run(sql`insert into board (${BOARD_COLUMNS}) ${standingsOf(sql`s.${isTheirs(agentIds)}`)}`);
	db.update(tasks)
		.set({ boardRevision: sql`${tasks.boardRevision} + 1` })
		.run();
	const first = findFirst(db);
	if (first?.agentId !== earlier?.agentId) recordLeader(task, { earlier, first });
	// Evaluations may still end after the task has closed, and its card must then show the new winner.
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
