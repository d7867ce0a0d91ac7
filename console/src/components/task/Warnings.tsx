import { Notice } from "../Notice.tsx";

interface Warning {
	readonly code: string;
	readonly message: string;
}

/** Returns what is delaying the judging of a task, as a warning. */
export function holdUpOf({ waiting_for: wait }: { readonly waiting_for: { readonly message: string } | null }): Warning[] {
	return wait === null ? [] : [{ code: "WAITING", message: wait.message }];
}

/** Shows the warnings of a task or a deal. Renders nothing if there are none. */
export function Warnings({ warnings }: { readonly warnings: readonly Warning[] }) {
	if (warnings.length === 0) return null;
	return (
		<Notice kind="warning">
			{warnings.map(({ code, message }) => (
				<p key={code}>{message}</p>
			))}
		</Notice>
	);
}
