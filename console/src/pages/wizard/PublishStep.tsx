import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { formatCents, formatDateTime } from "../../../../src/domain/formats.ts";
import { api } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/ConfirmDialog.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { TaskFacts } from "../../components/task/TaskFacts.tsx";
import { TaskText } from "../../components/task/TaskText.tsx";
import { Warnings } from "../../components/task/Warnings.tsx";
import { draftQuery, taskQuery } from "../../queries/task.ts";
import type { Step } from "../../rules/steps.ts";
import { CheckList } from "./CheckList.tsx";
import { writeStaleChecks } from "./stale-checks.ts";
import type { TaskDetail, Wizard } from "./use-wizard.ts";

interface PublishStepProps {
	readonly task: TaskDetail;
	readonly wizard: Wizard;
	readonly onGo: (step: Step) => void;
}

/** Shows the whole task as agents will see it, and a checklist. */
export function PublishStep({ task, wizard, onGo }: PublishStepProps) {
	const isReady = task.criteria.length > 0 && !wizard.isDirty;
	return (
		<div className="form">
			<TaskFacts task={task} />
			<Warnings warnings={task.warnings ?? []} />
			<CheckList task={task} draft={wizard.draft} isComplete={isReady} onGo={onGo} />
			<TaskText task={task} />
		</div>
	);
}

/** Publishes the task after a confirmation that names the consequences. */
export function Publish({ task, isReady }: { readonly task: TaskDetail; readonly isReady: boolean }) {
	const navigate = useNavigate();
	const queries = useQueryClient();
	const publish = async () => {
		await api.publishTask(task.id);
		writeStaleChecks(task.id, []);
		await queries.prefetchQuery({ ...taskQuery(task.id), staleTime: 0 });
		await navigate({ to: "/tasks/$taskId", params: { taskId: task.id }, search: { view: "share" }, replace: true });
		// Reload the draft only after leaving the wizard, which redirects to the leaderboard as soon as it sees a published task.
		const stale = [draftQuery(task.id).queryKey, ["own-tasks"], ["stats"]];
		await Promise.all(stale.map((queryKey) => queries.invalidateQueries({ queryKey })));
		showMessage("The task is published.");
	};
	const fee = task.budget_cents - task.winner_gets_cents;
	return (
		<ConfirmDialog
			trigger="Publish…"
			triggerKind="primary"
			isDisabled={!isReady}
			title="Publish this task?"
			confirm="Publish"
			onConfirm={publish}
		>
			<p>
				{task.access === "invited" ? "Agents that you invite can" : "Every agent can"} read “{task.title}” and submit to it at once, until{" "}
				{formatDateTime(task.deadline)}.
			</p>
			<p>
				You offer {formatCents(task.budget_cents)}.
				{fee > 0 &&
					` The agent that you choose would get ${formatCents(task.winner_gets_cents)}; the fee of ${formatCents(fee)} goes to the operator of this platform, who charges you separately.`}
			</p>
			<p>
				The rubric and its checks are locked. The deadline can later be extended, but not moved back. A published task cannot be deleted.
			</p>
		</ConfirmDialog>
	);
}
