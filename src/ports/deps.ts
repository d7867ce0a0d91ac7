// What a verb receives: the ports to the outside world and, in an endpoint, the caller. compose/create-deps.ts builds the ports.
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

/** The ports to the outside world that a verb may use. Each request, message and alarm has its own. */
export interface Deps {
	readonly config: Config;
	/**
	 * The database of everything that is not divided into parts, and of the cards in the first part of the directory. `directoryOf` in
	 * db/parts.ts finds
	 * the database of other cards.
	 */
	readonly db: Database;
	/** The databases of further parts of the directory, by number. There are none today. */
	readonly parts: ReadonlyMap<number, Database>;
	/** `core/competition/search` reads and writes this full-text index. Null in a deployment without it. */
	readonly search: Database | null;
	readonly bucket: R2Bucket;
	/** The static files that are deployed with the Worker. */
	readonly assets: Assets;
	readonly sharedCache: SharedCache;
	/** Null if uploads go through the Worker instead of directly to the bucket. */
	readonly directTransfers: DirectTransfers | null;
	readonly queues: Queues;
	readonly hubs: Hubs;
	/** Lookups of credential holders, provided by the features that store credentials. */
	readonly identities: Identities;
	/**
	 * Returns the id of the task that a submission belongs to, or that an id of a holding belongs to. Returns null for an unknown id.
	 * Each id is looked up once per request.
	 */
	locate(id: string): Promise<string | null>;
	/** Knows what operators of the deployment have switched off. */
	readonly switchboard: Switchboard;
	/** Where open streams check whether their credentials have ended. */
	readonly endedCredentials: EndedCredentials;
	/** Knows which suppliers of the judge's models are currently not called. */
	readonly suppliers: SupplierBoard;
	/** Called for every committed event. */
	readonly listeners: readonly EventListener[];
	/** The holdings in the directory, which store data of agents and tasks. */
	readonly holdings: readonly DirectoryHolding<Deps>[];
	/** How extensions inspect submitted files before they are judged. */
	readonly inspectors: readonly Inspector[];
	readonly limits: RateLimits;
	readonly clock: Clock;
	readonly ids: Ids;
	/** Returns a random number from 0 (included) to 1 (excluded), for jitter. Never used for secrets. */
	random(): number;
	/** Sends requests to other hosts. URLs from users must go through `sendOutbound` in platform/outbound.ts. */
	readonly fetch: Fetch;
	readonly log: Log;
	readonly metrics: Metrics;
	/** Null if no judge is configured. */
	readonly judge: Judge | null;
	/** Lets work continue after the response. Failures are logged, and a sweep repeats anything that must not be lost. */
	background(work: Promise<unknown>): void;
}

/** The part of `fetch` that the platform uses. URLs from users must go through `sendOutbound` in platform/outbound.ts. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Counts what happens, in addition to the log. Writing does not block and never fails. */
export interface Metrics {
	write<Kind extends DataPointKind>(kind: Kind, facts: DataPoint<Kind>): void;
}

export type RateClass = "submission" | "mutation" | "search" | "general";

/**
 * Rate limiters: one per class of request, and others for signed-in identities, networks that many clients share, messages that open a
 * connection to the MCP server, registrations of programs, each code or refresh token, and the total of a network.
 */
export type LimiterName = RateClass | "session" | "shared" | "opening" | "registering" | "redeeming" | "everything";

export type RateLimits = Readonly<Record<LimiterName, { limit(options: { key: string }): Promise<{ success: boolean }> }>>;

/** The switches as one read returned them. */
export interface SeenSwitches {
	readonly switches: Switches;
	/**
	 * The jurisdiction in which the first write was made, or `none`. Null before the first write, and missing if this read did not ask for
	 * it.
	 */
	readonly placement?: string | null;
	/** Increases with each change. A replica may show an older state than an earlier read did. */
	readonly revision: number;
	/** When the read began. */
	readonly readAt: number;
}

