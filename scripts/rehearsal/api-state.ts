// Holds the state of the imitation of Cloudflare's API, and the form of its requests and responses.
import type { DatabaseSync } from "node:sqlite";

export const ACCOUNT = "/accounts/acc1";

export interface LifecycleRule {
	readonly id: string;
	readonly [fact: string]: unknown;
}

export interface CloudflareApi {
	/** wrangler talks to it with these variables. */
	readonly env: Readonly<Record<string, string>>;
	readonly databases: string[];
	/** Returns the database of a name, to look into. */
	open(database: string): DatabaseSync;
	/** It lets the server take no trigger in a query, as for one that its splitter cuts in the middle. */
	isSplitterBroken: boolean;
	readonly buckets: string[];
	/** These are the lifecycle rules of each bucket that has some. */
	readonly lifecycleRules: Map<string, readonly LifecycleRule[]>;
	readonly queues: string[];
	/** It is null while there is no Worker. */
	secrets: string[] | null;
	/** These are the values of the secrets that were set by wrangler, by name. */
	readonly values: Map<string, string>;
	/** These are the paths of the static files that have come in and belong to the deployed Worker. */
	readonly assets: string[];
	/** Each version of the Worker has its origin, oldest first. Its id is `version-` and its number, from 1. */
	readonly versions: ("draft" | "upload" | "secrets")[];
	/** These versions have served all traffic, newest last. */
	readonly deployments: string[];
	/** This is the newest migration of Durable Objects that was uploaded. */
	migrationTag: string | null;
	/** Each class of Durable Objects says by its name whether each was created together with a container. */
	readonly classes: Map<string, boolean>;
	/** The newest upload has declared these containers. */
	containers: readonly { readonly class_name?: string | undefined }[];
	/** Container applications of these names were created. */
	readonly applications: string[];
	/** Reads of these databases are replicated. */
	readonly replicated: Set<string>;
	/** This has the method and path of each change. */
	readonly changes: string[];
	close(): Promise<void>;
}

/** A rehearsal chooses these, and a test leaves them out. */
export interface ImitationChoices {
	/** Opens the database of a name; in memory by default. */
	readonly openDatabase?: (name: string) => DatabaseSync;
	/** It runs while an uploaded version goes live, before wrangler gets its response. */
	readonly onUpload?: () => Promise<void>;
}

export interface Call {
	readonly method: string;
	readonly path: string;
	readonly query: URLSearchParams;
	readonly contentType: string;
	readonly body: string;
}

export type Answer =
	| { readonly result: unknown; readonly info?: unknown; readonly etag?: string }
	| { readonly status: number; readonly code: number; readonly message: string };

export const absent = (code: number): Answer => ({ status: 404, code, message: "not found" });
