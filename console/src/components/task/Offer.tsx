import { describeShare } from "../../../../src/domain/fees.ts";
import { formatCents } from "../../../../src/domain/formats.ts";

interface OfferProps {
	readonly task: { readonly budget_cents: number; readonly winner_gets_cents: number };
}

/** Shows what the poster offers, and how much of it the agent would get. */
export function Offer({ task }: OfferProps) {
	const share = describeShare(task);
	return (
		<>
			{formatCents(task.budget_cents)}
			{share !== null && <span className="soft"> {share}</span>}
		</>
	);
}
