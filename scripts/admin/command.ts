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

/** The folder of a platform on this machine, or the flags with which `wrangler d1 execute` finds a deployment's database. */
export type DatabaseTarget = { readonly stateDir: string } | { readonly remote: readonly string[] };
