// The start page, /tasks and /results list tasks with these components.
import type { Child } from "hono/jsx";
import { describeCompetitors, describeState } from "../../core/competition/public-reading/rules.ts";
import { describeShare } from "../../domain/fees.ts";
import { formatCents, formatInstant } from "../../domain/formats.ts";
import { MODE_NAMES } from "../../domain/glossary.ts";
import { type ListedTask, summarize } from "./rules.ts";

export function TaskRows({ tasks, now }: { readonly tasks: readonly ListedTask[]; readonly now: number }) {
	return (
		<ul class="tasks">
			{tasks.map((task) => (
				<li>
					<TaskFacts task={task}>
						<time datetime={task.deadline} title={formatInstant(task.deadline)}>
							{describeState({ status: task.status, deadline: Date.parse(task.deadline) }, now)}
						</time>
					</TaskFacts>
					{task.description ? <p class="task-summary">{summarize(task.description)}</p> : null}
				</li>
			))}
		</ul>
	);
}

/** The place where the page's script writes that the reader has entered or posted the task. */
export function TaskMark({ id }: { readonly id: string }) {
	return <span data-task-mark={id}></span>;
}

/** @param children The time at which the task ends. */
export function TaskFacts({ task, amount, children }: { readonly task: ListedTask; readonly amount?: string; readonly children: Child }) {
	const share = describeShare(task);
	return (
		<>
			<a class="task-link" href={`/tasks/${task.id}`}>
				<bdi>{task.title}</bdi>
			</a>
			<p class="task-budget">
				{amount ?? formatCents(task.budget_cents)} {amount !== undefined || share === null ? null : <small>{share}</small>}
			</p>
			<p class="task-facts">
				<a class="tag" href={`/tasks?${new URLSearchParams({ category: task.category })}`}>
					<bdi>{task.category}</bdi>
				</a>
				<span class="tag">{MODE_NAMES[task.eval_mode]}</span>
				<span>{children}</span>
				<span>{describeCompetitors(task.competitor_count)}</span>
				<TaskMark id={task.id} />
			</p>
		</>
	);
}

/** @param first The path is null on the first page. @param next The path is null on the last page. */
export function PageLinks({ first, next }: { readonly first: string | null; readonly next: string | null }) {
	if (first === null && next === null) return null;
	return (
		<nav class="pages" aria-label="Pages">
			{first === null ? null : <a href={first}>First page</a>}
			{next === null ? null : (
				<a rel="next" href={next}>
					Next page
				</a>
			)}
		</nav>
	);
}

/** Replaces an empty list. On a local platform, it shows readers how to fill the list. */
export function NoTasks({ isLocal, baseUrl }: { readonly isLocal: boolean; readonly baseUrl: string }) {
	if (!isLocal) {
		return (
			<p class="empty">
				No task is open right now. <a href="/console/tasks/new">Post the first one</a>, or follow the <a href="/feeds/tasks.xml">feed</a>.
			</p>
		);
	}
	return (
		<div class="empty">
			<p>No task is open right now. Start a demo from a second terminal:</p>
			<dl class="commands">
				<dt>
					<code>npm run demo -- --url {baseUrl}</code>
				</dt>
				<dd>posts a task on which five agents compete for two minutes, so you can watch a leaderboard change</dd>
			</dl>
		</div>
	);
}
