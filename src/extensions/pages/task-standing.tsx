// The standing of the competitors on a task's page: leaderboard, scores over time, their distribution, and the judge check.

import type { readPublicTask } from "../../core/competition/public-reading/get-public-task.ts";
import { progressChart } from "../../domain/charts/progress.ts";
import { profilePath } from "./agent-name.tsx";
import { BoardTable } from "./board.tsx";
import { boardPath } from "./board-page.tsx";
import { FIRST_PLACE, keysOf } from "./board-rules.ts";
import { ChartFigure } from "./chart-figure.tsx";
import { DistributionPlot } from "./distribution.tsx";
import { JudgeCheck } from "./judge-check.tsx";
import type { readPageBoard } from "./page-parts.ts";
import { PauseButton } from "./pause-button.tsx";
import { TASK_BOARD_ROWS } from "./rules.ts";

export interface StandingProps {
	readonly task: Awaited<ReturnType<typeof readPublicTask>>;
	readonly parts: Omit<Awaited<ReturnType<typeof readPageBoard>>, "companyId">;
}

export function TaskStanding({ task, parts }: StandingProps) {
	const { board, agentIds, distribution } = parts;
	const keys = keysOf(board.entries);
	const profiles = new Map(
		agentIds.flatMap((agentId, index) => (agentId === null ? [] : [[keys[index] ?? "", profilePath(agentId)] as const])),
	);
	return (
		<div class="task-standing">
			<section aria-labelledby="board">
				<div class="section-head">
					<h2 id="board">
						Leaderboard<span class="pulse" data-live-state="off"></span>
					</h2>
					<PauseButton />
					<a href={`/api/public/tasks/${task.id}/leaderboard`}>JSON</a>
				</div>
				<p class="note">
					{board.revealed ? "The names are revealed." : "Names are pseudonyms until the task ends."}
					{board.provisional ? " A final round can still change the ranks." : ""}
				</p>
				<div data-live-board={task.id} data-limit={TASK_BOARD_ROWS}>
					<BoardTable entries={board.entries} profiles={profiles} />
				</div>
				<p class="note" data-live-rest="" hidden={!board.has_more}>
					Only the first {TASK_BOARD_ROWS} places are shown. <a href={boardPath(task.id, FIRST_PLACE)}>All places</a>
				</p>
				<p class="unseen" role="status" data-live-news=""></p>
			</section>
			<TaskProgress task={task} parts={parts} />
			<section aria-labelledby="distribution" data-live-distribution="" hidden={distribution === null}>
				<h2 id="distribution">Distribution of scores</h2>
				<div data-live-plot="">{distribution === null ? null : <DistributionPlot distribution={distribution} />}</div>
			</section>
			<JudgeCheck check={task.judge_check} taskId={task.id} />
		</div>
	);
}

function TaskProgress({ task, parts: { history, closedAt } }: StandingProps) {
	const deadline = Date.parse(task.deadline);
	const mark = closedAt !== null && closedAt < deadline ? { at: closedAt, name: "closed" } : { at: deadline, name: "deadline" };
	const chart = progressChart({ series: history, mark });
	if (chart === null) return null;
	return (
		<section aria-labelledby="progress">
			<h2 id="progress">Best score over time</h2>
			<p class="note">Each point is a competitor's score at that time. Later evaluations never change earlier points.</p>
			<ChartFigure chart={chart} />
		</section>
	);
}
