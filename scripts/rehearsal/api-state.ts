// The state of the imitation of Cloudflare's API, and the form of its requests and responses.
import type { DatabaseSync } from "node:sqlite";

export const ACCOUNT = "/accounts/acc1";

export interface LifecycleRule {
	readonly id: string;
	readonly [fact: string]: unknown;
}

export interface CloudflareApi {
	/** The variables with which wrangler talks to it. */
	readonly env: Readonly<Record<string, string>>;
	readonly databases: string[];
	/** The database of a name, to look into. */
	open(database: string): DatabaseSync;
	/** Lets the server take no trigger in a query, as for one that its splitter cuts in the middle. */
	isSplitterBroken: boolean;
	readonly buckets: string[];
	/** The lifecycle rules of each bucket that has some. */
	readonly lifecycleRules: Map<string, readonly LifecycleRule[]>;
	readonly queues: string[];
	/** Null while there is no Worker. */
	secrets: string[] | null;
	/** Values of the secrets that were set by wrangler, by name. */
	readonly values: Map<string, string>;
	/** Paths of the static files that have come in and belong to the deployed Worker. */
	readonly assets: string[];
	/** The origin of each version of the Worker, oldest first. Its id is `version-` and its number, from 1. */
	readonly versions: ("draft" | "upload" | "secrets")[];
	/** The versions that have served all traffic, newest last. */
	readonly deployments: string[];
	/** The newest migration of Durable Objects that was uploaded. */
	migrationTag: string | null;
	/** The classes of Durable Objects by name: whether each was created together with a container. */
	readonly classes: Map<string, boolean>;
	/** The containers that the newest upload has declared. */
	containers: readonly { readonly class_name?: string | undefined }[];
	/** Names of the container applications that were created. */
	readonly applications: string[];
	/** Databases whose reads are replicated. */
	readonly replicated: Set<string>;
	/** The method and path of each change. */
	readonly changes: string[];
	close(): Promise<void>;
}

/** A rehearsal chooses these, and a test leaves them out. */
export interface ImitationChoices {
	/** Opens the database of a name; in memory by default. */
	readonly openDatabase?: (name: string) => DatabaseSync;
	/** Runs while an uploaded version goes live, before wrangler gets its response. */
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
