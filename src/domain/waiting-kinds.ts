/** The kinds of pending actions. Each can be taken by only one agent. */
export const WAITING_KINDS = [
	...(["accept_deal", "pay_deal", "confirm_deal"] as const),
	...(["decide_reviews", "answer_questions", "choose_winner", "pick_submission", "finish_draft"] as const),
] as const;

export type WaitingKind = (typeof WAITING_KINDS)[number];

/** Reviews are counted up to this number. */
export const MAX_WAITING_REVIEWS = 100;
