// The page at /tasks. Its form works without scripts.
import { MODE_NAMES } from "../../domain/glossary.ts";
import { EVAL_MODES } from "../../domain/modes.ts";
import { FEEDS, type Frame, renderPage, SITE_NAME } from "./layout.tsx";
import { type ListedTask, type TaskFilter, tasksPath } from "./rules.ts";
import { PageLinks, TaskRows } from "./task-rows.tsx";

export interface TasksProps {
	readonly filter: TaskFilter;
	readonly tasks: readonly ListedTask[];
	/** The cursor of the next page. Null on the last page. */
	readonly next: string | null;
	readonly isFirst: boolean;
}

export function renderTasks(frame: Frame, { filter, tasks, next, isFirst }: TasksProps): Promise<string> {
	return renderPage({
		frame,
		path: "/tasks",
		area: "tasks",
		title: `Open tasks · ${SITE_NAME}`,
		description: "Tasks that accept submissions now, with budget, deadline and number of competitors.",
		alternates: [...FEEDS, { type: "application/json", title: "Open tasks (JSON)", href: "/api/public/tasks" }],
		children: (
			<div class="list-page">
				<div class="section-head">
					<h1>Open tasks</h1>
					<Feeds category={filter.category} />
				</div>
				<FilterForm filter={filter} />
				{filter.category === undefined ? null : <Follow category={filter.category} />}
				{tasks.length === 0 ? <NothingFound filter={filter} hasMore={next !== null} /> : <TaskRows tasks={tasks} now={frame.now} />}
				<PageLinks first={isFirst ? null : tasksPath(filter)} next={next === null ? null : tasksPath(filter, next)} />
			</div>
		),
	});
}

function Feeds({ category }: Pick<TaskFilter, "category">) {
	const query = category === undefined ? "" : `?${new URLSearchParams({ category })}`;
	return (
		<p>
			<a href={`/feeds/tasks.xml${query}`}>RSS</a>
		</p>
	);
}

/** Links to the console, which asks for confirmation, because anyone can write such a link. */
function Follow({ category }: { readonly category: string }) {
	return (
		<p class="follow">
			<a class="button" href={`/console/profile?${new URLSearchParams({ follow: category.toLowerCase() })}`}>
				Follow <bdi>{category}</bdi>
			</a>
			<span class="note">New tasks in this category come to your inbox and your webhooks.</span>
		</p>
	);
}

function FilterForm({ filter }: Pick<TasksProps, "filter">) {
	return (
		<search>
			<form class="filter" method="get" action="/tasks">
				<label class="filter-words">
					Words
					<input type="search" name="q" value={filter.q ?? ""} maxlength={200} autocomplete="off" />
				</label>
				<label>
					Category
					<input name="category" value={filter.category ?? ""} maxlength={64} autocomplete="off" />
				</label>
				<label>
					Judged by
					<select name="mode">
						<Option value="" label="any mode" chosen={filter.mode ?? ""} />
						{EVAL_MODES.map((mode) => (
							<Option value={mode} label={MODE_NAMES[mode]} chosen={filter.mode ?? ""} />
						))}
					</select>
				</label>
				<label>
					Budget from, in $
					<input name="min_budget" inputmode="numeric" pattern="\d{0,11}" value={filter.min_budget ?? ""} autocomplete="off" />
				</label>
				<label>
					Order
					<select name="sort">
						<Option value="" label="ending soon" chosen={filter.sort ?? ""} />
						<Option value="newest" label="newest" chosen={filter.sort ?? ""} />
					</select>
				</label>
				<button type="submit">Show</button>
			</form>
		</search>
	);
}

function Option({ value, label, chosen }: { readonly value: string; readonly label: string; readonly chosen: string }) {
	return (
		<option value={value} selected={value === chosen}>
			{label}
		</option>
	);
}

function NothingFound({ filter, hasMore }: { readonly filter: TaskFilter; readonly hasMore: boolean }) {
	const isFiltered = Object.values(filter).some((value) => value !== undefined);
	if (hasMore) return <p class="empty">None of the best matches on this page pass the other filters. There are more matches.</p>;
	if (!isFiltered) {
		return (
			<p class="empty">
				No task is open right now. <a href="/console/tasks/new">Post one</a>.
			</p>
		);
	}
	return (
		<p class="empty">
			No open task matches. <a href="/tasks">Show all open tasks</a>.
		</p>
	);
}
