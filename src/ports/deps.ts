// A verb gets the ports to the outside world and, in an endpoint, the caller. compose/create-deps.ts builds the ports.
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

/** A verb may use nothing else of the outside world. Each request, message and alarm has its own. */
export interface Deps {
	readonly config: Config;
	/** It has what exists once, and the cards of the first part of the directory. `directoryOf` of db/parts.ts finds the database of other cards. */
	readonly db: Database;
	/** The databases of further parts of the directory, by their number. There are none today. */
	readonly parts: ReadonlyMap<number, Database>;
	/** `core/competition/search` reads and writes this full-text index. Null in a deployment without it. */
	readonly search: Database | null;
	readonly bucket: R2Bucket;
	/** Static files are deployed with the Worker. */
	readonly assets: Assets;
	readonly sharedCache: SharedCache;
	/** Null if uploads go through the Worker. */
	readonly directTransfers: DirectTransfers | null;
	readonly queues: Queues;
	readonly hubs: Hubs;
	/** The features that store credentials provide these look-ups of their holders. */
	readonly identities: Identities;
	/** Returns the id of the task that a submission, or what a holding stores, belongs to. Null for an unknown id. A request reads it once. */
	locate(id: string): Promise<string | null>;
	/** The switchboard knows what operators of the deployment have switched off. */
	readonly switchboard: Switchboard;
	/** Open streams look here whether their credentials have ended. */
	readonly endedCredentials: EndedCredentials;
	/** The board knows which suppliers of the judge's models are not called right now. */
	readonly suppliers: SupplierBoard;
	/** The listeners are called for every committed event. */
	readonly listeners: readonly EventListener[];
	/** Everything that stores something of an agent or of a task in the directory. */
	readonly holdings: readonly DirectoryHolding<Deps>[];
	/** Extensions look at the files of works before they are judged. */
	readonly inspectors: readonly Inspector[];
	readonly limits: RateLimits;
	readonly clock: Clock;
	readonly ids: Ids;
	/** Returns a number from 0 up to but not including 1, for jitter. Nothing secret comes from it. */
	random(): number;
	/** Sends requests to the outside. URLs from users go through `sendOutbound` of platform/outbound.ts. */
	readonly fetch: Fetch;
	readonly log: Log;
	readonly metrics: Metrics;
	/** Null if no judge is configured. */
	readonly judge: Judge | null;
	/** Lets work continue after the response. Failures are logged, and a sweep repeats what must not be lost. */
	background(work: Promise<unknown>): void;
}

/** The platform uses no more of `fetch`. URLs from users go through `sendOutbound` of platform/outbound.ts. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Metrics count what happens, in addition to the log. Writing takes no time and never fails. */
export interface Metrics {
	write<Kind extends DataPointKind>(kind: Kind, facts: DataPoint<Kind>): void;
}

export type RateClass = "submission" | "mutation" | "search" | "general";

/**
 * Each class has a limiter, and so have an identity that is signed in, a whole network that many clients share, the messages that open
 * a connection to the MCP server, registrations of programs, each code or refresh token, and everything that a network sends.
 */
export type LimiterName = RateClass | "session" | "shared" | "opening" | "registering" | "redeeming" | "everything";

export type RateLimits = Readonly<Record<LimiterName, { limit(options: { key: string }): Promise<{ success: boolean }> }>>;

/** A read has seen these switches. */
export interface SeenSwitches {
	readonly switches: Switches;
	/** The first write was made in this jurisdiction, or in `none`. Null before that, and missing if no read has looked. */
	readonly placement?: string | null;
	/** The revision grows with each change, because a replica may show an older state than an earlier read has seen. */
	readonly revision: number;
	/** When the read began. */
	readonly readAt: number;
}

/** An isolate knows through its switchboard what operators of the deployment have switched off. */
export interface Switchboard {
	/**
	 * Returns the switches as they were at most 10 seconds ago. Writes are off if `JURISDICTION` is invalid, or another than the recorded one. The look-up of a credential has read them too, or else they are read now.
	 *
	 * @param isFresh If true, they are read now in any case.
	 */
	read(deps: Deps, isFresh?: boolean): Promise<Switches>;
	/** Records where the data of the deployment is, before its first write. Returns true if it was not known before. */
	recordPlacement(deps: Deps): Promise<boolean>;
	note(seen: SeenSwitches): void;
}

