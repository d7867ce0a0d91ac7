// Sends the first response again when a request with an `Idempotency-Key` is repeated.
import type { Context } from "hono";
import * as z from "zod";
import { claimId, findReply, recordMade, recordReply, saveReply } from "../db/replies.ts";
import { canonicalJson, type JsonValue } from "../domain/canonical-json.ts";
import type { RepeatableCall } from "../domain/repeated-calls.ts";
import { sha256Hex } from "../platform/crypto.ts";
import type { Statement } from "../ports/database.ts";
import type { Ctx, OperatorCtx } from "../ports/deps.ts";
import { type EndpointContract, Reply } from "./endpoint.ts";
import type { HonoEnv } from "./hono-env.ts";

const REPLAYED = { "Idempotency-Replayed": "true" };

/** Returns a response that shows whether it repeats an earlier one. */
export function replyWith<Body>(body: Body, { isRepeated }: { readonly isRepeated: boolean }): Reply<Body> {
	return new Reply(body, isRepeated ? REPLAYED : {});
}

interface SavedFacts {
	/** Whether the response shows a secret. The default is what the contract says. */
	readonly showsSecret?: boolean;
	/** True if an earlier request with the same key has already created what the claimed id is for. Default: false. */
	readonly isRepeated?: boolean;
}

/** How a handler stores the response for a repeated request. Without an `Idempotency-Key`, nothing is stored. */
export interface Replies<Body> {
	/** Builds the statements that store the response. Commit them together with what the request creates in D1. */
	record(response: Body): Promise<Statement[]>;
	/** Builds the statements that store the id of what the request creates in D1. Use it if the response is known only after the commit. */
	recordId(id: string): Statement[];
	/**
	 * Returns the id for what the request creates outside of D1. A repeated request gets the same id. After you have created it, call
	 * {@link Replies.save}.
	 */
	claimId(part: number): Promise<string>;
	/** Stores the response to a request that has claimed an id or recorded another response. */
	save(response: Body, facts?: SavedFacts): Promise<void>;
}

/**
 * Responds to a request that changes D1, once for each `Idempotency-Key`.
 *
 * @param make Makes what the request asks for. `record` and `recordId` let only one of several parallel requests with the same key commit.
 * @param readMade Returns what an earlier request created, if its response was not stored. Required after `recordId`.
 */
export async function answerOnce<Body extends object>(
	ctx: Ctx | OperatorCtx,
	call: RepeatableCall | null,
	{ make, readMade }: { make: (replies: Replies<Body>) => Promise<Body>; readMade?: (id: string) => Promise<Body> },
): Promise<Reply<Body>> {
	if (call === null) return new Reply(await make(withoutKey(ctx)));
	const repeat = async () => {
		const earlier = await findReply(ctx, call);
		if (earlier === null) return null;
		if (earlier.response !== null) return replyWith(parseStored<Body>(earlier.response), { isRepeated: true });
		if (earlier.madeId === null || readMade === undefined) return null;
		return replyWith(await readMade(earlier.madeId), { isRepeated: true });
	};
	const earlier = await repeat();
	if (earlier !== null) return earlier;
	let isRepeated = false;
	const save = async (response: Body, facts: SavedFacts = {}) => {
		isRepeated = facts.isRepeated ?? false;
		await saveReply(ctx, { ...call, showsSecret: facts.showsSecret ?? call.showsSecret }, response);
	};
	try {
		const reply = await make({
			record: (response) => recordReply(ctx, call, response),
			recordId: (id) => recordMade(ctx, call, id),
			claimId: (part) => claimId(ctx, call, part),
			save,
		});
		if (readMade !== undefined) await save(reply);
		return replyWith(reply, { isRepeated });
	} catch (error) {
		// A parallel request with the same key may have committed first, and this request may have been rejected because of that.
		ctx.db.refresh();
		const first = await repeat();
		if (first === null) throw error;
		return first;
	}
}

/** The {@link Replies} of a request without an `Idempotency-Key`. They store nothing. */
const withoutKey = (ctx: Ctx | OperatorCtx) => ({
	record: async () => [],
	recordId: () => [],
	claimId: async (part: number) => ctx.ids.nextIn(part),
	save: async () => undefined,
});

/** The cast is safe: the stored JSON is from the same endpoint, because the request's path is part of the lookup. */
function parseStored<Body>(response: string): Body {
	return JSON.parse(response) as Body;
}

const HEADER = "idempotency-key";
const withKey = z.object({ [HEADER]: z.string().optional() });

/** Reads the `Idempotency-Key` of a request whose headers were validated. Returns null if there is none. */
export async function readRepeatableCall(
	{ idempotent, body }: EndpointContract,
	c: Context<HonoEnv>,
	headers: unknown,
): Promise<RepeatableCall | null> {
	if (idempotent === undefined) return null;
	const key = withKey.parse(headers)[HEADER];
	if (key === undefined) return null;
	// Large bodies and forms are not hashed here, because their handlers hash them while reading.
	const isHashed = body !== undefined && body.maxBytes === undefined;
	const requestHash = isHashed ? await hashJson(c.get("body")) : "";
	return { caller: callerOf(c), path: c.req.path, key, requestHash, showsSecret: idempotent === "secret" };
}

const credential = z.union([z.object({ actor: z.object({ agentId: z.string() }) }), z.object({ operatorTokenId: z.string() })]);

/** Returns the id of the agent or of the operator token that sends a request. */
function callerOf(c: Context<HonoEnv>): string {
	const proved = credential.parse(c.get("ctx"));
	return "actor" in proved ? proved.actor.agentId : proved.operatorTokenId;
}

/** Hashes a JSON value, regardless of the order of the names in its objects. */
export async function hashJson(body: unknown): Promise<string> {
	const json: JsonValue = JSON.parse(JSON.stringify(body ?? null));
	return sha256Hex(canonicalJson(json));
}
