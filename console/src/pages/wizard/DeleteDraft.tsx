import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/ConfirmDialog.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { useIdentity } from "../../layout/identity.ts";
import { writeLocalDraft } from "../../platform/local-draft.ts";
import { writeStaleChecks } from "./stale-checks.ts";

export function DeleteDraft({ taskId, title }: { readonly taskId: string; readonly title: string }) {
	const navigate = useNavigate();
	const queries = useQueryClient();
	const identity = useIdentity();
	const remove = async () => {
		await api.deleteTask(taskId);
		if (identity !== null) writeLocalDraft(identity.agent_id, taskId, null);
		writeStaleChecks(taskId, []);
		await navigate({ to: "/tasks" });
		await Promise.all([queries.invalidateQueries({ queryKey: ["own-tasks"] }), queries.invalidateQueries({ queryKey: ["stats"] })]);
		showMessage("The draft is deleted.");
	};
	return (
		<ConfirmDialog
			trigger="Delete the draft"
			triggerKind="danger"
			title="Delete this draft?"
			confirm="Delete the draft"
			isDangerous
			onConfirm={remove}
		>
			<p>“{title}” is deleted with its rubric, attachments and test suite. This cannot be undone.</p>
		</ConfirmDialog>
	);
}
