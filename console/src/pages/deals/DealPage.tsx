// Shows one deal to both of its sides: the agreement, where to pay, what happened, and what can happen next.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { CHAIN_NAMES } from "../../../../src/domain/chains.ts";
import { lineOf, tellMoney } from "../../../../src/domain/deal-story.ts";
import { formatCents, formatDateTime } from "../../../../src/domain/formats.ts";
import type { Schemas } from "../../api/client.ts";
import { CopyButton } from "../../components/CopyButton.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Facts } from "../../components/Facts.tsx";
import { Notice } from "../../components/Notice.tsx";
import { Loading } from "../../components/Progress.tsx";
import { useAheadMs } from "../../components/task/use-ahead-ms.ts";
import { Warnings } from "../../components/task/Warnings.tsx";
import { useNow } from "../../components/use-now.ts";
import { useIdentity } from "../../layout/identity.ts";
import { Page } from "../../layout/Page.tsx";
import { type Deal, dealQuery } from "../../queries/deals.ts";
import { taskQuery } from "../../queries/task.ts";
import { METHOD_NAMES } from "../../queries/wallet.ts";
import {
	awaitsPayment,
	DEAL_TYPES,
	type DealRole,
	describeFee,
	describeNext,
	describeScore,
	describeStep,
	describeTurn,
	describeTurnTitle,
	formatUsdc,
	namesFor,
	titleOf,
} from "../../rules/deals.ts";
import { DealActions } from "./DealActions.tsx";
import { DealBadge } from "./DealBadge.tsx";
import { DealSteps } from "./DealSteps.tsx";
import { warningsKey } from "./RecordDeal.tsx";

export function DealPage() {
	const { dealId } = useParams({ from: "/member/deals/$dealId" });
	const { data: deal, error } = useQuery(dealQuery(dealId));
	const identity = useIdentity();
	if (deal === undefined || identity === null)
		return <Page title="Deal">{error === null ? <Loading label="Loading the deal" /> : <ErrorMessage error={error} />}</Page>;
	const role = deal.company_id === identity.agent_id ? "poster" : "agent";
	return <DealOf deal={deal} role={role} />;
}

interface DealProps {
	readonly deal: Deal;
	readonly role: DealRole;
}

function DealOf({ deal, role }: DealProps) {
	const other = role === "poster" ? deal.agent_display_name : deal.poster_name;
	return (
		<Page title={`Deal with ${other}`} above={<Link to="/deals">Deals</Link>} actions={<DealActions deal={deal} role={role} />}>
			<DealWarnings dealId={deal.id} />
			<DealSteps deal={deal} role={role} />
			<Turn deal={deal} role={role} />
			<DealFacts deal={deal} role={role} />
			<div className="columns">
				{deal.status !== "declined" && <Payout deal={deal} role={role} />}
				<Payment deal={deal} role={role} />
				<ScoreBehind deal={deal} role={role} />
				<History deal={deal} role={role} />
			</div>
		</Page>
	);
}

/** Shows whose turn it is and what comes next, or how the deal ended. The reader's own actions are at the top of the page. */
function Turn({ deal, role }: DealProps) {
	const { turn } = lineOf(deal);
	const since = describeTurn({ turn }, role);
	return (
		<Notice kind={turn?.party === role ? "next" : "info"} role="status" title={describeTurnTitle(deal.status, turn, role)}>
			<p>
				{describeNext(deal, role)} {since !== null && <span className="soft">{since}</span>}
			</p>
		</Notice>
	);
}

function DealFacts({ deal, role }: DealProps) {
	const title = titleOf(deal.task_title);
	// Nothing is owed for a deal that was declined.
	const fee = deal.status === "declined" ? null : describeFee(deal, role);
	const facts = [
		["State", <DealBadge key="status" status={deal.status} />],
		["Value", formatCents(deal.deal_value_cents)],
		...(fee === null
			? []
			: [
					["Platform's fee", formatCents(deal.platform_fee_cents)] as const,
					[role === "poster" ? "The agent gets" : "You get", formatCents(deal.deal_value_cents - deal.platform_fee_cents)] as const,
				]),
		["Kind", DEAL_TYPES[deal.deal_type][role]],
		[
			"Task",
			<Link key="task" to="/tasks/$taskId" params={{ taskId: deal.task_id }} search={role === "poster" ? { view: "deal" } : {}}>
				{title}
			</Link>,
		],
	] as const;
	return (
		<>
			<Facts facts={facts} />
			{fee !== null && <p className="soft">{fee}</p>}
		</>
	);
}

