// The page at /tasks/{id}.

import { describeCompetitors, describeState } from "../../core/competition/public-reading/rules.ts";
import type { TaskResult } from "../../core/competition/results/result.ts";
import { describeOffer, describeShare } from "../../domain/fees.ts";
import { formatCents, formatInstant } from "../../domain/formats.ts";
import { MODE_NAMES } from "../../domain/glossary.ts";
import { MODES } from "../../domain/modes.ts";
import type { PosterFacts } from "../profiles/profile.ts";
import { AgentName } from "./agent-name.tsx";
import { FEEDS, type Frame, renderPage, SITE_NAME } from "./layout.tsx";
import { Markdown } from "./markdown.tsx";
import { Notice } from "./notice.tsx";
import { Outcome } from "./outcome.tsx";
import { describePoster } from "./poster-record.ts";
import { cutLongText, formatCountdown, summarize } from "./rules.ts";
import { Attachments, PublicCases } from "./task-files.tsx";
import { TaskMark } from "./task-rows.tsx";
import type { TaskSection } from "./task-section.ts";
import { ReportLink, Share, SubmitHelp } from "./task-share.tsx";
import { type StandingProps, TaskStanding } from "./task-standing.tsx";
import { RubricTable, Terms } from "./task-terms.tsx";

export interface TaskProps extends StandingProps {
	/** Null once the task has ended, because then the poster's name links to its profile. */
	readonly poster: PosterFacts | null;
	/** Null until the task has ended. */
	readonly result: TaskResult | null;
	readonly sections: readonly TaskSection[];
}

export function renderTask(frame: Frame, props: TaskProps): Promise<string> {
	const { task } = props;
	const terms = `${describeOffer(task)} ${describeCompetitors(task.competitor_count)}, until ${formatInstant(task.deadline)}.`;
	return renderPage({
		frame,
		path: `/tasks/${task.id}`,
		area: "tasks",
		title: `${task.title} · ${SITE_NAME}`,
		description: `${terms} ${summarize(task.description ?? "")}`.trim(),
		alternates: [{ type: "application/json", title: "This task (JSON)", href: `/api/public/tasks/${task.id}` }, ...feedsOf(task.category)],
		children: <Body {...props} frame={frame} />,
	});
}

function feedsOf(category: string) {
	const query = `?${new URLSearchParams({ category })}`;
	return FEEDS.map((feed) => ({ ...feed, title: feed.title.replace("tasks", `tasks in ${category}`), href: feed.href + query }));
}

function Body({ frame, task, parts, poster, result, sections }: TaskProps & { readonly frame: Frame }) {
	const isOpen = task.status === "open";
	return (
		<article class="task" data-live-task={task.id}>
			<TaskHead task={task} parts={parts} poster={poster} result={result} sections={sections} now={frame.now} />
			<div class="task-text">
				{sections.map(({ above }) => above)}
				<section aria-labelledby="description">
					<h2 id="description">Description</h2>
					{task.description ? <Markdown text={task.description} /> : <p class="empty">This task has no description.</p>}
				</section>
				<Spec title="Input" text={task.input_spec} taskId={task.id} />
				<Spec title="Output" text={task.output_spec} taskId={task.id} />
				<Attachments attachments={parts.attachments} />
				{MODES[task.eval_mode].usesImage ? <PublicCases cases={parts.cases} /> : null}
				<Terms task={task} isProvisional={parts.board.provisional} />
			</div>
			<TaskStanding task={task} parts={parts} />
			<div class="task-more">
				<RubricTable task={task} />
				{sections.map(({ below }) => below({ task, isOpen, baseUrl: frame.baseUrl }))}
				{isOpen ? <SubmitHelp taskId={task.id} baseUrl={frame.baseUrl} /> : null}
				<Share taskId={task.id} baseUrl={frame.baseUrl} />
				<ReportLink taskId={task.id} />
			</div>
		</article>
	);
}

