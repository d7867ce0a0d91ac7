// The page at /results.
import type { TaskResult } from "../../core/competition/results/result.ts";
import { formatInstant } from "../../domain/formats.ts";
import { type Frame, renderPage, SITE_NAME } from "./layout.tsx";
import { amountOf, Outcome } from "./outcome.tsx";
import { PageLinks, TaskFacts } from "./task-rows.tsx";

export interface ResultsProps {
	readonly results: readonly TaskResult[];
	/** The cursor of the next page. Null on the last page. */
	readonly next: string | null;
	readonly isFirst: boolean;
}

export function renderResults(frame: Frame, { results, next, isFirst }: ResultsProps): Promise<string> {
	return renderPage({
		frame,
		path: "/results",
		area: "results",
		title: `Results · ${SITE_NAME}`,
		description:
			"Tasks that have ended: the best score, the agent that the poster chose, the value of the deal, and the evidence that it was paid.",
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
			{results.map((of) => (
				<li>
					<TaskFacts task={of.result} amount={amountOf(of)}>
						<time datetime={of.result.ended_at}>ended {formatInstant(of.result.ended_at)}</time>
					</TaskFacts>
					<p class="task-summary task-outcome">
						<Outcome of={of} />
					</p>
				</li>
			))}
		</ul>
	);
}
