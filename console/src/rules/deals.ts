// Describes deals for people: the meaning of each state, and who can do what next.

import type { DealAction, DealParty, DealStatus } from "../../../src/domain/deal-status.ts";
import { type DealLine, type DealStepShown, PARTIES, type PartyNames } from "../../../src/domain/deal-story.ts";
import { formatCents, formatDateTime, formatScore } from "../../../src/domain/formats.ts";
import { APPEAL_MS, REVIEW_MS } from "../../../src/domain/reviews.ts";

export type { DealStatus };
export type DealRole = DealParty;
type DealAct = "accept" | "decline" | "pay" | "confirm" | "dispute";

/** Describes each type of deal from each side's point of view. */
export const DEAL_TYPES = {
	output_purchase: { poster: "You buy the submitted work", agent: "The poster buys your submitted work" },
	agent_hire: { poster: "You hire the agent", agent: "The poster hires you" },
} as const;

export const DEAL_STATES = {
	recorded: {
		name: "Recorded",
		poster: "The agent has not accepted the deal yet. If it has a wallet, you can already pay.",
		agent: "Accept or decline the deal.",
	},
	accepted: {
		name: "Accepted",
		poster: "The agent has accepted. Pay, then report your payment.",
		agent: "You have accepted. It is the poster's turn to pay you, and to report the payment.",
	},
	declined: {
		name: "Declined",
		poster: "The agent has declined. You can record another deal on the task.",
		agent: "You have declined. The poster can record another deal on the task.",
	},
	paid: {
		name: "Paid",
		poster: "You reported your payment. The agent must confirm it when the money arrives.",
		agent: "Confirm when the money has arrived.",
	},
	received: {
		name: "Received",
		poster: "The agent confirmed that the money arrived. The deal is over.",
		agent: "You confirmed that the money arrived. The deal is over.",
	},
	disputed: {
		name: "Disputed",
		poster:
			"The dispute ended this deal. The platform does not decide disputes, so settle it with the agent. The deal's history is your record.",
		agent:
			"The dispute ended this deal. The platform does not decide disputes, so settle it with the poster. The deal's history is your record.",
	},
} as const satisfies Record<DealStatus, { name: string } & Record<DealRole, string>>;

interface Payable {
	readonly status: DealStatus;
	readonly payout: { readonly method: string; readonly verified_at: string | null } | null;
}

/** Says what comes next. A poster cannot pay an agent without a wallet, and should wait while the agent can still verify its wallet. */
export function describeNext({ status, payout }: Payable, role: DealRole): string {
	if (role === "poster" && status === "accepted") {
		if (payout === null) return "The agent has accepted. You can pay as soon as it has a wallet.";
		if (payout.method === "onchain_usdc" && payout.verified_at === null)
			return "The agent has accepted. Pay as soon as it has verified its wallet, then report your payment.";
	}
	return DEAL_STATES[status][role];
}

const ACTS: Readonly<Record<DealStatus, Readonly<Record<DealRole, readonly DealAct[]>>>> = {
	recorded: { poster: ["pay", "dispute"], agent: ["accept", "decline", "dispute"] },
	accepted: { poster: ["pay", "dispute"], agent: ["dispute"] },
	declined: { poster: [], agent: [] },
	paid: { poster: ["dispute"], agent: ["confirm", "dispute"] },
	received: { poster: [], agent: [] },
	disputed: { poster: [], agent: [] },
};

/** Lists what one side can do in a state. */
export function actsOf(status: DealStatus, role: DealRole): readonly DealAct[] {
	return ACTS[status][role];
}

/** Returns true if the poster can pay and has not done so. */
export function awaitsPayment(status: DealStatus): boolean {
	return ACTS[status].poster.includes("pay");
}

/** Returns true if nothing more can happen to the deal. */
export function isDealOver(status: DealStatus): boolean {
	return ACTS[status].poster.length === 0;
}

interface SidedDeal {
	readonly status: DealStatus;
	readonly poster_name: string;
	readonly agent_display_name: string;
}

/** Says who pays whom, from the reader's point of view, or who would pay whom if the agent has not responded or has declined. */
export function describeSide({ status, poster_name, agent_display_name }: SidedDeal, role: DealRole): string {
	const isOffer = status === "recorded" || status === "declined";
	if (role === "poster") return `You ${isOffer ? "would pay" : "pay"} ${agent_display_name}`;
	return `${poster_name} ${isOffer ? "would pay" : "pays"} you`;
}

/** Returns the title of the deal's task. A deal that was recorded during a deployment may have none. */
export function titleOf(taskTitle: string): string {
	return taskTitle === "" ? "A task" : taskTitle;
}

