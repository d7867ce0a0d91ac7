import { decideAndCommit } from "../../db/commit.ts";
import { AppError, ERRORS } from "../../domain/errors.ts";
import type { Deps } from "../../ports/deps.ts";

/** The objects under one prefix of the bucket. Each belongs to a row of D1. */
export interface StoredObjects {
	/** Ends with a slash. */
	readonly prefix: string;
	/** Returns those of the keys that no row refers to. */
	readonly selectUnreferenced: (deps: Deps, keys: readonly string[]) => Promise<readonly string[]>;
}

export interface NewObject<Facts> {
	readonly of: StoredObjects;
	/** A key that no other object has or had. */
	readonly key: string;
	/** Stores the object and returns what the row says about it. */
	readonly store: () => Promise<Facts>;
}

/** The same object while a decision is being made. */
export interface PendingObject<Facts> {
	/** Stores the object. Later calls return what the first one returned. */
	put(): Promise<Facts>;
	/** Deletes the object in the background, unless it is not stored or a row refers to it. */
	discard(): void;
}

/**
 * Runs a verb that stores an object and commits the row that refers to it, in this order, so a crash leaves no row without an
 * object. The verb runs again when another request changed the rows in between; the object is stored once. When the verb
 * refuses, the object is deleted.
 */
export async function decideWithObject<Facts, Result>(
	deps: Deps,
	object: NewObject<Facts>,
	verb: (pending: PendingObject<Facts>) => Promise<Result>,
): Promise<Result> {
	const pending = pendingObject(deps, object);
	try {
		return await decideAndCommit(deps.db, () => verb(pending));
	} catch (error) {
		// After any other error, the commit may still take effect.
		if (isRefusal(error)) pending.discard();
		throw error;
	}
}

function pendingObject<Facts>(deps: Deps, object: NewObject<Facts>): PendingObject<Facts> {
	let stored: { readonly facts: Facts } | null = null;
	return {
		async put() {
			stored ??= { facts: await object.store() };
			return stored.facts;
		},
		discard() {
			if (stored !== null) deps.background(deleteUnreferenced(deps, object));
		},
	};
}

function isRefusal(error: unknown): boolean {
	return error instanceof AppError && ERRORS[error.code].status < 500;
}

/** Asks the primary first: the row may exist although its commit seemed to fail. */
async function deleteUnreferenced(deps: Deps, { of, key }: NewObject<unknown>): Promise<void> {
	await deps.bucket.delete([...(await of.selectUnreferenced({ ...deps, db: deps.db.fork() }, [key]))]);
}
