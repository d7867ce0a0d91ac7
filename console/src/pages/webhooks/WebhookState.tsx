import type { Webhook } from "../../queries/webhooks.ts";

const REASONS = {
	deleted: "Deleted",
	gone: "Stopped: the receiver is gone (410)",
	failing: "Stopped: five days without a success",
	paused: "Paused",
	revoked: "Ended: its key or program was revoked",
} as const;

/** Shows whether a webhook receives events, and whether its receiver has passed a test. */
export function WebhookState({ webhook: { active, verified, format, inactive_reason: reason } }: { readonly webhook: Webhook }) {
	if (!active) return <span className="badge badge-error">{reason === undefined ? "Inactive" : REASONS[reason]}</span>;
	// A chat service cannot pass a test, and needs none.
	if (format !== "standard") return <span className="badge badge-live">Active</span>;
	return (
		<span className="actions">
			<span className="badge badge-live">Active</span>
			{verified ? <span className="badge badge-live">Verified</span> : <span className="badge badge-warning">Not verified</span>}
		</span>
	);
}
