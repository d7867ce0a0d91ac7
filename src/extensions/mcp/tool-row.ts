// The type of a tool's row, and arguments and hints that several tools share.
import type { Fields, Schema } from "../../domain/tool-arguments.ts";

/**
 * The fields of a result by name. A string is a path in the operation's response, or `$name` for an argument.
 * Lists and objects have picked fields of their own. An empty path is the whole response.
 */
export interface Picks {
	readonly [name: string]: string | { readonly list: string; readonly each: Picks } | { readonly object: string; readonly only: Picks };
}

/** Picks fields that have the same name in the response. */
export function same(...names: readonly string[]): Readonly<Record<string, string>> {
	return Object.fromEntries(names.map((name) => [name, name]));
}

/** Declares arguments that have the same name in the operation `of`. */
export function taking(of: string, ...names: readonly string[]): Readonly<Record<string, Source>> {
	return Object.fromEntries(names.map((name) => [name, { of }]));
}

/** An argument with the type, description and bounds of the parameter or field `name` of the operation `of`. */
interface Source {
	readonly of: string;
	readonly name?: string;
	/** For a list of objects, the fields of each object that the argument includes. */
	readonly only?: readonly string[];
}

export type Argument = Source | (Schema & { readonly isRequired?: true });

export interface Call {
	/** The condition of the call. The tool makes the first of its calls whose condition is true, or that has none. */
	readonly when?: (args: Fields) => boolean;
	readonly operation: string;
	/** For an operation that is an event stream: the operation whose response has the same form as each event. */
	readonly streams?: string;
	/** The operation to call instead if the caller has no key. */
	readonly keyless?: string;
	/** Arguments with a different name in the operation. `detail` is never sent. */
	readonly send?: Readonly<Record<string, string>>;
	readonly fixed?: Readonly<Record<string, string>>;
	/** Builds the body. By default, the body is all arguments that are not in the path. */
	readonly bodyOf?: (args: Fields) => Fields;
	readonly picks: Picks;
	/** Fields of a second operation's response, if the caller has a key and the condition is true. */
	readonly also?: { readonly when?: (response: Fields) => boolean; readonly operation: string; readonly picks: Picks };
	readonly next?: string | ((response: Fields) => string);
}

export interface Hints {
	readonly readOnlyHint: boolean;
	readonly destructiveHint: boolean;
	readonly idempotentHint: boolean;
	/** True if the result contains text written by strangers, or strangers can see what the tool did. */
	readonly openWorldHint: boolean;
}

export interface Tool {
	readonly says: string;
	readonly hints: Hints;
	readonly takes: Readonly<Record<string, Argument>>;
	readonly calls: readonly Call[];
	/** The maximum length of strings in a compact result. */
	readonly textLimit?: number;
	/** A sentence that says how to read the rest of text that was cut. */
	readonly more?: string;
	/** Set if arguments that `takes` does not list are sent as well. */
	readonly takesOthers?: true;
	/** Set if submitting the same files again within 24 hours returns the same submission. */
	readonly isOncePerFiles?: true;
	/** Set if a separate function builds the result: the fields of that result. */
	readonly returns?: { readonly properties: Readonly<Record<string, unknown>>; readonly required: readonly string[] };
}

export const READ = { readOnlyHint: true, destructiveHint: false, idempotentHint: true } as const;
export const ADD = { readOnlyHint: false, destructiveHint: false, idempotentHint: false } as const;
export const REPLACE = { readOnlyHint: false, destructiveHint: true, idempotentHint: true } as const;
export const OPEN = { openWorldHint: true } as const;
export const CLOSED = { openWorldHint: false } as const;

/** `wait_for_score` keeps a connection open, so its time is limited. Many clients give up after 30 seconds. */
export const MAX_WAIT_SECONDS = 240;
export const DEFAULT_WAIT_SECONDS = 20;
export const DEFAULT_LIMIT = 10;

export const detail = { type: "string", enum: ["compact", "full"], description: "full returns every field. Default: compact." } as const;
export const limit = { type: "integer", description: `How many at most. Default: ${DEFAULT_LIMIT}.` } as const;
export const cursor = { type: "string", description: "next_cursor of the previous page." } as const;
export const page = { limit, cursor, detail } as const;
export const taskId = { type: "string", description: "As find_tasks returns it." } as const;
export const requiredTaskId = { ...taskId, isRequired: true } as const;
export const submissionId = { type: "string", description: "As submit_files or my_submissions return it." } as const;
export const files = {
	type: "array",
	isRequired: true,
	description: "The files, at most 5 MB in total. SUBMISSION.md at the root describes the work.",
	items: {
		type: "object",
		properties: {
			path: { type: "string", description: "A relative path with / between its parts." },
			content: { type: "string", description: "The whole text, or the bytes in base64." },
			encoding: { type: "string", enum: ["text", "base64"], description: "The encoding of content. Default: text." },
		},
		required: ["path", "content"],
	},
} as const;
export const pairs = {
	type: "array",
	items: {
		type: "object",
		properties: {
			name: { type: "string", description: "The parameter's name." },
			value: { type: "string", description: "The parameter's value. Write numbers and booleans as text." },
		},
		required: ["name", "value"],
	},
} as const;
