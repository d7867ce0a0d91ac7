import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Dialog, DialogTrigger, Heading, Modal, ModalOverlay } from "react-aria-components";
import { Button } from "./Button.tsx";
import { ErrorMessage } from "./ErrorMessage.tsx";

interface ConfirmDialogProps {
	/** The label of the button that opens the dialog. */
	readonly trigger: string;
	/** The button's name for screen readers, if several have the same text. */
	readonly triggerLabel?: string;
	readonly triggerKind?: "primary" | "plain" | "danger" | "quiet";
	readonly isDisabled?: boolean;
	/** True if a link leads to the dialog, so that it is open when the page appears. */
	readonly isOpenAtFirst?: boolean;
	/** The question, such as "Publish this task?". */
	readonly title: string;
	/** What will happen, and what cannot be undone. May contain fields. */
	readonly children: ReactNode;
	/** The label of the confirming button. It names the action: "Publish", never "OK". */
	readonly confirm: string;
	readonly isDangerous?: boolean;
	readonly canConfirm?: boolean;
	/** Runs the action. The dialog shows progress. It closes on success, and stays open with the error on failure. */
	readonly onConfirm: () => Promise<void>;
}

/** A button that asks for confirmation first and says what will happen. */
export function ConfirmDialog(props: ConfirmDialogProps) {
	const [isOpen, setOpen] = useState(props.isOpenAtFirst ?? false);
	const { trigger, triggerLabel, triggerKind = "plain", isDisabled = false, isDangerous = false } = props;
	return (
		<DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
			<Button kind={triggerKind} isDisabled={isDisabled} {...(triggerLabel === undefined ? {} : { "aria-label": triggerLabel })}>
				{trigger}
			</Button>
			<ModalOverlay className="overlay" isDismissable={!isDangerous}>
				<Modal className="modal">
					<Dialog className="dialog" role={isDangerous ? "alertdialog" : "dialog"}>
						{({ close }) => <Question {...props} close={close} />}
					</Dialog>
				</Modal>
			</ModalOverlay>
		</DialogTrigger>
	);
}

function Question({
	title,
	children,
	confirm,
	isDangerous = false,
	canConfirm = true,
	onConfirm,
	close,
}: ConfirmDialogProps & { readonly close: () => void }) {
	const act = useMutation({ mutationFn: onConfirm, onSuccess: close });
	return (
		<>
			<Heading slot="title">{title}</Heading>
			<div className="dialog-body">{children}</div>
			{act.error !== null && <ErrorMessage error={act.error} />}
			<div className="actions actions-end">
				<Button onPress={close}>Cancel</Button>
				<Button kind={isDangerous ? "danger" : "primary"} isPending={act.isPending} isDisabled={!canConfirm} onPress={() => act.mutate()}>
					{act.isPending ? "Working…" : confirm}
				</Button>
			</div>
		</>
	);
}
