/** The events in a task's public log that the Task object stores. The log also shows the task's deals, which the directory stores. */
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
