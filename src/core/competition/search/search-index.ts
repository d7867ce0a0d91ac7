// Reads and writes the search index, which is a separate D1 database. It does not depend on how tasks are stored.
import { type SQL, sql } from "drizzle-orm";
import { chunksOfJson } from "../../../domain/chunks.ts";
import { AppError } from "../../../domain/errors.ts";
import { describeError } from "../../../platform/log.ts";
import { type Database, MAX_VALUE_BYTES, type Statement } from "../../../ports/database.ts";
import type { Deps } from "../../../ports/deps.ts";
import { isSearchable, MAX_MATCHES, type SearchPlan, type TaskRevision, toDocument } from "./rules.ts";

/**
 * The content of a cursor: the rank and the document number of the page's last match, the newest document number when the first page was
 * read, and the state of the index at that time.
 */
export interface SearchPlace {
	readonly rank: number;
	readonly document: number;
	readonly newest: number;
	/** The state of the index that the first page saw. Null if the database returned none. */
	readonly bookmark: string | null;
}

export interface SearchMatch extends Omit<SearchPlace, "bookmark"> {
	readonly taskId: string;
}

interface IndexedTask {
	readonly isSearchable: boolean;
	readonly document: ReturnType<typeof toDocument>;
}

/** Updates the index for some tasks. Safe to repeat, because an older revision never replaces a newer one. */
export async function indexTasks(search: Database, tasks: readonly TaskRevision[]): Promise<void> {
	const indexed = tasks.map((task) => ({ isSearchable: isSearchable(task), document: toDocument(task) }));
	// The document of a single task is always small enough.
	for (const some of chunksOfJson(indexed, MAX_VALUE_BYTES)) await writeTasks(search, some);
}

async function writeTasks(search: Database, tasks: readonly IndexedTask[]): Promise<void> {
	const documents = tasks.filter((task) => task.isSearchable).map(({ document }) => document);
	const all = JSON.stringify(tasks.map(({ document: { id, revision, words } }) => ({ id, revision, words })));
	const json = JSON.stringify(documents);
	const isNewer = sql`revision < value->>'revision'`;
	const statements: [SQL, ...SQL[]] = [
		// A task keeps its document number, because pages are ordered by it.
		sql`insert into searched_tasks (task_id, revision, title) select value->>'id', -1, '' from json_each(${json}) where true order by key
			on conflict (task_id) do nothing`,
		sql`delete from task_search where rowid in (
			select document from json_each(${all}) join searched_tasks on task_id = value->>'id' where ${isNewer})`,
		sql`insert into task_search (rowid, title, description, category, specs, status, exact_category, readers)
			select document, value->>'title', value->>'description', value->>'category', value->>'specs', value->>'status', value->>'exactCategory',
				value->>'readers'
			from json_each(${json}) join searched_tasks on task_id = value->>'id' where ${isNewer}`,
		sql`update searched_tasks set revision = value->>'revision', title = value->>'words' from json_each(${all})
			where task_id = value->>'id' and ${isNewer}`,
	];
	await search.idempotent.batch(build(search, statements));
}

/** Empties the index, so that {@link indexTasks} can fill it again. */
export async function emptyIndex(search: Database): Promise<void> {
	const statements: [SQL, ...SQL[]] = [sql`insert into task_search (task_search) values ('delete-all')`, sql`delete from searched_tasks`];
	await search.idempotent.batch(build(search, statements));
}

function build(search: Database, [first, ...rest]: [SQL, ...SQL[]]): [Statement, ...Statement[]] {
	return [search.statement(first), ...rest.map((each) => search.statement(each))];
}

/**
 * Returns a page of the tasks that match, best first.
 *
 * @throws AppError `NOT_READY` when the index cannot be read.
 */
export async function findMatches(
	deps: Deps,
	plan: SearchPlan,
	page: { readonly after: SearchPlace | null; readonly limit: number },
): Promise<{ readonly matches: SearchMatch[]; readonly bookmark: string | null }> {
	const index = requireIndex(deps);
	// The first page sees everything that was written before it. Later pages see at least as much, on any replica.
	const search = page.after?.bookmark == null ? index : index.at(page.after.bookmark);
	try {
		const matches = await selectMatches(search, plan, page);
		return { matches, bookmark: search.bookmark() };
	} catch (error) {
		deps.log.error("search_failed", describeError(error));
		throw searchUnavailable(error);
	}
}

/**
 * Selects the newest matches of each expression, best first. A rank depends only on the query and the title, unlike `bm25`, which depends
 * on other tasks. Matches newer than the first page are ignored. So pages neither skip nor repeat a task while others are being published.
 */
export async function selectMatches(
	search: Database,
	{ matches, inTitle }: SearchPlan,
	{ after, limit }: { readonly after: Omit<SearchPlace, "bookmark"> | null; readonly limit: number },
): Promise<SearchMatch[]> {
	const isOld = after === null ? sql`true` : sql`rowid <= ${after.newest}`;
	const newest = after === null ? sql`(select max(document) from matches)` : sql`${after.newest}`;
	const hits = inTitle.map((words) => sql`(instr(title, ${words}) > 0)`);
	const numbers = matches.map(
		(match) =>
			sql`select number from (select rowid as number from task_search where task_search match ${match} and ${isOld} order by rowid desc limit ${MAX_MATCHES})`,
	);
	return search.query.all<SearchMatch>(sql`
		with matches as materialized (
			select document, task_id, title from (${sql.join(numbers, sql` union all `)}) cross join searched_tasks on document = number
		),
		ranked as (
			select document, task_id as "taskId", 1 + ${sql.join(hits, sql` + `)} as rank from matches
		)
		select document, "taskId", rank, ${newest} as newest from ranked
		where ${after === null ? sql`true` : sql`(rank, document) < (${after.rank}, ${after.document})`}
		order by rank desc, document desc limit ${limit}`);
}

/** @throws AppError `NOT_READY` for a deployment without an index. */
export function requireIndex({ search }: Pick<Deps, "search">): Database {
	if (search === null) throw searchUnavailable();
	return search;
}

const RETRY_AFTER_SECONDS = 30;

function searchUnavailable(cause?: unknown): AppError {
	const message =
		"Search is not available at the moment. Try again after the number of seconds in Retry-After. GET /api/v1/tasks lists the open tasks.";
	return new AppError("NOT_READY", { message, retryAfterSeconds: RETRY_AFTER_SECONDS, cause });
}
