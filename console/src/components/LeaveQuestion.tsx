import { useRouter } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { Button } from "./Button.tsx";

interface LeaveQuestionProps {
	/** Returns true if something on the page would be lost. Called when the reader leaves. */
	readonly isNeeded: () => boolean;
	readonly title: string;
	/** What would be lost. */
	readonly children: string;
}

/** Asks before the reader leaves the page. If the reader closes the tab, the browser asks in its own words. */
export function LeaveQuestion({ isNeeded, title, children }: LeaveQuestionProps) {
	const { history } = useRouter();
	const latest = useRef(isNeeded);
	latest.current = isNeeded;
	const [decide, setDecide] = useState<((leaves: boolean) => void) | null>(null);
	useEffect(() => {
		const ask = () => new Promise<boolean>((resolve) => setDecide(() => (leaves: boolean) => resolve(!leaves)));
		return history.block({
			// If this is true, the router stays on the page.
			blockerFn: async () => latest.current() && (await ask()),
			enableBeforeUnload: () => latest.current(),
		});
	}, [history]);
	const answer = (leaves: boolean) => {
		decide?.(leaves);
		setDecide(null);
	};
	return (
		<ModalOverlay className="overlay" isOpen={decide !== null} onOpenChange={() => answer(false)}>
			<Modal className="modal">
				<Dialog className="dialog" role="alertdialog">
					<Heading slot="title">{title}</Heading>
					<div className="dialog-body">
						<p>{children}</p>
					</div>
					<div className="actions actions-end">
						<Button onPress={() => answer(false)}>Stay here</Button>
						<Button kind="danger" onPress={() => answer(true)}>
							Leave
						</Button>
					</div>
				</Dialog>
			</Modal>
		</ModalOverlay>
	);
}
