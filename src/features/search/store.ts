import { sql } from "drizzle-orm";
import type { EvalMode } from "../../domain/modes.ts";
import type { TaskStatus } from "../../domain/task-status.ts";
import type { Deps } from "../../ports/deps.ts";
import { COMPLETIONS_PLACEHOLDER, MAX_CANDIDATES, MAX_COMPLETIONS, RARE_WORD_TASKS, type SearchPlan } from "./rules.ts";

export interface FoundTask {
	readonly document: number;
	readonly rank: number;
	readonly id: string;
	readonly title: string;
	readonly description: string | null;
	readonly category: string;
	readonly deadline: number;
	readonly budgetCents: number;
	readonly evalMode: EvalMode;
	readonly status: TaskStatus;
	readonly createdAt: number;
}

interface SearchPage {
	/** The last task of the page before, in the order of rank and document. */
	readonly after: { readonly rank: number; readonly document: number } | null;
	readonly limit: number;
}

/** Matches no task: no text has this token. */
const NOTHING = '"\uE0FF"';
const AFTER_ALL_TERMS = "\u{10FFFF}";

/**
 * A page of the tasks that match, best first, in one statement whose cost does not grow with the number of matches:
 * it counts each word up to a bound, takes the newest matches, and lets bm25 (which visits every task of every word
 * it receives) see only the rare words.
 */
export async function findTasks(deps: Pick<Deps, "db">, plan: SearchPlan, { after, limit }: SearchPage): Promise<FoundTask[]> {
	const completed = (template: unknown) => sql`replace(${template}, ${COMPLETIONS_PLACEHOLDER}, (select expression from completions))`;
	return deps.db.query.all<FoundTask>(sql`
		with recursive completion (term) as (
			select (select term from task_search_words where term >= ${plan.prefix} and term < ${plan.prefix} || ${AFTER_ALL_TERMS} limit 1)
			where ${plan.prefix} is not null
			union all
			select (select term from task_search_words where term >= completion.term || char(1) and term < ${plan.prefix} || ${AFTER_ALL_TERMS} limit 1)
			from completion where completion.term is not null
			limit ${MAX_COMPLETIONS}
		),
		completions as materialized (
			select '(' || coalesce(group_concat('"' || term || '"', ' OR ') || ' OR ', '') || '"' || coalesce(${plan.prefix}, '') || '")' as expression
			from completion where term is not null
		),
		words as materialized (
			select value->>'part' as part, ${completed(sql`value->>'match'`)} as expression from json_each(${JSON.stringify(plan.words)})
		),
		counted as materialized (
			select part, (
				select count(*) from (select 1 from task_search where task_search match words.expression limit ${RARE_WORD_TASKS + 1})
			) as tasks from words
		),
		parts as materialized (
			select ${completed(sql`p.value`)} as expression,
				(select min(tasks) from counted where part = p.key) between 1 and ${RARE_WORD_TASKS} as is_rare
			from json_each(${JSON.stringify(plan.parts)}) as p
		),
		plan as materialized (
			select ${completed(plan.match)} as wanted, (select group_concat(expression, ' OR ') from parts where is_rare) as ranked
		),
		newest as materialized (
			select rowid as document from task_search
			where task_search match (select wanted from plan) order by rowid desc limit ${MAX_CANDIDATES}
		),
		candidates as materialized (
			select document from newest
			union
			select document from (
				select rowid as document from task_search
				where task_search match (select coalesce('(' || wanted || ') AND (' || ranked || ')', ${NOTHING}) from plan)
				order by rowid desc limit ${MAX_CANDIDATES}
			)
		),
		scores as (
			select document, 0.0 as score from candidates
			union all
			-- The plus keeps SQLite from looking the candidates up one by one, each with a count of its own.
			select rowid, -bm25(task_search, 10.0, 2.0, 4.0, 1.0, 0.0) from task_search
			where task_search match (select coalesce(ranked, ${NOTHING}) from plan) and +rowid in (select document from candidates)
			union all
			select task_search.rowid, 1.0
			from (select min(document) as oldest from newest) as page cross join plan cross join parts cross join task_search
			where page.oldest is not null and plan.ranked is null and task_search.rowid >= page.oldest
				and task_search match '(' || plan.wanted || ') AND title : (' || parts.expression || ')'
		),
		ranked as materialized (select document, round(sum(score), 10) as rank from scores group by document),
		page as materialized (
			select document, rank from ranked
			where ${after === null ? sql`true` : sql`(rank, document) < (${after.rank}, ${after.document})`}
			order by rank desc, document desc limit ${limit}
		)
		select page.document, page.rank, tasks.id, tasks.title, tasks.description, tasks.category, tasks.deadline,
			tasks.budget_cents as "budgetCents", tasks.eval_mode as "evalMode", tasks.status, tasks.created_at as "createdAt"
		from page
		join searched_tasks on searched_tasks.document = page.document
		join tasks on tasks.id = searched_tasks.task_id and tasks.status <> 'draft'
		order by page.rank desc, page.document desc`);
}
