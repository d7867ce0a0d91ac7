// Writes cards into the directory, and selects and deletes them there.
import { and, eq, isNull, lt, type SQL, sql } from "drizzle-orm";
import { directoryOf } from "../../../db/parts.ts";
import { auditLog } from "../../../db/schema/administration.ts";
import { agents } from "../../../db/schema/agents.ts";
import { locatedCards, memberCards, submissionCards, taskCards, usageCards } from "../../../db/schema/cards.ts";
import { bytesOf, textOf } from "../../../db/schema/id-bytes.ts";
import { chunksOfJson } from "../../../domain/chunks.ts";
import { isInvited } from "../../../domain/task-status.ts";
import { type Database, MAX_VALUE_BYTES, type Statement } from "../../../ports/database.ts";
import type { Deps } from "../../../ports/deps.ts";
import { giveUnitsBack } from "../../identity/operators/statements.ts";
import type { Cards, MemberCard, SubmissionCard, TaskCard, UsageCard } from "./read-cards.ts";
import { deleteDrafts, deleteTestDeals, deleteTestTasks, keepTestTask, touchDraft } from "./statements.ts";

/**
 * Writes cards, if there are any. Skips a card if the stored one has a higher revision, so a write may arrive late or twice. If cards have
 * a database of their own, rows that cannot be rebuilt from the objects are written first. If writing the cards then fails, the object
 * writes everything again.
 */
export async function writeCards(deps: Pick<Deps, "db" | "parts" | "clock">, cards: Cards): Promise<void> {
	const { db } = deps;
	const directory = directoryOf(deps, cards.taskId);
	const [shared, own] = [sharedStatements(deps, cards), cardStatements(directory, cards)];
	if (directory === db) return runBatch(db, [...shared, ...own]);
	await runBatch(db, shared);
	await runBatch(directory, own);
}

async function runBatch(db: Database, statements: readonly Statement[]): Promise<void> {
	const [first, ...others] = statements;
	if (first !== undefined) await db.idempotent.batch([first, ...others]);
}

/** Builds the statements for rows other than cards: those of agents, drafts, test tasks, operators' quotas and the audit log. */
function sharedStatements(
	{ db, clock }: Pick<Deps, "db" | "clock">,
	{ taskId, task, submissions: rows, returnedIds, acts }: Cards,
): Statement[] {
	return [
		...(task?.status === "draft" ? [touchDraft({ db }, { taskId, agentId: task.companyId, now: clock.now() })] : []),
		...(task === undefined || task?.status === "draft" ? [] : [deleteDrafts({ db }, [taskId])]),
		...(task === null ? [deleteTestTasks({ db }, [taskId]), deleteTestDeals({ db }, taskId)] : []),
		...(task?.isTest === true ? [keepTestTask({ db }, { taskId, agentId: task.companyId, now: task.createdAt })] : []),
		...(task == null || rows.length === 0 ? [] : [grantRoles(db.query, rows)]),
		...(returnedIds.length === 0 ? [] : giveUnitsBack({ db }, returnedIds)),
		...acts.map((entry) => db.query.insert(auditLog).values(entry).onConflictDoNothing()),
	];
}

/** Builds the statements for the cards, which are all in the same database. */
function cardStatements(
	db: Database,
	{ taskId, task, usage: used, submissions: rows, members: memberRows, locatedIds }: Cards,
): Statement[] {
	return [
		...(task === null ? deletionOf(db, taskId) : []),
		...(task == null ? [] : writeTaskCard(db.query, task)),
		...(task == null || used === null ? [] : [upsertUsageCard(db.query, used)]),
		...(task != null && isInvited(task) ? [moveMemberDeadlines(db.query, task)] : []),
		// A final round changes thousands of cards at once.
		...chunksOfJson(memberRows, MAX_VALUE_BYTES).map((chunk) => db.statement(upsertMemberCards(chunk))),
		...chunksOfJson(rows, MAX_VALUE_BYTES).map((chunk) => db.statement(upsertSubmissionCards(chunk))),
		...(locatedIds.length === 0 ? [] : [db.statement(insertLocatedCards(taskId, locatedIds))]),
	];
}

/** Deletes the cards of a deleted draft or test task. */
export async function deleteTaskCards(deps: Deps, taskId: string): Promise<void> {
	await runBatch(deps.db, [deleteDrafts(deps, [taskId]), deleteTestTasks(deps, [taskId]), deleteTestDeals(deps, taskId)]);
	const directory = directoryOf(deps, taskId);
	await runBatch(directory, deletionOf(directory, taskId));
}

