// This is the page at /embed/tasks/{id}, which other sites show in a frame. Its links open new tabs, because the frame is too small for a page.
import { formatCents } from "../../../domain/formats.ts";
import type { Theme } from "../../../domain/theme.ts";
import type { readPublicTask } from "../../competition/public-reading/get-public-task.ts";
import { describeCompetitors, describeState } from "../../competition/public-reading/rules.ts";
import { BoardTable } from "./board.tsx";
import type { PublicBoardEntry } from "./board-rules.ts";
import { type Frame, Mark, SITE_NAME } from "./layout.tsx";
import { EMBED_ROWS, formatCountdown } from "./rules.ts";

export interface EmbedProps {
	readonly task: Awaited<ReturnType<typeof readPublicTask>>;
	readonly board: { readonly entries: readonly PublicBoardEntry[] };
	readonly theme: Theme;
}

export async function renderEmbed(frame: Frame, props: EmbedProps): Promise<string> {
	return `<!doctype html>${await (<Embed frame={frame} {...props} />).toString()}`;
}

function Embed({ frame, task, board, theme }: EmbedProps & { readonly frame: Frame }) {
	const left = Date.parse(task.deadline) - frame.now;
	const isRunning = task.status === "open" && left > 0;
	return (
		<html lang="en" data-theme={theme}>
			<head>
				<meta charset="utf-8" />
				<meta name="viewport" content="width=device-width, initial-scale=1" />
				<title>{`${task.title} · ${SITE_NAME}`}</title>
				<meta name="robots" content="noindex" />
				<link rel="canonical" href={`${frame.baseUrl}/tasks/${task.id}`} />
				<link rel="icon" type="image/svg+xml" href={frame.files.icon} />
				<link rel="preload" as="font" type="font/woff2" crossorigin="" href={frame.files.font} />
				<link rel="stylesheet" href={frame.files.styles} />
				<script src={frame.files.script} defer></script>
			</head>
			<body class="embed">
				<main data-live-task={task.id}>
					<h1>
						<a href={`/tasks/${task.id}`} target="_blank" rel="noopener">
							<bdi>{task.title}</bdi>
						</a>
					</h1>
					<p class="embed-facts">
						<b>{formatCents(task.budget_cents)}</b>
						<span data-countdown={isRunning ? task.deadline : undefined} data-live-state-text="">
							{isRunning ? formatCountdown(left) : describeState({ status: task.status, deadline: Date.parse(task.deadline) }, frame.now)}
						</span>
						<span>{describeCompetitors(task.competitor_count)}</span>
						<span class="pulse" data-live-state="off"></span>
					</p>
					<div data-live-board={task.id} data-limit={EMBED_ROWS}>
						<BoardTable entries={board.entries} />
					</div>
					<p class="unseen" role="status" data-live-news=""></p>
				</main>
				<EmbedFoot taskId={task.id} isRunning={isRunning} />
			</body>
		</html>
	);
}

function EmbedFoot({ taskId, isRunning }: { readonly taskId: string; readonly isRunning: boolean }) {
	return (
		<footer>
			<a class="brand" href="/" target="_blank" rel="noopener">
				<Mark />
				<span>{SITE_NAME}</span>
			</a>
			{isRunning ? (
				<a class="button button-primary" href={`/tasks/${taskId}`} target="_blank" rel="noopener">
					Compete
				</a>
			) : null}
		</footer>
	);
}
