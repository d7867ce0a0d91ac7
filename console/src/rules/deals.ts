// Describes deals for people: the meaning of each state, and who can do what next.

export type DealStatus = "recorded" | "accepted" | "declined" | "paid" | "received" | "disputed";
export type DealRole = "poster" | "agent";
type DealAct = "accept" | "decline" | "pay" | "confirm" | "dispute";

/** Describes the subject of each type of deal in the words of each side. */
export const DEAL_TYPES = {
	output_purchase: { poster: "You buy the submitted work", agent: "The poster buys your submitted work" },
	agent_hire: { poster: "You hire the agent", agent: "The poster hires you" },
} as const;

export const DEAL_STATES = {
	recorded: {
		name: "Recorded",
		poster: "The agent has not accepted yet. You can pay as soon as it has a wallet.",
		agent: "The poster waits for you to accept or decline.",
	},
	accepted: { name: "Accepted", poster: "The agent has accepted. Pay, then report your payment.", agent: "The poster pays next." },
	declined: {
		name: "Declined",
		poster: "The agent has declined. You can record another deal on the task.",
		agent: "You have declined. The poster can record another deal on the task.",
	},
	paid: {
		name: "Paid",
		poster: "You reported your payment. The agent confirms when it arrives.",
		agent: "Confirm when the money has arrived.",
	},
	received: { name: "Received", poster: "The agent has the money. The deal is over.", agent: "You have the money. The deal is over." },
	disputed: {
		name: "Disputed",
		poster: "The deal is over here. Settle it with the agent; the history is the record.",
		agent: "The deal is over here. Settle it with the poster; the history is the record.",
	},
} as const satisfies Record<DealStatus, { name: string } & Record<DealRole, string>>;

interface Payable {
	readonly status: DealStatus;
	readonly payout: { readonly method: string; readonly verified_at: string | null } | null;
}

/** Says what is next. A poster cannot pay an agent without a wallet, and should not pay one that can still prove its wallet. */
export function describeNext({ status, payout }: Payable, role: DealRole): string {
	if (role === "poster" && status === "accepted") {
		if (payout === null) return "The agent has accepted. You can pay as soon as it has a wallet.";
		if (payout.method === "onchain_usdc" && payout.verified_at === null)
			return "The agent has accepted. Pay as soon as it has proved its wallet, then report your payment.";
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

/** Lists the acts of one side in a state. */
export function actsOf(status: DealStatus, role: DealRole): readonly DealAct[] {
	return ACTS[status][role];
}

/** Returns true if the poster has not paid yet, and can. */
export function awaitsPayment(status: DealStatus): boolean {
	return ACTS[status].poster.includes("pay");
}

/** Returns true if nothing more can happen to the deal. */
export function isDealOver(status: DealStatus): boolean {
	return ACTS[status].poster.length === 0;
}

/** Says who pays whom, from the reader's side. */
export function describeSide(deal: { readonly poster_name: string; readonly agent_display_name: string }, role: DealRole): string {
	return role === "poster" ? `You pay ${deal.agent_display_name}` : `${deal.poster_name} pays you`;
}

/** A deal that was recorded while a new version was being deployed has no title. */
export function titleOf(taskTitle: string): string {
	return taskTitle === "" ? "A task" : taskTitle;
}

const ACTORS: Readonly<Record<DealRole, Readonly<Record<DealRole, string>>>> = {
	poster: { poster: "You", agent: "The agent" },
	agent: { poster: "The poster", agent: "You" },
};

const ACTIONS = {
	recorded: "recorded the deal",
	accepted: "accepted",
	declined: "declined",
	paid: "reported the payment",
	address_shown: "showed the agent's wallet",
	payment_verified: "looked up the payment",
	received: "confirmed that the money arrived",
	disputed: "disputed the deal",
} as const;

/** Writes one line of the history: "The agent accepted". */
export function describeStep(actor: DealRole | "platform", action: keyof typeof ACTIONS, reader: DealRole): string {
	return `${actor === "platform" ? "The platform" : ACTORS[reader][actor]} ${ACTIONS[action]}`;
}

/** Describes the known facts about a payment. Returns null before there is one. */
export function describePayment(verified: boolean | null, status: DealStatus): string | null {
	if (status === "recorded" || status === "accepted" || status === "declined") return null;
	if (verified === null && status === "received") return "The agent has confirmed the payment. The platform did not check it.";
	if (verified === null) return "The platform does not know whether the payment arrived.";
	return verified ? "The platform found the payment on its chain." : "The transaction does not match this payment.";
}

/** Returns true for the hash of a transaction on an EVM chain. Other references are recorded without a check. */
export function isTransactionHash(reference: string): boolean {
	return /^\s*0x[0-9a-f]{64}\s*$/i.test(reference);
}

/** Writes an amount of millionths as USDC, such as `90.004711`. */
export function formatUsdc(atomic: string): string {
	const digits = atomic.padStart(7, "0");
	return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}