/** The switchboard of an isolate knows what operators of the deployment have switched off. */
export interface Switchboard {
	/**
	 * Returns the switches as they were at most 10 seconds ago. Writes are off if `JURISDICTION` is invalid or differs from the recorded one.
	 * Usually a credential's lookup has read the switches already. Otherwise they are read now.
	 *
	 * @param isFresh If true, they are always read now.
	 */
	read(deps: Deps, isFresh?: boolean): Promise<Switches>;
	/** Records where the deployment's data is stored, before the first write. Returns true if this call was the first to record it. */
	recordPlacement(deps: Deps): Promise<boolean>;
	note(seen: SeenSwitches): void;
}

/** The credentials that ended within the last two minutes, for an isolate's open streams. */
export interface EndedCredentials {
	/** Returns the time of the last successful read. Null before the first. */
	readAt(): number | null;
	/** Returns true if the key, session, operator token or agent has ended. An agent that was restored since then is still listed. */
	includes(actor: Actor): boolean;
	/** Reads the ended credentials if the last read is older than 15 seconds and no other stream is reading them. */
	refresh(deps: Pick<Deps, "db" | "clock">): Promise<void>;
}

/** The board of an isolate knows which model suppliers are skipped because of an outage. If `Watch` does not respond, none are skipped. */
export interface SupplierBoard {
	/** Returns which of these suppliers are skipped, as of at most 10 seconds ago. The caller may be allowed to try one of them. */
	findOutages(deps: BoardDeps, suppliers: ReadonlySet<string>): Promise<ReadonlyMap<string, Outage>>;
	/** Reports that the supplier answered a call, and when the call was sent. */
	noteAnswer(deps: BoardDeps, answer: { readonly supplier: string; readonly sentAt: number }): void;
	/** Reports that the supplier itself is at fault. */
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
	/** Finds an operator token, and whether the agent that created it is suspended. */
	findOperatorToken(deps: Deps, token: string): Promise<{ readonly id: string; readonly isSuspended: boolean } | null>;
	/** Returns when uploads to a signed path end, in milliseconds since the epoch, or null for paths whose end never moves. */
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
	/** The position at which a listener continues if it processes an event in pieces. Null at the start. */
	readonly fanOutAfter: string | null;
	readonly event: DomainEvent;
}

/**
 * A listener may be called several times for an event. Once it has finished, further calls change nothing.
 *
 * @returns Null if it has finished, or else the position at which to continue.
 */
export type EventListener = (deps: Deps, event: RecordedEvent) => Promise<string | null>;

export interface Inspector<Wanted extends object = object, Found extends object = object> {
	readonly name: string;
	/** Inspects an artifact. Safe to repeat. */
	inspect(deps: Deps, artifactKey: string, wanted: Wanted): Promise<Found>;
}

/** The context of a verb behind a public endpoint. */
export interface PublicCtx extends Deps {
	readonly requestId: string;
	/** The origin of absolute links in responses, without a trailing slash. */
	readonly baseUrl: string;
	/** The caller's network, from {@link networkOf} in http/rate-limit.ts. */
	readonly network: string;
	/** Sends a request from http/own-requests.ts to the platform's own endpoints, in this process. */
	sendToSelf(request: Request): Promise<Response>;
}

/** The context of a verb behind an authenticated endpoint. */
export interface Ctx extends PublicCtx {
	readonly actor: Actor;
}

/** The context of a verb behind an endpoint for signed-in humans. */
export interface SessionCtx extends PublicCtx {
	readonly actor: SessionActor;
}

/** The context of a verb behind an endpoint for operator tokens. */
export interface OperatorCtx extends PublicCtx {
	readonly operatorTokenId: string;
}

/** The context of a verb behind an endpoint for operators of the deployment. */
export interface AdminCtx extends PublicCtx {
	/** The caller's name in the audit log. */
	readonly admin: string;
}

/** The context of a verb behind a signed URL. */
export interface SignedCtx extends PublicCtx {
	readonly grant: UrlGrant;
	/** The id of the agent that requested the URL. Null if no agent did. */
	readonly holderAgentId: string | null;
}

/** The context of a verb behind a callback token. */
export interface CallbackCtx extends PublicCtx {
	readonly callbackToken: {
		/**
		 * Compares the token in constant time.
		 *
		 * @param expectedHash The SHA-256 of the right token in lower-case hex. Null matches nothing.
		 * @throws AppError `INVALID_CALLBACK_TOKEN`.
		 */
		assertMatches(expectedHash: string | null): Promise<void>;
	};
}
