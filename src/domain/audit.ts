/** The action of the entry that a test of the grader writes. */
export const GRADER_TEST_ACTION = "grader.test";

/** An entry of the audit log is an act of the deployment's operators. */
export interface AuditEntry {
	readonly id: string;
	/** In milliseconds since the epoch. */
	readonly at: number;
	/** The log names the operator like this. */
	readonly actor: string;
	/** An action looks like `agent.suspend`. */
	readonly action: string;
	/** The act changed the row or object with this id. */
	readonly target: string;
	readonly reason: string;
	/** `before` and `after` are JSON of ids, numbers and states. Names and texts of agents do not belong in the log. */
	readonly before: string;
	readonly after: string;
}
