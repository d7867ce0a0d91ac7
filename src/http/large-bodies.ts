// An isolate has 128 MB for all of its requests, so bodies that are held in memory are admitted one at a time.
import { AppError } from "../domain/errors.ts";
import { type Clock, SECOND_MS } from "../platform/clock.ts";
import { announcedLengthOf, type BodyRules, readChunks } from "./raw-body.ts";

/** A body that is larger waits its turn, and is not read before its endpoint has looked at what it is about. */
const LARGE_BODY_BYTES = 1_048_576;
/** Time to receive a large body. It bounds how long a slow client keeps others waiting. */
const LARGE_BODY_READ_MS = 60 * SECOND_MS;
/** The runtime may end a request without running its `finally`, so a turn also ends by itself. */
const MAX_TURN_MS = LARGE_BODY_READ_MS + 30 * SECOND_MS;
const MAX_WAIT_MS = 5 * SECOND_MS;
const POLL_MS = 50;

interface Turn {
	readonly endsAt: number;
}

/** Admits one request at a time. Waiting polls, because a request cannot wait for what belongs to another one. */
export class LargeBodyGate {
	#turn: Turn | null = null;

	/**
	 * Takes the turn, and returns the function that gives it back.
	 *
	 * @throws AppError `SERVICE_BUSY` when others take longer than 5 seconds.
	 */
	async enter(clock: Clock): Promise<() => void> {
		const giveUpAt = clock.now() + MAX_WAIT_MS;
		while (this.#turn !== null && clock.now() < this.#turn.endsAt) {
			if (clock.now() >= giveUpAt) throw new AppError("SERVICE_BUSY", { retryAfterSeconds: MAX_WAIT_MS / SECOND_MS });
			await new Promise<void>((resolve) => clock.after(POLL_MS, resolve));
		}
		const turn = { endsAt: clock.now() + MAX_TURN_MS };
		this.#turn = turn;
		return () => {
			if (this.#turn === turn) this.#turn = null;
		};
	}
}

/** The gate of this isolate. */
export const largeBodies = new LargeBodyGate();

/**
 * Works with a body that may be large. `work` calls `admit` before it holds more than {@link LARGE_BODY_BYTES}; the turn that this
 * takes ends with the work.
 *
 * @param admitLarge Runs before the turn is taken. What it throws refuses the request.
 */
export async function useAdmitted<Result>(
	clock: Clock,
	admitLarge: () => Promise<unknown>,
	work: (admit: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
	let leave = () => {};
	try {
		return await work(async () => {
			await admitLarge();
			leave = await largeBodies.enter(clock);
		});
	} finally {
		leave();
	}
}

/** Runs before more than {@link LARGE_BODY_BYTES} of a body are held. What it throws refuses the request. */
export type AdmitLargeBody = () => Promise<unknown>;

export interface AdmittedReading extends Omit<BodyRules, "signal"> {
	readonly maxBytes: number;
	readonly admitLarge: AdmitLargeBody;
}

/**
 * Reads a body chunk by chunk, within {@link LARGE_BODY_READ_MS}, and asks before it passes on much.
 *
 * @throws AppError what {@link readChunks} throws; what `admitLarge` throws.
 */
export async function* readAdmittedChunks(
	request: Request,
	{ maxBytes, admitLarge, ...rules }: AdmittedReading,
): AsyncGenerator<Uint8Array> {
	let isAdmitted = (announcedLengthOf(request) ?? 0) > LARGE_BODY_BYTES;
	if (isAdmitted) await admitLarge();
	let bytes = 0;
	for await (const chunk of readChunks(request, maxBytes, { ...rules, signal: AbortSignal.timeout(LARGE_BODY_READ_MS) })) {
		bytes += chunk.byteLength;
		if (!isAdmitted && bytes > LARGE_BODY_BYTES) {
			isAdmitted = true;
			await admitLarge();
		}
		yield chunk;
	}
}
