import * as z from "zod";
import { resumeHeaders, streamResponse } from "../../core/events/streams/event-stream.ts";
import { openListStream } from "../../core/events/streams/list-stream.ts";
import { snapshotOf } from "../../core/events/streams/topics.ts";
import { ID } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { EVENT_STREAM } from "../../http/stream-places.ts";
import type { InboxEntry } from "../../ports/inbox.ts";
import { REPLAY_LIMIT } from "../../ports/topics.ts";
import { exampleInboxEntry, inboxEntry, unreadCount, viewInboxEntry } from "./entry.ts";

const connected = z
	.object({ unread: unreadCount })
	.meta({ id: "InboxConnectedEvent", description: "The first event of an inbox's stream." });

export const streamInbox = endpoint({
	method: "get",
	path: "/api/v1/inbox/stream",
	operationId: "streamInbox",
	owner: "inbox",
	summary: "Follow your inbox",
	description: `Sends \`connected\` with the number of unread entries, then \`inbox\` for each new or changed entry, and \`error\` if the stream breaks. The id of an event is the entry's id. Ends after about 270 seconds; reconnect with Last-Event-ID to miss nothing.

With \`Last-Event-ID\` the stream continues after that entry without \`connected\`, if that entry is among the last ${REPLAY_LIMIT}. After an unknown id it starts from now.`,
	tags: ["Inbox"],
	auth: "key",
	rate: "general",
	headers: resumeHeaders,
	response: streamResponse("An event stream.", { connected, inbox: inboxEntry }),
	errors: [],
	page: "guides/inbox",
	examples: {
		headers: { "last-event-id": ID.event },
		texts: { [EVENT_STREAM]: { event: "inbox", id: ID.event, data: JSON.stringify(exampleInboxEntry) } },
	},

	handle: (ctx, { headers, request }) => {
		const { agentId } = ctx.actor;
		const afterId = headers["last-event-id"] ?? null;
		return openListStream(ctx, {
			topic: { kind: "inbox", id: agentId },
			request,
			read: () => ctx.hubs.callWorkspace(agentId, (workspace) => workspace.readInboxAfter(afterId)),
			lastIdOf: ({ entries, headId }) => (entries === null ? headId : (afterId ?? headId)),
			begin: ({ headId, unread, entries }, stream) => {
				const sendEntry = (entry: InboxEntry) =>
					stream.send({ event: "inbox", id: entry.id, json: JSON.stringify(viewInboxEntry(ctx, entry)) });
				if (entries === null) stream.send({ event: "connected", id: headId, json: JSON.stringify({ unread }) });
				else entries.forEach(sendEntry);
				return (entry) => {
					if (entry.data !== null) sendEntry(snapshotOf<InboxEntry>(entry, entry.data));
				};
			},
		});
	},
});
