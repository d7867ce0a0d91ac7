// When the owner changes questions that others may have relied on, the public log records it, with digests of what was removed.
import { appendToLog } from "../../core/competition/public-log/log.ts";
import type { QuestionRow } from "../../db/task/schema/questions.ts";
import type { TaskStore } from "../../ports/task.ts";

export function logAnswerReplaced(task: TaskStore, { id, answerSha256 }: Pick<QuestionRow, "id" | "answerSha256">): void {
	appendToLog(task, { event: "answer_replaced", facts: { question_id: id, sha256: answerSha256 } });
}

/** Logs that the owner has deleted a question or a note. */
export function logQuestionDeleted(
	task: TaskStore,
	{ id, isNote, textSha256, answerSha256 }: Pick<QuestionRow, "id" | "isNote" | "textSha256" | "answerSha256">,
): void {
	const facts = { question_id: id, is_note: isNote, sha256: textSha256, answer_sha256: answerSha256 };
	appendToLog(task, { event: "question_deleted", facts });
}

export function logQuestionsClosed(task: TaskStore): void {
	appendToLog(task, { event: "questions_closed", facts: {} });
}
