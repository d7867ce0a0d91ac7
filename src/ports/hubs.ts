import type { GrantsPort } from "./grants.ts";
import type { TaskVerb } from "./task.ts";
import type { Subscription, Topic, TopicEntry } from "./topics.ts";
import type { WatchPort } from "./watch.ts";
import type { WebhookSenderPort } from "./webhook-sender.ts";
import type { WorkspacePort } from "./workspace.ts";

/** The first attempt at a delivery, another one, or a request that does not need the host's agreement, such as a test. */
export type HostVisit = "first" | "again" | "asked";

/**
 * `unasked` takes a place at a host that has not answered a challenge. `full` and `spent` take none: others have all of them, or the host has
 * got as many deliveries today as one that never agreed gets.
 */
export type HostEntry = "entered" | "unasked" | "full" | "spent";

/** The Worker calls Durable Objects through these. */
export interface Hubs {
	/** Calls the object that has the deliveries of a webhook. */
	callSender<T>(webhookId: string, call: (sender: WebhookSenderPort) => Promise<T>): Promise<T>;
	/** Takes a place among the requests that may be under way to a host. */
	enterHost(host: string, holder: string, visit: HostVisit): Promise<HostEntry>;
	leaveHost(host: string, holder: string): Promise<void>;
	/** The host has answered a challenge, so it gets all deliveries from now on. */
	noteAgreement(host: string): Promise<void>;
	/** Subscribes a relay to every change of a topic from now on. Returns the number of the topic's state, or null if there is nothing to watch. */
	joinTopic(subscription: Subscription): Promise<number | null>;
	/** Passes entries to a relay's watchers. Returns the number of watchers. */
	deliverToRelay(relay: string, entries: readonly TopicEntry[]): Promise<number>;
	/** Adds a published task to the log of new bounties, once. */
	addBounty(bounty: { readonly taskId: string; readonly data: string | null }): Promise<void>;
	/** Changes what that log replays of a task. `data` is null for a hidden task. */
	changeBounty(bounty: { readonly taskId: string; readonly data: string | null }): Promise<void>;
	/** Reads the bounties after a number, and the number of the last one of all. Null reads no bounties. */
	readBounties(after: number | null): Promise<{ readonly head: number; readonly entries: readonly TopicEntry[] }>;
	/** Opens a socket to a relay of a topic, which the caller accepts. @throws AppError `NOT_FOUND` if there is nothing to watch. */
	watchTopic(watcher: Watcher): Promise<WebSocket>;
	/** Calls the grader in this run's container. The container boots with the first POST and ends with DELETE. */
	callGrader(runId: string, url: string, init: RequestInit): Promise<Response>;
	/**
	 * Runs a verb in the object of a task. {@link Hubs.use} counts the call.
	 *
	 * @param now Milliseconds since the epoch.
	 * @param requestId The request that it is called for, if it can lead to an evaluation.
	 * @throws AppError the verb's error, and `NOT_FOUND` if there is no such task.
	 */
	callTask<Input, Output>(
		taskId: string,
		verb: TaskVerb<Input, Output>,
		call: { readonly input: Input; readonly now: number; readonly requestId?: string },
	): Promise<Output>;
	/** Finds the bookmark of a task's object at a time, in milliseconds since the epoch. Returns null where no history is kept. */
	findTaskBookmark(taskId: string, at: number): Promise<string | null>;
	/** Puts the object of a task back to a bookmark, and starts it again. */
	restoreTask(taskId: string, bookmark: string): Promise<void>;
	/** Calls the workspace of an agent. {@link Hubs.use} counts the call. */
	callWorkspace<T>(agentId: string, call: (workspace: WorkspacePort) => Promise<T>): Promise<T>;
	/** Calls the object of a holder's grants or of a device's request. {@link Hubs.use} counts the call. */
	callGrants<T>(name: string, call: (grants: GrantsPort) => Promise<T>): Promise<T>;
	/** Calls the one object that knows which suppliers of models are not called, and what operators have been told. */
	callWatch<T>(call: (watch: WatchPort) => Promise<T>): Promise<T>;
	/** Counts the calls to objects that the request waits for. */
	readonly use: Readonly<{ calls: number }>;
}

/** A watcher is a client that wants to follow a topic. */
export interface Watcher {
	readonly topic: Topic;
	/** The region is the client's continent. */
	readonly region: string;
	/** A number from 0 to 1 spreads watchers over relays. */
	readonly random: number;
}
