// Provides a platform that plays one request at a time, while the database fails at calls that the test chooses.
import { createMessageBatch } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createLocator } from "../../src/core/competition/directory/locate.ts";
import { createSwitchboard } from "../../src/core/identity/switches/service.ts";
import { openDatabase } from "../../src/db/client.ts";
import { isReadOnly } from "../../src/db/transient.ts";
import { sweepOutbox } from "../../src/events/dispatch.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { TaskMessage } from "../../src/ports/queues.ts";
import { consumeBatch } from "../../src/queues/index.ts";
import { createApp } from "./app.ts";
import { type CallInput, type Client, createClient, type Operation } from "./client.ts";
import { recordingQueue, testDeps } from "./deps.ts";
import { holdTasks } from "./held-tasks.ts";
import { type Interceptor, interceptD1 } from "./intercepted-d1.ts";
import { manualClock } from "./manual-clock.ts";
import { inSteps, type Step } from "./mortality.ts";
import type { RegisteredClient } from "./scenario.ts";
import { holdSenders } from "./senders.ts";
import { countChanges } from "./table-counts.ts";

/** A request that is ready to be sent, and succeeds. */
export interface ReadyCall extends CallInput {
	/** Null for a request without a key. */
	readonly key: string | null;
}

/** A call to D1 that the request made. */
export interface TracedCall {
	readonly sql: string;
	readonly isWrite: boolean;
	readonly isAfterResponse: boolean;
}

export interface Fault {
	readonly message: string;
	/** Whether the call fails before it takes effect, or is lost after it. */
	readonly moment: "before" | "after";
}

interface Play {
	/** Decides which calls to D1 fail. */
	readonly failing?: (call: TracedCall) => Fault | null;
	/** The number of the call to the bucket or an object that fails before it takes effect, from 0. */
	readonly failingStorageCall?: number;
	/** The number, from 0, of the call to the object of a task that is lost on its way, or whose response is lost on the way back. */
	readonly lost?: { readonly call: number; readonly way: "call" | "response" };
	readonly replaced?: Partial<Deps>;
}

export type Failing = NonNullable<Play["failing"]>;

const BUCKET_FAULT = () => new Error("put: We encountered an internal error. Please try again. (10001)");
const OBJECT_FAULT = () => Object.assign(new Error("Requests queued for too long."), { overloaded: true });

export type Stage = ReturnType<typeof createStage>;

/** Returns the whole body, or the beginning of an event stream. */
async function readText(response: Response): Promise<string> {
	const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream") === true;
	if (response.body === null || !isStream) return new TextDecoder().decode(await response.arrayBuffer());
	const reader = response.body.getReader();
	const { value } = await reader.read();
	await reader.cancel();
	return new TextDecoder().decode(value);
}

const unlimited = { limit: () => Promise.resolve({ success: true }) };
const LONG_ENOUGH_FOR_SWEEPS_MS = 60_000;
/** One more than the number of times that one statement of an object can fail. */
const ALARMS = 3;

/** The faults of the tasks' objects while a request is played. */
interface CurrentPlay {
	readonly onCall: Interceptor;
	loses(way: "call" | "response"): boolean;
}

const QUIET: CurrentPlay = { onCall: (run) => run(), loses: () => false };

/** How many tasks' objects are compared. Each request is prepared with its own tasks, so the last ones matter. */
const WATCHED_TASKS = 3;

