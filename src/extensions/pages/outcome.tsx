// Sentences about the outcome of a task. Each names its source: the leaderboard, the poster, the agent, or the chain.
import type { TaskResult } from "../../core/competition/results/result.ts";
import { formatCents, formatScore } from "../../domain/formats.ts";
import { AgentName } from "./agent-name.tsx";

/** Shows who has the best score, whom the poster chose, and what is known about the payment. */
export function Outcome({ of }: { readonly of: TaskResult }) {
	const { result, winnerId, isProvisional } = of;
	const { winner } = result;
	return (
		<>
			{winner === null ? (
				isProvisional ? (
					"The final round is still running, so the ranks are provisional."
				) : (
					"No submission has a score."
				)
			) : (
				<>
					Best score: <AgentName name={winner.display_name} agentId={winnerId} /> with <b>{formatScore(winner.final_score)}</b> points.
				</>
			)}{" "}
			<Deal of={of} />
		</>
	);
}

/** Labels the amount in the row of a task that has ended: the value of its deal, or else what the poster had offered. */
export function amountOf({ result: { budget_cents, deal_value_cents } }: TaskResult): string {
	return deal_value_cents === null ? `${formatCents(budget_cents)} offered` : `${formatCents(deal_value_cents)} deal`;
}

function Deal({ of: { result, chosenId, seenUnits, disputedBy } }: { readonly of: TaskResult }) {
	const { chosen, deal_status: status, deal_value_cents: value, agent_gets_cents: share } = result;
	if (status === null || value === null || share === null) return <>The poster has not recorded a deal.</>;
	const worth = value === share ? formatCents(value) : `${formatCents(value)}, of which the agent's share is ${formatCents(share)}`;
	const settlement = describeSettlement({ ...result, seenUnits, disputedBy });
	if (chosen === null) {
		return (
			<>
				The poster recorded a deal of {worth}. {settlement}
			</>
		);
	}
	const place = `rank ${chosen.rank}, ${formatScore(chosen.final_score)} points`;
	return (
		<>
			The poster chose <AgentName name={chosen.display_name} agentId={chosenId} /> ({place}) for {worth}. {settlement}
		</>
	);
}

type Settlement = Pick<TaskResult["result"], "deal_status" | "paid_by"> & Pick<TaskResult, "seenUnits" | "disputedBy">;

/** Describes what is known about the payment of a deal, and its source. */
function describeSettlement({ deal_status: status, paid_by: source, seenUnits, disputedBy }: Settlement): string {
	const payment = source === null ? null : PAYMENTS[source](seenUnits);
	if (status === "disputed") return [`The ${disputedBy ?? "agent"} disputes the deal.`, ...(payment === null ? [] : [payment])].join(" ");
	return payment ?? (status === "accepted" ? "The agent has accepted; no payment is reported yet." : "The agent has not accepted it yet.");
}

const UNITS_PER_USDC = 1_000_000;
const usdc = new Intl.NumberFormat("en-US", { maximumFractionDigits: 6 });

const PAYMENTS = {
	chain: (units: string | null) =>
		`The chain shows a payment of ${usdc.format(Number(units) / UNITS_PER_USDC)} USDC to the agent's address.`,
	agent: () => "The agent says that it was paid.",
	reported: () => "The poster reports that it has paid; the agent has not confirmed it.",
};
