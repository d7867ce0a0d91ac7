import type { AdminRequest } from "./verbs.ts";

/** `npm run admin` has commands of this form. */
export interface AdminCommand {
	/** A person writes its arguments in this form. */
	readonly usage: string;
	readonly summary: string;
	/** Does the work and says what changed. */
	run(args: readonly string[], target: AdminTarget): Promise<string>;
}

/** A command is for this deployment, or for the platform of this machine. */
export interface AdminTarget {
	readonly database: DatabaseTarget;
	/** Sends a request to its admin API, and the requests that continue it. */
	readonly send: (request: AdminRequest) => Promise<string>;
}

/** Names the folder of a platform on this machine, or a deployment: an environment of wrangler.toml, or null for its top level. */
export type DatabaseTarget = { readonly stateDir: string } | { readonly environment: string | null };
