import type { AdminRequest } from "./verbs.ts";

export interface AdminCommand {
	/** The form of the command's arguments, as shown to people. */
	readonly usage: string;
	readonly summary: string;
	/** Does the work and says what changed. */
	run(args: readonly string[], target: AdminTarget): Promise<string>;
}

/** The target of a command: a deployment, or the platform on this machine. */
export interface AdminTarget {
	readonly database: DatabaseTarget;
	/** Sends a request to the target's admin API, and then the requests that continue it. */
	readonly send: (request: AdminRequest) => Promise<string>;
}

/** The state folder of a platform on this machine, or a deployment: an environment of wrangler.toml, or null for its top level. */
export type DatabaseTarget = { readonly stateDir: string } | { readonly environment: string | null };