/** External services respond 200 to everything, unless `change` says otherwise. */
export function createStage(change: Partial<Deps> = {}) {
	const messages = recordingQueue<TaskMessage>();
	const work: Promise<unknown>[] = [];
	const real = testDeps();
	const clock = manualClock();
	let current: CurrentPlay = QUIET;
	const tasks = holdTasks({
		clock,
		openDeps: () => ({ ...base, hubs: { ...real.hubs, ...senders.hubs } }),
		openFate: () => () => "lives",
		onCall: (run, statements) => current.onCall(run, statements),
		loses: (way) => current.loses(way),
	});
	const senders = holdSenders(clock, () => base);
	const base: Deps = {
		...real,
		clock,
		fetch: () => Promise.resolve(new Response()),
		switchboard: createSwitchboard(),
		queues: { ...real.queues, tasks: messages, checks: messages },
		limits: {
			submission: unlimited,
			mutation: unlimited,
			search: unlimited,
			general: unlimited,
			session: unlimited,
			shared: unlimited,
			opening: unlimited,
			registering: unlimited,
			redeeming: unlimited,
			everything: unlimited,
		},
		sharedCache: { purge: async () => {} },
		hubs: { ...tasks.hubs, ...senders.hubs },
		log: { info: () => {}, error: () => {} },
		random: () => 0,
		background: (promise) => void work.push(promise.catch((error: unknown) => error)),
		...change,
	};
	let openDeps = (): Deps => base;
	const app = createApp(() => openDeps());

	/** Sends a request after the previous one has ended. */
	function sendWith(d1: D1Database, replaced: Partial<Deps>, request: Request) {
		openDeps = () => {
			const db = openDatabase(d1, "first-primary");
			return { ...base, locate: createLocator({ ...base, db }), ...replaced, db };
		};
		return app.fetch(request);
	}

	/** Waits for background work, and returns its errors. */
	async function settle(): Promise<readonly unknown[]> {
		const results: unknown[] = [];
		while (work.length > 0) results.push(...(await Promise.all(work.splice(0))));
		await tasks.settled();
		return results.filter((result) => result instanceof Error);
	}

	async function settleWell(): Promise<void> {
		for (const fault of await settle()) throw fault;
	}

	const enter = (key: string | null): Client =>
		createClient({
			key,
			fetch: async (request) => {
				const response = await sendWith(env.DB, {}, request);
				await settleWell();
				return response;
			},
		});

	return {
		deps: base,
		clock,
		/** Returns a client without faults. */
		enter,
		/** Registers an agent, whose key this isolate then remembers. */
		async join(displayName?: string): Promise<RegisteredClient> {
			const body = displayName === undefined ? {} : { display_name: displayName };
			const { agent_id, api_key } = await enter(null).call("registerAnonymous", { body });
			const client = enter(api_key);
			await client.call("whoAmI");
			return { ...client, agentId: agent_id, key: api_key };
		},
		/** Judges everything that was queued. */
		async judge(): Promise<void> {
			const batch = messages.sent.splice(0).map(({ message }, index) => {
				return { id: `${index}`, timestamp: new Date(), attempts: 1, body: message };
			});
			const open = () => ({ ...base, db: openDatabase(env.DB, "first-primary") });
			await consumeBatch(createMessageBatch("bounty-platform-evaluation", batch), open);
			await settleWell();
		},
		/** Plays a request to its end, with its background work and the sweep of events. */
		async play(
			operation: Operation,
			{ key, ...input }: ReadyCall,
			{ failing = () => null, failingStorageCall, lost, replaced = {} }: Play = {},
		) {
			const calls: TracedCall[] = [];
			let hasResponded = false;
			let storageCalls = 0;
			const storageStep =
				(makeFault: () => Error): Step =>
				(run) => {
					if (hasResponded) return run();
					storageCalls += 1;
					return storageCalls - 1 === failingStorageCall ? Promise.reject(makeFault()) : run();
				};
			const onObject = storageStep(OBJECT_FAULT);
			const storage = {
				bucket: inSteps(base.bucket, storageStep(BUCKET_FAULT)),
				hubs: {
					...base.hubs,
					callTask: (taskId, verb, call) => onObject(() => base.hubs.callTask(taskId, verb, call)),
					callWorkspace: (agentId, call) => onObject(() => base.hubs.callWorkspace(agentId, call)),
					callSender: (webhookId, call) => onObject(() => base.hubs.callSender(webhookId, call)),
				},
			} satisfies Partial<Deps>;
			const failIfWanted =
				(note: (call: TracedCall) => void): Interceptor =>
				async (run, statements) => {
					const call = { sql: statements.join(";"), isWrite: !statements.every(isReadOnly), isAfterResponse: hasResponded };
					note(call);
					const fault = failing(call);
					if (fault?.moment === "before") throw new Error(fault.message);
					const result = await run();
					if (fault !== null) throw new Error(fault.message);
					return result;
				};
			let taskCalls = 0;
			current = {
				onCall: failIfWanted(() => {}),
				loses(way) {
					if (hasResponded) return false;
					if (way === "call") taskCalls += 1;
					return lost?.way === way && lost.call === taskCalls - 1;
				},
			};
			const d1 = interceptD1(failIfWanted((call) => calls.push(call)));
			const client = createClient({ key, fetch: (request) => sendWith(d1, { ...storage, ...replaced }, request) });
			const watched = tasks.taskIds().slice(-WATCHED_TASKS);
			const older = tasks.taskIds().length;
			const recent = () => [...watched, ...tasks.taskIds().slice(older)];
			const { changes, result } = await countChanges(async () => {
				const response = await client.send(operation, input);
				const text = await readText(response);
				hasResponded = true;
				await settle();
				for (let times = 0; times < ALARMS; times += 1) await tasks.ringNow(recent());
				const later = manualClock(base.clock.now() + LONG_ENOUGH_FOR_SWEEPS_MS);
				await sweepOutbox({ ...base, clock: later, db: openDatabase(env.DB, "first-primary") });
				await settle();
				return { status: response.status, headers: response.headers, text };
			}, recent);
			current = QUIET;
			return { ...result, changes, calls, storageCalls, taskCalls };
		},
	};
}
