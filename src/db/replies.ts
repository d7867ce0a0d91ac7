// Stores the responses to requests with an `Idempotency-Key` that change D1 or create a task.
import { and, eq, isNotNull, lte } from "drizzle-orm";
import {
	assertSameRequest,
	REPLY_WINDOW_MS,
	type RepeatableCall,
	SECRET_REPLY_WINDOW_MS,
	secretForgotten,
} from "../domain/repeated-calls.ts";
import { decrypt, encrypt } from "../platform/encryption.ts";
import type { Statement } from "../ports/database.ts";
import type { Deps } from "../ports/deps.ts";
import { directoryReplies } from "./schema/replies.ts";

/** The purpose of the key that encrypts the stored responses. */
const REPLY_PURPOSE = "idempotent-reply";

/**
 * Returns the reply to an earlier request with this key, or null if there is none. `madeId` is the id of what the request created, or null
 * if only the response contains it. `response` is JSON, or null while it is unknown.
 *
 * @throws AppError `CONFLICT` if that request had another body, or if its response contained a secret that is no longer stored.
 */
export async function findReply(deps: Deps, call: RepeatableCall) {
	const [row] = await deps.db.query.select().from(directoryReplies).where(isThis(call));
	const now = deps.clock.now();
	if (row === undefined || row.expiresAt <= now) return null;
	assertSameRequest(call, row.requestHash);
	if (row.secretUntil !== null && row.secretUntil <= now) throw secretForgotten();
	const response = row.responseEncrypted === null ? null : await decrypt(deps.config.keys, REPLY_PURPOSE, row.responseEncrypted);
	return { madeId: row.madeId, response };
}

/**
 * Builds the statements that store a response, for the batch that creates what the request asks for. The whole batch fails if another
 * request with the same `Idempotency-Key` was first.
 */
export async function recordReply(deps: Deps, call: RepeatableCall, response: object): Promise<Statement[]> {
	const row = { ...newRow(deps, call, null), ...(await responseColumns(deps, call, response)) };
	return [deleteExpired(deps, call), deps.db.query.insert(directoryReplies).values(row)];
}

/** Does the same as {@link recordReply} for a response that is only known after the commit. Then store it with {@link saveReply}. */
export function recordMade(deps: Deps, call: RepeatableCall, madeId: string): Statement[] {
	return [deleteExpired(deps, call), deps.db.query.insert(directoryReplies).values(newRow(deps, call, madeId))];
}

/**
 * Reserves an id, in the given part of the directory, for the task that a request creates. If the request is repeated, even after a crash,
 * returns the same id.
 *
 * @throws AppError `CONFLICT` as {@link findReply} does.
 */
export async function claimId(deps: Deps, call: RepeatableCall, part: number): Promise<string> {
	const row = newRow(deps, call, deps.ids.nextIn(part));
	const { idempotent: query } = deps.db;
	const [, , [stored]] = await query.batch([
		deleteExpired(deps, call),
		query.insert(directoryReplies).values(row).onConflictDoNothing(),
		query.select().from(directoryReplies).where(isThis(call)),
	]);
	if (stored !== undefined) assertSameRequest(call, stored.requestHash);
	return stored?.madeId ?? row.madeId;
}

/** Stores the response to a request that already has a row. */
export async function saveReply(deps: Deps, call: RepeatableCall, response: object): Promise<void> {
	await deps.db.idempotent
		.update(directoryReplies)
		.set(await responseColumns(deps, call, response))
		.where(isThis(call));
}

/** Deletes what has expired: secrets after 10 minutes, and everything after 24 hours. */
export async function forgetDirectoryReplies({ db, clock }: Deps): Promise<void> {
	const now = clock.now();
	await db.idempotent
		.update(directoryReplies)
		.set({ responseEncrypted: null })
		.where(and(lte(directoryReplies.secretUntil, now), isNotNull(directoryReplies.responseEncrypted)));
	await db.idempotent.delete(directoryReplies).where(lte(directoryReplies.expiresAt, now));
}

function isThis({ caller, path, key }: RepeatableCall) {
	return and(eq(directoryReplies.caller, caller), eq(directoryReplies.path, path), eq(directoryReplies.key, key));
}

function deleteExpired(deps: Deps, call: RepeatableCall) {
	return deps.db.query.delete(directoryReplies).where(and(isThis(call), lte(directoryReplies.expiresAt, deps.clock.now())));
}

function newRow<Id extends string | null>(deps: Deps, { caller, path, key, requestHash }: RepeatableCall, madeId: Id) {
	return { caller, path, key, requestHash, madeId, expiresAt: deps.clock.now() + REPLY_WINDOW_MS };
}

async function responseColumns({ config, clock }: Deps, { showsSecret }: RepeatableCall, response: object) {
	return {
		responseEncrypted: await encrypt(config.keys, REPLY_PURPOSE, JSON.stringify(response)),
		secretUntil: showsSecret ? clock.now() + SECRET_REPLY_WINDOW_MS : null,
	};
}
