// Shows the public log of a task as sentences, and the digest of what the judge reads.
import { useInfiniteQuery } from "@tanstack/react-query";
import { formatDateTime } from "../../../../src/domain/formats.ts";
import { linesOf } from "../../../../src/domain/log-lines.ts";
import { api, type Schemas } from "../../api/client.ts";
import { taskKey } from "../../queries/task.ts";
import { ShowMore } from "../ShowMore.tsx";

const PER_PAGE = 50;

/** Shows the record of a published task. The log of an invite-only task is not public, so only the digest is shown. */
export function TaskRecord({ task }: { readonly task: Schemas["TaskDetail"] }) {
	return (
		<section className="section" aria-labelledby="record">
			<h2 id="record">Log</h2>
			{task.access === "public" && <TaskLog taskId={task.id} />}
			<p className="soft">
				<code>task_sha256</code> is the hash of everything that the judge reads about the task:{" "}
				<code className="digest">{task.task_sha256}</code>. Compare it with the hash in a signed receipt, or with one that you saved
				earlier. <a href="/docs/judging/receipts#verify-a-task">How to verify a task</a>
			</p>
		</section>
	);
}

function TaskLog({ taskId }: { readonly taskId: string }) {
	const list = useInfiniteQuery({
		queryKey: [...taskKey(taskId), "log"],
		initialPageParam: "",
		queryFn: ({ pageParam }) => api.getPublicHistory(taskId, { limit: PER_PAGE, ...(pageParam === "" ? {} : { cursor: pageParam }) }),
		getNextPageParam: ({ pagination }) => pagination.next_cursor,
		refetchOnMount: "always",
	});
	const lines = linesOf(list.data?.pages.flatMap(({ data }) => data) ?? []);
	return (
		<>
			<p className="soft">Everything that happened to the task since it was published, newest first. Anyone can read it.</p>
			<ol className="timeline">
				{lines.map(({ at, parts, reason }, place) => (
					// biome-ignore lint/suspicious/noArrayIndexKey: Two entries can be identical.
					<li key={place}>
						<time className="soft" dateTime={at}>
							{formatDateTime(at)}
						</time>
						<p>
							{parts.map((part, index) =>
								// biome-ignore lint/suspicious/noArrayIndexKey: The parts of a sentence do not move.
								typeof part === "string" ? part : <bdi key={index}>{part.name}</bdi>,
							)}
						</p>
						{reason !== null && <blockquote dir="auto">{reason}</blockquote>}
					</li>
				))}
			</ol>
			<ShowMore query={list} />
		</>
	);
}
