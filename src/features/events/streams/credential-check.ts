// Streams outlive the request that opened them, so they check its key or session again.
import { AppError } from "../../../domain/errors.ts";
import { authenticate } from "../../../http/authenticate.ts";
import { HEARTBEAT_MS } from "../../../http/sse.ts";
import { describeError } from "../../../platform/log.ts";
import type { PublicCtx } from "../../../ports/deps.ts";

/** Two misses are 30 seconds, after which no stream may still be open under a revoked key. */
const MAX_MISSES = 2;

/**
 * Checks the credential of an open stream every 15 seconds: at most one database call each time, none if this isolate has
 * read the key within the last 5 seconds. A revocation therefore ends the stream within 20 seconds and a replica's delay.
 *
 * @param onRefused Called once, with what the endpoint would throw now.
 * @returns Stops the checks.
 */
export function watchCredential(ctx: PublicCtx, request: Request, onRefused: (error: unknown) => void): () => void {
	let misses = 0;
	let isStopped = false;
	const stopTimer = ctx.clock.every(HEARTBEAT_MS, async () => {
		const fault = await findFault(ctx, request);
		misses = fault === null ? 0 : misses + 1;
		if (isStopped || fault === null || (!(fault instanceof AppError) && misses < MAX_MISSES)) return;
		stop();
		onRefused(fault);
	});
	const stop = () => {
		isStopped = true;
		stopTimer();
	};
	return stop;
}

/** Returns the error that refuses the credential or kept the check from being made. Returns null for a valid credential. */
async function findFault(ctx: PublicCtx, request: Request): Promise<unknown> {
	try {
		await authenticate(ctx, request, ctx.baseUrl);
		return null;
	} catch (error) {
		if (!(error instanceof AppError)) ctx.log.error("stream_check_failed", { request_id: ctx.requestId, ...describeError(error) });
		return error;
	}
}
