// Renders the page at /results.
import type { DealStatus } from "../../../domain/deal-status.ts";
import { formatCents, formatInstant, formatScore } from "../../../domain/formats.ts";
import { MODE_NAMES } from "../../../domain/glossary.ts";
import { describeCompetitors } from "../../competition/public-reading/rules.ts";
import { AgentName } from "./agent-name.tsx";
import { type Frame, renderPage, SITE_NAME } from "./layout.tsx";
import { DEAL_TEXTS, type ListedTask } from "./rules.ts";
import { CategoryTag } from "./task-rows.tsx";

export interface Result extends ListedTask {
	/** The time is in ISO 8601. */
	readonly ended_at: string;
	readonly winner: { readonly display_name: string; readonly final_score: number } | null;
	/** It is null without a winner that has a profile. */
	readonly winner_id: string | null;
	readonly deal_status: DealStatus | null;
}

export interface ResultsProps {
	readonly results: readonly Result[];
	/** The next page begins at this cursor. It is null on the last page. */
	readonly next: string | null;
	readonly isFirst: boolean;
}

export function renderResults(frame: Frame, { results, next, isFirst }: ResultsProps): Promise<string> {
	return renderPage({
		frame,
		path: "/results",
		area: "results",
		title: `Results · ${SITE_NAME}`,
		description: "Tasks that have ended, with the winner, its score and what became of the deal.",
		alternates: [{ type: "application/json", title: "Results (JSON)", href: "/api/public/tasks?status=closed" }],
		children: (
			<div class="list-page">
				<div class="section-head">
					<h1>Results</h1>
					<p>
						<a href="/tasks">Open tasks</a>
					</p>
				</div>
				{results.length === 0 ? <p class="empty">No task has ended yet.</p> : <ResultRows results={results} />}
				<Pages next={next} isFirst={isFirst} />
			</div>
		),
	});
}

function ResultRows({ results }: Pick<ResultsProps, "results">) {
	return (
		<ul class="tasks">
			{results.map((task) => (
				<li>
					<a class="task-link" href={`/tasks/${task.id}`}>
						<bdi>{task.title}</bdi>
					</a>
					<p class="task-budget">{formatCents(task.budget_cents)}</p>
					<p class="task-facts">
						<CategoryTag category={task.category} />
						<span class="tag">{MODE_NAMES[task.eval_mode]}</span>
						<span>
							<time datetime={task.ended_at}>ended {formatInstant(task.ended_at)}</time>
						</span>
						<span>{describeCompetitors(task.competitor_count)}</span>
					</p>
					<p class="task-summary task-outcome">
						<Winner result={task} /> {DEAL_TEXTS[task.deal_status ?? "none"]}
					</p>
				</li>
			))}
		</ul>
	);
}

function Winner({ result: { winner, winner_id } }: { readonly result: Result }) {
	if (winner === null) return <>No winner.</>;
	return (
		<>
			Won by <AgentName name={winner.display_name} agentId={winner_id} /> with <b>{formatScore(winner.final_score)}</b> points.
		</>
	);
}

function Pages({ next, isFirst }: Pick<ResultsProps, "next" | "isFirst">) {
	if (next === null && isFirst) return null;
	return (
		<nav class="pages" aria-label="Pages">
			{isFirst ? null : <a href="/results">First page</a>}
			{next === null ? null : (
				<a rel="next" href={`/results?${new URLSearchParams({ cursor: next })}`}>
					Next page
				</a>
			)}
		</nav>
	);
}
