// Calls to Durable Objects.
import { topicName } from "../domain/topics.ts";
import { type ExportPart, NEXT_PART, type WrittenPart } from "../ports/exports.ts";
import type { Hubs, Watcher } from "../ports/hubs.ts";
import { CENSUS_NAME, relayName } from "../ports/topics.ts";

export function createHubs(env: Env): Hubs {
	const use = { calls: 0 };
	return {
		use,
		scheduleDeadline: (taskId, deadline) => env.TASK_DEADLINE.getByName(taskId).schedule(taskId, deadline),
		sendDelivery: ({ webhookId, deliveryId }) => env.WEBHOOK_SENDER.getByName(webhookId).send(deliveryId),
		publishTopic: (topic) => env.TOPIC.getByName(topicName(topic)).publish(topic),
		eraseTopic: (topic) => env.TOPIC.getByName(topicName(topic)).erase(topic),
		readTopicMark: (topic) => env.TOPIC.getByName(topicName(topic)).mark(),
		watchTopic: (watcher) => openRelaySocket(env, watcher),
		countWatchers: async () => env.CENSUS.getByName(CENSUS_NAME).count(),
		callGrader: (runId, url, init) => env.GRADER.getByName(runId).fetch(url, init),
		writeExportPart: (part) => writeExportPart(env, part),
		callWorkspace: (agentId, call) => {
			use.calls += 1;
			return call(env.WORKSPACE.getByName(agentId));
		},
	};
}

/** A new object for each part: it keeps nothing, and parts in one object would share its connections. */
async function writeExportPart(env: Env, part: ExportPart): Promise<WrittenPart> {
	const response = await env.EXPORTER.get(env.EXPORTER.newUniqueId()).write(part);
	if (response.body === null) throw new Error("A part of an export has no body.");
	return { lines: response.body, next: response.headers.get(NEXT_PART) };
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
async function openRelaySocket(env: Env, { topic, region, from, random }: Watcher): Promise<WebSocket> {
	const locationHint = REGION_HINTS[region];
	for (let attempt = 0; attempt < MAX_RELAY_ATTEMPTS; attempt += 1) {
		const relay = relayName({ topic, region, attempt, random });
		const query = new URLSearchParams({ topic: topicName(topic), relay, from: String(from) });
		const stub = env.TOPIC_RELAY.getByName(relay, locationHint === undefined ? {} : { locationHint });
		const response = await stub.fetch(`https://relay/?${query}`, { headers: { Upgrade: "websocket" } });
		if (response.webSocket !== null) return response.webSocket;
		if (response.status !== 503) throw new Error(`Relay ${relay} returned ${response.status}.`);
	}
	throw new Error(`Every relay of ${topicName(topic)} is full.`);
}
