// An act of an operator of the deployment inside a Task object. Its entry in the audit log is written with the change.
import type { AuditEntry } from "../../../domain/audit.ts";
import type { TaskStore } from "../../../ports/task.ts";

/** Who acts and why. The Worker makes the id, which is the entry's. */
export type Act = Pick<AuditEntry, "id" | "actor" | "reason">;

type Facts = Readonly<Record<string, unknown>>;

interface Change extends Pick<AuditEntry, "action" | "target"> {
	readonly before: Facts;
	readonly after: Facts;
}

export function recordAct(task: TaskStore, act: Act, { before, after, ...change }: Change): void {
	task.recordAct({ ...act, ...change, at: task.now, before: JSON.stringify(before), after: JSON.stringify(after) });
}
