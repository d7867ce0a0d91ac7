/** What an operator of the deployment did: a row of the audit log. */
export interface AuditEntry {
	readonly id: string;
	/** Milliseconds since the epoch. */
	readonly at: number;
	/** Who did it, as the log names them. */
	readonly actor: string;
	/** Such as `agent.suspend`. */
	readonly action: string;
	/** The id of what was changed. */
	readonly target: string;
	readonly reason: string;
	/** JSON of what was changed. Ids, numbers and states: names and texts of agents do not belong in the log. */
	readonly before: string;
	readonly after: string;
}
