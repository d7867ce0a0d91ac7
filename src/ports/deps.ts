// What the verb of an endpoint receives: the ports to the outside world, and the caller. compose/create-deps.ts creates the ports.
import type { Config } from "../config/env.ts";
import type { Actor, SessionActor, SessionFacts } from "../domain/actor.ts";
import type { DataPoint, DataPointKind } from "../domain/data-points.ts";
import type { DomainEvent } from "../domain/events.ts";
import type { Switches } from "../domain/switches.ts";
import type { Assets } from "../platform/assets.ts";
import type { Clock } from "../platform/clock.ts";
import type { DirectTransfers } from "../platform/direct-transfers.ts";
import type { Ids } from "../platform/ids.ts";
import type { Log } from "../platform/log.ts";
import type { SharedCache } from "../platform/shared-cache.ts";
import type { UrlGrant } from "../platform/signed-url.ts";
import type { Database } from "./database.ts";
import type { DirectoryHolding } from "./holdings.ts";
import type { Hubs } from "./hubs.ts";
import type { Judge, Outage } from "./judge.ts";
import type { Queues } from "./queues.ts";

/** The ports to the outside world. They are created anew for each request, message and alarm. */
export interface Deps {
	readonly config: Config;
	/**
	 * The database of everything that is not divided into parts, and of the cards in the first part of the directory. `directoryOf` in
	 * db/parts.ts finds the database of any card.
	 */
	readonly db: Database;
	/** The databases of further parts of the directory, by number. There are none today. */
	readonly parts: ReadonlyMap<number, Database>;
	/** The full-text index of `core/competition/search`. Null in a deployment without one. */
	readonly search: Database | null;
	readonly bucket: R2Bucket;
	/** The static files that are deployed with the Worker. */
	readonly assets: Assets;
	readonly sharedCache: SharedCache;
	/** Null if uploads go through the Worker instead of directly to the bucket. */
	readonly directTransfers: DirectTransfers | null;
	readonly queues: Queues;
	readonly hubs: Hubs;
	/** Finds the holders of credentials. */
	readonly identities: Identities;
	/**
	 * Returns the id of the task to which a submission, or something else in a task, belongs. Returns null for an unknown id. Each id is
	 * looked up once per request.
	 */
	locate(id: string): Promise<string | null>;
	/** The switchboard of this isolate, which knows what operators of the deployment have switched off. */
	readonly switchboard: Switchboard;
	/** Tells open streams whether their credentials have ended. */
	readonly endedCredentials: EndedCredentials;
	/** Knows which suppliers of models are skipped at the moment, because of an outage. */
	readonly suppliers: SupplierBoard;
	/** The listeners to events of the directory's outbox. Each is called for every event. */
	readonly listeners: readonly EventListener[];
	/** The holdings in the directory, which store data of agents and tasks. */
	readonly holdings: readonly DirectoryHolding<Deps>[];
	/** The inspections of extensions, which look at submitted files before they are judged. */
	readonly inspectors: readonly Inspector[];
	readonly limits: RateLimits;
	readonly clock: Clock;
	readonly ids: Ids;
	/** Returns a random number from 0 up to but not including 1, for spreading times. It is not random enough for secrets. */
	random(): number;
	/** Sends requests to other hosts. URLs from users must go through `sendOutbound` in platform/outbound.ts. */
	readonly fetch: Fetch;
	readonly log: Log;
	readonly metrics: Metrics;
	/** The judge of the deployment. Null if none is configured. */
	readonly judge: Judge | null;
	/** Lets work continue after the response. Failures are only logged, so a sweep must repeat what must not be lost. */
	background(work: Promise<unknown>): void;
}

/** The part of `fetch` that the platform uses. URLs from users must go through `sendOutbound` in platform/outbound.ts. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Writes data points for charts of the platform's operation. Writing does not block and never fails. */
export interface Metrics {
	write<Kind extends DataPointKind>(kind: Kind, facts: DataPoint<Kind>): void;
}

export type RateClass = "submission" | "mutation" | "search" | "general";

/**
 * Rate limiters: one for each class of requests, and others. `shared` limits an IP address that strangers share or that sends requests with
 * a session. `opening` is for connections to the MCP server, `registering` for programs, and `redeeming` for codes and refresh tokens.
 */
export type LimiterName = RateClass | "session" | "shared" | "opening" | "registering" | "redeeming" | "everything";

export type RateLimits = Readonly<Record<LimiterName, { limit(options: { key: string }): Promise<{ success: boolean }> }>>;

/** The switches as a read of the database returned them. */
export interface SeenSwitches {
	readonly switches: Switches;
	/**
	 * The jurisdiction that was set at the first write, or `none`. Null before the first write, and undefined if this read did not ask for
	 * it.
	 */
	readonly placement?: string | null;
	/** Increases with each change of a switch. A replica may return an older state than an earlier read did. */
	readonly revision: number;
	/** When the read began, in milliseconds since the epoch. */
	readonly readAt: number;
}

/** The switchboard of an isolate knows what operators of the deployment have switched off. */
export interface Switchboard {
	/**
	 * Returns the switches as they were at most 10 seconds ago. Usually the lookup of a credential has read them already. `writes` is off if
	 * `JURISDICTION` is invalid or differs from the recorded one.
	 *
	 * @param isFresh If true, the switches are always read from the database.
	 */
	read(deps: Deps, isFresh?: boolean): Promise<Switches>;
	/** Records where the deployment's data is stored, before the first write. Returns true if this call was the first to record it. */
	recordPlacement(deps: Deps): Promise<boolean>;
	note(seen: SeenSwitches): void;
}