/** To SQLite, a negative LIMIT means no limit. */
const ALL = -1;

/**
 * Selects the tasks that an agent has posted, joined or submitted to, and those that store any other data about the agent, sorted by id.
 */
export async function selectTasksOf(
	{ holdings, ...deps }: Pick<Deps, "db" | "parts" | "holdings">,
	agentId: string,
	{ after, limit }: { readonly after: string; readonly limit: number } = { after: "", limit: ALL },
): Promise<{ id: string; isOwnDraft: boolean }[]> {
	const unions = holdings.flatMap(({ tasksOf }) =>
		tasksOf === undefined ? [] : [sql`union select task_id, 0 from (${tasksOf(agentId)})`],
	);
	const rows = await directoryOf(deps, agentId).query.all<{ id: string; isOwnDraft: number }>(sql`
		select id, max(is_own_draft) as "isOwnDraft" from (
		select id, status = 'draft' as is_own_draft from task_cards where company_id = ${agentId}
		union select ${textOf("task_id")}, 0 from submission_cards where agent_id = ${bytesOf(agentId)} and company_id <> ${bytesOf(agentId)}
		union select m.task_id, 0 from member_cards m join task_cards t on t.id = m.task_id
			where m.agent_id = ${agentId} and t.company_id <> ${agentId}
		${sql.join(unions, sql` `)}
		) where id > ${after} group by id order by id limit ${limit}`);
	return rows.map(({ id, isOwnDraft }) => ({ id, isOwnDraft: isOwnDraft === 1 }));
}

/** Selects a page of the ids that the directory maps to a task. */
export async function selectCardIds(deps: Deps, { taskId, after, limit }: { taskId: string; after: string; limit: number }) {
	// The submissions are found through the task's poster, because they have no index by task.
	const poster = sql`(select ${bytesOf(sql`company_id`)} from task_cards where id = ${taskId})`;
	const rows = await directoryOf(deps, taskId).query.all<{ id: string }>(sql`
		select ${textOf("id")} as id from (select id from submission_cards indexed by submission_cards_company
			where company_id = ${poster} and task_id = ${bytesOf(taskId)} and id > ${bytesOf(after)} order by id limit ${limit})
		union all select id from located_cards where task_id = ${taskId} and id > ${after}
		order by id limit ${limit}`);
	return rows.map(({ id }) => id);
}

/** Lists the agents that have joined a task, as their cards say. */
export async function selectMemberIds(deps: Deps, taskId: string): Promise<string[]> {
	const isMember = and(eq(memberCards.taskId, taskId), eq(memberCards.isMember, true));
	const rows = await directoryOf(deps, taskId).query.select({ id: memberCards.agentId }).from(memberCards).where(isMember);
	return rows.map(({ id }) => id);
}

/** Deletes the cards of ids that no longer exist in their task. */
export async function deleteCards(
	deps: Deps,
	{ taskId, ids }: { readonly taskId: string; readonly ids: readonly string[] },
): Promise<void> {
	const db = directoryOf(deps, taskId);
	const listOf = (value: SQL) => sql`id in (select ${value} from json_each(${JSON.stringify(ids)}))`;
	await db.idempotent.batch([
		db.query.delete(submissionCards).where(listOf(bytesOf(sql`value`))),
		db.query.delete(locatedCards).where(listOf(sql`value`)),
	]);
}

function deletionOf({ query, statement }: Database, taskId: string): Statement[] {
	return [
		// Submissions have no index by task, so they are found through the task's poster.
		statement(sql`delete from submission_cards where task_id = ${bytesOf(taskId)}
			and company_id = (select ${bytesOf(sql`company_id`)} from task_cards where id = ${taskId})`),
		query.delete(taskCards).where(eq(taskCards.id, taskId)),
		query.delete(locatedCards).where(eq(locatedCards.taskId, taskId)),
		query.delete(memberCards).where(eq(memberCards.taskId, taskId)),
		query.delete(usageCards).where(eq(usageCards.taskId, taskId)),
	];
}

function insertLocatedCards(taskId: string, ids: readonly string[]): SQL {
	return sql`insert into located_cards (id, task_id) select value, ${taskId} from json_each(${JSON.stringify(ids)}) where true
		on conflict do nothing`;
}

/** Gives agents without a role the role `agent_builder` when they first submit. */
function grantRoles(query: Deps["db"]["query"], rows: readonly SubmissionCard[]) {
	const ids = JSON.stringify([...new Set(rows.map(({ agentId }) => agentId))]);
	return query
		.update(agents)
		.set({ role: "agent_builder" })
		.where(and(sql`${agents.id} in (select value from json_each(${ids}))`, isNull(agents.role)));
}

