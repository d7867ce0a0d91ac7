import { useBlocker } from "@tanstack/react-router";
import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { Button } from "./Button.tsx";

interface LeaveQuestionProps {
	/** Something on the page would be lost. It is asked at the moment of leaving. */
	readonly isNeeded: () => boolean;
	readonly title: string;
	/** Says what would be lost. */
	readonly children: string;
}

/** Asks before the page is left by a link, by going back, or by closing the tab, where the browser asks in its own words. */
export function LeaveQuestion({ isNeeded, title, children }: LeaveQuestionProps) {
	const { status, proceed, reset } = useBlocker({ shouldBlockFn: isNeeded, enableBeforeUnload: isNeeded, withResolver: true });
	return (
		<ModalOverlay className="overlay" isOpen={status === "blocked"} onOpenChange={(isOpen) => !isOpen && reset?.()}>
			<Modal className="modal">
				<Dialog className="dialog" role="alertdialog">
					<Heading slot="title">{title}</Heading>
					<div className="dialog-body">
						<p>{children}</p>
					</div>
					<div className="actions actions-end">
						<Button onPress={() => reset?.()}>Stay here</Button>
						<Button kind="danger" onPress={() => proceed?.()}>
							Leave
						</Button>
					</div>
				</Dialog>
			</Modal>
		</ModalOverlay>
	);
}
