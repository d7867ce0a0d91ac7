import * as z from "zod";
import { AT, TASK } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { category, count, instant, minBudgetCents, repeatable, timestamp } from "../../../http/fields.ts";
import { headEventStream, openEventStream } from "../../../http/sse.ts";
import { EVENT_STREAM } from "../../../http/stream-places.ts";
import { toIso } from "../../../platform/clock.ts";
import type { Deps, RecordedEvent } from "../../../ports/deps.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { REPLAY_LIMIT, type TopicEntry } from "../../../ports/topics.ts";
import { findTask } from "../../competition/tasks/store.ts";
import { taskView, viewTask } from "../../competition/tasks/task.ts";
import { watchCredential } from "./credential-check.ts";
import { resumeHeaders, serverTime, streamOf } from "./event-stream.ts";
import { type BountyFilters, findIgnored, matchesFilters, parseEntryId } from "./rules.ts";
import { describeFault } from "./state-stream.ts";
import { readAndWatch } from "./watch.ts";

const connected = z
	.object({
		server_time: serverTime,
		filter: z
			.object({
				category: z.array(z.string()).optional().describe("Only tasks in one of these categories."),
				min_budget_cents: count.optional().describe("Only tasks with at least this budget, in cents."),
				deadline_after: timestamp.optional().describe("Only tasks whose deadline is later than this."),
			})
			.describe("The filter in force. Empty if the stream sends every new task."),
		ignored: z.array(z.string()).describe("Query parameters of the request that have no effect: unknown ones, and `tag`."),
	})
	.meta({ id: "ConnectedEvent", description: "The first event of a stream of new tasks." });

const bounty = taskView.meta({ id: "BountyEvent", description: "A new task, as `GET /api/v1/tasks` lists it." });

export const streamBounties = endpoint({
	method: "get",
	path: "/api/v1/bounties/stream",
	operationId: "streamBounties",
	summary: "Follow new tasks",
	description: `First \`connected\` with the filter in force and the names of \`ignored\` parameters, then \`bounty\` for each new task that matches, and \`error\` when it breaks off. Starts now: GET /api/v1/tasks lists what is open already. Ends after some 270 seconds; reconnect with Last-Event-ID to miss nothing.

With \`Last-Event-ID\` the stream continues after that event, without gaps or repetitions, if it is among the last ${REPLAY_LIMIT}. Otherwise it starts with the current state.`,
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
	response: {
		status: 200,
		description: "An event stream.",
		contentType: EVENT_STREAM,
		schema: z.string(),
		textSchemas: { [EVENT_STREAM]: streamOf("BountyStreamEvent", { connected, bounty }) },
	},
	errors: [],
	page: "guides/streams",
	examples: {
		query: { category: [TASK.category, "parsing"], min_budget_cents: "100000", tag: ["python"], deadline_after: AT.deadline },
		headers: { "last-event-id": "41" },
		texts: { [EVENT_STREAM]: { event: "bounty", id: "42", data: JSON.stringify(TASK) } },
	},

	// The stream shows a list of things, so a client that comes back gets all that it has missed.
	async handle(ctx, { query: filters, headers, request }) {
		if (request.method === "HEAD") return headEventStream();
		const after = parseEntryId(headers["last-event-id"]);
		const { reading, watch } = await readAndWatch(ctx, {
			topic: { kind: "bounties", id: "" },
			request,
			read: () => ctx.hubs.readBounties(after),
			numberOf: ({ head }) => head,
		});
		const onEnd = () => {
			stopChecks();
			watch?.stop();
		};
		const { response, sink } = openEventStream({ clock: ctx.clock, random: ctx.random(), request, onEnd });
		const { head, entries } = reading;
		let lastId = String(head);
		const stopChecks = watchCredential(ctx, request, (error) => {
			// The event has the id of the last entry, so that a client with another key continues there.
			sink.send({ event: "error", id: lastId, json: JSON.stringify(describeFault(ctx, error)) });
			sink.end();
		});
		const onEntry = (entry: TopicEntry) => {
			const id = String(entry.seq);
			lastId = id;
			const fields = readFilteredFields(entry);
			if (entry.data !== null && fields !== null && matchesFilters(fields, filters)) sink.send({ event: "bounty", id, json: entry.data });
			else sink.advance(id);
		};
		if (canResume(after, reading)) entries.forEach(onEntry);
		else {
			const ignored = findIgnored(new URL(request.url).searchParams);
			const json = JSON.stringify({ server_time: toIso(ctx.clock.now()), filter: viewFilter(filters), ignored });
			sink.send({ event: "connected", id: String(head), json });
		}
		watch?.start({ onEntry: (entry) => (entry.seq > head ? onEntry(entry) : undefined), onClose: () => sink.end() });
		return response;
	},
});

/** Returns true if the log has every bounty after this one. */
function canResume(after: number | null, { head, entries }: { readonly head: number; readonly entries: readonly TopicEntry[] }): boolean {
	if (after === null || after > head || entries.length > REPLAY_LIMIT) return false;
	return entries.length === head - after;
}

const bountyFields = z.object({ category: z.string(), budget_cents: z.number(), deadline: z.string() });

/**
 * Reads the fields that filters look at. They are parsed once for all watchers of an isolate. It is null when the entry is not a bounty.
 */
const bounties = new WeakMap<TopicEntry, z.infer<typeof bountyFields> | null>();

function readFilteredFields(entry: TopicEntry) {
	const known = bounties.get(entry);
	if (known !== undefined) return known;
	const fields = bountyFields.safeParse(JSON.parse(entry.data ?? "null")).data ?? null;
	bounties.set(entry, fields);
	return fields;
}

/** The event shows the filter in force, so that a client sees whether the platform understood it. */
function viewFilter({ category: categories, min_budget_cents, deadline_after }: BountyFilters) {
	return { category: categories, min_budget_cents, deadline_after: deadline_after === undefined ? undefined : toIso(deadline_after) };
}

/**
 * Listens to the outbox: adds each publication to the log of the object `Bounties`, which the relays follow. Later changes of the task
 * change what the log replays. A hidden task keeps its number in the log and has no data. An invited one is never in it.
 */
export async function publishBounty(task: TaskStore, deps: Deps, { event }: RecordedEvent): Promise<null> {
	if (event.type !== "task.opened" && event.type !== "task.updated") return null;
	const row = findTask(task);
	if (row === null || row.status === "draft" || row.access === "invited") return null;
	const entry = { taskId: task.id, data: row.hidden ? null : JSON.stringify(viewTask(row)) };
	if (event.type === "task.opened") await deps.hubs.addBounty(entry);
	else await deps.hubs.changeBounty(entry);
	return null;
}
