// Provides a platform on which every process may die at any of its steps: tasks, competitors, a receiver of webhooks, and what has been acknowledged so far.
import { env } from "cloudflare:workers";
import { WEBHOOK_EVENTS } from "../../src/domain/events.ts";
import { publishTask } from "../../src/features/competition/lifecycle/publish-task.ts";
import { streamLeaderboard } from "../../src/features/events/streams/stream-leaderboard.ts";
import { offlineJudge } from "../../src/features/judging/model/offline.ts";
import { DAY_MS } from "../../src/platform/clock.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { Judge } from "../../src/ports/judge.ts";
import type { TaskMessage } from "../../src/ports/queues.ts";
import { createApp } from "../support/app.ts";
import { type Client, createClient } from "../support/client.ts";
import { type ManualClock, manualClock, type TestDeps, testDeps } from "../support/deps.ts";
import { evictAll, type Random, seeded } from "../support/disasters.ts";
import { CALLBACK_URL } from "../support/external-judging.ts";
import { type HeldTasks, holdTasks } from "../support/held-tasks.ts";
import { mortal } from "../support/mortality.ts";
import { type RestlessWatcher, watchRestlessly } from "../support/restless.ts";
import { createDraft, type RegisteredClient, registerAgent } from "../support/scenario.ts";
import { type HeldSenders, holdSenders } from "../support/senders.ts";
import { HELD_AHEAD_MS, subscribe } from "../support/webhooks.ts";

export type FaultKind =
	| "died before a step"
	| "died after a step"
	| "call of an object lost"
	| "response of an object lost"
	| "message lost"
	| "message doubled"
	| "object evicted"
	| "connection cut";

export interface Work {
	readonly taskId: string;
	readonly agent: RegisteredClient;
}

export interface PostedTask {
	readonly id: string;
	readonly poster: RegisteredClient;
	/** The poster's own service scores with this. Null for a task that the platform judges. */
	readonly token: string | null;
}

/** A request that got no answer. Its client repeats it with the same key. */
export interface Unanswered extends Work {
	readonly key: string;
	readonly files: Readonly<Record<string, string>>;
}

export interface Stage {
	readonly random: Random;
	readonly clock: ManualClock;
	readonly faults: Map<FaultKind, number>;
	readonly posters: readonly RegisteredClient[];
	readonly agents: readonly RegisteredClient[];
	/** Open tasks. */
	readonly tasks: PostedTask[];
	readonly closed: PostedTask[];
	/** The messages in the queue. */
	readonly messages: TaskMessage[];
	/** The objects of tasks and of webhooks, which may die at each of their steps until {@link Stage.endFaults}. */
	readonly objects: HeldTasks;
	readonly senders: HeldSenders;
	/** Submissions that the platform has acknowledged, by id. */
	readonly acknowledged: Map<string, Work>;
	readonly unanswered: Unanswered[];
	/** Registered submissions whose upload or completion is still to come. */
	readonly uploads: (Work & { readonly id: string; readonly url: string })[];
	/** Submissions that were registered, whatever became of them. */
	readonly registered: Map<string, Work>;
	/** A reader got this of a submission that belongs to a closed task, with the revision that it had. */
	readonly readings: Map<string, { readonly revision: number; readonly text: string }>;
	/** Bodies that the receiver of webhooks has got, by webhook and event. */
	readonly received: Map<string, Set<string>>;
	readonly watchers: Map<string, RestlessWatcher>;
	/** Dependencies that live. */
	openDeps(): TestDeps;
	/** Runs work with dependencies that die at a random step. Whether the work came to its end. */
	risk(work: (deps: Deps) => Promise<unknown>, steps: number): Promise<boolean>;
	/** The caller on this platform, whose requests may die; null as response when they did. */
	send(caller: Pick<Client, "key">, request: (client: Client) => Promise<Response>): Promise<Response | null>;
	/** Returns the caller on this platform, whose requests live. It repeats those that an object in trouble did not take. */
	as(caller: Pick<Client, "key">): Client;
	open(): Promise<void>;
	evict(): Promise<void>;
	/** From now on everything lives. */
	endFaults(): void;
	/** Waits for the attempts that objects have begun. */
	settleSenders(): Promise<void>;
	count(kind: FaultKind, times?: number): void;
}

