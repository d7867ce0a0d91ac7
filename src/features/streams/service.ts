import * as z from "zod";
import { topicsOf } from "../../domain/events.ts";
import type { Topic } from "../../domain/topics.ts";
import { headEventStream, openEventStream } from "../../http/sse.ts";
import { toIso } from "../../platform/clock.ts";
import { sha256Hex } from "../../platform/crypto.ts";
import type { Ctx, Deps, PublicCtx, RecordedEvent } from "../../ports/deps.ts";
import { REPLAY_LIMIT, type TopicEntry } from "../../ports/topics.ts";
import type { BountyFilters } from "../competition/streams/contract.ts";
import { watchCredential } from "../competition/streams/credential-check.ts";
import { LEADERBOARD_GAP_MS, matchesFilters, parseEntryId } from "../competition/streams/rules.ts";
import { describeFault, openStateStream, type StreamRequest } from "../competition/streams/state-stream.ts";
import { readAndWatch } from "../competition/streams/watch.ts";
import { readBoard } from "../leaderboard/service.ts";
import { type Board, isPartOf, viewBoardFor } from "../leaderboard/views.ts";
import { NOBODY } from "../public-reading/rules.ts";
import { viewPublicBoard } from "../public-reading/service.ts";
import { getWatchedSubmission, listSubmissionChanges } from "../submissions/service.ts";
import { canReadTask, findWatchedTask, listOpenings, type Opening, taskNotFound } from "../tasks/service.ts";
import type { State, StateSource } from "./state-source.ts";
import * as store from "./store.ts";

/** Notifies the topics of an event that someone watches. Safe to repeat: a topic sends its watchers each state or task once. */
export async function publishEvent(deps: Deps, { event }: Pick<RecordedEvent, "event">): Promise<null> {
	const watched = await store.selectWatched(deps, topicsOf(event));
	await Promise.all(watched.map((topic) => deps.hubs.publishTopic(topic)));
	return null;
}

/** Makes those of the topics that someone watches delete the states that they have stored. */
export async function eraseTopics(deps: Deps, topics: readonly Topic[]): Promise<void> {
	const watched = await store.selectWatched(deps, topics);
	await Promise.all(watched.map((topic) => deps.hubs.eraseTopic(topic)));
}

/**
 * For a topic's object, before its first relay joins: what is committed from now on is published to it.
 *
 * @returns Whether it was not published to before.
 */
export function startPublishing(deps: Deps, topic: string): Promise<boolean> {
	return store.saveWatched(deps, topic);
}

/** For a topic's object, after its last relay has left. */
export function stopPublishing(deps: Deps, topic: string): Promise<void> {
	return store.forgetWatched(deps, topic);
}

interface TopicNews {
	readonly entries: readonly TopicEntry[];
	/** How many of them a relay that was away has to be told. */
	readonly keep: number;
}

/** For a topic's object: what its watchers must receive after the entry `head`. */
export async function readEntries(deps: Deps, topic: Topic, head: number): Promise<TopicNews> {
	switch (topic.kind) {
		case "task": {
			const found = await findWatchedTask(deps, topic.id, head);
			const entries = (found?.changes ?? []).map(({ number, ...snapshot }) => {
				return { seq: number, version: null, data: JSON.stringify({ ...snapshot, id: topic.id, companyId: found?.companyId }) };
			});
			return { entries, keep: REPLAY_LIMIT };
		}
		case "submission": {
			const numbers = await listSubmissionChanges(deps, topic.id, head);
			// Each watcher reads it with its own eyes.
			return { entries: numbers.map((seq) => ({ seq, version: null, data: null })), keep: REPLAY_LIMIT };
		}
		case "leaderboard": {
			const found = await readBoard(deps, topic.id);
			if (found === null) return { entries: [], keep: 1 };
			const { number, board } = found;
			return { entries: [{ seq: number, version: await versionOf(board), data: JSON.stringify(board) }], keep: 1 };
		}
		case "bounties": {
			const { openings } = await listOpenings(deps, { after: head, limit: REPLAY_LIMIT });
			return { entries: openings.map(toBountyEntry), keep: REPLAY_LIMIT };
		}
	}
}

const VERSION_LENGTH = 16;

