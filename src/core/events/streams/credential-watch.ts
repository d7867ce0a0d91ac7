// Streams outlive the request that opened them, so each looks again and again whether its credential has ended.
import type { Actor } from "../../../domain/actor.ts";
import { AppError } from "../../../domain/errors.ts";
import { authenticate } from "../../../http/authenticate.ts";
import { SECOND_MS } from "../../../platform/clock.ts";
import { describeError } from "../../../platform/log.ts";
import type { PublicCtx } from "../../../ports/deps.ts";
import { forgetKnownAgent } from "../../identity/api-keys/service.ts";

const TICK_MS = 5 * SECOND_MS;
/** No stream may still be open at this time after the end of its credential, nor this long without knowing that it has not ended. */
const LONGEST_UNSEEN_MS = 30 * SECOND_MS;

export interface StreamHolder {
	readonly request: Request;
	readonly actor: Actor;
}

/**
 * Ends a stream after its credential. Every 5 seconds the stream looks into what this isolate knows about ended credentials, which one
 * stream of the isolate reads every 15 seconds for all. A stream whose credential is listed asks the database about it.
 *
 * @param onRefused Called once, with what the endpoint would throw now.
 * @returns Stops the watch.
 */
export function watchCredential(ctx: PublicCtx, holder: StreamHolder, onRefused: (error: unknown) => void): () => void {
	// The credential was valid a moment ago.
	let seen: Seen = { at: ctx.clock.now(), readAt: null };
	let isStopped = false;
	const stop = () => {
		isStopped = true;
		stopTimer();
	};
	const refuse = (error: unknown) => {
		if (isStopped) return;
		stop();
		onRefused(error);
	};
	const look = async () => {
		const now = await seeCredential(ctx, holder, seen);
		if (now instanceof AppError) refuse(now);
		else seen = now;
	};
	const stopTimer = ctx.clock.every(TICK_MS, () => {
		// The next tick would be too late.
		if (ctx.clock.now() - seen.at > LONGEST_UNSEEN_MS - TICK_MS) refuse(new AppError("SERVICE_BUSY"));
		else void look();
	});
	void look();
	return stop;
}

interface Seen {
	/** The credential is known to have been valid at this time. */
	readonly at: number;
	/** This reading of the ended credentials did not have it, or the database says that it is valid all the same. */
	readonly readAt: number | null;
}

/** Returns what refuses the credential, or what is known of it. A failure of the database changes nothing. */
async function seeCredential(ctx: PublicCtx, { request, actor }: StreamHolder, seen: Seen): Promise<Seen | AppError> {
	const { endedCredentials, clock } = ctx;
	try {
		await endedCredentials.refresh(ctx);
		const readAt = endedCredentials.readAt();
		const end = (actor.session ?? actor.grant)?.expiresAt;
		const isOver = end !== undefined && end <= clock.now();
		if (isOver || (readAt !== seen.readAt && endedCredentials.includes(actor))) {
			// Neither this isolate's memory nor a replica decides here.
			forgetKnownAgent(actor.agentId);
			ctx.db.refresh();
			await authenticate(ctx, request, ctx.baseUrl);
		}
		return { at: Math.max(seen.at, readAt ?? seen.at), readAt };
	} catch (error) {
		if (error instanceof AppError) return error;
		ctx.log.error("stream_check_failed", { request_id: ctx.requestId, ...describeError(error) });
		return seen;
	}
}
