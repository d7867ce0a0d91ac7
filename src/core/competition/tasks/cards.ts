// Reads task cards in the directory, for lists.

import { and, asc, desc, eq, lt, ne, or, type SQL, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/sqlite-core";
import { prepareRead } from "../../../db/prepared.ts";
import { agents } from "../../../db/schema/agents.ts";
import { isEndedCard, isListedCard, memberCards, taskCards } from "../../../db/schema/cards.ts";
import { isStandingDeal } from "../../../db/schema/deals.ts";
import type { DealStatus } from "../../../domain/deal-status.ts";
import type { EvalMode } from "../../../domain/modes.ts";
import { isOver, type TaskStatus } from "../../../domain/task-status.ts";
import type { Deps } from "../../../ports/deps.ts";

/** This sorts after every UUID. With a deadline, it is the place after all tasks of that deadline. */
export const AFTER_ALL_IDS = "g";

const listedColumns = {
	id: taskCards.id,
	title: taskCards.title,
	description: taskCards.description,
	category: taskCards.category,
	deadline: taskCards.deadline,
	budgetCents: taskCards.budgetCents,
	feeBps: taskCards.feeBps,
	evalMode: taskCards.evalMode,
	status: taskCards.status,
	competitorCount: taskCards.competitorCount,
	createdAt: taskCards.createdAt,
};

/** Counts the bytes of a task's texts in a response, where a character may be escaped. */
const textBytes = sql<number>`octet_length(json_quote(${taskCards.description})) + octet_length(json_quote(${taskCards.title}))
	+ octet_length(json_quote(${taskCards.category}))`.as("bytes");

/** Builds a condition on a task's card that is true for an agent that has joined the task, and for its owner. */
export function isMember(agentId: string): SQL {
	return sql`exists (select 1 from member_cards m where m.agent_id = ${agentId} and m.task_id = ${taskCards.id} and m.is_member = 1)`;
}

export interface OpenTaskFilter {
	readonly category?: string | undefined;
	readonly evalMode?: EvalMode | undefined;
	/** The budget is in cents. */
	readonly minBudgetCents?: number | undefined;
	/** The page has tasks after this place in the order of deadline and id; the empty id is before every id. */
	readonly after: { readonly deadline: number; readonly id: string } | null;
	readonly limit: number;
	readonly now: number;
	/** The invited tasks that this agent has joined are listed too. It is left out for readers without a key. */
	readonly memberId?: string;
}

/** The literal status lets SQLite use the partial indexes. */
const isOpenAfter = and(
	isListedCard,
	sql`(${taskCards.deadline}, ${taskCards.id}) > (${sql.placeholder("deadline")}, ${sql.placeholder("id")})`,
	sql`${taskCards.budgetCents} >= ${sql.placeholder("minBudgetCents")}`,
);
const byDeadline = [asc(taskCards.deadline), asc(taskCards.id)];

/** The card of a member has the deadline too, so that an index reads the member's tasks in the order of the list. */
const isJoinedAfter = and(
	eq(memberCards.agentId, sql.placeholder("memberId")),
	sql`is_member = 1`,
	sql`(${memberCards.deadline}, ${memberCards.taskId}) > (${sql.placeholder("deadline")}, ${sql.placeholder("id")})`,
	sql`${taskCards.status} = 'open' and ${taskCards.hidden} = 0`,
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
		/** SQLite reads both parts in the order of the list, as far as the page needs. */
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

/** Selects open tasks whose deadline is ahead, soonest first. */
export async function selectOpenTasks(deps: Deps, filter: OpenTaskFilter) {
	const { reads, values } = readingOf(filter);
	const read = filter.memberId === undefined ? reads.page : reads.pageOfMember;
	const [rows] = await deps.db.read(read(values));
	return rows;
}

/**
 * Selects those of the named published tasks that an agent may see.
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

/** Selects the bytes of the texts of the tasks that {@link selectOpenTasks} selects. */
export async function selectTextBytes(deps: Deps, filter: OpenTaskFilter): Promise<number[]> {
	const { reads, values } = readingOf(filter);
	const [rows] = await deps.db.read(reads.sizes(values));
	return rows.map(({ bytes }) => bytes);
}

export interface EndedTaskFilter {
	/** The page has tasks before this place in the order of end and id. It is null for the first page. */
	readonly before: { readonly closedAt: number; readonly id: string } | null;
	readonly limit: number;
}

const isEndedBefore = and(
	isEndedCard,
	sql`(${taskCards.closedAt}, ${taskCards.id}) < (${sql.placeholder("closedAt")}, ${sql.placeholder("id")})`,
);
const byEnd = [desc(taskCards.closedAt), desc(taskCards.id)];

const endedTasks = {
	page: prepareRead((query) =>
		query
			.select({
				...listedColumns,
				...{ closedAt: taskCards.closedAt, settledAt: taskCards.settledAt },
				...{
					winnerId: taskCards.winnerId,
					winnerName: taskCards.winnerName,
					winnerScore: taskCards.winnerScore,
					dealStatus:
						sql<DealStatus | null>`(select d.status from deals as d where d.task_id = "task_cards"."id" and ${isStandingDeal("d")})`.as(
							"deal_status",
						),
				},
			})
			.from(taskCards)
			.where(isEndedBefore)
			.orderBy(...byEnd)
			.limit(sql.placeholder("limit")),
	),
	sizes: prepareRead((query) =>
		query
			.select({ bytes: textBytes })
			.from(taskCards)
			.where(isEndedBefore)
			.orderBy(...byEnd)
			.limit(sql.placeholder("limit")),
	),
};

/** This sorts after every time. */
const AFTER_ALL_TIMES = Number.MAX_SAFE_INTEGER;

const valuesOf = ({ before, limit }: EndedTaskFilter) => ({ ...(before ?? { closedAt: AFTER_ALL_TIMES, id: AFTER_ALL_IDS }), limit });

/** Selects tasks that have ended, newest end first. */
export async function selectEndedTasks(deps: Deps, filter: EndedTaskFilter) {
	const [rows] = await deps.db.read(endedTasks.page(valuesOf(filter)));
	return rows;
}

/**
 * More deals are not summed, so that a page reads a bounded number of rows. Deals of anonymous agents do not count, because anyone can make
 * any number of those and confirm payments between them.
 */
export const MAX_SUMMED_DEALS = 10_000;

const readReceivedDeals = prepareRead((query) =>
	query
		.select({ count: sql<number>`count(*)`.as("received_deals"), cents: sql<number>`coalesce(sum(cents), 0)`.as("received_cents") })
		.from(
			sql`(select d.deal_value_cents as cents from deals d join agents poster on poster.id = d.company_id join agents agent on agent.id = d.agent_id
				where d.status = 'received' and poster.tier <> 'anonymous' and agent.tier <> 'anonymous' limit ${sql.raw(String(MAX_SUMMED_DEALS))})`,
		),
);

/** Selects the tasks that ended last, and the sum of the deals whose payment has arrived, in one round trip. */
export async function selectProof(deps: Deps, limit: number) {
	const [ended, [received]] = await deps.db.read(endedTasks.page(valuesOf({ before: null, limit })), readReceivedDeals({}));
	return { ended, received: received ?? { count: 0, cents: 0 } };
}

/** Selects the bytes of the texts of the tasks that {@link selectEndedTasks} selects. */
export async function selectEndedBytes(deps: Deps, filter: EndedTaskFilter): Promise<number[]> {
	const [rows] = await deps.db.read(endedTasks.sizes(valuesOf(filter)));
	return rows.map(({ bytes }) => bytes);
}

/**
 * Selects an owner's tasks, newest first. An index serves each status in order, and SQLite merges several as far as the page needs.
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

/** The plus keeps SQLite from the index that is ordered by deadline, whose rows it would have to sort. */
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

/** Finds the current name of a task's poster. Returns null for the second in which a new task may have no card yet. */
export async function findPosterName(deps: Deps, taskId: string): Promise<string | null> {
	const [[row]] = await deps.db.read(readPosterName({ taskId }));
	return row?.name ?? null;
}
