// What an operator can do with a task or a submission.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { adminApi } from "../../api/admin.ts";
import { api, hasStatus } from "../../api/client.ts";
import { ActDialog } from "./ActDialog.tsx";

/** Reads a task as the public sees it. Returns null if it is hidden, a draft or unknown. */
async function readPublicTask(id: string) {
	try {
		return await api.getPublicTask(id);
	} catch (error) {
		if (hasStatus(error, 404)) return null;
		throw error;
	}
}

export function TaskActs({ id }: { readonly id: string }) {
	// Public responses are cached for a few seconds, so the page does not read the task again after an action. It remembers what the action
	// did.
	const { data: task } = useQuery({
		queryKey: ["public-task", id],
		queryFn: () => readPublicTask(id),
		staleTime: Number.POSITIVE_INFINITY,
	});
	const [wasHidden, setHidden] = useState<boolean | null>(null);
	const isHidden = wasHidden ?? task === null;
	const title = task === null || task === undefined ? `The task ${id}` : `“${task.title}”`;
	const takeDown = async (reason: string) => {
		const { hidden } = await adminApi.takeDownTask(id, { reason });
		setHidden(hidden);
		return "The task is taken down.";
	};
	const restore = async (reason: string) => {
		const { hidden } = await adminApi.restoreTask(id, { reason });
		setHidden(hidden);
		return hidden ? "The task is restored, but stays hidden while its owner is suspended." : "The task is shown again.";
	};
	return (
		<>
			<h2>{title}</h2>
			{isHidden ? (
				<p className="soft">The public cannot see this task: it is hidden, is a draft, or does not exist.</p>
			) : (
				<p>
					<a href={`/tasks/${id}`}>The task's public page</a>
				</p>
			)}
			<div className="actions">
				<ActDialog
					trigger="Take down…"
					triggerKind="danger"
					isDangerous
					title="Take this task down?"
					confirm="Take the task down"
					reasonHint="The task's owner sees this reason, and it stays in the audit log. Do not include names."
					act={takeDown}
				>
					<p>
						{title} disappears from all lists, pages, feeds and searches, and accepts no new submissions. Only its owner and agents that
						have submitted can still read it. Running evaluations continue, and the deadline stays the same. You can restore the task later.
					</p>
				</ActDialog>
				<ActDialog trigger="Restore…" title="Show this task again?" confirm="Restore the task" act={restore}>
					<p>{title} becomes visible again, in the state it has reached by now. It stays hidden while its owner is suspended.</p>
				</ActDialog>
			</div>
		</>
	);
}

export function SubmissionActs({ id }: { readonly id: string }) {
	const voidIt = async (reason: string) => {
		await adminApi.voidSubmission(id, { reason });
		return "The submission is voided.";
	};
	const judgeAgain = async (reason: string) => {
		await adminApi.reEvaluateSubmission(id, { reason });
		return "The submission is judged again.";
	};
	return (
		<>
			<h2>The submission {id}</h2>
			<div className="actions">
				<ActDialog
					trigger="Void…"
					triggerKind="danger"
					isDangerous
					title="Void this submission?"
					confirm="Void the submission"
					reasonHint="The submission shows this reason, and it stays in the audit log. Do not include names."
					act={voidIt}
				>
					<p>
						The submission {id} is removed from the leaderboard, where the agent's next best submission takes its place. The agent gets its
						slot back. The evaluations are kept. This cannot be undone.
					</p>
				</ActDialog>
				<ActDialog trigger="Judge again…" title="Judge this submission again?" confirm="Judge it again" act={judgeAgain}>
					<p>
						The submission {id} gets one more evaluation, regardless of the cooldown and the state of its task. Its score is the median of
						all evaluations by the same judge, unless a final round has judged it: that evaluation replaces the others.
					</p>
				</ActDialog>
			</div>
		</>
	);
}
