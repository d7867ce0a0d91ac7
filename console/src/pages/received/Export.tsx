import { useMutation } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Menu } from "../../components/Menu.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { saveFile } from "../../platform/save-file.ts";
import { useIsSealed } from "../../queries/task.ts";

type Format = "csv" | "jsonl";

/** Downloads all submissions of a task with scores and reasons. */
export function Export({ taskId }: { readonly taskId: string }) {
	const isSealed = useIsSealed(taskId);
	const download = useMutation({
		mutationFn: async (format: Format) => {
			saveFile(`task-${taskId}.${format}`, await (await api.exportTask(taskId, { format })).blob());
		},
		onSuccess: () => showMessage("The export is saved."),
	});
	if (isSealed) return <p className="soft">The work is sealed: you can export it after the task has closed.</p>;
	return (
		<>
			<Menu
				label="Export"
				button={download.isPending ? "Exporting…" : "Export ▾"}
				items={[
					{ id: "csv", label: "CSV, for spreadsheets", onAction: () => download.mutate("csv") },
					{ id: "jsonl", label: "JSON Lines, for programs", onAction: () => download.mutate("jsonl") },
				]}
			/>
			{download.error !== null && <ErrorMessage error={download.error} title="The export failed." />}
		</>
	);
}
