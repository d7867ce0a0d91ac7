// Calls Durable Objects from the Worker.

import { watchTask } from "../core/events/streams/topics.ts";
import { AppError, type AppErrorFacts, isErrorCode } from "../domain/errors.ts";
import { systemClock } from "../platform/clock.ts";
import { createIds } from "../platform/ids.ts";
import type { Load } from "../platform/load.ts";
import type { Hubs, Watcher } from "../ports/hubs.ts";
import { RESTARTING, type TaskCall, type TaskReply } from "../ports/task.ts";
import { parseTopicName, relayName, type Subscription, topicName } from "../ports/topics.ts";
import { callObject } from "./object-of.ts";
import { otherVersion } from "./other-version.ts";

/** A call that is repeated after a lost response keeps its id, so that the object recognizes it. */
const callIds = createIds();

/** @param shedding If null, calls are sent to an object even if it was overloaded a moment ago. */
export function createHubs(env: Env, shedding: { readonly load: Load; readonly isReader: boolean } | null = null): Hubs {
	const use = { calls: 0 };
	return {
		use,
		callWatch: (call) => callObject(env, { namespace: env.WATCH, name: "watch" }, call),
		callSender: (webhookId, call) => callObject(env, { namespace: env.WEBHOOK_SENDER, name: webhookId }, call),
		enterHost: (host, holder, visit) =>
			callObject(env, { namespace: env.TARGET_HOST, name: host }, (object) => object.admit(holder, visit)),
		leaveHost: (host, holder) => callObject(env, { namespace: env.TARGET_HOST, name: host }, (object) => object.leave(holder)),
		noteAgreement: (host) => callObject(env, { namespace: env.TARGET_HOST, name: host }, (object) => object.agree()),
		joinTopic: (subscription) => joinTopic(env, subscription),
		deliverToRelay: (name, entries) => callObject(env, { namespace: env.TOPIC_RELAY, name }, (relay) => relay.deliver(entries)),
		addBounty: (bounty) => callBounties(env, (log) => log.add(bounty)),
		changeBounty: (bounty) => callBounties(env, (log) => log.change(bounty)),
		readBounties: (after) => callBounties(env, (log) => log.read(after)),
		watchTopic: (watcher) => openRelaySocket(env, watcher),
		callGrader: (runId, url, init) => callObject(env, { namespace: env.GRADER, name: runId }, (grader) => grader.fetch(url, init)),
		callTask: async (taskId, verb, { input, now, requestId }) => {
			use.calls += 1;
			if (shedding?.isReader === true && shedding.load.isOverloaded(taskId)) throw overloaded();
			try {
				return unwrap(await callTask(env, { id: callIds.next(), taskId, verb: verb.calledAs, input, now, requestId }));
			} catch (error) {
				if (isOverloaded(error)) shedding?.load.noteOverload(taskId);
				throw error;
			}
		},
		findTaskBookmark: (taskId, at) => callObject(env, { namespace: env.TASK, name: taskId }, (task) => task.findBookmark(at)),
		restoreTask: (taskId, bookmark) => restoreTask(env, taskId, bookmark),
		callGrants: (name, call) => {
			use.calls += 1;
			return callObject(env, { namespace: env.GRANTS, name }, call);
		},
		callWorkspace: (agentId, call) => {
			use.calls += 1;
			return callObject(env, { namespace: env.WORKSPACE, name: agentId }, call);
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

/** Opens a socket to the first relay near the client that has room. */
async function openRelaySocket(env: Env, { topic, region, random }: Watcher): Promise<WebSocket> {
	const locationHint = REGION_HINTS[region];
	for (let attempt = 0; attempt < MAX_RELAY_ATTEMPTS; attempt += 1) {
		const relay = relayName({ topic, region, attempt, random });
		const query = new URLSearchParams({ topic: topicName(topic), relay });
		const name = locationHint === undefined ? relay : { name: relay, locationHint };
		const response = await callObject(env, { namespace: env.TOPIC_RELAY, name }, (object) =>
			object.fetch(`https://relay/?${query}`, { headers: { Upgrade: "websocket" } }),
		);
		if (response.webSocket !== null) return response.webSocket;
		if (response.status === 404) throw nothingFound();
		if (response.headers.has("Retry-After")) throw otherVersion();
		if (response.status !== 503) throw new Error(`Relay ${relay} returned ${response.status}.`);
	}
	throw new Error(`Every relay of ${topicName(topic)} is full.`);
}

/** Calls the object once more if it was restarting. If the first call took effect, the object recognizes the second one by its id. */
async function callTask(env: Env, call: TaskCall): Promise<TaskReply> {
	const callOnce = () => callObject(env, { namespace: env.TASK, name: call.taskId }, (task) => task.call(call));
	try {
		return await callOnce();
	} catch (error) {
		const isRestarting = error instanceof Error && "retryable" in error && error.retryable === true;
		if (!isRestarting || isOverloaded(error)) throw error;
		return await callOnce();
	}
}

/** Returns true if the object rejected a call because it is overloaded. Repeating the call would add to its load. */
function isOverloaded(error: unknown): boolean {
	return error instanceof Error && "overloaded" in error && error.overloaded === true;
}

function overloaded(): Error {
	return Object.assign(new Error("The Task object was overloaded a moment ago, so this read was not sent to it."), { overloaded: true });
}

/**
 * Tells a Task object to restore a bookmark when it restarts, and then restarts it with a call that always fails. The failure breaks that
 * call's stub, so each of the two calls has its own.
 */
async function restoreTask(env: Env, taskId: string, bookmark: string): Promise<void> {
	await callObject(env, { namespace: env.TASK, name: taskId }, (task) => task.restoreAtRestart(bookmark));
	try {
		await callObject(env, { namespace: env.TASK, name: taskId }, (task) => task.restart());
	} catch (error) {
		if (!(error instanceof Error && error.message.includes(RESTARTING))) throw error;
	}
}

/** Returns a verb's output, or throws its error. The cast is safe, because a verb with another meaning has another number. */
function unwrap<Output>(reply: TaskReply): Output {
	if (reply.kind === "value") return reply.value as Output;
	if (reply.kind === "missing") throw nothingFound();
	const { code, facts } = reply.refusal;
	throw isErrorCode(code) ? new AppError(code, facts as AppErrorFacts) : otherVersion();
}

function nothingFound(): AppError {
	return new AppError("NOT_FOUND", { message: "There is no such task. GET /api/v1/tasks lists the open ones." });
}

/** Calls the deployment's log of new bounties. */
function callBounties<Result>(env: Env, call: (log: ReturnType<Env["BOUNTIES"]["getByName"]>) => Promise<Result>): Promise<Result> {
	return callObject(env, { namespace: env.BOUNTIES, name: "bounties" }, call);
}

/** Returns the id of the task that a topic with this id is about. */
function taskIdOf(topicId: string): string {
	return topicId.split("/")[0] ?? "";
}

async function joinTopic(env: Env, subscription: Subscription): Promise<number | null> {
	const { kind, id } = parseTopicName(subscription.topic);
	if (kind === "bounties") return callBounties(env, (log) => log.subscribe(subscription));
	if (kind === "inbox") return callObject(env, { namespace: env.WORKSPACE, name: id }, (workspace) => workspace.watchInbox(subscription));
	const call = { id: callIds.next(), taskId: taskIdOf(id), verb: watchTask.calledAs, input: subscription, now: systemClock.now() };
	const reply = await callTask(env, call);
	return reply.kind === "missing" ? null : unwrap<number | null>(reply);
}
