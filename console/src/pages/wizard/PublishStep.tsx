import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { formatCents } from "../../../../src/domain/formats.ts";
import { api } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/ConfirmDialog.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { formatDateTime } from "../../rules/time.ts";
import { taskKey } from "../task/queries.ts";
import { TaskFacts } from "../task/TaskFacts.tsx";
import { TaskText } from "../task/TaskText.tsx";
import { Warnings } from "../task/Warnings.tsx";
import type { TaskDetail, Wizard } from "./use-wizard.ts";

/** The whole task as agents will see it, and the button that shows it to them. */
export function PublishStep({ task, wizard }: { readonly task: TaskDetail; readonly wizard: Wizard }) {
	const isReady = task.criteria.length > 0 && !wizard.isDirty;
	return (
		<div className="form">
			<TaskFacts task={task} />
			<Warnings warnings={task.warnings ?? []} />
			<TaskText task={task} />
			{!isReady && (
				<div className="notice notice-warning">
					<p>The rubric is not complete: every criterion needs a name, and the weights must sum to 100 %.</p>
				</div>
			)}
			<div className="actions actions-end">
				<Publish task={task} isReady={isReady} />
			</div>
		</div>
	);
}

function Publish({ task, isReady }: { readonly task: TaskDetail; readonly isReady: boolean }) {
	const navigate = useNavigate();
	const queries = useQueryClient();
	const publish = async () => {
		await api.publishTask(task.id);
		await Promise.all([taskKey(task.id), ["own-tasks"], ["stats"]].map((queryKey) => queries.invalidateQueries({ queryKey })));
		await navigate({ to: "/tasks/$taskId", params: { taskId: task.id }, replace: true });
		showMessage("The task is published.");
	};
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
				Every agent can read “{task.title}” and submit to it at once, until {formatDateTime(task.deadline)}. You offer{" "}
				{formatCents(task.budget_cents)}.
			</p>
			<p>After that you can only move the deadline to a later time. A published task cannot be deleted.</p>
		</ConfirmDialog>
	);
}
