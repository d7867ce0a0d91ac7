import { AppError } from "../domain/errors.ts";
import { type Clock, MINUTE_MS } from "../platform/clock.ts";
import { addressKey } from "./networks.ts";

const MB = 1_048_576;

/** A body that has more than this in memory counts as a large one. Nothing counts before it has arrived. */
const SMALL_BYTES = MB;
/** One IP address has this many large bodies under way, so that no caller fills the memory that all requests of an isolate share. */
export const MAX_LARGE_BODIES = 2;
/** The bodies of all callers together have this much of the isolate's 128 MB. What is made of a body may hold half as much again. */
const MAX_HELD_BYTES = 56 * MB;
/** The runtime may end a request without running its `finally`, so a body is forgotten after this time. No body may take as long. */
const MAX_BODY_MS = 10 * MINUTE_MS;
const RETRY_SECONDS = 10;

interface HeldBody {
	readonly caller: string;
	readonly since: number;
	bytes: number;
}

/** Every isolate has its own memory, and counts what its requests hold. */
const bodies = new Set<HeldBody>();
const bodyOf = new WeakMap<Request, HeldBody>();

/** Counts the bytes of a request's body from their arrival until {@link forgetBody}. */
export class BodyCharge {
	readonly #body: HeldBody;
	readonly #clock: Clock;

	constructor(request: Request, clock: Clock) {
		this.#clock = clock;
		this.#body = { caller: addressKey(request.headers.get("CF-Connecting-IP")), since: clock.now(), bytes: 0 };
		bodies.add(this.#body);
		bodyOf.set(request, this.#body);
	}

	/**
	 * Charges bytes that have arrived.
	 *
	 * @throws AppError `RATE_LIMITED` when the body becomes a large one and its caller has {@link MAX_LARGE_BODIES} others, `OVERLOADED`
	 * when all bodies together hold too much.
	 */
	add(bytes: number): void {
		const body = this.#body;
		const wasSmall = body.bytes <= SMALL_BYTES;
		body.bytes += bytes;
		if (body.bytes <= SMALL_BYTES) return;
		const others = [...this.#living()].filter((other) => other !== body);
		const large = others.filter(({ caller, bytes: size }) => caller === body.caller && size > SMALL_BYTES);
		if (wasSmall && large.length >= MAX_LARGE_BODIES) {
			throw new AppError("RATE_LIMITED", {
				message: `At most ${MAX_LARGE_BODIES} bodies over 1 MB may be under way from one IP address. Wait until one has its response, then send this one again.`,
				retryAfterSeconds: RETRY_SECONDS,
				headers: { "RateLimit-Policy": `"bodies";q=${MAX_LARGE_BODIES};w=${RETRY_SECONDS}`, RateLimit: `"bodies";r=0;t=${RETRY_SECONDS}` },
			});
		}
		if (others.reduce((sum, { bytes: size }) => sum + size, body.bytes) > MAX_HELD_BYTES) {
			throw new AppError("OVERLOADED", {
				message: "The platform receives too many large bodies at this moment. Nothing was stored; send the request again.",
				retryAfterSeconds: RETRY_SECONDS,
			});
		}
	}

	*#living(): Generator<HeldBody> {
		const now = this.#clock.now();
		for (const body of bodies) {
			if (body.since + MAX_BODY_MS < now) bodies.delete(body);
			else yield body;
		}
	}
}

/** Stops counting a request's body. It is called when the request has its response, because until then the memory has what was made of the body. */
export function forgetBody(request: Request): void {
	const body = bodyOf.get(request);
	if (body !== undefined) bodies.delete(body);
}
