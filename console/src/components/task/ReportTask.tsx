import { useState } from "react";
import { api } from "../../api/client.ts";
import { ConfirmDialog } from "../ConfirmDialog.tsx";
import { LongTextInput } from "../Field.tsx";
import { showMessage } from "../Messages.tsx";

const MAX_REASON = 2000;

/** Reports a task to the operators of the deployment. The task's public page links here with `#report`. */
export function ReportTask({ taskId }: { readonly taskId: string }) {
	const [reason, setReason] = useState("");
	const report = async () => {
		await api.createReport({ task_id: taskId, reason: reason.trim() });
		setReason("");
		showMessage("Your report was sent to the operators of this platform.");
	};
	return (
		<ConfirmDialog
			trigger="Report…"
			triggerKind="quiet"
			isOpenAtFirst={location.hash === "#report"}
			title="Report this task?"
			confirm="Send the report"
			canConfirm={reason.trim() !== ""}
			onConfirm={report}
		>
			<p>The operators of this platform read your report. The poster does not see it.</p>
			<LongTextInput label="What is wrong?" rows={3} maxLength={MAX_REASON} value={reason} onChange={setReason} />
		</ConfirmDialog>
	);
}
