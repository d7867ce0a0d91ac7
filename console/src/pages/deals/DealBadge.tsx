import { DEAL_STATES, type DealStatus } from "../../rules/deals.ts";

export function DealBadge({ status }: { readonly status: DealStatus }) {
	return <span className={`badge badge-deal-${status}`}>{DEAL_STATES[status].name}</span>;
}
