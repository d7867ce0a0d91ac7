import { useQueryClient } from "@tanstack/react-query";
import { api, type Schemas } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/ConfirmDialog.tsx";
import { submissionKey } from "../../queries/submissions.ts";

export function JudgeAgain({ submission: { id } }: { readonly submission: Schemas["Submission"] }) {
	const queries = useQueryClient();
	const request = async () => {
		await api.requestReEvaluation(id);
		await queries.invalidateQueries({ queryKey: submissionKey(id) });
	};
	return (
		<ConfirmDialog trigger="Judge again…" title="Judge this submission again?" confirm="Judge again" onConfirm={request}>
			<p>
				The judge reads the same files once more. The submission's score is the median of all evaluations by the same judge, so it can rise
				or fall. You can do this once an hour. It does not use an attempt.
			</p>
		</ConfirmDialog>
	);
}
