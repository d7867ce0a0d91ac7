// A credential can end while a stream is open, so each stream checks repeatedly whether its credential is still valid.
import type { Actor } from "../../../domain/actor.ts";
import { AppError } from "../../../domain/errors.ts";
import { authenticate } from "../../../http/authenticate.ts";
import { SECOND_MS } from "../../../platform/clock.ts";
import { describeError } from "../../../platform/log.ts";
import type { PublicCtx } from "../../../ports/deps.ts";
import { forgetKnownAgent } from "../../identity/api-keys/service.ts";

const TICK_MS = 5 * SECOND_MS;
/** The maximum time for which a stream continues after its credential has ended, or after the last check that succeeded. */
const LONGEST_UNSEEN_MS = 30 * SECOND_MS;

export interface StreamHolder {
	readonly request: Request;
	readonly actor: Actor;
}

/**
 * Ends a stream after its credential has ended. Every 5 seconds, the stream checks the isolate's list of ended credentials, which is
 * refreshed every 15 seconds for all streams. If its credential is on the list, the stream asks the database.
 *
 * @param onRefused Called once, with the error that the endpoint would throw now.
 * @returns Stops the watch.
 */
export function watchCredential(ctx: PublicCtx, holder: StreamHolder, onRefused: (error: unknown) => void): () => void {
	// The request has just checked the credential.
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
		// If the stream waited for another check, and that failed too, it would stay open for longer than {@link LONGEST_UNSEEN_MS}.
		if (ctx.clock.now() - seen.at > LONGEST_UNSEEN_MS - TICK_MS) refuse(new AppError("SERVICE_BUSY"));
		else void look();
	});
	void look();
	return stop;
}

interface Seen {
	/** When the credential was last known to be valid. */
	readonly at: number;
	/** When the list of ended credentials was read. That list did not contain the credential, or the database still accepted it. */
	readonly readAt: number | null;
}

/**
 * Returns an error if the credential has ended, and otherwise when it was last known to be valid. If the database fails, returns the
 * previous result.
 */
async function seeCredential(ctx: PublicCtx, { request, actor }: StreamHolder, seen: Seen): Promise<Seen | AppError> {
	const { endedCredentials, clock } = ctx;
	try {
		await endedCredentials.refresh(ctx);
		const readAt = endedCredentials.readAt();
		const end = (actor.session ?? actor.grant)?.expiresAt;
		const isOver = end !== undefined && end <= clock.now();
		if (isOver || (readAt !== seen.readAt && endedCredentials.includes(actor))) {
			// Neither this isolate's cache nor a replica is recent enough to decide.
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
