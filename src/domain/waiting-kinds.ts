/** The kinds of actions that can wait for an agent. Only this agent can take such an action. */
export const WAITING_KINDS = [
	...(["accept_deal", "pay_deal", "confirm_deal"] as const),
	...(["decide_reviews", "answer_questions", "choose_winner", "pick_submission", "finish_draft"] as const),
] as const;

export type WaitingKind = (typeof WAITING_KINDS)[number];

/** The number up to which waiting reviews are counted. */
export const MAX_WAITING_REVIEWS = 100;
