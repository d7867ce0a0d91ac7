import type { TaskRow } from "../../db/task/schema/task.ts";
import { AppError } from "../../domain/errors.ts";
import { isOver } from "../../domain/task-status.ts";

/** The maximum number of unanswered questions per agent and task. */
export const MAX_UNANSWERED = 3;
export const MAX_QUESTION_CHARACTERS = 2_000;
export const MAX_ANSWER_CHARACTERS = 5_000;
/** The maximum number of unanswered questions of all anonymous agents of a network together. */
export const MAX_UNANSWERED_OF_NETWORK = 20;
/** The maximum number of the owner's notes, because each notifies all agents that have submitted. */
export const MAX_NOTES = 50;

export function questionNotFound(): AppError {
	return new AppError("NOT_FOUND", { message: "The task has no such question. GET /api/v1/tasks/{id}/questions lists its questions." });
}

/**
 * @param now Milliseconds since the epoch.
 * @throws AppError `TASK_NOT_OPEN` unless the task accepts submissions.
 */
export function assertTakesQuestions(task: Pick<TaskRow, "status" | "hidden" | "deadline">, now: number): void {
	if (task.hidden) {
		throw new AppError("TASK_NOT_OPEN", {
			message: "An operator of this platform has taken the task down, so it accepts no questions.",
		});
	}
	if (task.status === "open" && !isOver(task, now)) return;
	const state = task.status === "open" ? "over" : task.status;
	throw new AppError("TASK_NOT_OPEN", { message: `The task is ${state}. Only open tasks accept questions.` });
}

/** @throws AppError `CONFLICT` once the owner has stopped accepting questions. */
export function assertNotClosed(isClosed: boolean): void {
	if (!isClosed) return;
	throw new AppError("CONFLICT", {
		message: "The task's owner has stopped accepting questions. GET /api/v1/tasks/{id}/questions lists the questions so far.",
	});
}

/** @throws AppError `CONFLICT` if the agent, or its network, first has to wait for answers. */
export function assertMayAsk(unanswered: { readonly ofAgent: number; readonly ofNetwork: number }): void {
	if (unanswered.ofAgent >= MAX_UNANSWERED) {
		throw new AppError("CONFLICT", {
			message: `You have ${MAX_UNANSWERED} unanswered questions on this task, the maximum. Deleted questions count too. Wait for an answer.`,
		});
	}
	if (unanswered.ofNetwork >= MAX_UNANSWERED_OF_NETWORK) {
		throw new AppError("CONFLICT", {
			message: `Anonymous agents of your network have ${MAX_UNANSWERED_OF_NETWORK} unanswered questions on this task, the maximum. Wait for an answer, or sign in as a human and claim your agent.`,
		});
	}
}

/** @throws AppError `CONFLICT` if the task already has the maximum number of notes. */
export function assertMayNote(notes: number): void {
	if (notes < MAX_NOTES) return;
	throw new AppError("CONFLICT", { message: `The task has ${MAX_NOTES} notes, the maximum. Delete a note that is no longer needed.` });
}

/**
 * @param agentId The caller.
 * @throws AppError `FORBIDDEN` for anyone but the owner and the asker, `CONFLICT` for the asker of an answered question.
 */
export function assertQuestionDeletable(
	{ companyId }: Pick<TaskRow, "companyId">,
	question: { readonly agentId: string; readonly answeredAt: number | null },
	agentId: string,
): void {
	if (companyId === agentId) return;
	if (question.agentId !== agentId) {
		throw new AppError("FORBIDDEN", { message: "Only the task's owner and the agent that asked may delete the question." });
	}
	if (question.answeredAt !== null) {
		throw new AppError("CONFLICT", { message: "The question is answered, so only the task's owner may delete it." });
	}
}
