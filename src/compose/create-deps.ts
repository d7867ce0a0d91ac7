// All wiring: the implementations behind the ports, who looks up credentials, and who listens to events.

import { parseConfig } from "../config/env.ts";
import { openDatabase } from "../db/client.ts";
import { findActorByKey, noteCheck } from "../features/api-keys/service.ts";
import { followRounds } from "../features/final-round/service.ts";
import { createJudge } from "../features/judging/choose.ts";
import { findLeak } from "../features/leaked-keys/service.ts";
import { findOperatorToken } from "../features/operators/service.ts";
import { findActorBySession, isCsrfToken } from "../features/sign-in/service.ts";
import { publishEvent } from "../features/streams/service.ts";
import { findUploadEnd } from "../features/submissions/artifact-store.ts";
import { createSwitchboard } from "../features/switches/service.ts";
import { fanOut } from "../features/webhooks/fan-out.ts";
import { createAssets } from "../platform/assets.ts";
import { systemClock } from "../platform/clock.ts";
import { randomFraction } from "../platform/crypto.ts";
import { createDirectTransfers } from "../platform/direct-transfers.ts";
import { createIds } from "../platform/ids.ts";
import { consoleLog } from "../platform/log.ts";
import type { Deps, EventListener, Identities } from "../ports/deps.ts";
import type { Fetch } from "../ports/fetch.ts";
import { createHubs } from "./hubs.ts";
import { createMetrics } from "./metrics.ts";

export interface DepsSource {
	readonly env: Env;
	readonly background: (work: Promise<unknown>) => void;
	/** See {@link openDatabase}. */
	readonly readFrom: D1SessionBookmark | D1SessionConstraint;
}

const ids = createIds();

/** The runtime's `fetch` must not be called as a method of another object. */
const send: Fetch = (url, init) => fetch(url, init);

const identities: Identities = {
	findByKey: findActorByKey,
	noteCheck,
	findBySession: findActorBySession,
	isCsrfToken,
	findOperatorToken,
	findLeak,
	findUploadEnd,
};

/** One for each isolate. */
const switchboard = createSwitchboard();

const listeners: readonly EventListener[] = [fanOut, publishEvent, followRounds];

/** Bindings that a deployment may have. wrangler.toml has them as comments. */
interface OptionalBindings {
	readonly BACKUP_BUCKET?: R2Bucket;
	readonly METRICS?: AnalyticsEngineDataset;
}

/** Builds the real dependencies from the Worker's bindings. */
export function createDeps({ env, background, readFrom }: DepsSource): Deps {
	const config = parseConfig(env);
	const { BACKUP_BUCKET, METRICS }: Env & OptionalBindings = env;
	return {
		config,
		db: openDatabase(env.DB, readFrom),
		bucket: env.BUCKET,
		backups: BACKUP_BUCKET ?? null,
		assets: createAssets(env.ASSETS),
		edgeCache: caches.default,
		directTransfers: config.directTransfers === null ? null : createDirectTransfers(config.directTransfers, systemClock, send),
		queues: { evaluation: env.EVALUATION_QUEUE, webhooks: env.WEBHOOKS_QUEUE },
		hubs: createHubs(env),
		identities,
		switchboard,
		listeners,
		limits: { submission: env.SUBMISSION_LIMIT, mutation: env.MUTATION_LIMIT, general: env.GENERAL_LIMIT, shared: env.SHARED_LIMIT },
		clock: systemClock,
		ids,
		random: randomFraction,
		fetch: send,
		log: consoleLog,
		metrics: createMetrics(METRICS),
		judge: createJudge({ clock: systemClock, fetch: send }, config),
		background,
	};
}