/**
 * Builds the statements for a task's card. While a task is open, mostly its counts change. Setting a column rewrites every index on it, so
 * the first statement applies if no indexed column changes, and sets only the other columns.
 */
function writeTaskCard(query: Deps["db"]["query"], task: TaskCard) {
	const { id, companyId, status, category, evalMode, deadline, hidden, access, isTest: _, ...changing } = task;
	const { publishedAt, closedAt, createdAt, ...rest } = changing;
	const { settledAt, winnerId, judgingPaused, ...others } = rest;
	const moments = { deadline, publishedAt, closedAt, createdAt };
	const indexed = { companyId, status, category, evalMode, hidden, access, settledAt, winnerId, judgingPaused, ...moments };
	const isSame = and(
		...[eq(taskCards.companyId, companyId), eq(taskCards.status, status), eq(taskCards.category, category)],
		...[eq(taskCards.evalMode, evalMode), eq(taskCards.deadline, deadline), eq(taskCards.hidden, hidden)],
		...[sql`access is ${access}`, sql`closed_at is ${closedAt}`, eq(taskCards.judgingPaused, judgingPaused ?? false)],
		...[sql`published_at is ${publishedAt}`, sql`settled_at is ${settledAt}`, sql`winner_id is ${winnerId}`],
	);
	return [
		query
			.update(taskCards)
			.set(others)
			.where(and(eq(taskCards.id, id), lt(taskCards.number, task.number), isSame)),
		query
			.insert(taskCards)
			.values(task)
			.onConflictDoUpdate({ target: taskCards.id, set: { ...indexed, ...others }, setWhere: sql`excluded.number > ${taskCards.number}` }),
	] as const;
}

function upsertUsageCard(query: Deps["db"]["query"], card: UsageCard) {
	const { taskId: _, ...sums } = card;
	return query
		.insert(usageCards)
		.values(card)
		.onConflictDoUpdate({ target: usageCards.taskId, set: sums, setWhere: sql`excluded.calls > ${usageCards.calls}` });
}

/**
 * Updates the deadline in the task's member cards, because lists sort the tasks that an agent has joined by it. Deadlines only move later.
 */
function moveMemberDeadlines(query: Deps["db"]["query"], { id, deadline }: TaskCard) {
	return query
		.update(memberCards)
		.set({ deadline })
		.where(and(eq(memberCards.taskId, id), lt(memberCards.deadline, deadline)));
}

function upsertMemberCards(rows: readonly MemberCard[]) {
	return sql`
		insert into member_cards (agent_id, task_id, number, is_member, deadline)
		select value->>'agentId', value->>'taskId', value->>'number', value->>'isMember', value->>'deadline'
		from json_each(${JSON.stringify(rows)}) where true
		on conflict (agent_id, task_id) do update set number = excluded.number, is_member = excluded.is_member, deadline = excluded.deadline
		where excluded.number > member_cards.number`;
}

/** Builds one statement for any number of cards, because D1 takes at most 100 parameters. */
function upsertSubmissionCards(rows: readonly SubmissionCard[]) {
	const idAt = (name: "id" | "taskId" | "agentId" | "companyId") => bytesOf(sql.raw(`value->>'${name}'`));
	return sql`
		insert into submission_cards (id, number, task_id, agent_id, company_id, status, agent_display_name, final_score, judge_score, test_score,
			llm_score, container_score, iteration, is_own, is_test, details, evaluated_at, created_at)
		select ${idAt("id")}, value->>'number', ${idAt("taskId")}, ${idAt("agentId")}, ${idAt("companyId")}, value->>'status',
			value->>'agentDisplayName', value->>'finalScore', value->>'judgeScore', value->>'testScore', value->>'llmScore', value->>'containerScore',
			value->>'iteration', value->>'isOwn', value->>'isTest', value->>'details', value->>'evaluatedAt', value->>'createdAt'
		from json_each(${JSON.stringify(rows)}) where true
		on conflict (id) do update set number = excluded.number, status = excluded.status, final_score = excluded.final_score,
			judge_score = excluded.judge_score, agent_display_name = excluded.agent_display_name, test_score = excluded.test_score, llm_score = excluded.llm_score,
			container_score = excluded.container_score, iteration = excluded.iteration, is_own = excluded.is_own,
			details = excluded.details, evaluated_at = excluded.evaluated_at
		where excluded.number > submission_cards.number`;
}
