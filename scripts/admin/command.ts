import type { AdminRequest } from "./verbs.ts";

/** A command of `npm run admin`. */
export interface AdminCommand {
	/** Its arguments, as a person writes them. */
	readonly usage: string;
	readonly summary: string;
	/** Does the work and says what changed. */
	run(args: readonly string[], target: AdminTarget): Promise<string>;
}

/** The deployment, or the platform of this machine, that a command is for. */
export interface AdminTarget {
	readonly database: DatabaseTarget;
	/** Sends a request to its admin API, and those that continue it. */
	readonly send: (request: AdminRequest) => Promise<string>;
}

/** Flags of `wrangler d1 execute` that say which database is meant. */
export type DatabaseTarget = readonly string[];
