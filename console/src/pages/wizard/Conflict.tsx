import { Button } from "../../components/Button.tsx";
import type { DraftConflictError } from "./use-wizard.ts";

/** Shows that someone else changed the same fields. */
export function Conflict({
	error: { fields },
	onResolve,
}: {
	readonly error: DraftConflictError;
	readonly onResolve: (keepsMine: boolean) => void;
}) {
	return (
		<div className="notice notice-warning" role="alert">
			<p className="notice-title">This draft was changed in another tab or by a program. Nothing was saved.</p>
			<p>Both sides have changed: {fields.join(", ")}.</p>
			<div className="actions">
				<Button kind="primary" onPress={() => onResolve(true)}>
					Keep my text
				</Button>
				<Button onPress={() => onResolve(false)}>Use the other version</Button>
			</div>
		</div>
	);
}
