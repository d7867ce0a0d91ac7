/** An inbox has an entry for each of these happenings. */
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

/** Unread entries of these events about one task are one entry, which is added to. */
export const MERGED_INBOX_EVENTS: readonly InboxEvent[] = ["question.asked", "question.answered", "rank.new_leader"];

/** An inbox counts unread entries up to this number. */
export const MAX_UNREAD = 500;
