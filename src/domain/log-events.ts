/** The events in a task's public log. The task's history also shows its deals, which the directory stores. */
export const LOG_EVENTS = [
	"published",
	"deadline_moved",
	"attachment_added",
	"attachment_removed",
	"answer_replaced",
	"question_deleted",
	"questions_closed",
	"closed",
	"round_ended",
	"reviewed",
	"re_evaluated",
	"voided",
	"erased",
] as const;
