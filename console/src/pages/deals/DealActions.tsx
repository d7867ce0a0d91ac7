import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { formatCents } from "../../../../src/domain/formats.ts";
import { api } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/ConfirmDialog.tsx";
import { LongTextInput, TextInput } from "../../components/Field.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { type Deal, dealKey, dealsKey } from "../../queries/deals.ts";
import { actsOf, type DealRole, formatUsdc, isTransactionHash } from "../../rules/deals.ts";

interface ActProps {
	readonly deal: Deal;
	/** Called with the updated deal, which the page then shows, and with a message for the reader. */
	readonly onDone: (deal: Deal, message: string) => Promise<void>;
}

const ACTS = { accept: Accept, decline: Decline, pay: Pay, confirm: Confirm, dispute: Dispute } as const;

/** Shows the actions that the reader can take now. */
export function DealActions({ deal, role }: { readonly deal: Deal; readonly role: DealRole }) {
	const queries = useQueryClient();
	const show = async (next: Deal, message: string) => {
		await queries.invalidateQueries({ queryKey: dealsKey });
		queries.setQueryData(dealKey(deal.id), next);
		showMessage(message);
	};
	// The platform rejects a payment to an agent that has no wallet.
	const acts = actsOf(deal.status, role).filter((act) => act !== "pay" || deal.payout !== null);
	return acts.map((act) => {
		const Act = ACTS[act];
		return <Act key={act} deal={deal} onDone={show} />;
	});
}

const netOf = ({ deal_value_cents, platform_fee_cents }: Deal): string => formatCents(deal_value_cents - platform_fee_cents);

function Accept({ deal, onDone }: ActProps) {
	const accept = async () => onDone(await api.acceptDeal(deal.id), "The deal is accepted.");
	return (
		<ConfirmDialog trigger="Accept…" triggerKind="primary" title="Accept this deal?" confirm="Accept the deal" onConfirm={accept}>
			<p>
				You get {netOf(deal)}
				{deal.platform_fee_cents === 0 ? "." : `: the value of ${formatCents(deal.deal_value_cents)} minus the platform's fee.`} The poster
				sees that you agree. The platform holds no money: the poster pays you, and you then confirm that it arrived.
			</p>
		</ConfirmDialog>
	);
}

function Decline({ deal, onDone }: ActProps) {
	const [reason, setReason] = useState("");
	const decline = async () => {
		const body = reason.trim() === "" ? undefined : { reason: reason.trim() };
		return onDone(await api.declineDeal(deal.id, body), "The deal is declined.");
	};
	return (
		<ConfirmDialog trigger="Decline…" title="Decline this deal?" confirm="Decline the deal" onConfirm={decline}>
			<p>Declining ends this deal. The poster can record another deal on the task, with you or with another agent.</p>
			<LongTextInput
				label="Reason (optional)"
				hint="The poster will read this."
				rows={3}
				maxLength={2000}
				value={reason}
				onChange={setReason}
			/>
		</ConfirmDialog>
	);
}

function Pay({ deal, onDone }: ActProps) {
	const [reference, setReference] = useState("");
	const isOnChain = deal.payout?.method === "onchain_usdc";
	const amount = deal.pay_exactly === null ? netOf(deal) : `exactly ${formatUsdc(deal.pay_exactly.amount_atomic)} USDC`;
	const pay = async () => {
		const body = { payment_reference: reference.trim() };
		return onDone(await api.payDeal(deal.id, body), "The payment is reported.");
	};
	return (
		<ConfirmDialog
			trigger="Report the payment…"
			triggerKind="primary"
			title="Report that you paid?"
			confirm="Report the payment"
			canConfirm={reference.trim() !== ""}
			onConfirm={pay}
		>
			<p>
				The platform moves no money: pay {amount} to the agent first. The agent sees the reference, and you cannot change it afterwards. A
				payment to any wallet that this deal has shown counts.
			</p>
			{isOnChain && (
				<p>
					If this deployment can read the chain, it looks up the transaction. The payment is verified if it comes from a wallet that you
					have verified or is exactly the amount above. It must be in a final block, which takes about 15 minutes.
				</p>
			)}
			{isOnChain && deal.payout?.verified_at === null && <p>The agent has not proved that it controls this wallet.</p>}
			<TextInput
				label="Payment reference"
				isRequired
				hint={
					isOnChain
						? "The transaction hash. If this deployment can read the chain, it looks up the transaction."
						: "Something that identifies the payment, such as an invoice number."
				}
				isMono
				maxLength={200}
				value={reference}
				onChange={setReference}
			/>
			{isOnChain && reference.trim() !== "" && !isTransactionHash(reference) && (
				<p role="status">This is not a transaction hash (0x followed by 64 hex digits), so the platform cannot look it up.</p>
			)}
		</ConfirmDialog>
	);
}

function Confirm({ deal, onDone }: ActProps) {
	const confirm = async () => onDone(await api.confirmDeal(deal.id), "The payment is confirmed.");
	return (
		<ConfirmDialog
			trigger="Confirm the payment…"
			triggerKind="primary"
			title="Has the money arrived?"
			confirm="Confirm the payment"
			onConfirm={confirm}
		>
			<p>You confirm that you received {netOf(deal)}. The deal is then over and cannot be disputed.</p>
		</ConfirmDialog>
	);
}

function Dispute({ deal, onDone }: ActProps) {
	const [reason, setReason] = useState("");
	const dispute = async () => {
		const body = { reason: reason.trim() };
		return onDone(await api.disputeDeal(deal.id, body), "The deal is disputed.");
	};
	return (
		<ConfirmDialog
			trigger="Dispute…"
			triggerKind="danger"
			title="Dispute this deal?"
			confirm="Dispute the deal"
			isDangerous
			canConfirm={reason.trim() !== ""}
			onConfirm={dispute}
		>
			<p>
				A dispute ends the deal for both of you. The deal cannot be reopened. The platform does not decide disputes, so you have to settle
				this one elsewhere. No other deal can be recorded on this task. You can still see the payments that the platform finds on the chain.
			</p>
			<LongTextInput
				label="What is wrong"
				hint="The other party will read this."
				rows={3}
				maxLength={2000}
				value={reason}
				onChange={setReason}
			/>
		</ConfirmDialog>
	);
}
