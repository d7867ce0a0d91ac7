// Opens a watcher's socket to a topic, so that objects need not know about clients, and streams need not know about sockets.
import type * as z from "zod";
import type { Deps } from "../../../ports/deps.ts";
import { type Topic, type TopicEntry, topicMessage } from "../../../ports/topics.ts";

export interface Watch {
	/** Calls `onEntry` once for each entry that has arrived and each later one, in order, and `onClose` after the last one. */
	start(listener: { onEntry(entry: TopicEntry): void; onClose(): void }): void;
	stop(): void;
}

let lastMessage: { readonly text: string; readonly message: z.infer<typeof topicMessage> } | null = null;

/** All watchers in an isolate get the same text, one after another, so it is parsed only once. */
function parseTopicMessage(text: string): z.infer<typeof topicMessage> {
	if (lastMessage?.text !== text) lastMessage = { text, message: topicMessage.parse(JSON.parse(text)) };
	return lastMessage.message;
}

/**
 * Reads a topic's state and then watches the topic, so that no change is missed. Each change is part of the state that was read, or arrives
 * as an entry, or both. Reads a second time if the state changed between the first read and the start of the watch.
 *
 * @param numberOf Returns the number of the state that was read, or null if no change can follow.
 * @returns A null watch if no change can follow.
 * @throws What `read` throws, before anything is stored for the topic.
 */
export async function readAndWatch<Reading>(
	deps: Deps,
	{
		topic,
		request,
		read,
		numberOf,
	}: { topic: Topic; request: Request; read: () => Promise<Reading>; numberOf: (reading: Reading) => number | null },
): Promise<{ reading: Reading; watch: Watch | null }> {
	const reading = await read();
	const from = numberOf(reading);
	if (from === null) return { reading, watch: null };
	const { seq, ...watch } = await openWatch(deps, topic, request);
	if (seq === from) return { reading, watch };
	try {
		return { reading: await read(), watch };
	} catch (error) {
		watch.stop();
		throw error;
	}
}

/** Opens a socket to a relay of the topic. Keeps entries that arrive before {@link Watch.start}. */
async function openWatch(deps: Deps, topic: Topic, request: Request): Promise<Watch & { seq: number }> {
	const region = typeof request.cf?.["continent"] === "string" ? request.cf["continent"] : "local";
	const socket = await deps.hubs.watchTopic({ topic, region, random: deps.random() });
	const waiting: TopicEntry[] = [];
	let listener: Parameters<Watch["start"]>[0] | null = null;
	let isClosed = false;
	let lastSeq = 0;
	const pass = (entry: TopicEntry) => {
		if (entry.seq <= lastSeq) return;
		lastSeq = entry.seq;
		listener?.onEntry(entry);
	};
	const close = () => {
		if (isClosed) return;
		isClosed = true;
		listener?.onClose();
	};
	const { seq } = await new Promise<{ seq: number }>((resolve, reject) => {
		socket.addEventListener("message", ({ data }) => {
			const message = parseTopicMessage(String(data));
			if ("hello" in message) return resolve(message.hello);
			if (listener === null) waiting.push(...message.entries);
			else message.entries.forEach(pass);
		});
		const fail = () => {
			close();
			reject(new Error("The relay closed the socket before sending its first message."));
		};
		socket.addEventListener("close", fail);
		socket.addEventListener("error", fail);
		socket.accept();
	});
	return {
		seq,
		start(started) {
			listener = started;
			for (const entry of waiting.splice(0)) pass(entry);
			if (isClosed) started.onClose();
		},
		stop() {
			listener = null;
			socket.close(1000);
		},
	};
}
