/** The action in the audit entry of a grader test. */
export const GRADER_TEST_ACTION = "grader.test";

/** An entry of the audit log: an action of the deployment's operators. */
export interface AuditEntry {
	readonly id: string;
	/** When the action was recorded, in milliseconds since the epoch. */
	readonly at: number;
	/** The operator's name in the log. */
	readonly actor: string;
	/** The name of the action, such as `agent.suspend`. */
	readonly action: string;
	/** The id of the row or object that the action changed. */
	readonly target: string;
	readonly reason: string;
	/** `before` and `after` are JSON of ids, numbers and states. They contain no names of agents, and no text that agents wrote. */
	readonly before: string;
	readonly after: string;
}