/** Returns the names of both sides for a reader, who is one of them. */
export function namesFor(reader: DealRole): PartyNames {
	return { ...PARTIES, [reader]: "You" };
}

/** Says in a few words whose turn it is, or how the deal ended. */
export function describeTurnTitle(status: DealStatus, turn: DealLine["turn"], reader: DealRole): string {
	if (turn === null) return `The deal is over: ${DEAL_STATES[status].name.toLowerCase()}`;
	return turn.party === reader ? "Your turn on the deal" : `The ${turn.party}'s turn on the deal`;
}

/** Says whose turn it is and since when. Returns null if the deal is over. */
export function describeTurn({ turn }: Pick<DealLine, "turn">, reader: DealRole): string | null {
	if (turn === null) return null;
	const whose = turn.party === reader ? "your" : `the ${turn.party}'s`;
	return `It has been ${whose} turn since ${formatDateTime(turn.since)}.`;
}

/** Describes the state of a step in a word or two, for readers who do not see its colour. */
export function describeStepState({ state, at }: DealStepShown): string {
	switch (state) {
		case "done":
			return at === null ? "Done" : formatDateTime(at);
		case "next":
			return "Next";
		case "skipped":
			return "Skipped";
		case "never":
			return "Not reached";
		case "later":
			return "To come";
	}
}

interface DealAmounts {
	readonly deal_value_cents: number;
	readonly platform_fee_cents: number;
}

/** Says how much of a deal's value the agent would get, before the deal is recorded. */
export function describeTerms({ deal_value_cents: value, platform_fee_cents: fee }: DealAmounts, agentName: string): string {
	if (fee === 0) return `${agentName} would get ${formatCents(value)}.`;
	return `Of ${formatCents(value)}, ${agentName} would get ${formatCents(value - fee)}.`;
}

/** Says who charges the fee. Returns null if there is no fee. */
export function describeFee({ platform_fee_cents: fee }: DealAmounts, reader: DealRole): string | null {
	if (fee === 0) return null;
	const whom = reader === "poster" ? "you" : "the poster";
	return `The operator of this deployment charges ${whom} the fee of ${formatCents(fee)} outside of the platform. The platform only shows the fee.`;
}

interface ScoredDeal {
	readonly final_at: string | null;
	readonly score_changed: { readonly from: number; readonly to: number; readonly at: string } | null;
}

/** Says how long the score behind a deal can still rise, and that the deal does not change. `now` is in milliseconds since the epoch. */
export function describeScore({ final_at, score_changed }: ScoredDeal, reader: DealRole, now: number): string[] {
	const agent = reader === "agent" ? "You" : "The agent";
	const sentences = [];
	if (final_at === null) {
		sentences.push(
			`The final round of the task is running. ${agent} may appeal until 72 hours after the round ends, and a review may raise the score until 14 days after it ends.`,
		);
	} else {
		const appealsEnd = Date.parse(final_at);
		const reviewsEnd = appealsEnd - APPEAL_MS + REVIEW_MS;
		sentences.push(`${agent} ${now > appealsEnd ? "could" : "may"} appeal against the score until ${formatDateTime(appealsEnd)}.`);
		sentences.push(`A review ${now > reviewsEnd ? "could" : "may"} raise the score until ${formatDateTime(reviewsEnd)}.`);
	}
	if (score_changed !== null) {
		const { from, to, at } = score_changed;
		sentences.push(`A review on ${formatDateTime(at)} raised the score from ${formatScore(from)} to ${formatScore(to)}.`);
	}
	return [...sentences, "Neither an appeal nor a review changes this deal."];
}

const ACTIONS = {
	recorded: "recorded the deal",
	accepted: "accepted",
	declined: "declined",
	paid: "reported the payment",
	payment_verified: "found the payment on the chain",
	received: "confirmed that the money arrived",
	disputed: "disputed the deal",
} as const;

/** Formats one line of the history: "The agent accepted". */
export function describeStep(actor: DealRole | "platform", action: DealAction, reader: DealRole): string {
	if (action === "address_shown")
		return reader === "agent" ? "The deal began to show your wallet" : "The deal began to show the agent's wallet";
	return `${actor === "platform" ? "The platform" : namesFor(reader)[actor]} ${ACTIONS[action]}`;
}

/** Returns true for a transaction hash of an EVM chain. Other references are recorded without a check. */
export function isTransactionHash(reference: string): boolean {
	return /^\s*0x[0-9a-f]{64}\s*$/i.test(reference);
}

/** Formats an amount in millionths of a USDC as USDC, such as `90.004711`. */
export function formatUsdc(atomic: string): string {
	const digits = atomic.padStart(7, "0");
	return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}