/** An isolate's list of the credentials that ended in the last two minutes, for its open streams. */
export interface EndedCredentials {
	/** Returns when the list was last read, or null if it has not been read yet. */
	readAt(): number | null;
	/**
	 * Returns true if a credential of the actor, or the agent itself, is on the list. A restored agent stays on it until its entry is too
	 * old.
	 */
	includes(actor: Actor): boolean;
	/** Reads the list again, unless this was done in the last 15 seconds or another stream is doing it. */
	refresh(deps: Pick<Deps, "db" | "clock">): Promise<void>;
}

/** An isolate's board knows which suppliers of models are skipped because of an outage. If `Watch` does not respond, none are skipped. */
export interface SupplierBoard {
	/** Returns the outages of these suppliers, as of at most 10 seconds ago. An outage says whether the caller may try its supplier. */
	findOutages(deps: BoardDeps, suppliers: ReadonlySet<string>): Promise<ReadonlyMap<string, Outage>>;
	/** Reports that the supplier answered a call. `sentAt` is when the call was sent. */
	noteAnswer(deps: BoardDeps, answer: { readonly supplier: string; readonly sentAt: number }): void;
	/** Reports a fault for which the supplier itself is to blame. */
	noteFault(deps: BoardDeps, fault: { readonly supplier: string; readonly subjectId: string; readonly words: string | null }): void;
}

export interface BoardDeps extends Pick<Deps, "clock" | "log" | "background"> {
	readonly hubs: Pick<Hubs, "callWatch">;
}

/** Finds the holders of credentials. A lookup returns null if the credential is unknown, expired or revoked. */
export interface Identities {
	findByKey(deps: Deps, key: string): Promise<Actor | null>;
	findBySession(deps: Deps, token: string): Promise<SessionActor | null>;
	/** Returns true if a string is the session's CSRF token. Compares in constant time. */
	isCsrfToken(deps: Deps, session: SessionFacts, presented: string | null): Promise<boolean>;
	/** Finds an operator token. `isSuspended` is true if the agent that created it is suspended. */
	findOperatorToken(deps: Deps, token: string): Promise<{ readonly id: string; readonly isSuspended: boolean } | null>;
	/** Returns until when a signed path accepts uploads, in milliseconds since the epoch. Returns null for paths whose end cannot move. */
	findUploadEnd(deps: Deps, path: string): Promise<number | null>;
	/**
	 * Returns the agent behind a holder of signed URLs: a key, a grant, a session (by its hash), or the agent itself. Returns null if the
	 * holder has ended, or if the agent is suspended or its operator token is revoked.
	 */
	findHolder(deps: Deps, holder: string): Promise<string | null>;
}

export interface RecordedEvent {
	readonly id: string;
	readonly createdAt: number;
	/** The time on the task's clock, which may be ahead of real time. */
	readonly taskTime: number;
	/** The position at which a listener continues if it handles the event in several calls. Null in the first call. */
	readonly fanOutAfter: string | null;
	readonly event: DomainEvent;
}

/**
 * Handles an event. May be called several times for the same event. Once it has finished, further calls must change nothing.
 *
 * @returns Null if it has finished. Otherwise the position at which the next call continues.
 */
export type EventListener = (deps: Deps, event: RecordedEvent) => Promise<string | null>;

export interface Inspector<Wanted extends object = object, Found extends object = object> {
	readonly name: string;
	/** Inspects an artifact. A second call for the same artifact does no harm. */
	inspect(deps: Deps, artifactKey: string, wanted: Wanted): Promise<Found>;
}

/** The context for the verb of a public endpoint. */
export interface PublicCtx extends Deps {
	readonly requestId: string;
	/** The origin of absolute links in responses, without a trailing slash. */
	readonly baseUrl: string;
	/** The caller's network, from `networkOf` in http/networks.ts. */
	readonly network: string;
	/** Sends a request to an endpoint of the platform itself, inside this process. http/own-requests.ts builds such requests. */
	sendToSelf(request: Request): Promise<Response>;
}

/** The context for the verb of an authenticated endpoint. */
export interface Ctx extends PublicCtx {
	readonly actor: Actor;
}

/** The context for the verb of an endpoint for signed-in humans. */
export interface SessionCtx extends PublicCtx {
	readonly actor: SessionActor;
}

/** The context for the verb of an endpoint that is called with an operator token. */
export interface OperatorCtx extends PublicCtx {
	readonly operatorTokenId: string;
}

/** The context for the verb of an endpoint for operators of the deployment. */
export interface AdminCtx extends PublicCtx {
	/** The operator's name in the audit log. */
	readonly admin: string;
}

/** The context for the verb of an endpoint that a signed URL opens. */
export interface SignedCtx extends PublicCtx {
	readonly grant: UrlGrant;
	/** The id of the agent that requested the URL. Null if no agent did. */
	readonly holderAgentId: string | null;
}

/** The context for the verb of an endpoint that a callback token opens. */
export interface CallbackCtx extends PublicCtx {
	readonly callbackToken: {
		/**
		 * Checks the token of the request. Compares in constant time.
		 *
		 * @param expectedHash The SHA-256 of the right token in lower-case hex. Null matches nothing.
		 * @throws AppError `INVALID_CALLBACK_TOKEN`.
		 */
		assertMatches(expectedHash: string | null): Promise<void>;
	};
}
