/** A command of `npm run admin`. */
export interface AdminCommand {
	/** Its arguments, as a person writes them. */
	readonly usage: string;
	readonly summary: string;
	/** Does the work and says what changed. */
	run(args: readonly string[], target: DatabaseTarget): Promise<string>;
}

/** Flags of `wrangler d1 execute` that say which database is meant. */
export type DatabaseTarget = readonly string[];
