// All requests and consumers of an isolate share 128 MB, and beyond that every one of them fails. So what holds much is admitted by
// its size. The code and what is small take 50 MB at most.
import { AppError } from "../domain/errors.ts";
import { type Clock, MINUTE_MS, SECOND_MS } from "./clock.ts";

const MB = 1_048_576;

/** What holds less is not counted. */
export const SMALL_BYTES = MB;
/** How long a body may take, with the work on it. */
export const MAX_TURN_MS = 90 * SECOND_MS;
/** A consumer ends after 15 minutes. */
const MAX_JUDGING_MS = 15 * MINUTE_MS;
const MAX_WAIT_MS = 5 * SECOND_MS;
const POLL_MS = 50;

interface Turn {
	readonly bytes: number;
	readonly endsAt: number;
}

interface Room {
	readonly capacityBytes: number;
	/** The runtime may end a request without running its `finally`, so a turn also ends by itself. */
	readonly maxTurnMs: number;
}

/** Admits work as long as all of it together holds no more than a number of bytes. */
export class MemoryGate {
	readonly #capacityBytes: number;
	readonly #maxTurnMs: number;
	readonly #turns = new Set<Turn>();

	constructor({ capacityBytes, maxTurnMs }: Room) {
		this.#capacityBytes = capacityBytes;
		this.#maxTurnMs = maxTurnMs;
	}

	/**
	 * Takes a turn, and returns the function that gives it back. Waiting polls, because a request cannot wait for what belongs to
	 * another one.
	 *
	 * @param bytes What the work will hold. More than the gate's capacity waits until nothing else is held.
	 * @throws AppError `SERVICE_BUSY` when there is no room within 5 seconds.
	 */
	async enter(clock: Clock, bytes: number): Promise<() => void> {
		const taken = Math.min(bytes, this.#capacityBytes);
		const giveUpAt = clock.now() + MAX_WAIT_MS;
		while (this.#heldBytes(clock.now()) + taken > this.#capacityBytes) {
			if (clock.now() >= giveUpAt) throw new AppError("SERVICE_BUSY", { retryAfterSeconds: MAX_WAIT_MS / SECOND_MS });
			await new Promise<void>((resolve) => clock.after(POLL_MS, resolve));
		}
		const turn = { bytes: taken, endsAt: clock.now() + this.#maxTurnMs };
		this.#turns.add(turn);
		return () => {
			this.#turns.delete(turn);
		};
	}

	#heldBytes(now: number): number {
		let bytes = 0;
		for (const turn of this.#turns) {
			if (turn.endsAt <= now) this.#turns.delete(turn);
			else bytes += turn.bytes;
		}
		return bytes;
	}
}

/** The gate of this isolate: for one quick-submit of the largest size, and for the lists of a few zips with 10,000 files. */
export const memoryGate = new MemoryGate({ capacityBytes: 56 * MB, maxTurnMs: MAX_TURN_MS });

/** For what judgements hold while models reply. It takes minutes, so no request waits for it. */
export const judgingGate = new MemoryGate({ capacityBytes: 28 * MB, maxTurnMs: MAX_JUDGING_MS });

/** Waits until there is room for a number of bytes. @throws AppError `SERVICE_BUSY`. */
export type HoldMemory = (bytes: number) => Promise<void>;

/** Runs work that calls `hold` before it holds more than {@link SMALL_BYTES}. What it took ends with the work. */
export async function whileHolding<Result>(
	clock: Clock,
	work: (hold: HoldMemory) => Promise<Result>,
	gate: MemoryGate = memoryGate,
): Promise<Result> {
	const turns: (() => void)[] = [];
	try {
		return await work(async (bytes) => {
			if (bytes > SMALL_BYTES) turns.push(await gate.enter(clock, bytes));
		});
	} finally {
		for (const leave of turns) leave();
	}
}
