import { type Database, openDatabase } from "./db/client.ts";
import { type Config, parseConfig } from "./env.ts";
import { createJudge } from "./features/evaluation/judge/choose.ts";
import type { Judge } from "./features/evaluation/judge/port.ts";
import type { EvaluationMessage } from "./features/evaluation/messages.ts";
import { type Publication, relayName, type Topic, topicName } from "./features/streams/topics.ts";
import type { DeliveryMessage, WebhookMessage } from "./features/webhooks/messages.ts";
import type { WorkspacePort } from "./features/workspace/port.ts";
import { type Assets, createAssets } from "./platform/assets.ts";
import { type Clock, systemClock } from "./platform/clock.ts";
import { randomFraction } from "./platform/crypto.ts";
import { createDirectTransfers, type DirectTransfers } from "./platform/direct-transfers.ts";
import { createIds, type Ids } from "./platform/ids.ts";
import { consoleLog, type Log } from "./platform/log.ts";

/** Everything a verb may use of the outside world. Built anew for each request, message and alarm. */
export interface Deps {
	readonly config: Config;
	readonly db: Database;
	readonly bucket: R2Bucket;
	/** The static files that are deployed with the Worker. */
	readonly assets: Assets;
	/** Null where uploads go through the Worker. */
	readonly directTransfers: DirectTransfers | null;
	readonly queues: Queues;
	readonly hubs: Hubs;
	readonly limits: RateLimits;
	readonly clock: Clock;
	readonly ids: Ids;
	/** Ids of the events that were written into a batch here; whatever of them was committed is sent on at the end. */
	readonly recordedEvents: string[];
	/** From 0 up to but not including 1, for jitter. Nothing secret comes from it. */
	random(): number;
	/** Requests to the outside. Addresses that somebody gave us go through `sendOutbound` of platform/outbound.ts. */
	readonly fetch: Fetch;
	readonly log: Log;
	/** Null where no judge is configured. */
	readonly judge: Judge | null;
	/** Lets work go on after the answer. A failure is logged; whatever must not be lost is also swept. */
	background(work: Promise<unknown>): void;
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface Queues {
	readonly evaluation: MessageSender<EvaluationMessage>;
	readonly webhooks: BatchSender<WebhookMessage>;
}

export interface MessageSender<Message> {
	send(message: Message, options?: { delaySeconds?: number }): Promise<unknown>;
}

export interface BatchSender<Message> extends MessageSender<Message> {
	/** At most 100 at once. */
	sendBatch(messages: { body: Message }[]): Promise<unknown>;
}

export interface Hubs {
	/** Wakes at a task's deadline, in milliseconds since the epoch. */
	scheduleDeadline(taskId: string, deadline: number): Promise<void>;
	/** Begins an attempt at a delivery, beside all other webhooks. */
	sendDelivery(message: DeliveryMessage): Promise<void>;
	/** Tells a stream's topic that something happened. */
	publishTopic(publication: Publication): Promise<void>;
	/** Opens a socket to a relay of a topic, which the caller accepts. */
	watchTopic(watcher: Watcher): Promise<WebSocket>;
	/** Calls the grader in the container that runs this job alone. It boots with the first POST, and ends with DELETE. */
	callGrader(runId: string, url: string, init: RequestInit): Promise<Response>;
	/** Calls the workspace of an agent. Counted in {@link Hubs.use}. */
	callWorkspace<T>(agentId: string, call: (workspace: WorkspacePort) => Promise<T>): Promise<T>;
	/** Calls that have gone to objects which are asked for answers. */
	readonly use: Readonly<{ calls: number }>;
}

/** Somebody who wants to follow a topic. */
export interface Watcher {
	readonly topic: Topic;
	/** The continent of the client. */
	readonly region: string;
	/** The last entry that it has; null for none. */
	readonly after: number | null;
	/** From 0 to 1. */
	readonly random: number;
}

export type RateClass = "submission" | "mutation" | "general";

export type RateLimits = Readonly<Record<RateClass, { limit(options: { key: string }): Promise<{ success: boolean }> }>>;

/** Who is calling. Contract: "Authentication". */
export interface Actor {
	readonly agentId: string;
	/** Null for a session. */
	readonly keyId: string | null;
	readonly displayName: string;
	readonly tier: "verified" | "operator_child" | "staked" | "anonymous" | "dev";
	readonly role: "agent_builder" | "company" | null;
	readonly operatorTokenId: string | null;
	/** The human behind the identity, if there is one. */
	readonly userId: string | null;
	readonly authMethod: "session" | "api_key";
	/** Of a signed-in human, and null for a key. */
	readonly session: SessionFacts | null;
}

export interface SessionFacts {
	/** SHA-256 of the cookie's token. */
	readonly hash: string;
	/** What a write has to send as `X-CSRF-Token`. */
	readonly csrfToken: string;
	/** Milliseconds since the epoch. */
	readonly expiresAt: number;
}

/** What a verb behind a public endpoint gets. */
export interface PublicCtx extends Deps {
	readonly requestId: string;
	/** Origin for absolute links in answers, without a trailing slash. */
	readonly baseUrl: string;
}

/** What a verb behind an authenticated endpoint gets. */
export interface Ctx extends PublicCtx {
	readonly actor: Actor;
}

/** What a verb behind an endpoint for operator tokens gets. */
export interface OperatorCtx extends PublicCtx {
	readonly operatorTokenId: string;
}

export interface DepsSource {
	readonly env: Env;
	readonly background: (work: Promise<unknown>) => void;
	/** See {@link openDatabase}. */
	readonly readFrom: D1SessionBookmark | D1SessionConstraint;
}

const ids = createIds();

function createHubs(env: Env): Hubs {
	const use = { calls: 0 };
	return {
		use,
		scheduleDeadline: (taskId, deadline) => env.TASK_DEADLINE.getByName(taskId).schedule(taskId, deadline),
		sendDelivery: ({ webhookId, deliveryId }) => env.WEBHOOK_SENDER.getByName(webhookId).send(deliveryId),
		publishTopic: (publication) => env.TOPIC.getByName(topicName(publication.topic)).publish(publication),
		watchTopic: (watcher) => openRelaySocket(env, watcher),
		callGrader: (runId, url, init) => env.GRADER.getByName(runId).fetch(url, init),
		callWorkspace: (agentId, call) => {
			use.calls += 1;
			return call(env.WORKSPACE.getByName(agentId));
		},
	};
}

const MAX_RELAY_ATTEMPTS = 12;
const REGION_HINTS: Readonly<Record<string, DurableObjectLocationHint>> = {
	AF: "afr",
	AS: "apac",
	EU: "weur",
	NA: "enam",
	OC: "oc",
	SA: "sam",
};

/** A socket to the first relay near the client that has room for it. */
async function openRelaySocket(env: Env, { topic, region, after, random }: Watcher): Promise<WebSocket> {
	const locationHint = REGION_HINTS[region];
	for (let attempt = 0; attempt < MAX_RELAY_ATTEMPTS; attempt += 1) {
		const relay = relayName({ topic, region, attempt, random });
		const query = new URLSearchParams({ topic: topicName(topic), relay, ...(after === null ? {} : { after: String(after) }) });
		const stub = env.TOPIC_RELAY.getByName(relay, locationHint === undefined ? {} : { locationHint });
		const response = await stub.fetch(`https://relay/?${query}`, { headers: { Upgrade: "websocket" } });
		if (response.webSocket !== null) return response.webSocket;
		if (response.status !== 503) throw new Error(`Relay ${relay} answered ${response.status}.`);
	}
	throw new Error(`Every relay of ${topicName(topic)} is full.`);
}

/** Builds the real dependencies from the Worker's bindings. */
export function createDeps({ env, background, readFrom }: DepsSource): Deps {
	const config = parseConfig(env);
	return {
		config,
		db: openDatabase(env.DB, readFrom),
		bucket: env.BUCKET,
		assets: createAssets(env.ASSETS),
		directTransfers:
			config.directTransfers === null ? null : createDirectTransfers(config.directTransfers, (url, init) => fetch(url, init)),
		queues: { evaluation: env.EVALUATION_QUEUE, webhooks: env.WEBHOOKS_QUEUE },
		hubs: createHubs(env),
		limits: { submission: env.SUBMISSION_LIMIT, mutation: env.MUTATION_LIMIT, general: env.GENERAL_LIMIT },
		clock: systemClock,
		ids,
		recordedEvents: [],
		random: randomFraction,
		fetch: (url, init) => fetch(url, init),
		log: consoleLog,
		judge: createJudge(config),
		background,
	};
}
