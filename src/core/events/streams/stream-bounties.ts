import * as z from "zod";
import { AT, TASK } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { category, count, instant, minBudgetCents, repeatable, timestamp } from "../../../http/fields.ts";
import type { SentEvent } from "../../../http/sse.ts";
import { EVENT_STREAM } from "../../../http/stream-places.ts";
import { toIso } from "../../../platform/clock.ts";
import { REPLAY_LIMIT, type TopicEntry } from "../../../ports/topics.ts";
import { taskView } from "../../competition/tasks/task.ts";
import { resumeHeaders, serverTime, streamResponse } from "./event-stream.ts";
import { openListStream } from "./list-stream.ts";
import { type BountyFilters, findIgnored, matchesFilters, parseEntryId } from "./rules.ts";

const connected = z
	.object({
		server_time: serverTime,
		filter: z
			.object({
				category: z.array(z.string()).optional().describe("Only tasks in one of these categories."),
				min_budget_cents: count.optional().describe("Only tasks with at least this budget, in cents."),
				deadline_after: timestamp.optional().describe("Only tasks whose deadline is later than this."),
			})
			.describe("The active filter. Empty if the stream sends every new task."),
		ignored: z.array(z.string()).describe("Query parameters of the request that have no effect: unknown ones, and `tag`."),
	})
	.meta({
		id: "ConnectedEvent",
		description:
			"The stream's first event, unless the stream resumes after your `Last-Event-ID`. Also sent, with a newer id to resume after, when new tasks do not match the filter.",
	});

const bounty = taskView.meta({ id: "BountyEvent", description: "A new task, as `GET /api/v1/tasks` lists it." });

export const streamBounties = endpoint({
	method: "get",
	path: "/api/v1/bounties/stream",
	operationId: "streamBounties",
	summary: "Follow new tasks",
	description: `Sends \`connected\` with the active filter and the names of \`ignored\` parameters, then \`bounty\` for each new task that matches, and \`error\` if the stream breaks. If new tasks do not match, it sends \`connected\` again, at most every 15 seconds, with a newer id to resume after. Sends only new tasks: GET /api/v1/tasks lists tasks that are already open. Ends after about 270 seconds; reconnect with Last-Event-ID to miss nothing.

With \`Last-Event-ID\` the stream continues after that event, without gaps or repetitions, if at most ${REPLAY_LIMIT} tasks were published after it. Otherwise the stream sends only tasks that are published from now on.`,
	tags: ["Streams"],
	auth: "key",
	rate: "general",
	query: z.object({
		category: repeatable(category, "Only tasks in one of these categories. Repeat the parameter for several."),
		min_budget_cents: minBudgetCents,
		tag: repeatable(z.string().max(200), "Reserved; has no effect."),
		deadline_after: instant.optional().describe("Only tasks whose deadline is later than this."),
	}),
	headers: resumeHeaders,
	response: streamResponse("An event stream.", { connected, bounty }),
	errors: [],
	page: "guides/streams",
	examples: {
		query: { category: [TASK.category, "parsing"], min_budget_cents: "100000", tag: ["python"], deadline_after: AT.deadline },
		headers: { "last-event-id": "41" },
		texts: { [EVENT_STREAM]: { event: "bounty", id: "42", data: JSON.stringify(TASK) } },
	},

	handle: (ctx, { query: filters, headers, request }) => {
		const after = parseEntryId(headers["last-event-id"]);
		return openListStream(ctx, {
			topic: { kind: "bounties", id: "" },
			request,
			read: () => ctx.hubs.readBounties(after),
			lastIdOf: ({ head }) => String(head),
			begin: (reading, stream) => {
				const ignored = findIgnored(new URL(request.url).searchParams);
				const connectedEvent = (id: string): SentEvent => {
					const json = JSON.stringify({ server_time: toIso(ctx.clock.now()), filter: viewFilter(filters), ignored });
					return { event: "connected", id, json };
				};
				const onEntry = (entry: TopicEntry) => {
					const id = String(entry.seq);
					const fields = readFilteredFields(entry);
					if (entry.data !== null && fields !== null && matchesFilters(fields, filters))
						stream.send({ event: "bounty", id, json: entry.data });
					else stream.advance(connectedEvent(id));
				};
				if (canResume(after, reading)) reading.entries.forEach(onEntry);
				else stream.send(connectedEvent(String(reading.head)));
				return onEntry;
			},
		});
	},
});

/** Returns true if the entries include every bounty after this one. */
function canResume(after: number | null, { head, entries }: { readonly head: number; readonly entries: readonly TopicEntry[] }): boolean {
	if (after === null || after > head || entries.length > REPLAY_LIMIT) return false;
	return entries.length === head - after;
}

const bountyFields = z.object({ category: z.string(), budget_cents: z.number(), deadline: z.string() });

/**
 * The fields that filters use, parsed once for all watchers in an isolate. Null for an entry without data, for example because the task is
 * hidden.
 */
const bounties = new WeakMap<TopicEntry, z.infer<typeof bountyFields> | null>();

function readFilteredFields(entry: TopicEntry) {
	const cachedFields = bounties.get(entry);
	if (cachedFields !== undefined) return cachedFields;
	const fields = bountyFields.safeParse(JSON.parse(entry.data ?? "null")).data ?? null;
	bounties.set(entry, fields);
	return fields;
}

/** The event shows the active filter, so that clients can check that the platform understood it. */
function viewFilter({ category: categories, min_budget_cents, deadline_after }: BountyFilters) {
	return { category: categories, min_budget_cents, deadline_after: deadline_after === undefined ? undefined : toIso(deadline_after) };
}
