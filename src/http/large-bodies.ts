// Bodies that are held in memory are admitted by their size, after their endpoint has looked at what they are about.
import { type Clock, SECOND_MS } from "../platform/clock.ts";
import { MAX_TURN_MS, SMALL_BYTES, whileHolding } from "../platform/memory-gate.ts";
import { announcedLengthOf, type BodyRules, readChunks } from "./raw-body.ts";

/** Time to receive a large body. It bounds how long a slow client keeps others waiting, and leaves time to work within its turn. */
const LARGE_BODY_READ_MS = MAX_TURN_MS - 30 * SECOND_MS;
/** What the work with a body holds besides: a part that is being stored, or what is decoded from the body. */
const WORKING_BYTES = 6 * 1_048_576;

/** Runs before more than {@link SMALL_BYTES} of a body are held. What it throws refuses the request. */
export type AdmitLargeBody = (bytes: number) => Promise<unknown>;

/**
 * Works with a body that may be large. `work` calls `admit` before it holds more than {@link SMALL_BYTES}, with the most that the body
 * can have; the turn that this takes ends with the work.
 *
 * @param admitLarge Runs before the turn is taken. What it throws refuses the request.
 */
export async function useAdmitted<Result>(
	clock: Clock,
	admitLarge: AdmitLargeBody,
	work: (admit: AdmitLargeBody) => Promise<Result>,
): Promise<Result> {
	return whileHolding(clock, (hold) =>
		work(async (bytes) => {
			await admitLarge(bytes);
			await hold(bytes + WORKING_BYTES);
		}),
	);
}

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
	const announced = announcedLengthOf(request);
	const most = Math.min(announced ?? maxBytes, maxBytes);
	let isAdmitted = announced !== null && announced > SMALL_BYTES;
	if (isAdmitted) await admitLarge(most);
	let bytes = 0;
	for await (const chunk of readChunks(request, maxBytes, { ...rules, signal: AbortSignal.timeout(LARGE_BODY_READ_MS) })) {
		bytes += chunk.byteLength;
		if (!isAdmitted && bytes > SMALL_BYTES) {
			isAdmitted = true;
			await admitLarge(most);
		}
		yield chunk;
	}
}
