// Describes the state of a deal for people: its four steps, which party must act next, and who says what about the payment.
import { CHAIN_NAMES, type PayoutChain } from "./chains.ts";
import type { DealAction, DealParty, DealStatus } from "./deal-status.ts";
import { formatDateTime } from "./formats.ts";

/** The fields of a deal in the API that this file uses. Times are in ISO 8601. */
export interface ToldDeal {
	readonly status: DealStatus;
	readonly payment_reference: string | null;
	readonly payment_verified: boolean | null;
	readonly payment_on_its_way: boolean;
	readonly payment_note: string | null;
	readonly seen_on_chain: {
		readonly amount_atomic: string;
		readonly address: string | null;
		readonly chain: PayoutChain;
		readonly at: string;
	} | null;
	readonly history: readonly {
		readonly at: string;
		readonly actor: DealParty | "platform";
		readonly action: DealAction;
		readonly note: string | null;
		readonly address: string | null;
	}[];
}

/** Formats a time for people. Returns a string that is not a time unchanged, because a platform of another version may send one. */
export function formatMoment(time: string): string {
	return Number.isNaN(Date.parse(time)) ? time : formatDateTime(time);
}

const STEPS = [
	{ name: "recorded", by: "poster" },
	{ name: "accepted", by: "agent" },
	{ name: "paid", by: "poster" },
	{ name: "received", by: "agent" },
] as const satisfies readonly { name: DealStatus; by: DealParty }[];

/**
 * `skipped`: a later step is done and this one is not, as when the poster pays before the agent accepts. `never`: the deal ended before
 * this step.
 */
export type StepState = "done" | "next" | "later" | "skipped" | "never";

export interface DealStepShown {
	readonly name: (typeof STEPS)[number]["name"];
	readonly by: DealParty;
	readonly state: StepState;
	/** When the step was done. Null if it was not. */
	readonly at: string | null;
}

export interface DealLine {
	/** Recorded, accepted, paid and received, in this order. */
	readonly steps: readonly DealStepShown[];
	/** The party that must act next, and since when. Null once the deal is over. */
	readonly turn: { readonly party: DealParty; readonly since: string } | null;
	/** The action that ended the deal before its last step. Null if none did. */
	readonly end: { readonly action: "declined" | "disputed"; readonly by: DealParty | "platform"; readonly at: string } | null;
}

/** Returns the four steps of a deal and their states. */
export function lineOf({ status, history }: Pick<ToldDeal, "status" | "history">): DealLine {
	const entryOf = (action: DealAction) => history.find((entry) => entry.action === action);
	const isEnded = status === "declined" || status === "disputed";
	const lastDone = STEPS.findLastIndex(({ name }) => entryOf(name) !== undefined);
	const steps = STEPS.map(({ name, by }, index): DealStepShown => {
		const at = entryOf(name)?.at ?? null;
		if (at !== null) return { name, by, state: "done", at };
		if (index < lastDone) return { name, by, state: "skipped", at };
		if (isEnded) return { name, by, state: "never", at };
		return { name, by, state: index === lastDone + 1 ? "next" : "later", at };
	});
	const next = steps.find(({ state }) => state === "next");
	const since = steps[lastDone]?.at ?? null;
	const ending = isEnded ? entryOf(status) : undefined;
	return {
		steps,
		turn: next === undefined || since === null ? null : { party: next.by, since },
		end: isEnded && ending !== undefined ? { action: status, by: ending.actor, at: ending.at } : null,
	};
}

/** The names of the two parties in sentences. The name of a party that is the reader is "You". */
export type PartyNames = Readonly<Record<DealParty, string>>;

export const PARTIES: PartyNames = { poster: "The poster", agent: "The agent" };

/**
 * Says what is known about a deal's payment. Each sentence names its source, which is a party, the platform or the chain. A dispute does not
 * hide what the chain shows.
 */
export function tellMoney(deal: ToldDeal, names: PartyNames = PARTIES): string[] {
	const { history, status, payment_note: note } = deal;
	const find = (action: DealAction) => history.find((entry) => entry.action === action);
	const [paid, received, disputed] = [find("paid"), find("received"), find("disputed")];
	const sentences: string[] = [];
	if (status === "disputed" && disputed !== undefined) {
		const who = disputed.actor === "platform" ? "The platform" : names[disputed.actor];
		sentences.push(`${who} disputed the deal on ${formatMoment(disputed.at)}.`);
	}
	if (paid === undefined) return sentences;
	sentences.push(`${names.poster} reported the payment on ${formatMoment(paid.at)}.`);
	if (deal.seen_on_chain !== null) sentences.push(tellSeen(deal.seen_on_chain));
	else if (deal.payment_verified === false)
		sentences.push(`The chain shows something other than the reported payment. ${note ?? ""}`.trim());
	else if (deal.payment_on_its_way) sentences.push("The payment is on its way: the chain shows it in a block that is not final yet.");
	else sentences.push(`The platform has not seen the payment on a chain. ${note ?? ""}`.trim());
	if (received !== undefined) sentences.push(`${names.agent} confirmed on ${formatMoment(received.at)} that the money arrived.`);
	else if (status === "paid")
		sentences.push(`${names.agent} ${names.agent === "You" ? "have" : "has"} not confirmed that the money arrived.`);
	return sentences;
}

function tellSeen({ amount_atomic, address, chain, at }: NonNullable<ToldDeal["seen_on_chain"]>): string {
	const to = address === null ? "the agent" : address;
	return `The chain shows ${formatUnits(amount_atomic)} USDC to ${to} on ${CHAIN_NAMES[chain]}, in a block of ${formatMoment(at)}.`;
}

/** Formats atomic units of USDC, which are millionths, as USDC: `1,350` or `90.004711`. */
export function formatUnits(atomic: string): string {
	const digits = atomic.padStart(7, "0");
	const whole = digits.slice(0, -6).replace(/\B(?=(\d{3})+$)/g, ",");
	const fraction = digits.slice(-6).replace(/0+$/, "");
	return fraction === "" ? whole : `${whole}.${fraction.padEnd(2, "0")}`;
}