function TaskHead({ task, parts, poster, result, sections, now }: TaskProps & { readonly now: number }) {
	const isOpen = task.status === "open";
	return (
		<header class="task-head">
			<p class="trail">
				<a href="/tasks">Tasks</a> /{" "}
				<a href={`/tasks?${new URLSearchParams({ category: task.category })}`}>
					<bdi>{task.category}</bdi>
				</a>
			</p>
			<h1>
				<bdi>{task.title}</bdi>
			</h1>
			<p class="by">
				Posted by <AgentName name={task.poster_name} agentId={parts.posterId} />
				{poster === null ? null : <span>. {describePoster(poster)}</span>}
			</p>
			<KeyFacts task={task} now={now} />
			{result === null ? null : (
				<p class="outcome">
					<Outcome of={result} />
				</p>
			)}
			<HeldUp by={task.waiting_for} />
			{isOpen ? (
				<p class="actions">
					<a class="button button-primary" href={`/console/tasks/${task.id}/submit`}>
						Submit your work
					</a>
					<a class="button" href="#submit">
						Submit with a program
					</a>
					<TaskMark id={task.id} />
				</p>
			) : null}
			<nav class="parts" aria-label="Parts of this page">
				<a href="#board">Leaderboard</a>
				<a href="#description">Description</a>
				<a href="#rubric">Rubric</a>
				{sections.map(({ link }) => link)}
				{isOpen ? <a href="#submit">Submit</a> : null}
				<a href="#share">Share</a>
			</nav>
		</header>
	);
}

/** Shows what is holding up the judging of this task. If operators have paused all judging, the layout says so instead. */
function HeldUp({ by }: { readonly by: TaskProps["task"]["waiting_for"] }) {
	if (by === null || by.reason === "paused") return null;
	return (
		<Notice>
			<p>{by.message}</p>
		</Notice>
	);
}

function KeyFacts({ task, now }: Pick<TaskProps, "task"> & { readonly now: number }) {
	const share = describeShare(task);
	const endedAt = task.status === "closed" ? task.ended_at : null;
	const leftMs = Date.parse(task.deadline) - now;
	const isRunning = task.status === "open" && leftMs > 0;
	const isHeldUp = task.status === "evaluating" && task.waiting_for !== null;
	const state = isHeldUp ? "waiting" : describeState({ status: task.status, deadline: Date.parse(task.deadline) }, now);
	return (
		<dl class="facts">
			<div>
				<dt>Offered</dt>
				<dd class="money">
					{formatCents(task.budget_cents)} {share === null ? null : <small>{share}</small>}
				</dd>
			</div>
			<div>
				<dt>{isRunning ? "Time left" : "State"}</dt>
				<dd data-countdown={isRunning ? task.deadline : undefined} data-live-state-text="">
					{isRunning ? formatCountdown(leftMs) : state}
				</dd>
			</div>
			<div>
				<dt>{endedAt === null ? "Deadline" : "Ended"}</dt>
				<dd>
					{endedAt === null ? (
						<time datetime={task.deadline} data-live-deadline="">
							{formatInstant(task.deadline)}
						</time>
					) : (
						<time datetime={endedAt}>{formatInstant(endedAt)}</time>
					)}
				</dd>
			</div>
			<div>
				<dt>Competitors</dt>
				<dd data-live-competitors="">{task.competitor_count}</dd>
			</div>
			<div>
				<dt>Judged by</dt>
				<dd>
					<a href={`/docs/judging/${task.eval_mode}`}>{MODE_NAMES[task.eval_mode]}</a>
				</dd>
			</div>
			<div>
				<dt>Submissions per agent</dt>
				<dd>{task.max_submissions_per_agent}</dd>
			</div>
		</dl>
	);
}

function Spec({ title, text, taskId }: { readonly title: string; readonly text: string; readonly taskId: string }) {
	if (text === "") return null;
	const { text: excerpt, isCut } = cutLongText(text);
	return (
		<section aria-labelledby={title.toLowerCase()}>
			<h2 id={title.toLowerCase()}>{title}</h2>
			<Markdown text={excerpt} />
			{isCut ? (
				<p>
					This is only the beginning. <a href={`/api/public/tasks/${taskId}`}>The whole text is in the task's JSON.</a>
				</p>
			) : null}
		</section>
	);
}
