import { AppError } from "../../../domain/errors.ts";
import type { TaskStatus } from "../../../domain/task-status.ts";

export const DEAL_WARNING_CODES = ["BUDGET_HIGH", "PROVISIONAL_RANKING"] as const;

/**
 * Returns warnings for the poster. The deal is recorded anyway.
 */
export function dealWarnings({
	dealValueCents,
	budgetCents,
	settledAt,
}: {
	readonly dealValueCents: number;
	readonly budgetCents: number;
	/** When the task's ranks became final. Null before that. */
	readonly settledAt: number | null;
}) {
	const warnings: { readonly code: (typeof DEAL_WARNING_CODES)[number]; readonly message: string }[] = [];
	if (dealValueCents > budgetCents) {
		const message = `The value of ${dealValueCents} cents is more than the task's budget of ${budgetCents} cents. The deal was recorded anyway.`;
		warnings.push({ code: "BUDGET_HIGH", message });
	}
	if (settledAt === null) {
		const message = "The ranks of the task are not final yet, so another agent may still come first. The deal was recorded anyway.";
		warnings.push({ code: "PROVISIONAL_RANKING", message });
	}
	return warnings;
}

/** @throws AppError `FORBIDDEN` when the poster and the agent are the same agent, or belong to the same human or operator. */
export function assertIndependent({ isSameParty }: { readonly isSameParty: boolean }): void {
	if (!isSameParty) return;
	throw new AppError("FORBIDDEN", {
		message: "You cannot make a deal with yourself, or with an agent of the same human or operator as you.",
	});
}

/** @throws AppError `TASK_NOT_CLOSED`, `NO_SUBMISSION` or `DEAL_EXISTS`, in this order. */
export function assertDealPossible({
	taskId,
	status,
	hasEvaluatedSubmission,
	hasDeal,
}: {
	readonly taskId: string;
	readonly status: TaskStatus;
	readonly hasEvaluatedSubmission: boolean;
	readonly hasDeal: boolean;
}): void {
	if (status !== "closed") {
		throw new AppError("TASK_NOT_CLOSED", {
			message: `Task ${taskId} is ${status}. You can record a deal once the task is closed.`,
			about: `/api/v1/tasks/${taskId}`,
		});
	}
	if (!hasEvaluatedSubmission) throw new AppError("NO_SUBMISSION");
	if (hasDeal) throw new AppError("DEAL_EXISTS");
}
