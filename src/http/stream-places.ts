// The number of open streams is limited, because each one keeps a timer, a socket and unread data for minutes.
import type { Actor } from "../domain/actor.ts";
import { AppError } from "../domain/errors.ts";
import { MINUTE_MS } from "../platform/clock.ts";
import type { PublicCtx } from "../ports/deps.ts";
import type { ChainStep } from "./hono-env.ts";
import { networkOf, STRANGERS } from "./networks.ts";

export const EVENT_STREAM = "text/event-stream";

/** The maximum number of open streams per credential and per network (a /24 in IPv4, a /48 in IPv6). */
export const MAX_OPEN_STREAMS = { key: 20, network: 60 } as const;
const RETRY_SECONDS = 30;

type Holder = keyof typeof MAX_OPEN_STREAMS;

const NAMES: Readonly<Record<Holder, string>> = { key: "one key", network: "one network" };

/** Longer than any stream. The runtime may end a request without notice, so every place is released after this time at the latest. */
const MAX_PLACE_MS = 5 * MINUTE_MS;

interface Place {
	readonly endsAt: number;
}

/**
 * The places of the open streams that this isolate serves, by holder. Each place expires by itself. Holders without streams have no entry.
 */
const open = new Map<string, Set<Place>>();
const all = new Set<Place>();
const leaves = new WeakMap<Request, () => void>();

/** Takes a place for a request's stream. The place is released when the stream ends, or at once if the response is not a stream. */
export const takeStreamPlace: ChainStep = async (c, next) => {
	const { raw } = c.req;
	const ctx: PublicCtx & { readonly actor?: Actor } = c.get("ctx");
	leaves.set(raw, takePlace(raw, { credential: ctx.actor?.keyId ?? ctx.actor?.agentId ?? null, now: ctx.clock.now() }));
	try {
		await next();
	} catch (error) {
		leaveStreamPlace(raw);
		throw error;
	}
	if (c.error !== undefined || c.res.body === null || !c.res.ok) leaveStreamPlace(raw);
};

/** Releases the place of a request's stream. Calling it again does nothing. */
export function leaveStreamPlace(request: Request): void {
	leaves.get(request)?.();
	leaves.delete(request);
}

/** @throws AppError `RATE_LIMITED` if all places of the key or the network are taken. */
function takePlace(request: Request, { credential, now }: { readonly credential: string | null; readonly now: number }): () => void {
	const address = request.headers.get("CF-Connecting-IP");
	// Only requests in local development lack `CF-Connecting-IP`.
	const candidates: readonly (readonly [Holder, string | null])[] = [
		["key", credential],
		["network", address === null ? null : networkOf(address)],
	];
	const holders = candidates.flatMap(([holder, name]) => (name === null ? [] : [{ holder, name: `${holder} ${name}` }]));
	const full = holders.find(({ holder, name }) => countOpen(name, now) >= mostOf(holder, name));
	if (full !== undefined) throw tooMany(full.holder, mostOf(full.holder, full.name));
	const place = { endsAt: now + MAX_PLACE_MS };
	all.add(place);
	for (const { name } of holders) open.set(name, (open.get(name) ?? new Set()).add(place));
	return () => {
		all.delete(place);
		for (const { name } of holders) {
			const places = open.get(name);
			places?.delete(place);
			if (places?.size === 0) open.delete(name);
		}
	};
}

/** Returns a holder's maximum number of streams. All callers on shared IP addresses together may have five times as many as one network. */
function mostOf(holder: Holder, name: string): number {
	return name === `network ${STRANGERS}` ? 5 * MAX_OPEN_STREAMS.network : MAX_OPEN_STREAMS[holder];
}

/** Counts this isolate's open streams. */
export function countStreams(now: number): number {
	return countAt(all, now);
}

function countOpen(name: string, now: number): number {
	return countAt(open.get(name) ?? new Set(), now);
}

function countAt(places: Set<Place>, now: number): number {
	for (const place of places) if (place.endsAt < now) places.delete(place);
	return places.size;
}

function tooMany(holder: Holder, most: number): AppError {
	return new AppError("RATE_LIMITED", {
		message: `At most ${most} streams can be open at a time for ${NAMES[holder]}. Close one, or wait until one ends.`,
		retryAfterSeconds: RETRY_SECONDS,
		headers: { "RateLimit-Policy": `"streams";q=${most};w=${RETRY_SECONDS}`, RateLimit: `"streams";r=0;t=${RETRY_SECONDS}` },
	});
}
