// Defines the state of the imitation of Cloudflare's API, and the form of its requests and responses.
import type { DatabaseSync } from "node:sqlite";

export const ACCOUNT = "/accounts/acc1";

export interface LifecycleRule {
	readonly id: string;
	readonly [fact: string]: unknown;
}

export interface CloudflareApi {
	/** wrangler calls the imitation with these variables. */
	readonly env: Readonly<Record<string, string>>;
	readonly databases: string[];
	/** These databases and buckets are in a jurisdiction, by name. */
	readonly jurisdictions: Map<string, string>;
	/** Returns the database of a name, for a look at its contents. */
	open(database: string): DatabaseSync;
	/** True makes the server refuse triggers in a query, as if its splitter cut them in the middle. */
	isSplitterBroken: boolean;
	readonly buckets: string[];
	/** These are the lifecycle rules of each bucket that has some. */
	readonly lifecycleRules: Map<string, readonly LifecycleRule[]>;
	readonly queues: string[];
	/** It is null while there is no Worker. */
	secrets: string[] | null;
	/** wrangler has set these secrets, by name. */
	readonly values: Map<string, string>;
	/** Maps the hash of each static file that was uploaded to its path. */
	readonly assets: Map<string, string>;
	/** Each version of the Worker has its origin, oldest first. Its id is `version-` and its number, from 1. */
	readonly versions: ("draft" | "upload" | "secrets")[];
	/** These versions have served all traffic, newest last. */
	readonly deployments: string[];
	/** The newest deployment of a version that was there already updates the code of objects like this. */
	codeUpdate: { readonly mode: string; readonly max_delay?: number | undefined } | null;
	/** The Worker of this name was uploaded. */
	worker: string;
	/** Maps each class of Durable Objects to whether it was created together with a container. */
	readonly classes: Map<string, boolean>;
	/** The newest upload has declared these containers. */
	containers: readonly { readonly class_name?: string | undefined }[];
	/** Container applications of these names were created. */
	readonly applications: string[];
	/** The account has not switched these parts on. */
	readonly switchedOff: Set<"r2" | "analytics engine">;
	/** Reads of these databases are replicated. */
	readonly replicated: Set<string>;
	/** Each change has its method and path here. */
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
	/** The header `cf-r2-jurisdiction` of a request about buckets. */
	readonly jurisdiction: string | null;
	readonly body: string;
}

export type Answer =
	| { readonly result: unknown; readonly info?: unknown; readonly etag?: string }
	| { readonly status: number; readonly code: number; readonly message: string };

export const absent = (code: number): Answer => ({ status: 404, code, message: "not found" });
