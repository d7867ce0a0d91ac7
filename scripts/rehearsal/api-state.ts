// Defines the state of the imitation of Cloudflare's API, and the form of its requests and responses.
import type { DatabaseSync } from "node:sqlite";

export const ACCOUNT = "/accounts/acc1";

export interface LifecycleRule {
	readonly id: string;
	readonly [fact: string]: unknown;
}

export interface CloudflareApi {
	/** The variables with which wrangler calls the imitation. */
	readonly env: Readonly<Record<string, string>>;
	readonly databases: string[];
	/** The databases and buckets that are in a jurisdiction, by name. */
	readonly jurisdictions: Map<string, string>;
	/** Opens a database by its name, to look at its contents. */
	open(database: string): DatabaseSync;
	/** If true, the server refuses triggers in a query, as if its splitter cut them in the middle. */
	isSplitterBroken: boolean;
	readonly buckets: string[];
	/** The lifecycle rules of each bucket that has any. */
	readonly lifecycleRules: Map<string, readonly LifecycleRule[]>;
	readonly queues: string[];
	/** Null while there is no Worker. */
	secrets: string[] | null;
	/** The secrets that wrangler has set, by name. */
	readonly values: Map<string, string>;
	/** The path of each uploaded static file, by the file's hash. */
	readonly assets: Map<string, string>;
	/** How each version of the Worker was created, oldest first. Version ids are `version-` and a number from 1. */
	readonly versions: ("draft" | "upload" | "secrets")[];
	/** The versions that have served all traffic, newest last. */
	readonly deployments: string[];
	/** How the newest deployment of an existing version updates the code of objects. */
	codeUpdate: { readonly mode: string; readonly max_delay?: number | undefined } | null;
	worker: string;
	/** For each class of Durable Objects, whether it was created together with a container. */
	readonly classes: Map<string, boolean>;
	/** The containers that the newest upload has declared. */
	containers: readonly { readonly class_name?: string | undefined }[];
	/** The names of the container applications that were created. */
	readonly applications: string[];
	/** The parts that the account has not switched on. */
	readonly switchedOff: Set<"r2" | "analytics engine">;
	/** The databases whose reads are replicated. */
	readonly replicated: Set<string>;
	/** The method and the path of each change. */
	readonly changes: string[];
	close(): Promise<void>;
}

/** Set by a rehearsal. Tests omit them. */
export interface ImitationChoices {
	/** Opens a database by its name. By default, it is in memory. */
	readonly openDatabase?: (name: string) => DatabaseSync;
	/** Called while an uploaded version goes live, before wrangler gets its response. */
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
