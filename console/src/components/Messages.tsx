// Shows short messages about what just happened, in a live region, so that screen readers read them.
import { useSyncExternalStore } from "react";
import { Button } from "./Button.tsx";

const SHOWN_MS = 6000;
/** More messages would cover the buttons of a dialog on a phone. */
const MAX_SHOWN = 2;

interface Message {
	readonly id: number;
	readonly text: string;
}

let messages: readonly Message[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function replace(next: readonly Message[]): void {
	messages = next;
	for (const listener of listeners) listener();
}

function dismiss(id: number): void {
	replace(messages.filter((message) => message.id !== id));
}

/** Shows a message for a few seconds: "Draft deleted." Errors belong next to what failed, in an ErrorMessage. */
export function showMessage(text: string): void {
	lastId += 1;
	const id = lastId;
	replace([...messages, { id, text }].slice(-MAX_SHOWN));
	setTimeout(() => dismiss(id), SHOWN_MS);
}

export function Messages() {
	const shown = useSyncExternalStore(
		(onChange) => {
			listeners.add(onChange);
			return () => listeners.delete(onChange);
		},
		() => messages,
	);
	return (
		<div className="messages" role="status">
			{shown.map(({ id, text }) => (
				<div key={id} className="message">
					<span>{text}</span>
					<Button kind="quiet" aria-label="Dismiss" onPress={() => dismiss(id)}>
						✕
					</Button>
				</div>
			))}
		</div>
	);
}
