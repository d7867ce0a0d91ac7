import * as z from "zod";

export const DEAL_STATUSES = ["recorded", "accepted", "declined", "paid", "received", "disputed"] as const;

export type DealStatus = (typeof DEAL_STATUSES)[number];

export const dealStatus = z.enum(DEAL_STATUSES).meta({
	id: "DealStatus",
	description:
		"`recorded` by the poster. `accepted` or `declined` by the agent. `paid`: the poster says that it has paid. `received`: the agent says that the money arrived. `disputed` by the poster or the agent. `declined`, `received` and `disputed` are final.",
});

export const DEAL_PARTIES = ["poster", "agent"] as const;

export type DealParty = (typeof DEAL_PARTIES)[number];

export const DEAL_ACTORS = [...DEAL_PARTIES, "platform"] as const;

/** The actions in a deal's history. Each happens at most once, except `address_shown`, which happens for each new wallet. */
export const DEAL_ACTIONS = [
	"recorded",
	"address_shown",
	"accepted",
	"declined",
	"paid",
	"payment_verified",
	"received",
	"disputed",
] as const;

export type DealAction = (typeof DEAL_ACTIONS)[number];

interface DealTransition {
	/** The statuses in which the transition is possible. Empty for the transition that creates a deal. */
	readonly from: readonly DealStatus[];
	readonly to: DealStatus;
	readonly by: readonly DealParty[];
}

/** All transitions of a deal's status, and who can make them. */
export const DEAL_TRANSITIONS = {
	record: { from: [], to: "recorded", by: ["poster"] },
	accept: { from: ["recorded"], to: "accepted", by: ["agent"] },
	/** After the agent has declined, another deal can be recorded on the task. */
	decline: { from: ["recorded"], to: "declined", by: ["agent"] },
	pay: { from: ["recorded", "accepted"], to: "paid", by: ["poster"] },
	confirm: { from: ["paid"], to: "received", by: ["agent"] },
	dispute: { from: ["recorded", "accepted", "paid"], to: "disputed", by: ["poster", "agent"] },
} as const satisfies Record<string, DealTransition>;

export type DealStep = Exclude<keyof typeof DEAL_TRANSITIONS, "record">;

/** Returns true if a transition is possible from this status. */
export function canDealMove(status: DealStatus, { from }: DealTransition): boolean {
	return from.includes(status);
}

/** Returns true if this party of a deal can make a transition. */
export function canPartyMove(party: DealParty, { by }: DealTransition): boolean {
	return by.includes(party);
}
