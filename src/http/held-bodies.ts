import { AppError } from "../domain/errors.ts";
import { type Clock, MINUTE_MS } from "../platform/clock.ts";
import { readBearer } from "./bearer.ts";
import { networkOf, STRANGERS } from "./networks.ts";

const MB = 1_048_576;

/** The size in memory above which a body counts as large. Bytes count only once they have arrived. */
const SMALL_BYTES = MB;
/**
 * The maximum number of large bodies in progress per network and per credential, so that no caller fills the memory that an isolate's
 * requests share.
 */
export const MAX_LARGE_BODIES = 2;
/** How much of the isolate's 128 MB all bodies may use together. Parsing a body may take half as much again. */
const MAX_HELD_BYTES = 56 * MB;
/**
 * The runtime may end a request without running its `finally`. So a body is forgotten after this time, which is longer than any body may
 * take.
 */
const MAX_BODY_MS = 10 * MINUTE_MS;
const RETRY_SECONDS = 10;

interface HeldBody {
	/** The callers that the body counts for: a network, a credential, or both. */
	readonly callers: readonly string[];
	readonly since: number;
	bytes: number;
	/** Stops reading a body that is still arriving. Null once it has arrived. */
	drop: ((refusal: AppError) => void) | null;
}

/** The bodies of this isolate's requests. Each isolate has its own memory, so it need not know of other isolates' bodies. */
const bodies = new Set<HeldBody>();
const bodyOf = new WeakMap<Request, HeldBody>();

/** Counts the bytes of a request's body as they arrive, until {@link forgetBody}. */
export class BodyCharge {
	readonly #body: HeldBody;
	readonly #clock: Clock;

	/** @param drop Stops reading the body, with an error, if all bodies together use too much memory. */
	constructor(request: Request, clock: Clock, drop: (refusal: AppError) => void) {
		this.#clock = clock;
		this.#body = { callers: callersOf(request), since: clock.now(), bytes: 0, drop };
		bodies.add(this.#body);
		bodyOf.set(request, this.#body);
	}

	/**
	 * Counts bytes that have arrived. If all bodies together use too much memory, drops the slowest large body of the caller that uses the
	 * most.
	 *
	 * @throws AppError `RATE_LIMITED` if the body becomes large and its caller has {@link MAX_LARGE_BODIES} others, or `OVERLOADED` if this
	 * body is dropped.
	 */
	add(bytes: number): void {
		const body = this.#body;
		const wasSmall = body.bytes <= SMALL_BYTES;
		body.bytes += bytes;
		if (body.bytes <= SMALL_BYTES) return;
		if (wasSmall) this.#assertFewLarge();
		while (bytesOf(this.#living()) > MAX_HELD_BYTES) {
			const dropped = this.#findDroppable() ?? body;
			bodies.delete(dropped);
			if (dropped === body) throw overloaded();
			dropped.drop?.(overloaded());
		}
	}

	/** Records that the body has arrived or was abandoned. From then on, dropping it would free no memory. */
	end(): void {
		this.#body.drop = null;
	}

	#assertFewLarge(): void {
		const large = this.#living().filter((other) => other !== this.#body && other.bytes > SMALL_BYTES);
		const counts = this.#body.callers.map((caller) => large.filter(({ callers }) => callers.includes(caller)).length);
		if (Math.max(...counts) < MAX_LARGE_BODIES) return;
		throw new AppError("RATE_LIMITED", {
			message: `Your network or key already has ${MAX_LARGE_BODIES} requests with bodies over 1 MB in progress, the maximum. Send this request again once one of them has got its response.`,
			retryAfterSeconds: RETRY_SECONDS,
			headers: { "RateLimit-Policy": `"bodies";q=${MAX_LARGE_BODIES};w=${RETRY_SECONDS}`, RateLimit: `"bodies";r=0;t=${RETRY_SECONDS}` },
		});
	}

	/** Among bodies that are still arriving, finds the slowest large one of the caller that uses the most memory. */
	#findDroppable(): HeldBody | null {
		const living = this.#living();
		const heldBy = new Map<string, number>();
		for (const { callers, bytes } of living) for (const caller of callers) heldBy.set(caller, (heldBy.get(caller) ?? 0) + bytes);
		const heldWith = ({ callers }: HeldBody) => Math.max(...callers.map((caller) => heldBy.get(caller) ?? 0));
		const now = this.#clock.now();
		const paceOf = ({ bytes, since }: HeldBody) => bytes / (now - since + 1);
		const [first] = living
			.filter(({ drop, bytes }) => drop !== null && bytes > SMALL_BYTES)
			.sort((one, other) => heldWith(other) - heldWith(one) || paceOf(one) - paceOf(other));
		return first ?? null;
	}

	#living(): HeldBody[] {
		const now = this.#clock.now();
		for (const body of bodies) if (body.since + MAX_BODY_MS < now) bodies.delete(body);
		return [...bodies];
	}
}

/**
 * Returns the callers that a request's body counts for. On an IP address that strangers share, only the credential distinguishes callers.
 */
function callersOf(request: Request): string[] {
	const network = networkOf(request.headers.get("CF-Connecting-IP"));
	const bearer = readBearer(request);
	if (bearer === null) return [network];
	return network === STRANGERS ? [`key ${bearer}`] : [network, `key ${bearer}`];
}

function bytesOf(held: readonly HeldBody[]): number {
	return held.reduce((sum, { bytes }) => sum + bytes, 0);
}

function overloaded(): AppError {
	return new AppError("OVERLOADED", {
		message: "The platform is receiving too many large bodies at the moment. Nothing was stored; send the request again.",
		retryAfterSeconds: RETRY_SECONDS,
	});
}

/** Stops counting a request's body. Call it once the request has its response, because the parsed body is in memory until then. */
export function forgetBody(request: Request): void {
	const body = bodyOf.get(request);
	if (body !== undefined) bodies.delete(body);
}
