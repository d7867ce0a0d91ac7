// Wires the platform: the implementations of the ports, the credential lookups, and the event listeners.
import { BEARERS, DIRECTORY_LISTENERS, INSPECTIONS, TASK_PARTS } from "#platform";
import { readConfig } from "../config/env.ts";
import { noteChosen } from "../core/competition/deals/chosen.ts";
import { createLocator } from "../core/competition/directory/locate.ts";
import { beginProbe } from "../core/competition/spend/service.ts";
import { findUploadEnd } from "../core/competition/submissions/put-artifact.ts";
import { fanOut } from "../core/events/webhooks/fan-out.ts";
import { findActorByKey } from "../core/identity/api-keys/service.ts";
import { findHolder } from "../core/identity/api-keys/store.ts";
import { createEndedCredentials } from "../core/identity/credential-ends/ended-credentials.ts";
import { findOperatorToken } from "../core/identity/operators/service.ts";
import { findActorBySession, isCsrfToken } from "../core/identity/sign-in/service.ts";
import { createSwitchboard } from "../core/identity/switches/service.ts";
import { IsolateBoard } from "../core/judging/breaker/board.ts";
import { createJudge } from "../core/judging/engine/choose.ts";
import { createProbeStore } from "../core/judging/engine/store.ts";
import { openDatabase } from "../db/client.ts";
import { createAssets } from "../platform/assets.ts";
import { systemClock } from "../platform/clock.ts";
import { randomFraction } from "../platform/crypto.ts";
import { createDirectTransfers } from "../platform/direct-transfers.ts";
import { createIds } from "../platform/ids.ts";
import { createLoad } from "../platform/load.ts";
import { consoleLog, describeError } from "../platform/log.ts";
import { createSharedCache } from "../platform/shared-cache.ts";
import type { Deps, EventListener, Fetch, Identities } from "../ports/deps.ts";
import { joinQueues } from "./evaluation-queues.ts";
import { createHubs } from "./hubs.ts";
import { createMetrics } from "./metrics.ts";

const ids = createIds();

/** Wraps the runtime's `fetch`, which must not be called as a method of another object. */
const send: Fetch = (url, init) => fetch(url, init);

const identities: Identities = {
	findByKey: (deps, credential) => (BEARERS.find((kind) => kind.isPossible(credential))?.findActor ?? findActorByKey)(deps, credential),
	findBySession: findActorBySession,
	isCsrfToken,
	findOperatorToken,
	findUploadEnd,
	findHolder: async (deps, id) =>
		(await findHolder(deps, id)) ??
		(await Promise.all(BEARERS.map((kind) => kind.findHolder(deps, id)))).find((agentId) => agentId !== null) ??
		null,
};

/** All requests of an isolate share these objects. */
const switchboard = createSwitchboard();
const endedCredentials = createEndedCredentials();
const suppliers = new IsolateBoard();
const load = createLoad(systemClock);

const listeners: readonly EventListener[] = [fanOut, noteChosen, ...DIRECTORY_LISTENERS];

const NO_PARTS: Deps["parts"] = new Map();

const joinedQueues = new WeakMap<Env, Deps["queues"]["tasks"]>();

/** Cached, because checking all bindings takes longer than the rest of creating a request's dependencies. */
function joinQueuesOnce(env: Env): Deps["queues"]["tasks"] {
	const queue = joinedQueues.get(env) ?? joinQueues({ ...env }, env.EVALUATION_QUEUE);
	joinedQueues.set(env, queue);
	return queue;
}

/** Lets work continue after the response, and logs its failures. */
export function backgroundIn(ctx: Pick<ExecutionContext, "waitUntil">): Deps["background"] {
	return (work) => ctx.waitUntil(work.catch((error: unknown) => consoleLog.error("background_failed", describeError(error))));
}

/** The bindings. Not every deployment has all of them. */
type Bindings = Omit<Env, "SEARCH"> & {
	readonly SEARCH?: D1Database;
	/** Where `npm start` serves the documentation that it builds while the platform is running. Not set in a deployment. */
	readonly STAGED_DOCS_URL?: string;
};

/** Builds the real dependencies from the Worker's bindings. */
export function createDeps({
	env,
	background,
	readFrom,
	isReader = false,
	cache,
}: {
	readonly env: Env;
	readonly background: (work: Promise<unknown>) => void;
	/** Where reads of the database start. See {@link openDatabase}. */
	readonly readFrom: D1SessionBookmark | D1SessionConstraint;
	/** True for a request that only reads, which gives way to writes while a database or an object is overloaded. Default: false. */
	readonly isReader?: boolean;
	/** The cache in front of the Worker. See {@link createSharedCache}. */
	readonly cache?: CacheContext | undefined;
}): Deps {
	const config = readConfig(env);
	const { SEARCH, STAGED_DOCS_URL }: Bindings = env;
	const db = openDatabase(env.DB, readFrom, { load, name: "DB", isReader });
	const deps: Omit<Deps, "judge"> = {
		config,
		db,
		parts: NO_PARTS,
		// The first page of a search must find everything that was written before. Later pages are read at the first page's bookmark.
		search: SEARCH === undefined ? null : openDatabase(SEARCH, "first-primary", { load, name: "SEARCH", isReader }),
		bucket: env.BUCKET,
		assets: createAssets(env.ASSETS, config.environment === "development" ? STAGED_DOCS_URL : undefined),
		sharedCache: createSharedCache(cache, consoleLog),
		directTransfers: config.directTransfers === null ? null : createDirectTransfers(config.directTransfers, systemClock, send),
		queues: { tasks: joinQueuesOnce(env), checks: env.CHECK_QUEUE, sweeps: env.SWEEP_QUEUE },
		hubs: createHubs(env, { load, isReader }),
		identities,
		locate: createLocator({ db, parts: NO_PARTS, clock: systemClock }),
		switchboard,
		endedCredentials,
		suppliers,
		listeners,
		holdings: TASK_PARTS.holdings,
		inspectors: INSPECTIONS,
		limits: limitsOf(env),
		clock: systemClock,
		ids,
		random: randomFraction,
		fetch: send,
		log: consoleLog,
		metrics: createMetrics(env.METRICS),
		background,
	};
	const prober = { store: createProbeStore(db), begin: (microUsd: number) => beginProbe({ ...deps, judge: null }, microUsd) };
	return { ...deps, judge: createJudge({ clock: systemClock, fetch: send }, config, prober) };
}

function limitsOf(env: Env): Deps["limits"] {
	return {
		submission: env.SUBMISSION_LIMIT,
		mutation: env.MUTATION_LIMIT,
		search: env.SEARCH_LIMIT,
		general: env.GENERAL_LIMIT,
		session: env.SESSION_LIMIT,
		shared: env.SHARED_LIMIT,
		opening: env.OPENING_LIMIT,
		registering: env.REGISTERING_LIMIT,
		redeeming: env.REDEEMING_LIMIT,
		everything: env.EVERYTHING_LIMIT,
	};
}
