// Provides a platform on which every process may die at any step, with tasks, competitors, a receiver of webhooks, and all that was
// acknowledged.
import { env } from "cloudflare:workers";
import { offlineJudge } from "../../src/core/judging/engine/offline.ts";
import { WEBHOOK_EVENTS } from "../../src/domain/events.ts";
import { DAY_MS } from "../../src/platform/clock.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { Judge } from "../../src/ports/judge.ts";
import type { TaskMessage } from "../../src/ports/queues.ts";
import { createApp } from "../support/app.ts";
import { type Client, createClient } from "../support/client.ts";
import { type TestDeps, testDeps } from "../support/deps.ts";
import { evictAll, type Random, seeded } from "../support/disasters.ts";
import { CALLBACK_URL } from "../support/external-judging.ts";
import { type HeldTasks, holdTasks } from "../support/held-tasks.ts";
import { type ManualClock, manualClock } from "../support/manual-clock.ts";
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
	/** The external judge scores with this. It is null for a task that the platform judges. */
	readonly token: string | null;
}

/** This request got no response, so its client repeats it with the same key. */
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
	/** The queue contains these messages. */
	readonly messages: TaskMessage[];
	/** The objects of tasks and of webhooks may die at each of their steps until {@link Stage.endFaults}. */
	readonly objects: HeldTasks;
	readonly senders: HeldSenders;
	/** The platform has acknowledged these submissions, by id. */
	readonly acknowledged: Map<string, Work>;
	readonly unanswered: Unanswered[];
	/** These registered submissions have not been uploaded or completed yet. */
	readonly uploads: (Work & { readonly id: string; readonly url: string })[];
	/** These submissions were registered, and may have any outcome. */
	readonly registered: Map<string, Work>;
	/** A reader got this of a submission that belongs to a closed task, with the revision that it had. */
	readonly readings: Map<string, { readonly revision: number; readonly text: string }>;
	/** The receiver of webhooks has got these bodies, by webhook and event. */
	readonly received: Map<string, Set<string>>;
	readonly watchers: Map<string, RestlessWatcher>;
	/** Returns dependencies that never die. */
	openDeps(): TestDeps;
	/** Runs work with dependencies that die at a random step, and returns whether the work ended. */
	risk(work: (deps: Deps) => Promise<unknown>, steps: number): Promise<boolean>;
	/** Sends a request as the caller. The request may die, and the response is then null. */
	send(caller: Pick<Client, "key">, request: (client: Client) => Promise<Response>): Promise<Response | null>;
	/** Returns the caller on this platform, whose requests never die. It repeats those that an overloaded object refused. */
	as(caller: Pick<Client, "key">): Client;
	open(): Promise<void>;
	evict(): Promise<void>;
	/** Nothing dies from now on. */
	endFaults(): void;
	/** Waits for the attempts that objects have begun. */
	settleSenders(): Promise<void>;
	count(kind: FaultKind, times?: number): void;
}

const RECEIVER = "https://receiver.example.com/";
const UNLIMITED = { limit: () => Promise.resolve({ success: true }) };
/** One task in this many has an external judge. */
const OUTSIDE_SHARE = 4;
const POSTERS = 3;
const AGENTS = 12;
const MAX_SUBMISSIONS = 25;
/** Requests take fewer steps than this. */
const REQUEST_STEPS = 24;
/** Attempts at deliveries take fewer steps than this. */
const SENDER_STEPS = 12;
/** The object of a task dies at one of this many steps of its life. */
const TASK_STEPS = 60;
const MAX_TRIES = 5;
/** One call to an object in this many is lost on its way, or its response is. */
const CALLS_PER_LOSS = 60;

export async function buildStage(seed: number): Promise<Stage> {
	const random = seeded(seed);
	// Webhooks get only events from after their creation, and their platform's clock is ahead.
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
			const published = await as(poster).send("publishTask", { params: { id } });
			// Its response may have been lost.
			if (published.status !== 200 && published.status !== 409) throw new Error(`${id} was not published: ${published.status}`);
			state.tasks.push({ id, poster, token: eval_callback_token ?? null });
			state.watchers.set(id, await watchRestlessly(poster, "streamLeaderboard", { id }));
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

/** This is the offline judge, with usage to record as if it called a model. */
const PAID_JUDGE: Judge = {
	...offlineJudge,
	evaluate(request, attempt) {
		attempt.onCall({ model: "model-a", inputTokens: 100, outputTokens: 10, costMicroUsd: 1 });
		return offlineJudge.evaluate(request, attempt);
	},
};

interface Parts {
	readonly clock: ManualClock;
	readonly random: Random;
	readonly state: Pick<Stage, "messages" | "received">;
	readonly hubs: Deps["hubs"];
}

/**
 * Returns the real database, bucket and objects. The test controls queues and receivers, and there are no limits, because they are not
 * tested here.
 */
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
		limits: {
			submission: UNLIMITED,
			mutation: UNLIMITED,
			search: UNLIMITED,
			general: UNLIMITED,
			session: UNLIMITED,
			shared: UNLIMITED,
			opening: UNLIMITED,
			registering: UNLIMITED,
			redeeming: UNLIMITED,
			everything: UNLIMITED,
		},
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