/** Names a leaderboard by what it shows. */
async function versionOf(board: Board): Promise<string> {
	return (await sha256Hex(JSON.stringify(board))).slice(0, VERSION_LENGTH);
}

type WatchedTask = Pick<NonNullable<Awaited<ReturnType<typeof findWatchedTask>>>, "id" | "companyId" | "hidden" | "view" | "provisional">;

/** A task and its changes. Contract: "Streams". */
export function streamTask(ctx: Ctx, taskId: string, request: StreamRequest): Promise<Response> {
	return openStateStream(ctx, [taskSource(ctx, taskId, ctx.actor.agentId)], request);
}

/** A leaderboard's best hundred and their changes, at most two a second. */
export function streamLeaderboard(ctx: Ctx, taskId: string, request: StreamRequest): Promise<Response> {
	const { agentId } = ctx.actor;
	const source = leaderboardSource(ctx, taskId, { agentId, show: (board) => showBoard(board, agentId) });
	return openStateStream(ctx, [source], request);
}

/** A task and its leaderboard for readers without a key. Contract: additions, "Public reading". */
export function streamPublicTask(ctx: PublicCtx, taskId: string, request: StreamRequest): Promise<Response> {
	const board = leaderboardSource(ctx, taskId, { agentId: NOBODY, show: (shown) => showPublicBoard(ctx, taskId, shown) });
	return openStateStream(ctx, [taskSource(ctx, taskId, NOBODY), board], { ...request, isPublic: true });
}

function taskSource(ctx: PublicCtx, taskId: string, agentId: string): StateSource {
	const isVisible = ({ view, ...task }: WatchedTask) => canReadTask(ctx, { ...task, status: view.status }, agentId);
	const stateOf = async ({ number, ...task }: WatchedTask & { number: number }): Promise<State> => {
		if (!(await isVisible(task))) throw taskNotFound();
		const json = JSON.stringify({ ...task.view, server_time: toIso(ctx.clock.now()) });
		return { number, version: null, json, isFinal: task.view.status === "closed" && !task.provisional };
	};
	return {
		event: "task",
		topic: { kind: "task", id: taskId },
		gapMs: 0,
		async read(after) {
			const found = await findWatchedTask(ctx, taskId, after);
			if (found === null) throw taskNotFound();
			const present = await stateOf(found);
			const changes = found.changes.map((change) => ({ ...change, id: found.id, companyId: found.companyId }));
			// What the task was as a draft stays with its poster, and what it was while it was hidden with those who could see it.
			const seen = await Promise.all(changes.map(isVisible));
			return { present, changes: await Promise.all(changes.filter((_, index) => seen[index]).map(stateOf)) };
		},
		render: (entry, data) => stateOf({ ...ownSnapshot<WatchedTask>(entry, data), number: entry.seq }),
	};
}

interface BoardViewer {
	readonly agentId: string;
	/** The board as JSON for this viewer. */
	show(board: Board): string | Promise<string>;
}

function leaderboardSource(ctx: PublicCtx, taskId: string, { agentId, show }: BoardViewer): StateSource {
	const stateOf = async (number: number, version: string | null, board: Board): Promise<State> => {
		if (!(await canReadTask(ctx, { ...board, id: taskId, status: board.taskStatus }, agentId))) throw taskNotFound();
		return { number, version, json: await show(board), isFinal: board.taskStatus === "closed" && !board.provisional };
	};
	return {
		event: "leaderboard",
		topic: { kind: "leaderboard", id: taskId },
		gapMs: LEADERBOARD_GAP_MS,
		async read() {
			const found = await readBoard(ctx, taskId);
			if (found === null) throw taskNotFound();
			return { present: await stateOf(found.number, await versionOf(found.board), found.board), changes: [] };
		},
		render: (entry, data) => stateOf(entry.seq, entry.version, ownSnapshot<Board>(entry, data)),
	};
}

/** The same for all readers without a key, made once for all of an isolate. */
const publicBoards = new WeakMap<Board, string>();

async function showPublicBoard(ctx: PublicCtx, taskId: string, board: Board): Promise<string> {
	const json = publicBoards.get(board) ?? JSON.stringify(await viewPublicBoard(ctx, taskId, board));
	publicBoards.set(board, json);
	return json;
}

