// One watcher's socket to a topic: between the objects, which know no client, and the streams, which know no socket.
import type * as z from "zod";
import type { Topic } from "../../domain/topics.ts";
import type { Deps } from "../../ports/deps.ts";
import { type TopicEntry, type TopicHello, topicMessage } from "../../ports/topics.ts";

export interface Watch {
	readonly hello: TopicHello;
	/** Calls `onEntry` for each entry that came and comes, in order and once each, and `onClose` when no more will come. */
	start(listener: { onEntry(entry: TopicEntry): void; onClose(): void }): void;
	stop(): void;
}

interface WatchRequest {
	readonly topic: Topic;
	readonly request: Request;
	/** The last entry that the client has; null for none. */
	readonly after: number | null;
}

let lastMessage: { readonly text: string; readonly message: z.infer<typeof topicMessage> } | null = null;

/** All watchers of an isolate get the same text, one after another: it is read once. */
function readMessage(text: string): z.infer<typeof topicMessage> {
	if (lastMessage?.text !== text) lastMessage = { text, message: topicMessage.parse(JSON.parse(text)) };
	return lastMessage.message;
}

/** Opens a socket to a relay of the topic. Entries that come before {@link Watch.start} wait for it. */
export async function watchTopic(deps: Deps, { topic, request, after }: WatchRequest): Promise<Watch> {
	const region = typeof request.cf?.["continent"] === "string" ? request.cf["continent"] : "local";
	const socket = await deps.hubs.watchTopic({ topic, region, after, random: deps.random() });
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
	const hello = await new Promise<TopicHello>((resolve, reject) => {
		socket.addEventListener("message", ({ data }) => {
			const message = readMessage(String(data));
			if ("hello" in message) return resolve(message.hello);
			if (listener === null) waiting.push(...message.entries);
			else message.entries.forEach(pass);
		});
		const fail = () => {
			close();
			reject(new Error("The relay closed the socket before its hello."));
		};
		socket.addEventListener("close", fail);
		socket.addEventListener("error", fail);
		socket.accept();
	});
	return {
		hello,
		start(started) {
			listener = started;
			lastSeq = hello.missed === null ? hello.head : (after ?? 0);
			for (const entry of [...(hello.missed ?? []), ...waiting.splice(0)]) pass(entry);
			if (isClosed) started.onClose();
		},
		stop() {
			listener = null;
			socket.close(1000);
		},
	};
}
