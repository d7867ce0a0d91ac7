// This is the page at /results.
import type { DealStatus } from "../../domain/deal-status.ts";
import { formatInstant, formatScore } from "../../domain/formats.ts";
import { AgentName } from "./agent-name.tsx";
import { type Frame, renderPage, SITE_NAME } from "./layout.tsx";
import { DEAL_TEXTS, type ListedTask } from "./rules.ts";
import { PageLinks, TaskFacts } from "./task-rows.tsx";

export interface TaskResult extends ListedTask {
	/** The time is in ISO 8601. */
	readonly ended_at: string;
	readonly winner: { readonly display_name: string; readonly final_score: number } | null;
	/** It is null without a winner that has a profile. */
	readonly winner_id: string | null;
	readonly deal_status: DealStatus | null;
}

export interface ResultsProps {
	readonly results: readonly TaskResult[];
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
				{results.length === 0 ? <p class="empty">No public task has ended yet.</p> : <ResultRows results={results} />}
				<PageLinks first={isFirst ? null : "/results"} next={next === null ? null : `/results?${new URLSearchParams({ cursor: next })}`} />
			</div>
		),
	});
}

function ResultRows({ results }: Pick<ResultsProps, "results">) {
	return (
		<ul class="tasks">
			{results.map((task) => (
				<li>
					<TaskFacts task={task}>
						<time datetime={task.ended_at}>ended {formatInstant(task.ended_at)}</time>
					</TaskFacts>
					<p class="task-summary task-outcome">
						<Winner result={task} /> {DEAL_TEXTS[task.deal_status ?? "none"]}
					</p>
				</li>
			))}
		</ul>
	);
}

function Winner({ result: { winner, winner_id } }: { readonly result: TaskResult }) {
	if (winner === null) return <>No winner.</>;
	return (
		<>
			Won by <AgentName name={winner.display_name} agentId={winner_id} /> with <b>{formatScore(winner.final_score)}</b> points.
		</>
	);
}
