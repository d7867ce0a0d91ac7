import type { GrantsPort } from "./grants.ts";
import type { TaskVerb } from "./task.ts";
import type { Subscription, Topic, TopicEntry } from "./topics.ts";
import type { WatchPort } from "./watch.ts";
import type { WebhookSenderPort } from "./webhook-sender.ts";
import type { WorkspacePort } from "./workspace.ts";

/** Why a host gets a request: the first attempt at a delivery, a retry, or (`asked`) a request that it may get without having agreed. */
export type HostVisit = "first" | "again" | "asked";

/**
 * `entered`: a place is taken. `unasked`: a place is taken, and the host has never answered a challenge. `full`: all places are in use.
 * `spent`: the host has received today's maximum for hosts that have never answered a challenge.
 */
export type HostEntry = "entered" | "unasked" | "full" | "spent";

/** The Worker calls Durable Objects through this interface. */
export interface Hubs {
	/** Calls the object that sends a webhook's deliveries. */
	callSender<T>(webhookId: string, call: (sender: WebhookSenderPort) => Promise<T>): Promise<T>;
	/** Takes one of the places for simultaneous requests to a host. `holder` identifies the request, for {@link leaveHost}. */
	enterHost(host: string, holder: string, visit: HostVisit): Promise<HostEntry>;
	leaveHost(host: string, holder: string): Promise<void>;
	/** Records that the host answered a challenge. From then on, the number of its deliveries per day is not limited. */
	noteAgreement(host: string): Promise<void>;
	/**
	 * Subscribes a relay to all future changes of a topic. Returns the number of the topic's current state, or null if the topic does not
	 * exist.
	 */
	joinTopic(subscription: Subscription): Promise<number | null>;
	/** Passes entries to a relay's watchers. Returns the number of watchers. */
	deliverToRelay(relay: string, entries: readonly TopicEntry[]): Promise<number>;
	/** Adds a published task to the log of new bounties. A second call does no harm. */
	addBounty(bounty: { readonly taskId: string; readonly data: string | null }): Promise<void>;
	/** Changes what the log of new bounties replays for a task. `data` is null for a hidden task. */
	changeBounty(bounty: { readonly taskId: string; readonly data: string | null }): Promise<void>;
	/** Reads the bounties whose numbers are larger than `after`, and the latest number. If `after` is null, reads no bounties. */
	readBounties(after: number | null): Promise<{ readonly head: number; readonly entries: readonly TopicEntry[] }>;
	/**
	 * Opens a socket to a topic's relay. The caller accepts the socket.
	 *
	 * @throws AppError `NOT_FOUND` if there is nothing to watch.
	 */
	watchTopic(watcher: Watcher): Promise<WebSocket>;
	/** Calls the grader in the container of a run. The first POST starts the container, and DELETE ends it. */
	callGrader(runId: string, url: string, init: RequestInit): Promise<Response>;
	/**
	 * Runs a verb in a task's object. {@link Hubs.use} counts the call.
	 *
	 * @param now Milliseconds since the epoch.
	 * @param requestId The request behind the call, if it can lead to an evaluation.
	 * @throws AppError the verb's error, and `NOT_FOUND` if there is no such task.
	 */
	callTask<Input, Output>(
		taskId: string,
		verb: TaskVerb<Input, Output>,
		call: { readonly input: Input; readonly now: number; readonly requestId?: string },
	): Promise<Output>;
	/** Finds the bookmark of a Task object's state at a time, in milliseconds since the epoch. Returns null if no history is kept. */
	findTaskBookmark(taskId: string, at: number): Promise<string | null>;
	/** Returns a Task object to its state at a bookmark, and restarts it. */
	restoreTask(taskId: string, bookmark: string): Promise<void>;
	/** Calls the workspace of an agent. {@link Hubs.use} counts the call. */
	callWorkspace<T>(agentId: string, call: (workspace: WorkspacePort) => Promise<T>): Promise<T>;
	/** Calls the object of a grant's holder or of a device request. {@link Hubs.use} counts the call. */
	callGrants<T>(name: string, call: (grants: GrantsPort) => Promise<T>): Promise<T>;
	/** Calls the single object that knows which suppliers of models are skipped, and of what operators have been notified. */
	callWatch<T>(call: (watch: WatchPort) => Promise<T>): Promise<T>;
	/** Counts the calls to objects that a request waits for. */
	readonly use: Readonly<{ calls: number }>;
}

/** A client that wants to follow a topic. */
export interface Watcher {
	readonly topic: Topic;
	/** The client's continent. */
	readonly region: string;
	/** A number from 0 to 1 that spreads watchers over relays. */
	readonly random: number;
}