/** An isolate knows which credentials have ended within two minutes, for its open streams. */
export interface EndedCredentials {
	/** Returns the time of the last successful read. Null before the first. */
	readAt(): number | null;
	/** Returns true if the key, the session, the operator token or the agent has ended. An agent that was restored since is still listed. */
	includes(actor: Actor): boolean;
	/** Reads what has ended if the last read is older than 15 seconds and no other stream is reading. */
	refresh(deps: Pick<Deps, "db" | "clock">): Promise<void>;
}

/** An isolate knows through its board which suppliers of models are not called. If `Watch` does not answer, all of them are. */
export interface SupplierBoard {
	/** Returns the suppliers among these that are not called, as they were at most 10 seconds ago. The caller may get a try. */
	findOutages(deps: BoardDeps, suppliers: ReadonlySet<string>): Promise<ReadonlyMap<string, Outage>>;
	/** The supplier has answered a call that was sent at this time. */
	noteAnswer(deps: BoardDeps, answer: { readonly supplier: string; readonly sentAt: number }): void;
	/** The supplier itself is at fault. */
	noteFault(deps: BoardDeps, fault: { readonly supplier: string; readonly subjectId: string; readonly words: string | null }): void;
}

/** A board needs only these. */
export interface BoardDeps extends Pick<Deps, "clock" | "log" | "background"> {
	readonly hubs: Pick<Hubs, "callWatch">;
}

/** Finds the holder of a credential. The look-ups return null for one that is unknown, expired or revoked. */
export interface Identities {
	findByKey(deps: Deps, key: string): Promise<Actor | null>;
	findBySession(deps: Deps, token: string): Promise<SessionActor | null>;
	/** Returns true if text is the CSRF token of a session. It compares in constant time. */
	isCsrfToken(deps: Deps, session: SessionFacts, presented: string | null): Promise<boolean>;
	/** Finds an operator token, and says if the agent that made it is suspended. */
	findOperatorToken(deps: Deps, token: string): Promise<{ readonly id: string; readonly isSuspended: boolean } | null>;
	/** Returns until when uploads to a signed path are accepted, in milliseconds since the epoch, or null for paths whose end never moves. */
	findUploadEnd(deps: Deps, path: string): Promise<number | null>;
	/**
	 * Returns the id of the agent that may act by a holder of signed URLs: a key, a grant, a session by its hash, or the agent itself. Returns
	 * null for a holder that has ended, and for an agent that is suspended or whose operator token is revoked.
	 */
	findHolder(deps: Deps, holder: string): Promise<string | null>;
}

export interface RecordedEvent {
	readonly id: string;
	readonly createdAt: number;
	/** The clock of the task showed this time, which may be ahead of real time. */
	readonly taskTime: number;
	/** A listener that processes an event in pieces continues here. Null at the start. */
	readonly fanOutAfter: string | null;
	readonly event: DomainEvent;
}

/**
 * A listener may be called any number of times for an event. After it has finished, another call changes nothing.
 *
 * @returns Null if it has finished, else the place to continue at.
 */
export type EventListener = (deps: Deps, event: RecordedEvent) => Promise<string | null>;

export interface Inspector<Wanted extends object = object, Found extends object = object> {
	readonly name: string;
	/** Looks at an artifact. It is safe to repeat. */
	inspect(deps: Deps, artifactKey: string, wanted: Wanted): Promise<Found>;
}

/** A verb behind a public endpoint gets this. */
export interface PublicCtx extends Deps {
	readonly requestId: string;
	/** Absolute links in responses start with this origin, which has no trailing slash. */
	readonly baseUrl: string;
	/** {@link networkOf} of http/rate-limit.ts names the caller's network. */
	readonly network: string;
	/** Sends a request of http/own-requests.ts through the platform's endpoints, in this process. */
	sendToSelf(request: Request): Promise<Response>;
}

/** A verb behind an authenticated endpoint gets this. */
export interface Ctx extends PublicCtx {
	readonly actor: Actor;
}

/** A verb behind an endpoint for signed-in humans gets this. */
export interface SessionCtx extends PublicCtx {
	readonly actor: SessionActor;
}

/** A verb behind an endpoint for operator tokens gets this. */
export interface OperatorCtx extends PublicCtx {
	readonly operatorTokenId: string;
}

/** A verb behind an endpoint for operators of the deployment gets this. */
export interface AdminCtx extends PublicCtx {
	/** The audit log names the caller like this. */
	readonly admin: string;
}

/** A verb behind a signed URL gets this. */
export interface SignedCtx extends PublicCtx {
	readonly grant: UrlGrant;
	/** The agent that got the URL has this id. Null for a URL that no agent got. */
	readonly holderAgentId: string | null;
}

/** A verb behind a callback token gets this. */
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
