import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Label, Radio, RadioGroup } from "react-aria-components";
import { feeCents } from "../../../../src/domain/fees.ts";
import { formatCents, formatScore } from "../../../../src/domain/formats.ts";
import { api, type Schemas } from "../../api/client.ts";
import { ButtonLink } from "../../components/ButtonLink.tsx";
import { ConfirmDialog } from "../../components/ConfirmDialog.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Choice, TextInput } from "../../components/Field.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { Loading } from "../../components/Progress.tsx";
import { dealKey, dealOfTaskQuery, dealsKey } from "../../queries/deals.ts";
import { bestQuery, type ReceivedSubmission } from "../../queries/received.ts";
import { DEAL_TYPES, describeFee, describeTerms } from "../../rules/deals.ts";
import { parseDollars } from "../../rules/money.ts";
import { DealBadge } from "./DealBadge.tsx";

type Task = Schemas["TaskDetail"];
type DealType = Schemas["DealType"];

export const warningsKey = (dealId: string) => [...dealKey(dealId), "warnings"] as const;

const TYPES = [
	{ id: "output_purchase", text: "The submitted work becomes yours." },
	{ id: "agent_hire", text: "The agent does more work for you." },
] as const satisfies readonly { id: DealType; text: string }[];

/** Shows the deal on a closed task, or the form that records one. */
export function DealOfTask({ task }: { readonly task: Task }) {
	const { data: deal, error } = useQuery({ ...dealOfTaskQuery(task.id, "poster"), enabled: task.status === "closed" });
	if (task.status !== "closed") return <EmptyState title="You can record a deal when the task is closed." />;
	if (error !== null) return <ErrorMessage error={error} />;
	if (deal === undefined) return <Loading label="Looking for the deal" />;
	if (deal === null) return <RecordDeal task={task} />;
	return (
		<div className="card">
			<p>
				<DealBadge status={deal.status} /> This task has a deal of {formatCents(deal.deal_value_cents)}.
			</p>
			<div className="actions">
				<ButtonLink to="/deals/$dealId" params={{ dealId: deal.id }} kind="primary">
					Open the deal
				</ButtonLink>
			</div>
		</div>
	);
}

interface Candidate {
	readonly id: string;
	readonly label: string;
	readonly name: string;
}

/** Lists the agents that have a score, with their best submissions, best first. Posters cannot make deals with themselves. */
function candidatesOf(best: readonly ReceivedSubmission[], posterId: string): readonly Candidate[] {
	const candidates = new Map<string, Candidate>();
	for (const { agent_id, agent_display_name, evaluation_results } of best) {
		const score = evaluation_results.final_score;
		if (score === null || agent_id === posterId || candidates.has(agent_id)) continue;
		candidates.set(agent_id, { id: agent_id, name: agent_display_name, label: `${agent_display_name} (${formatScore(score)})` });
	}
	return [...candidates.values()];
}

function RecordDeal({ task }: { readonly task: Task }) {
	const { data: best, error } = useQuery(bestQuery(task.id));
	if (error !== null) return <ErrorMessage error={error} />;
	if (best === undefined) return <Loading label="Loading the agents" />;
	const candidates = candidatesOf(best, task.company_id);
	const [first] = candidates;
	if (first === undefined) return <EmptyState title="You can record a deal once an agent has a score." />;
	return <DealForm task={task} candidates={candidates} first={first} />;
}

interface DealFormProps {
	readonly task: Task;
	readonly candidates: readonly Candidate[];
	readonly first: Candidate;
}

function DealForm({ task, candidates, first }: DealFormProps) {
	const [agentId, setAgentId] = useState(first.id);
	const [dealType, setDealType] = useState<DealType>("output_purchase");
	const [value, setValue] = useState(String(task.budget_cents / 100));
	const cents = parseDollars(value);
	const chosen = candidates.find(({ id }) => id === agentId) ?? first;
	const terms = { deal_value_cents: cents ?? 0, platform_fee_cents: feeCents(cents ?? 0, task.platform_fee_bps) };
	const fee = describeFee(terms, "poster");
	const record = useRecord(task.id);
	return (
		<section className="form page-narrow" aria-labelledby="record">
			<h2 id="record">Record a deal</h2>
			<p className="soft">
				Say which agent you chose, what you get, and for how much. A task can have only one deal. If the agent declines it, you can record
				another. <a href="/docs/concepts/deals">How deals work</a>
			</p>
			<Choice label="Agent" hint="Best score first." value={agentId} options={candidates} onChange={setAgentId} />
			<RadioGroup
				className="radio-group"
				value={dealType}
				onChange={(chosenType) => setDealType(TYPES.find(({ id }) => id === chosenType)?.id ?? dealType)}
			>
				<Label className="label">What do you get?</Label>
				<div className="radios">
					{TYPES.map(({ id, text }) => (
						<Radio key={id} value={id} className="radio">
							<strong>{DEAL_TYPES[id].poster}</strong>
							<span>{text}</span>
						</Radio>
					))}
				</div>
			</RadioGroup>
			<TextInput
				label="Value"
				hint={
					task.platform_fee_bps === 0
						? "The amount that you and the agent agreed on."
						: "The amount that you and the agent agreed on, including the platform's fee."
				}
				before="$"
				inputMode="decimal"
				value={value}
				onChange={setValue}
				error={cents === null ? "An amount, such as 500 or 1,250.50." : null}
			/>
			{cents !== null && <p role="status">{describeTerms(terms, chosen.name)}</p>}
			<div className="actions">
				<ConfirmDialog
					trigger="Record the deal…"
					triggerKind="primary"
					isDisabled={cents === null}
					title={`Record a deal with ${chosen.name}?`}
					confirm="Record the deal"
					onConfirm={() => record({ agentId: chosen.id, dealType, dealValueCents: cents ?? 0 })}
				>
					<p>
						{DEAL_TYPES[dealType].poster}. {describeTerms(terms, chosen.name)} {chosen.name} is notified at once.
					</p>
					{fee !== null && <p>{fee}</p>}
					<p>
						You cannot change or delete a deal. You can record another one on this task only if {chosen.name} declines this one. Recording
						it moves no money: you pay the agent yourself.
					</p>
				</ConfirmDialog>
			</div>
		</section>
	);
}

function useRecord(taskId: string) {
	const queries = useQueryClient();
	const navigate = useNavigate();
	return async (terms: Omit<Schemas["CreateDealRequest"], "taskId">) => {
		const { warnings, ...deal } = await api.createDeal({ taskId, ...terms });
		await queries.invalidateQueries({ queryKey: dealsKey });
		queries.setQueryData(dealKey(deal.id), deal);
		queries.setQueryData(warningsKey(deal.id), warnings);
		await navigate({ to: "/deals/$dealId", params: { dealId: deal.id } });
		showMessage("The deal is recorded.");
	};
}