const RECEIVER = "https://receiver.example.com/";
const UNLIMITED = { limit: () => Promise.resolve({ success: true }) };
/** One task in so many is judged by its poster's own service. */
const OUTSIDE_SHARE = 4;
const POSTERS = 3;
const AGENTS = 12;
const MAX_SUBMISSIONS = 25;
/** Requests take fewer steps than this. */
const REQUEST_STEPS = 24;
/** Attempts at deliveries take fewer steps than this. */
const SENDER_STEPS = 12;
/** The object of a task dies at one of so many steps of its life. */
const TASK_STEPS = 60;
const MAX_TRIES = 5;
/** One call of an object in so many is lost on its way, or its response is. */
const CALLS_PER_LOSS = 60;

export async function buildStage(seed: number): Promise<Stage> {
	const random = seeded(seed);
	// Webhooks get what happens after they were created, and their platform is ahead.
	const clock = manualClock(Date.now() + 2 * HELD_AHEAD_MS);
	const state = {
		faults: new Map<FaultKind, number>(),
		tasks: [] as PostedTask[],
		closed: [] as PostedTask[],
		messages: [] as TaskMessage[],
		isQuiet: false,
		acknowledged: new Map<string, Work>(),
		unanswered: [] as Unanswered[],
		uploads: [] as (Work & { id: string; url: string })[],
		registered: new Map<string, Work>(),
		readings: new Map<string, { revision: number; text: string }>(),
		received: new Map<string, Set<string>>(),
		watchers: new Map<string, RestlessWatcher>(),
	};
	const count = (kind: FaultKind, times = 1) => {
		state.faults.set(kind, (state.faults.get(kind) ?? 0) + times);
	};
	const senders = holdSenders(clock, ({ die }) => {
		const living = openDeps();
		sending.push(living);
		if (state.isQuiet) return living;
		const isAfter = random(2) === 1;
		return mortal(living, { atStep: random(SENDER_STEPS), isAfter }, () => {
			die();
			count(isAfter ? "died after a step" : "died before a step");
		});
	});
	const sending: TestDeps[] = [];
	const openDeps = (): TestDeps => openQuietDeps({ clock, random, state, hubs: { ...objects.hubs, ...senders.hubs } });
	const objects = holdTasks({
		clock,
		openDeps: () => openQuietDeps({ clock, random, state, hubs: { ...testDeps().hubs, ...senders.hubs } }),
		openFate() {
			const [atStep, isAfter] = [random(TASK_STEPS), random(2) === 1];
			let steps = 0;
			return () => {
				steps += 1;
				if (state.isQuiet || steps !== atStep) return "lives";
				count(isAfter ? "died after a step" : "died before a step");
				return isAfter ? "dies after" : "dies before";
			};
		},
		loses(way) {
			const isLost = !state.isQuiet && random(2 * CALLS_PER_LOSS) === 0;
			if (isLost) count(`${way} of an object lost`);
			return isLost;
		},
	});
	const risk: Stage["risk"] = async (work, steps) => {
		const living = openDeps();
		const isAfter = random(2) === 1;
		const dying = mortal(living, { atStep: random(steps), isAfter });
		const isDone = await work(dying).then(
			() => true,
			() => false,
		);
		await living.settled().catch(() => {});
		await objects.settled();
		if (dying.hasDied()) count(isAfter ? "died after a step" : "died before a step");
		return isDone;
	};
	const [posters, agents] = await Promise.all([registerMany(POSTERS), registerMany(AGENTS)]);
	for (const [index, agent] of [...posters, ...agents].entries()) await subscribe(agent, `${RECEIVER}${index}`, { events: WEBHOOK_EVENTS });
	const as = ({ key }: Pick<Client, "key">): Client =>
		createClient({
			key,
			async fetch(sent) {
				for (let tries = 1; ; tries += 1) {
					const deps = openDeps();
					const response = await createApp(() => deps).fetch(sent.clone());
					await deps.settled();
					await objects.settled();
					if (response.status !== 503 || tries === MAX_TRIES) return response;
				}
			},
		});
	return {
		...state,
		objects,
		senders,
		endFaults() {
			state.isQuiet = true;
		},
		async settleSenders() {
			while (sending.length > 0) await sending.pop()?.settled();
		},
		random,
		clock,
		posters,
		agents,
		openDeps,
		risk,
		count,
		async send({ key }, request) {
			let response: Response | null = null;
			const isDone = await risk(async (deps) => {
				const app = createApp(() => deps);
				response = await request(createClient({ key, fetch: (sent) => app.fetch(sent) }));
			}, REQUEST_STEPS);
			return isDone ? response : null;
		},
		as,
		async open() {
			const poster = pick(random, posters);
			const { id, eval_callback_token } = await createDraft(as(poster), {
				max_submissions_per_agent: MAX_SUBMISSIONS,
				deadline: new Date(clock.now() + 60 * DAY_MS).toISOString(),
				...(random(OUTSIDE_SHARE) === 0 ? { eval_callback_url: CALLBACK_URL } : {}),
			});
			const published = await as(poster).send(publishTask, { params: { id } });
			// Its response may have been lost.
			if (published.status !== 200 && published.status !== 409) throw new Error(`${id} was not published: ${published.status}`);
			state.tasks.push({ id, poster, token: eval_callback_token ?? null });
			state.watchers.set(id, await watchRestlessly(poster, streamLeaderboard, { id }));
		},
		async evict() {
			count("object evicted", objects.kill() + (await evictAll(env.TOPIC_RELAY)));
		},
	};
}

