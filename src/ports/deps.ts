// What a verb receives: the ports to the outside world and, in an endpoint, the caller. compose/create-deps.ts builds them.

import type { Config } from "../config/env.ts";
import type { Actor, SessionActor, SessionFacts } from "../domain/actor.ts";
import type { DomainEvent } from "../domain/events.ts";
import type { Assets } from "../platform/assets.ts";
import type { Clock } from "../platform/clock.ts";
import type { DirectTransfers } from "../platform/direct-transfers.ts";
import type { Ids } from "../platform/ids.ts";
import type { Log } from "../platform/log.ts";
import type { SharedCache } from "../platform/shared-cache.ts";
import type { UrlGrant } from "../platform/signed-url.ts";
import type { Database } from "./database.ts";
import type { Fetch } from "./fetch.ts";
import type { Hubs } from "./hubs.ts";
import type { Judge } from "./judge.ts";
import type { Metrics } from "./metrics.ts";
import type { Queues } from "./queues.ts";
import type { RateLimits } from "./rate-limits.ts";
import type { Switchboard } from "./switchboard.ts";

/** Everything a verb may use of the outside world. Built for each request, message and alarm. */
export interface Deps {
	readonly config: Config;
	readonly db: Database;
	/** The full-text index, which `features/search-index` reads and writes. Null in a deployment without it. */
	readonly search: Database | null;
	readonly bucket: R2Bucket;
	/** The static files that are deployed with the Worker. */
	readonly assets: Assets;
	readonly sharedCache: SharedCache;
	/** Null where uploads go through the Worker. */
	readonly directTransfers: DirectTransfers | null;
	readonly queues: Queues;
	readonly hubs: Hubs;
	/** Who holds a credential. The features that keep credentials provide these look-ups. */
	readonly identities: Identities;
	/** The id of the task that a submission or a dry run belongs to; null for an unknown one. A request reads it once. */
	locate(id: string): Promise<string | null>;
	/** What operators of the deployment have switched off. */
	readonly switchboard: Switchboard<Deps>;
	/** Called for every committed event. */
	readonly listeners: readonly EventListener[];
	readonly limits: RateLimits;
	readonly clock: Clock;
	readonly ids: Ids;
	/** From 0 up to but not including 1, for jitter. Nothing secret comes from it. */
	random(): number;
	/** Requests to the outside. URLs from users go through `sendOutbound` of platform/outbound.ts. */
	readonly fetch: Fetch;
	readonly log: Log;
	readonly metrics: Metrics;
	/** Null where no judge is configured. */
	readonly judge: Judge | null;
	/** Lets work continue after the response. Failures are logged, and a sweep repeats what must not be lost. */
	background(work: Promise<unknown>): void;
}

/** Finds the holder of a credential; null for one that is unknown, expired or revoked. */
export interface Identities {
	findByKey(deps: Deps, key: string): Promise<Actor | null>;
	findBySession(deps: Deps, token: string): Promise<SessionActor | null>;
	/** Whether text is the CSRF token of a session, compared in constant time. */
	isCsrfToken(deps: Deps, session: SessionFacts, presented: string | null): Promise<boolean>;
	/** The operator token, and whether the agent that made it is suspended. */
	findOperatorToken(deps: Deps, token: string): Promise<{ readonly id: string; readonly isSuspended: boolean } | null>;
	/** Until when uploads to a signed path are accepted, in milliseconds since the epoch; null for paths whose end never moves. */
	findUploadEnd(deps: Deps, path: string): Promise<number | null>;
}

export interface RecordedEvent {
	readonly id: string;
	readonly createdAt: number;
	/** Where a listener continues that processes an event in pieces; null at the start. */
	readonly fanOutAfter: string | null;
	readonly event: DomainEvent;
}

/**
 * May be called any number of times for an event. After it has finished, another call changes nothing.
 *
 * @returns Null when it has finished, else where to continue.
 */
export type EventListener = (deps: Deps, event: RecordedEvent) => Promise<string | null>;

/** What a verb behind a public endpoint gets. */
export interface PublicCtx extends Deps {
	readonly requestId: string;
	/** Origin for absolute links in responses, without a trailing slash. */
	readonly baseUrl: string;
	/** The network of the caller, as {@link networkOf} of http/rate-limit.ts names it. */
	readonly network: string;
	/** Sends a request of http/own-requests.ts through the platform's endpoints, in this process. */
	sendToSelf(request: Request): Promise<Response>;
}

/** What a verb behind an authenticated endpoint gets. */
export interface Ctx extends PublicCtx {
	readonly actor: Actor;
}

/** What a verb behind an endpoint for signed-in humans gets. */
export interface SessionCtx extends PublicCtx {
	readonly actor: SessionActor;
}

/** What a verb behind an endpoint for operator tokens gets. */
export interface OperatorCtx extends PublicCtx {
	readonly operatorTokenId: string;
}

/** What a verb behind an endpoint for operators of the deployment gets. */
export interface AdminCtx extends PublicCtx {
	/** How the audit log names the caller. */
	readonly admin: string;
}

/** What a verb behind a signed URL gets. */
export interface SignedCtx extends PublicCtx {
	readonly grant: UrlGrant;
}

/** What a verb behind a callback token gets. */
export interface CallbackCtx extends PublicCtx {
	readonly callbackToken: PresentedToken;
}

/** A token that the caller sent. Only the verb can look up which token is the right one. */
export interface PresentedToken {
	/**
	 * Compares the token in constant time.
	 *
	 * @param expectedHash SHA-256 in lower-case hex; null matches nothing.
	 * @throws AppError `INVALID_CALLBACK_TOKEN`.
	 */
	assertMatches(expectedHash: string | null): Promise<void>;
}
