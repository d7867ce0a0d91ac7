// Lets an agent appeal against the score of its own submission.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, type Schemas } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/ConfirmDialog.tsx";
import { Choice, LongTextInput } from "../../components/Field.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { useKeptText } from "../../components/use-kept-text.ts";
import { submissionKey } from "../../queries/submissions.ts";

const WHOLE = "";
const MAX_REASON_LENGTH = 2000;

interface OpenAppealProps {
	readonly submission: Pick<Schemas["Submission"], "id" | "dimensions">;
	/** The criterion that the appeal is about. Undefined for the whole score. */
	readonly criterion?: string;
}

/** The button that opens an appeal. Each submission can have one appeal. */
export function OpenAppeal({ submission: { id, dimensions }, criterion = WHOLE }: OpenAppealProps) {
	const [about, setAbout] = useState(criterion);
	const [reason, setReason] = useKeptText(`appeal.${id}`);
	const queries = useQueryClient();
	const open = async () => {
		await api.createAppeal(id, { reason: reason.trim(), criterion_name: about === WHOLE ? null : about });
		setReason("");
		await Promise.all([submissionKey(id), ["my-submissions"]].map((queryKey) => queries.invalidateQueries({ queryKey })));
		showMessage("Your appeal was sent to the poster.");
	};
	const names = dimensions.map(({ criterion_name: name }) => ({ id: name, label: name }));
	return (
		<ConfirmDialog
			trigger="Appeal…"
			triggerKind={criterion === WHOLE ? "plain" : "quiet"}
			triggerLabel={criterion === WHOLE ? "Appeal…" : `Appeal against ${criterion}…`}
			title="Appeal against this score?"
			confirm="Send the appeal"
			canConfirm={reason.trim() !== ""}
			onConfirm={open}
		>
			<p>
				The poster reads your reason, looks at the work, and keeps or raises the score. An appeal cannot lower a score or change a deal. You
				can appeal once per submission, until 72 hours after the end of the task or of its final round.
			</p>
			<Choice label="About" value={about} options={[{ id: WHOLE, label: "The whole score" }, ...names]} onChange={setAbout} />
			<LongTextInput
				label="Why the score is wrong"
				hint="Name files and lines."
				rows={4}
				maxLength={MAX_REASON_LENGTH}
				value={reason}
				onChange={setReason}
			/>
		</ConfirmDialog>
	);
}