export function pick<Item>(random: Random, items: readonly Item[]): Item {
	const item = items[random(items.length)];
	if (item === undefined) throw new Error("There is nothing to pick from.");
	return item;
}

const registerMany = (many: number) => Promise.all(Array.from({ length: many }, () => registerAgent()));

/** The offline judge as if it asked a model, so that there is usage to record. */
const PAID_JUDGE: Judge = {
	...offlineJudge,
	judgeCriterion(request, watch) {
		watch?.onCall?.({ model: "model-a", inputTokens: 100, outputTokens: 10, costMicroUsd: 1 });
		return offlineJudge.judgeCriterion(request, watch);
	},
};

interface Parts {
	readonly clock: ManualClock;
	readonly random: Random;
	readonly state: Pick<Stage, "messages" | "received">;
	readonly hubs: Deps["hubs"];
}

/** Returns the real database, bucket and objects; queues and receivers in the test's hands; no limits, because they are not what is tested. */
function openQuietDeps({ clock, random, state, hubs }: Parts): TestDeps {
	const tasks = {
		async send(message: TaskMessage) {
			state.messages.push(message);
		},
		async sendBatch(messages: readonly { readonly body: TaskMessage }[]) {
			state.messages.push(...messages.map(({ body }) => body));
		},
	};
	return testDeps({
		clock,
		judge: PAID_JUDGE,
		random: () => random(1000) / 1000,
		limits: { submission: UNLIMITED, mutation: UNLIMITED, general: UNLIMITED, session: UNLIMITED, shared: UNLIMITED },
		queues: { ...testDeps().queues, tasks, checks: tasks },
		hubs,
		log: { info: () => {}, error: () => {} },
		async fetch(url, init) {
			const delivery = `${url} ${new Headers(init.headers).get("webhook-id")}`;
			state.received.set(delivery, (state.received.get(delivery) ?? new Set()).add(String(init.body)));
			return new Response();
		},
	});
}
