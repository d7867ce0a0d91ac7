// A page of a task's whole leaderboard. Not live, because the task's stream contains only the first page.
import type { readPublicTask } from "../../core/competition/public-reading/get-public-task.ts";
import { BoardTable } from "./board.tsx";
import { FIRST_PLACE, type PublicBoardEntry } from "./board-rules.ts";
import { type Frame, renderPage, SITE_NAME } from "./layout.tsx";

export function renderBoardPage(
	frame: Frame,
	{
		task,
		board: { entries, next_cursor },
	}: {
		readonly task: Awaited<ReturnType<typeof readPublicTask>>;
		readonly board: { readonly entries: readonly PublicBoardEntry[]; readonly next_cursor: string | null };
	},
): Promise<string> {
	const [first, last] = [entries[0], entries.at(-1)];
	const ranks = first === undefined || last === undefined ? "" : `, ranks ${first.rank} to ${last.rank}`;
	return renderPage({
		frame,
		path: null,
		area: "tasks",
		title: `Leaderboard${ranks} · ${task.title} · ${SITE_NAME}`,
		description: `The leaderboard of a task${ranks}.`,
		children: (
			<div class="list-page board-page">
				<p class="trail">
					<a href="/tasks">Tasks</a> /{" "}
					<a href={`/tasks/${task.id}`}>
						<bdi>{task.title}</bdi>
					</a>
				</p>
				<h1>Leaderboard{ranks}</h1>
				<BoardTable entries={entries} />
				<nav class="pages" aria-label="Pages">
					{first === undefined || first.rank === 1 ? null : <a href={boardPath(task.id, FIRST_PLACE)}>First places</a>}
					{next_cursor === null ? null : (
						<a rel="next" href={boardPath(task.id, next_cursor)}>
							Next places
						</a>
					)}
				</nav>
			</div>
		),
	});
}

/** Returns the path of a leaderboard page that begins at a cursor, or at the first place. */
export const boardPath = (taskId: string, place: string): string => `/tasks/${taskId}?${new URLSearchParams({ board: place })}`;
