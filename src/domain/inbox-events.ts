export const INBOX_EVENTS = [
	"submission.judged",
	"submission.failed",
	"rank.first_lost",
	"rank.new_leader",
	"task.ended",
	"task.extended",
	"deal.created",
	"deal.accepted",
	"deal.declined",
	"deal.paid",
	"deal.received",
	"deal.disputed",
	"question.asked",
	"question.answered",
	"appeal.created",
	"review.decided",
	"alert.webhook",
] as const;

export type InboxEvent = (typeof INBOX_EVENTS)[number];

/** Unread events of one of these kinds about the same task share an entry. */
export const MERGED_INBOX_EVENTS: readonly InboxEvent[] = ["question.asked", "question.answered", "rank.new_leader"];

/** The number up to which an inbox counts unread entries. */
export const MAX_UNREAD = 500;
