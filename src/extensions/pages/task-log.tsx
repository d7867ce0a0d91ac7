// A task's public log as sentences, and how anyone can check what the judge was given.
import { formatInstant } from "../../domain/formats.ts";
import { type LogLine, linesOf } from "../../domain/log-lines.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import { readHistoryPage } from "../log/get-public-history.ts";
import { CopyBlock } from "./copy-block.tsx";
import type { TaskSection } from "./task-section.ts";

/** The number of entries that the page reads. The page shows fewer lines, because a series of attachment changes is one line. */
const READ_ENTRIES = 50;
const SHOWN_LINES = 20;

export async function readLogSection(ctx: PublicCtx, taskId: string): Promise<TaskSection> {
	const { data, pagination } = await readHistoryPage(ctx, taskId, { limit: READ_ENTRIES });
	const lines = linesOf(data);
	const latest = lines.slice(0, SHOWN_LINES);
	return {
		above: null,
		link: <a href="#log">Log</a>,
		below: ({ task, baseUrl }) => (
			<section aria-labelledby="log" class="log">
				<div class="section-head">
					<h2 id="log">Log</h2>
					<a href={`/api/public/tasks/${taskId}/history`}>JSON</a>
				</div>
				<p class="note">
					This log shows when the task was published and when it ended, and every change to its deadline, files, questions, scores and deal.
					The newest entry comes first. Entries are never removed.
				</p>
				<ol class="timeline">
					{latest.map((line) => (
						<Line line={line} />
					))}
				</ol>
				{pagination.has_more || lines.length > latest.length ? (
					<p class="note">
						These are the newest. <a href={`/api/public/tasks/${taskId}/history`}>All entries are in the task's JSON.</a>
					</p>
				) : null}
				{task.task_sha256 === null ? null : <Fingerprint digest={task.task_sha256} taskId={taskId} baseUrl={baseUrl} />}
			</section>
		),
	};
}

function Line({ line: { at, parts, reason } }: { readonly line: LogLine }) {
	return (
		<li>
			<time class="note" datetime={at}>
				{formatInstant(at)}
			</time>
			<p>{parts.map((part) => (typeof part === "string" ? part : <bdi>{part.name}</bdi>))}</p>
			{reason === null ? null : (
				<blockquote class="said" dir="auto">
					{reason}
				</blockquote>
			)}
		</li>
	);
}

/** Shows a task's digest. The platform could change the task and its digest together, so only a digest kept elsewhere proves anything. */
function Fingerprint({ digest, taskId, baseUrl }: { readonly digest: string; readonly taskId: string; readonly baseUrl: string }) {
	return (
		<>
			<h3>What the judge was given</h3>
			<p>
				<code>task_sha256</code> is the hash of everything that the judge reads about the task: <code class="digest">{digest}</code>
			</p>
			<CopyBlock label="Save the task" code={`curl -sS ${baseUrl}/api/public/tasks/${taskId} > task.json`} />
			<p class="note">
				In a clone of the platform, <code>npm run verify -- --task task.json</code> computes this hash again. Compare it with the{" "}
				<code>task_sha256</code> of a signed receipt, or of a copy that you saved earlier.{" "}
				<a href="/docs/judging/receipts#verify-a-task">How to verify a task</a>
			</p>
		</>
	);
}
