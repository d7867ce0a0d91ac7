// The stream of new bounties: a list of things, so a client that comes back gets all that it has missed.
import * as z from "zod";
import { headEventStream, openEventStream } from "../../../http/sse.ts";
import { toIso } from "../../../platform/clock.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { REPLAY_LIMIT, type TopicEntry } from "../../../ports/topics.ts";
import type { BountyFilters } from "./contract.ts";
import { watchCredential } from "./credential-check.ts";
import { matchesFilters, parseEntryId } from "./rules.ts";
import { describeFault, type StreamRequest } from "./state-stream.ts";
import { readAndWatch } from "./watch.ts";

interface BountyRequest {
	readonly filters: BountyFilters;
	/** Names of query parameters without effect. */
	readonly ignored: readonly string[];
}

/** New tasks as they open, those that match. Contract: "Streams". */
export async function streamBounties(
	ctx: Ctx,
	{ filters, ignored }: BountyRequest,
	{ lastEventId, request }: StreamRequest,
): Promise<Response> {
	if (request.method === "HEAD") return headEventStream();
	const after = parseEntryId(lastEventId);
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
	const { response, sink } = openEventStream({ clock: ctx.clock, random: ctx.random(), onEnd });
	const { head, entries } = reading;
	let lastId = String(head);
	const stopChecks = watchCredential(ctx, request, (error) => {
		// The id of the last entry, after which a client with another key goes on.
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
		const connected = JSON.stringify({ server_time: toIso(ctx.clock.now()), filter: viewFilter(filters), ignored });
		sink.send({ event: "connected", id: String(head), json: connected });
	}
	watch?.start({ onEntry: (entry) => (entry.seq > head ? onEntry(entry) : undefined), onClose: () => sink.end() });
	return response;
}

/** Whether every bounty after this one is known. */
function canResume(after: number | null, { head, entries }: { readonly head: number; readonly entries: readonly TopicEntry[] }): boolean {
	if (after === null || after > head || entries.length > REPLAY_LIMIT) return false;
	return entries.length === head - after;
}

const bountyFields = z.object({ category: z.string(), budget_cents: z.number(), deadline: z.string() });

/** What filters look at, read once for all watchers of an isolate; null when the entry is not a bounty. */
const bounties = new WeakMap<TopicEntry, z.infer<typeof bountyFields> | null>();

function readFilteredFields(entry: TopicEntry) {
	const known = bounties.get(entry);
	if (known !== undefined) return known;
	const fields = bountyFields.safeParse(JSON.parse(entry.data ?? "null")).data ?? null;
	bounties.set(entry, fields);
	return fields;
}

/** The filter in force, so that a client sees whether the platform understood it. */
function viewFilter({ category, min_budget_cents, deadline_after }: BountyFilters) {
	return { category, min_budget_cents, deadline_after: deadline_after === undefined ? undefined : toIso(deadline_after) };
}
