// Reads task cards in the directory, for lists.

import { and, asc, desc, eq, lt, ne, or, type SQL, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/sqlite-core";
import { prepareRead } from "../../../db/prepared.ts";
import { agents } from "../../../db/schema/agents.ts";
import { isListedCard, memberCards, taskCards } from "../../../db/schema/cards.ts";
import type { EvalMode } from "../../../domain/modes.ts";
import { isOver, type TaskStatus } from "../../../domain/task-status.ts";
import { MAX_PAGE_BYTES } from "../../../http/pagination.ts";
import type { Deps } from "../../../ports/deps.ts";

/** Sorts after every UUID. A page that starts after a deadline and this id skips all tasks with that deadline. */
export const AFTER_ALL_IDS = "g";

export const listedColumns = {
	id: taskCards.id,
	title: taskCards.title,
	description: taskCards.description,
	category: taskCards.category,
	deadline: taskCards.deadline,
	budgetCents: taskCards.budgetCents,
	feeBps: taskCards.feeBps,
	evalMode: taskCards.evalMode,
	status: taskCards.status,
	isTest: taskCards.isTest,
	competitorCount: taskCards.competitorCount,
	createdAt: taskCards.createdAt,
};

/** The size in bytes of a task's texts in a JSON response, including escapes. */
export const textBytes = sql<number>`octet_length(json_quote(${taskCards.description})) + octet_length(json_quote(${taskCards.title}))
	+ octet_length(json_quote(${taskCards.category}))`.as("bytes");

/** Builds a condition on a task's card: the agent owns the task or has joined it. */
export function isMember(agentId: string): SQL {
	return sql`exists (select 1 from member_cards m where m.agent_id = ${agentId} and m.task_id = ${taskCards.id} and m.is_member = 1)`;
}

export interface OpenTaskFilter {
	readonly category?: string | undefined;
	readonly evalMode?: EvalMode | undefined;
	/** In cents. */
	readonly minBudgetCents?: number | undefined;
	/** The deadline and id of the previous page's last task. If the id is empty, the page starts with the first task of that deadline. */
	readonly after: { readonly deadline: number; readonly id: string } | null;
	readonly limit: number;
	readonly now: number;
	/** The reader, whose list also contains the invite-only tasks that it has joined. Absent for readers without a key. */
	readonly memberId?: string;
}

/** `isListedCard` contains the status as a literal, so that SQLite can use the partial indexes. */
const isOpenAfter = and(
	isListedCard,
	sql`(${taskCards.deadline}, ${taskCards.id}) > (${sql.placeholder("deadline")}, ${sql.placeholder("id")})`,
	sql`${taskCards.budgetCents} >= ${sql.placeholder("minBudgetCents")}`,
);
const byDeadline = [asc(taskCards.deadline), asc(taskCards.id)];

/** The deadline is in member cards too, so that an index has a member's tasks in the order of the list. */
const isJoinedAfter = and(
	eq(memberCards.agentId, sql.placeholder("memberId")),
	sql`is_member = 1`,
	sql`(${memberCards.deadline}, ${memberCards.taskId}) > (${sql.placeholder("deadline")}, ${sql.placeholder("id")})`,
	sql`${taskCards.status} = 'open' and ${taskCards.hidden} = 0 and ${taskCards.isTest} = 0`,
	sql`${taskCards.budgetCents} >= ${sql.placeholder("minBudgetCents")}`,
);

function prepareOpenTasks(...filters: readonly SQL[]) {
	const condition = and(isOpenAfter, ...filters);
	const limit = sql.placeholder("limit");
	return {
		page: prepareRead((query) =>
			query
				.select(listedColumns)
				.from(taskCards)
				.where(condition)
				.orderBy(...byDeadline)
				.limit(limit),
		),
		/** Public tasks and joined tasks. SQLite reads both in the order of the list, and only as far as the page needs. */
		pageOfMember: prepareRead((query) =>
			unionAll(
				query.select(listedColumns).from(taskCards).where(condition),
				query
					.select({ ...listedColumns, id: memberCards.taskId, deadline: memberCards.deadline })
					.from(memberCards)
					.innerJoin(taskCards, eq(taskCards.id, memberCards.taskId))
					.where(and(isJoinedAfter, ...filters)),
			)
				.orderBy(...byDeadline)
				.limit(limit),
		),
		sizes: prepareRead((query) =>
			query
				.select({ bytes: textBytes })
				.from(taskCards)
				.where(condition)
				.orderBy(...byDeadline)
				.limit(limit),
		),
	};
}

const ofCategory = eq(taskCards.category, sql.placeholder("category"));
const ofMode = eq(taskCards.evalMode, sql.placeholder("evalMode"));
const openTasks = {
	all: prepareOpenTasks(),
	ofCategory: prepareOpenTasks(ofCategory),
	ofMode: prepareOpenTasks(ofMode),
	ofBoth: prepareOpenTasks(ofCategory, ofMode),
};

function readingOf({ category, evalMode, minBudgetCents = 0, after, limit, now, memberId = "" }: OpenTaskFilter) {
	const start = after === null || isOver(after, now) ? { deadline: now, id: AFTER_ALL_IDS } : after;
	const kind = category === undefined ? (evalMode === undefined ? "all" : "ofMode") : evalMode === undefined ? "ofCategory" : "ofBoth";
	return {
		reads: openTasks[kind],
		values: { ...start, limit, minBudgetCents, memberId, category: category ?? "", evalMode: evalMode ?? "" },
	};
}

/** Selects open tasks with a deadline in the future, earliest first. */
export async function selectOpenTasks(deps: Deps, filter: OpenTaskFilter) {
	const { reads, values } = readingOf(filter);
	const read = filter.memberId === undefined ? reads.page : reads.pageOfMember;
	const [rows] = await deps.db.read(read(values));
	return rows;
}

/**
 * Selects the given tasks that are published and that the agent may see.
 *
 * @param agentId Empty for a reader without a key.
 */
export function selectPublished({ db }: Deps, { ids, agentId }: { readonly ids: readonly string[]; readonly agentId: string }) {
	const isNamed = sql`${taskCards.id} in (select value from json_each(${JSON.stringify(ids)}))`;
	return db.query
		.select(listedColumns)
		.from(taskCards)
		.where(and(isNamed, ne(taskCards.status, "draft"), eq(taskCards.hidden, false), or(eq(taskCards.access, "public"), isMember(agentId))));
}

/** Selects the size of the texts, in bytes, for each task that {@link selectOpenTasks} selects. */
export async function selectTextBytes(deps: Deps, filter: OpenTaskFilter): Promise<number[]> {
	const { reads, values } = readingOf(filter);
	const [rows] = await deps.db.read(reads.sizes(values));
	return rows.map(({ bytes }) => bytes);
}

/**
 * Selects an owner's tasks, newest first. An index has the tasks of each status in this order. SQLite merges several statuses and stops
 * when the page is full.
 *
 * @param before Only tasks with smaller ids, which are older. Null for the first page.
 */
export async function selectOwnTasks(
	deps: Deps,
	{
		ownerId,
		statuses,
		before,
		limit,
	}: { readonly ownerId: string; readonly statuses: readonly TaskStatus[] | null; readonly before: string | null; readonly limit: number },
) {
	const selectOf = (status: TaskStatus | null) =>
		deps.db.query
			.select({ ...listedColumns, submissionCount: taskCards.submissionCount })
			.from(taskCards)
			.where(
				and(
					eq(taskCards.companyId, ownerId),
					status === null ? undefined : eq(taskCards.status, status),
					before === null ? undefined : lt(taskCards.id, before),
				),
			);
	const [first = null, second, ...others] = statuses ?? [];
	if (second === undefined) return selectOf(first).orderBy(desc(taskCards.id)).limit(limit);
	return unionAll(selectOf(first), selectOf(second), ...others.map(selectOf))
		.orderBy(desc(taskCards.id))
		.limit(limit);
}

/** The plus sign keeps SQLite from using the index by deadline, because it would then have to sort the rows. */
function prepareNewest(...filters: readonly SQL[]) {
	return prepareRead((query) =>
		query
			.select({ ...listedColumns, publishedAt: taskCards.publishedAt })
			.from(taskCards)
			.where(and(isListedCard, sql`+${taskCards.deadline} > ${sql.placeholder("now")}`, ...filters))
			.orderBy(desc(taskCards.publishedAt), desc(taskCards.id))
			.limit(sql.placeholder("limit")),
	);
}

const readNewest = prepareNewest();
const readNewestOfCategory = prepareNewest(ofCategory);

/** Selects the open tasks that were published last, newest first. */
export async function selectNewest(
	deps: Deps,
	{ category, now, limit }: { readonly category: string | undefined; readonly now: number; readonly limit: number },
) {
	const [rows] = await deps.db.read(category === undefined ? readNewest({ now, limit }) : readNewestOfCategory({ now, limit, category }));
	return rows;
}

const readPosterName = prepareRead((query) =>
	query
		.select({ name: agents.displayName })
		.from(taskCards)
		.innerJoin(agents, eq(agents.id, taskCards.companyId))
		.where(eq(taskCards.id, sql.placeholder("taskId"))),
);

/** Finds the current name of a task's poster. Returns null if the task is new and has no card yet, which can take up to a second. */
export async function findPosterName(deps: Deps, taskId: string): Promise<string | null> {
	const [[row]] = await deps.db.read(readPosterName({ taskId }));
	return row?.name ?? null;
}

/** The maximum size in bytes of a task's fields other than its texts, including the winner's name. */
const OTHER_FIELDS_BYTES = 1_200;
/** This number of tasks always fits into a page, even if every character of their texts is escaped. */
const FITTING_TASKS = 30;

/** Finds out how many tasks fit into {@link MAX_PAGE_BYTES} before they are read, because a thousand long descriptions could be 40 MB. */
export async function fittingLimit(wanted: number, selectSizes: () => Promise<number[]>): Promise<number> {
	if (wanted <= FITTING_TASKS) return wanted;
	let left = MAX_PAGE_BYTES;
	const tooMany = (await selectSizes()).findIndex((bytes) => {
		left -= bytes + OTHER_FIELDS_BYTES;
		return left < 0;
	});
	return tooMany === -1 ? wanted : tooMany;
}
