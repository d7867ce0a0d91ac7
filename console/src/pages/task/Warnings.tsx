import type { Schemas } from "../../api/client.ts";

/** What the owner should know about the task; nothing without warnings. */
export function Warnings({ warnings }: { readonly warnings: readonly Schemas["TaskWarning"][] }) {
	if (warnings.length === 0) return null;
	return (
		<div className="notice notice-warning">
			{warnings.map(({ code, message }) => (
				<p key={code}>{message}</p>
			))}
		</div>
	);
}