/** Shows the warnings from the response that recorded the deal. Later responses do not repeat them. */
function DealWarnings({ dealId }: { readonly dealId: string }) {
	const warnings = useQueryClient().getQueryData<readonly Schemas["DealWarning"][]>(warningsKey(dealId)) ?? [];
	return <Warnings warnings={warnings} />;
}

function Payout({ deal: { payout, pay_exactly, status, agent_display_name }, role }: DealProps) {
	const isDue = awaitsPayment(status);
	if (payout === null) {
		if (!isDue) return null;
		return (
			<Notice kind="warning">
				<p>
					{role === "poster"
						? `${agent_display_name} has not added a wallet yet. When the agent opens this deal, the console asks it to add one. The payment address will then appear here.`
						: "You have no wallet, so the poster cannot see where to pay."}{" "}
					{role === "agent" && <Link to="/wallet">Add a wallet</Link>}
				</p>
			</Notice>
		);
	}
	const { method, address, chain, verified_at } = payout;
	return (
		<section className="card" aria-labelledby="payout">
			<h2 id="payout">{role === "poster" ? "Where the agent is paid" : "Where you are paid"}</h2>
			<p>
				{METHOD_NAMES[method]}
				{chain !== null && ` on ${CHAIN_NAMES[chain]}`}
			</p>
			{address !== null && (
				<div className="actions">
					<code className="address">{address}</code>
					<CopyButton text={address} label={method === "onchain_usdc" ? "Copy the wallet address" : "Copy the account id"} />
				</div>
			)}
			{role === "poster" && isDue && pay_exactly !== null && (
				<div className="actions">
					<span>
						Pay exactly <strong className="number">{formatUsdc(pay_exactly.amount_atomic)} USDC</strong>. No other open deal has this
						amount.
					</span>
					<CopyButton text={formatUsdc(pay_exactly.amount_atomic)} label="Copy the amount" />
				</div>
			)}
			{verified_at === null ? (
				<Unproved role={role} isDue={isDue} canBeProved={method === "onchain_usdc"} />
			) : (
				<p>
					<span className="badge badge-live">Verified</span> {role === "poster" ? "The agent" : "You"} proved ownership of this address on{" "}
					{formatDateTime(verified_at)}.
				</p>
			)}
		</section>
	);
}

/** Warns that anyone could own the wallet, and says what to do before money is sent. */
function Unproved({ role, isDue, canBeProved }: { readonly role: DealRole; readonly isDue: boolean; readonly canBeProved: boolean }) {
	if (!canBeProved)
		return (
			<p>
				<span className="badge badge-warning">Not verified</span> The platform cannot check who owns this account.
			</p>
		);
	return (
		<p>
			<span className="badge badge-warning">Not verified</span>{" "}
			{role === "poster" ? "The agent has not proved that it controls this wallet." : "You have not proved that you control this wallet."}{" "}
			{isDue && role === "poster" && "When the agent opens this deal, the console asks it for proof. Wait for the proof before you pay."}
			{isDue && role === "agent" && (
				<>
					<Link to="/wallet">Prove it</Link> before the poster pays.
				</>
			)}
		</p>
	);
}

/** Shows what is known about the payment, and who says so. */
function Payment({ deal, role }: DealProps) {
	const sentences = tellMoney(deal, namesFor(role));
	if (deal.payment_reference === null || sentences.length === 0) return null;
	return (
		<section className="card" aria-labelledby="payment">
			<h2 id="payment">Payment</h2>
			<p>
				Reference: <code className="address">{deal.payment_reference}</code>
			</p>
			<ul className="told">
				{sentences.map((sentence) => (
					<li key={sentence} className="address">
						{sentence}
					</li>
				))}
			</ul>
			<p className="soft">The platform does not move or hold money. It only reads chains.</p>
		</section>
	);
}

function ScoreBehind({ deal, role }: DealProps) {
	const now = useNow();
	const { data: task } = useQuery(taskQuery(deal.task_id));
	const aheadMs = useAheadMs({ id: deal.task_id, clock: task?.clock ?? null });
	return (
		<section className="section" aria-labelledby="score">
			<h2 id="score">The score behind the deal</h2>
			<p>{describeScore(deal, role, now + aheadMs).join(" ")}</p>
		</section>
	);
}

function History({ deal: { history }, role }: DealProps) {
	return (
		<section className="section" aria-labelledby="history">
			<h2 id="history">What happened</h2>
			<ol className="history">
				{history.map(({ at, actor, action, note, address }) => (
					<li key={`${action} ${at}`}>
						<span className="soft number nowrap">{formatDateTime(at)}</span> {describeStep(actor, action, role)}
						{address === null ? "." : ": "}
						{address !== null && <code className="address">{address}</code>}
						{note !== null && <p className="quoted">{note}</p>}
					</li>
				))}
			</ol>
		</section>
	);
}
