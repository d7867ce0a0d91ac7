// Streams that send the entries of a list: new tasks, an inbox. A client that reconnects gets all entries that it missed.
import { type EventSink, headEventStream, openEventStream } from "../../../http/sse.ts";
import type { Ctx } from "../../../ports/deps.ts";
import type { Topic, TopicEntry } from "../../../ports/topics.ts";
import { watchCredential } from "./credential-watch.ts";
import { viewStreamError } from "./state-stream.ts";
import { readAndWatch } from "./watch.ts";

/**
 * Sends what the client has missed, then each new entry of the topic. An error has the id of the last event, so that the client can
 * continue from there with another key.
 *
 * @param lastIdOf Returns the id of the last event that the client already has.
 * @param begin Sends the first events. Returns the function that sends later entries.
 */
export async function openListStream<Reading extends { readonly head: number }>(
	ctx: Ctx,
	{
		topic,
		request,
		read,
		lastIdOf,
		begin,
	}: {
		readonly topic: Topic;
		readonly request: Request;
		readonly read: () => Promise<Reading>;
		readonly lastIdOf: (reading: Reading) => string;
		readonly begin: (reading: Reading, stream: Pick<EventSink, "send" | "advance">) => (entry: TopicEntry) => void;
	},
): Promise<Response> {
	if (request.method === "HEAD") return headEventStream();
	const { reading, watch } = await readAndWatch(ctx, { topic, request, read, numberOf: ({ head }) => head });
	const onEnd = () => {
		stopChecks();
		watch?.stop();
	};
	const { response, sink } = openEventStream({ clock: ctx.clock, random: ctx.random(), request, onEnd });
	let lastId = lastIdOf(reading);
	const stopChecks = watchCredential(ctx, { request, actor: ctx.actor }, (error) => {
		sink.send({ event: "error", id: lastId, json: JSON.stringify(viewStreamError(ctx, error)) });
		sink.end();
	});
	const onEntry = begin(reading, {
		send(event) {
			lastId = event.id;
			sink.send(event);
		},
		advance(event) {
			lastId = event.id;
			sink.advance(event);
		},
	});
	watch?.start({ onEntry: (entry) => (entry.seq > reading.head ? onEntry(entry) : undefined), onClose: () => sink.end() });
	return response;
}
