import * as z from "zod";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { headEventStream, openEventStream } from "../../../http/sse.ts";
import { EVENT_STREAM } from "../../../http/stream-places.ts";
import type { InboxEntry } from "../../../ports/inbox.ts";
import { REPLAY_LIMIT, type TopicEntry } from "../../../ports/topics.ts";
import { watchCredential } from "../streams/credential-check.ts";
import { resumeHeaders, streamOf } from "../streams/event-stream.ts";
import { describeFault } from "../streams/state-stream.ts";
import { snapshotOf } from "../streams/topics.ts";
import { readAndWatch } from "../streams/watch.ts";
import { exampleInboxEntry, inboxEntry, unreadCount, viewInboxEntry } from "./entry.ts";
import { reportReader } from "./list-inbox.ts";

const connected = z
	.object({ unread: unreadCount })
	.meta({ id: "InboxConnectedEvent", description: "The first event of an inbox's stream." });

export const streamInbox = endpoint({
	method: "get",
	path: "/api/v1/inbox/stream",
	operationId: "streamInbox",
	summary: "Follow your inbox",
	description: `First \`connected\` with the number of unread entries, then \`inbox\` for each new entry, and \`error\` when it breaks off. The id of an event is the entry's. Ends after some 270 seconds; reconnect with Last-Event-ID to miss nothing.

With \`Last-Event-ID\` the stream continues after that entry without \`connected\`, if it is among the last ${REPLAY_LIMIT}. After an unknown id it starts from now.`,
	tags: ["Inbox"],
	auth: "key",
	rate: "general",
	headers: resumeHeaders,
	response: {
		status: 200,
		description: "An event stream.",
		contentType: EVENT_STREAM,
		schema: z.string(),
		textSchemas: { [EVENT_STREAM]: streamOf("InboxStreamEvent", { connected, inbox: inboxEntry }) },
	},
	errors: [],
	page: "guides/inbox",
	examples: {
		headers: { "last-event-id": ID.event },
		texts: { [EVENT_STREAM]: { event: "inbox", id: ID.event, data: JSON.stringify(exampleInboxEntry) } },
	},

	// The stream shows a list of things, so a client that comes back gets all that it has missed.
	async handle(ctx, { headers, request }) {
		if (request.method === "HEAD") return headEventStream();
		const { agentId } = ctx.actor;
		const afterId = headers["last-event-id"] ?? null;
		const { reading, watch } = await readAndWatch(ctx, {
			topic: { kind: "inbox", id: agentId },
			request,
			read: async () => {
				const found = await ctx.hubs.callWorkspace(agentId, (workspace) => workspace.readInboxAfter(afterId));
				if (found.isReportDue) await reportReader(ctx);
				return found;
			},
			numberOf: ({ head }) => head,
		});
		const onEnd = () => {
			stopChecks();
			watch?.stop();
		};
		const { response, sink } = openEventStream({ clock: ctx.clock, random: ctx.random(), request, onEnd });
		const { head, headId, unread, entries } = reading;
		let lastId = entries === null ? headId : (afterId ?? headId);
		const stopChecks = watchCredential(ctx, request, (error) => {
			// The event has the id of the last entry, so that a client with another key continues there.
			sink.send({ event: "error", id: lastId, json: JSON.stringify(describeFault(ctx, error)) });
			sink.end();
		});
		const sendEntry = (entry: InboxEntry) => {
			lastId = entry.id;
			sink.send({ event: "inbox", id: entry.id, json: JSON.stringify(viewInboxEntry(ctx, entry)) });
		};
		const onEntry = (entry: TopicEntry) => {
			if (entry.seq > head && entry.data !== null) sendEntry(snapshotOf<InboxEntry>(entry, entry.data));
		};
		if (entries === null) sink.send({ event: "connected", id: headId, json: JSON.stringify({ unread }) });
		else entries.forEach(sendEntry);
		watch?.start({ onEntry, onClose: () => sink.end() });
		return response;
	},
});
