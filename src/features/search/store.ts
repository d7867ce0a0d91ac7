import { type SQL, sql } from "drizzle-orm";
import type { EvalMode } from "../../domain/modes.ts";
import type { TaskStatus } from "../../domain/task-status.ts";
import type { Deps } from "../../ports/deps.ts";
import {
	COMPLETIONS_PLACEHOLDER,
	FACET_MARK,
	MAX_CANDIDATES,
	MAX_COMPLETIONS,
	RARE_WORD_TASKS,
	SCORE_UNIT,
	type SearchPlan,
	STACK_DOCUMENTS,
	STACK_FACET,
} from "./rules.ts";

export interface FoundTask {
	readonly document: number;
	readonly score: number;
	/** The newest document that this search looked at. */
	readonly newest: number;
	readonly id: string;
	readonly title: string;
	readonly description: string | null;
	readonly category: string;
	readonly deadline: number;
	readonly budgetCents: number;
	readonly evalMode: EvalMode;
	readonly status: TaskStatus;
	readonly competitorCount: number;
	readonly createdAt: number;
}

interface SearchPage {
	/** Where the walk of a query stands: null for its first page. */
	readonly after: SearchPlace | null;
	readonly limit: number;
}

/** The last task of a page, in the order of score and document, and the newest document when the first page was read. */
export interface SearchPlace {
	readonly score: number;
	readonly document: number;
	readonly newest: number;
}

/** Matches no task: only triggers write facets, and no trigger writes this one. */
const NOTHING = `facets : "${FACET_MARK}nothing"`;
const AFTER_ALL_TERMS = "\u{10FFFF}";

/**
 * A page of the tasks that match, best first, in one statement whose cost does not grow with the number of matches:
 * it counts each word up to a bound, takes the newest matches, and scores only the rare words, because every visit costs.
 * Words that are common can have no match in common, so without a rare word only the newest stacks of documents are walked. FTS5
 * walks on past a bound of `rowid` until it finds a match, so a facet of each stack bounds the walk.
 *
 * All of it looks at the documents up to `newest` only. What is published while a caller reads page after page
 * changes neither the candidates nor their scores, so pages neither skip nor repeat a task.
 */
export async function findTasks(deps: Pick<Deps, "db">, plan: SearchPlan, { after, limit }: SearchPage): Promise<FoundTask[]> {
	const completed = (template: unknown) => sql`replace(${template}, ${COMPLETIONS_PLACEHOLDER}, (select expression from completions))`;
	const nextTerm = (from: SQL) => sql`(
		select term from task_search_words where term >= ${from} and term < ${plan.prefix} || ${AFTER_ALL_TERMS} limit 1
	)`;
	// The newest one is not full yet.
	const stacks = JSON.stringify([...Array(plan.stacks + 1).keys()]);
	return deps.db.query.all<FoundTask>(sql`
		with recursive corpus as materialized (
			select ${after === null ? sql`(select coalesce(max(document), 0) from searched_tasks)` : after.newest} as newest
		),
		completion (term) as (
			select ${nextTerm(sql`${plan.prefix}`)} where ${plan.prefix} is not null
			union all
			select ${nextTerm(sql`completion.term || char(1)`)} from completion where completion.term is not null
		),
		completions as materialized (
			select '(' || coalesce(group_concat('"' || term || '"', ' OR ') || ' OR ', '') || '"' || coalesce(${plan.prefix}, '') || '")' as expression
			from (
				select term from completion
				where term is not null
					-- The vocabulary lists a term's documents in their order, so the first row has its oldest one.
					and (select doc from task_search_words as known where known.term = completion.term limit 1) <= (select newest from corpus)
				limit ${MAX_COMPLETIONS}
			)
		),
		words as materialized (
			select value->>'part' as part, ${completed(sql`value->>'match'`)} as expression from json_each(${JSON.stringify(plan.words)})
		),
		counted as materialized (
			select part, (
				select count(*) from (
					select 1 from task_search
					where task_search match words.expression and rowid <= (select newest from corpus) limit ${RARE_WORD_TASKS + 1}
				)
			) as tasks from words
		),
		parts as materialized (
			select expression, tasks between 1 and ${RARE_WORD_TASKS} as is_rare,
				cast(round(${SCORE_UNIT} * ln(1 + (max(newest - tasks, 0) + 0.5) / (tasks + 0.5))) as integer) as worth
			from corpus cross join (
				select ${completed(sql`p.value`)} as expression, (select min(tasks) from counted where part = p.key) as tasks
				from json_each(${JSON.stringify(plan.parts)}) as p
			)
		),
		plan as materialized (
			select ${completed(plan.match)} as wanted, (select group_concat(expression, ' OR ') from parts where is_rare) as ranked,
				(
					select group_concat(${STACK_FACET} || (cast(newest / ${STACK_DOCUMENTS} as integer) - value), ' OR ')
					from corpus cross join json_each(${stacks}) where newest >= ${STACK_DOCUMENTS} * json_array_length(${stacks})
				) as stacks
		),
		newest as materialized (
			select rowid as document from task_search
			where task_search match (select coalesce('facets : (' || stacks || ') AND ', '') || '(' || wanted || ')' from plan)
				and rowid <= (select newest from corpus)
			order by rowid desc limit ${MAX_CANDIDATES}
		),
		candidates as materialized (
			select document from newest
			union
			select document from (
				select rowid as document from task_search
				where task_search match (select '(' || wanted || ') AND (' || coalesce(ranked, ${NOTHING}) || ')' from plan)
					and rowid <= (select newest from corpus)
				order by rowid desc limit ${MAX_CANDIDATES}
			)
		),
		fields (filter, weight) as materialized (values ('', 1), ('{title category} : ', 3), ('title : ', 6)),
		scores as (
			select document, 0 as score from candidates
			union all
			-- The plus keeps SQLite from looking the candidates up one by one, each with a count of its own.
			select task_search.rowid, parts.worth * fields.weight from fields cross join parts cross join task_search
			where parts.is_rare and task_search match fields.filter || '(' || parts.expression || ')'
				and task_search.rowid <= (select newest from corpus) and +task_search.rowid in (select document from candidates)
			union all
			select task_search.rowid, ${SCORE_UNIT}
			from (select min(document) as oldest from newest) as page cross join plan cross join parts cross join task_search
			where page.oldest is not null and plan.ranked is null
				and task_search.rowid between page.oldest and (select newest from corpus)
				and task_search match '(' || plan.wanted || ') AND title : (' || parts.expression || ')'
		),
		ranked as materialized (select document, sum(score) as score from scores group by document),
		page as materialized (
			select document, score from ranked
			where ${after === null ? sql`true` : sql`(score, document) < (${after.score}, ${after.document})`}
			order by score desc, document desc limit ${limit}
		)
		select page.document, page.score, (select newest from corpus) as newest, tasks.id, tasks.title, tasks.description, tasks.category,
			tasks.deadline, tasks.budget_cents as "budgetCents", tasks.eval_mode as "evalMode", tasks.status,
			tasks.competitor_count as "competitorCount", tasks.created_at as "createdAt"
		from page
		join searched_tasks on searched_tasks.document = page.document
		join tasks on tasks.id = searched_tasks.task_id and tasks.status <> 'draft'
		order by page.score desc, page.document desc`);
}