/** What strangers see of a leaderboard, made once for all of an isolate. */
const strangersBoards = new WeakMap<Board, string>();

function showBoard(board: Board, agentId: string): string {
	if (isPartOf(board, agentId)) return JSON.stringify(viewBoardFor(board, agentId));
	const json = strangersBoards.get(board) ?? JSON.stringify(viewBoardFor(board, agentId));
	strangersBoards.set(board, json);
	return json;
}

const snapshots = new WeakMap<TopicEntry, unknown>();

/** What a topic's object has sent is what {@link readEntries} of this very deployment made. Read once for all watchers of an isolate. */
function ownSnapshot<Snapshot>(entry: TopicEntry, data: string): Snapshot {
	const snapshot = snapshots.get(entry) ?? JSON.parse(data);
	snapshots.set(entry, snapshot);
	return snapshot as Snapshot;
}

/** A submission and its changes; each watcher reads it with its own eyes. */
export function streamSubmission(ctx: Ctx, submissionId: string, request: StreamRequest): Promise<Response> {
	const stateOf = ({ number, view }: Pick<Awaited<ReturnType<typeof getWatchedSubmission>>, "number" | "view">): State => {
		const { status, evaluated } = view;
		const isFinal = (status === "completed" && evaluated) || status === "evaluation_failed" || status === "failed";
		return { number, version: null, json: JSON.stringify(view), isFinal };
	};
	const source: StateSource = {
		event: "submission",
		topic: { kind: "submission", id: submissionId },
		gapMs: 0,
		async read(after) {
			const found = await getWatchedSubmission(ctx, submissionId, after);
			return { present: stateOf(found), changes: found.changes.map(stateOf) };
		},
		render: null,
	};
	return openStateStream(ctx, [source], request);
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

interface BountyRequest {
	readonly filters: BountyFilters;
	/** Names of query parameters without effect. */
	readonly ignored: readonly string[];
}

/** New tasks as they open, those that match. */
export function streamBounties(ctx: Ctx, bounties: BountyRequest, stream: StreamRequest): Promise<Response> {
	return openBountyStream(ctx, bounties, {
		...stream,
		read: async (after) => {
			const { head, openings } = await listOpenings(ctx, { after, limit: REPLAY_LIMIT + 1 });
			return { head, entries: openings.map(toBountyEntry) };
		},
	});
}

interface BountyStream extends StreamRequest {
	/** The bounties after a number, and the number of the last one of all. */
	readonly read: (after: number | null) => Promise<{ readonly head: number; readonly entries: readonly TopicEntry[] }>;
}

/** New tasks as they open, from a log that `read` reads. */
export async function openBountyStream(
	ctx: Ctx,
	{ filters, ignored }: BountyRequest,
	{ lastEventId, request, read }: BountyStream,
): Promise<Response> {
	if (request.method === "HEAD") return headEventStream();
	const after = parseEntryId(lastEventId);
	const { reading, watch } = await readAndWatch(ctx, {
		topic: { kind: "bounties", id: "" },
		request,
		read: () => read(after),
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
	const connected = JSON.stringify({ server_time: toIso(ctx.clock.now()), filter: viewFilter(filters), ignored });
	const canResume =
		after !== null && after <= head && entries.length <= REPLAY_LIMIT && (entries.length === 0 || entries[0]?.seq === after + 1);
	if (!canResume) sink.send({ event: "connected", id: String(head), json: connected });
	const onEntry = (entry: TopicEntry) => {
		const id = String(entry.seq);
		lastId = id;
		const fields = readFilteredFields(entry);
		if (entry.data !== null && fields !== null && matchesFilters(fields, filters)) sink.send({ event: "bounty", id, json: entry.data });
		else sink.advance(id);
	};
	if (canResume) entries.forEach(onEntry);
	watch?.start({ onEntry: (entry) => (entry.seq > head ? onEntry(entry) : undefined), onClose: () => sink.end() });
	return response;
}

/** An entry without data for a task that is hidden. */
function toBountyEntry({ number, task }: Opening): TopicEntry {
	if (task.hidden) return { seq: number, version: null, data: null };
	const { max_submissions_per_agent: _, ...bounty } = task.view;
	return { seq: number, version: null, data: JSON.stringify(bounty) };
}
