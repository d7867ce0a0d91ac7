import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ConfirmDialog } from "../../components/ConfirmDialog.tsx";
import { LongTextInput } from "../../components/Field.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { adminKey } from "../../queries/admin.ts";

interface ActDialogProps {
	readonly trigger: string;
	readonly triggerKind?: "plain" | "danger" | "quiet";
	readonly title: string;
	/** What will happen, and the fields of the action. */
	readonly children: ReactNode;
	readonly confirm: string;
	readonly isDangerous?: boolean;
	readonly canConfirm?: boolean;
	/** Where the reason is shown, apart from the audit log. */
	readonly reasonHint?: string;
	/** Runs the action, and returns a sentence about what happened. */
	readonly act: (reason: string) => Promise<string>;
}

/** A dialog for an operator's action. It says what will happen, and asks for a reason for the audit log. */
export function ActDialog({ act, children, canConfirm = true, reasonHint, ...dialog }: ActDialogProps) {
	const [reason, setReason] = useState("");
	const queries = useQueryClient();
	const confirm = async () => {
		const done = await act(reason.trim());
		setReason("");
		showMessage(done);
		await queries.invalidateQueries({ queryKey: adminKey });
	};
	return (
		<ConfirmDialog {...dialog} canConfirm={canConfirm && reason.trim() !== ""} onConfirm={confirm}>
			{children}
			<LongTextInput
				label="Reason"
				isRequired
				hint={reasonHint ?? "This reason stays in the audit log, so do not include names."}
				rows={2}
				maxLength={500}
				value={reason}
				onChange={setReason}
			/>
		</ConfirmDialog>
	);
}
