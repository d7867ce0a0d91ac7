import { decideAndCommit } from "../../db/commit.ts";
import { AppError, ERRORS } from "../../domain/errors.ts";
import { HOUR_MS } from "../../platform/clock.ts";
import type { Deps } from "../../ports/deps.ts";
import * as store from "./store.ts";

/** The objects under one prefix of the bucket. Each belongs to a row of D1. */
export interface StoredObjects {
	/** Ends with a slash. */
	readonly prefix: string;
	/** Returns those of the keys that no row refers to. It gets up to {@link PAGE_KEYS} keys, so it needs an index. */
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
 * refuses, the object is deleted. What a crash leaves is deleted by {@link collectObjects}.
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

/** The most that R2 lists, and deletes, in one call. */
const PAGE_KEYS = 1_000;
/** Three calls each at most. One invocation, which all sweeps share, may make 1,000 calls to D1. */
const PAGES_PER_RUN = 10;
/** A younger object may belong to a request that has not committed its row yet. Its age counts from the end of the upload. */
const MIN_AGE_MS = HOUR_MS;

/**
 * Deletes objects that no row refers to. One run visits up to {@link PAGES_PER_RUN} pages and remembers where it stopped; the run
 * that reaches the end starts the next round. Runs may overlap.
 *
 * @throws what R2 or D1 throws. The next run continues behind objects that cannot be deleted, such as locked ones.
 */
export async function collectObjects(deps: Deps, objects: StoredObjects): Promise<void> {
	const start = await store.findCursor(deps, objects.prefix);
	let cursor = start;
	try {
		for (let page = 0; page < PAGES_PER_RUN; page += 1) {
			const { unreferenced, next } = await visitPage(deps, objects, cursor);
			cursor = next;
			if (unreferenced.length > 0) {
				await deps.bucket.delete([...unreferenced]);
				deps.log.info("objects_collected", { prefix: objects.prefix, count: unreferenced.length });
			}
			if (cursor === null) break;
		}
	} finally {
		if (cursor !== start) await store.saveCursor(deps, objects.prefix, cursor);
	}
}

/** Finds what to delete on the page after the key `cursor`. `next` is the key to continue after, or null at the end of the prefix. */
async function visitPage(deps: Deps, { prefix, selectUnreferenced }: StoredObjects, cursor: string | null) {
	const page = await deps.bucket.list({ prefix, limit: PAGE_KEYS, ...(cursor === null ? {} : { startAfter: cursor }) });
	const latest = deps.clock.now() - MIN_AGE_MS;
	const keys = page.objects.filter(({ uploaded }) => uploaded.getTime() <= latest).map(({ key }) => key);
	return {
		unreferenced: keys.length === 0 ? [] : await selectUnreferenced(deps, keys),
		next: page.truncated ? (page.objects.at(-1)?.key ?? null) : null,
	};
}
