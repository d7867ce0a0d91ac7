import * as z from "zod";
import type { Ctx, Deps } from "../../deps.ts";
import type { DomainEvent } from "../../events/domain.ts";
import { openEventStream } from "../../http/sse.ts";
import { toIso } from "../../platform/clock.ts";
import { type Board, readBoard, viewBoardFor } from "../leaderboard/service.ts";
import { getSubmission } from "../submissions/service.ts";
import { canSeeTask } from "../tasks/rules.ts";
import { findWatchedTask, taskNotFound } from "../tasks/service.ts";
import type { BountyFilters } from "./contract.ts";
import { LEADERBOARD_GAP_MS, matchesFilters, parseEntryId, topicsOf } from "./rules.ts";
import { openStateStream, type State, type StreamRequest, versionOf } from "./state-stream.ts";
import type { Topic } from "./topics.ts";
import { watchTopic } from "./watch.ts";

/** Tells the topics of an event. Safe to repeat: a topic tells its watchers of a state or a task once. */
export async function publishEvent(deps: Deps, { id: eventId, event }: { id: string; event: DomainEvent }): Promise<void> {
	await Promise.all(
		topicsOf(event).map(async (topic) => {
			const data = topic.kind === "bounties" ? await readBounty(deps, event.taskId) : null;
			await deps.hubs.publishTopic({ topic, eventId, data });
		}),
	);
}

async function readBounty(deps: Deps, taskId: string) {
	const found = await findWatchedTask(deps, taskId);
	return found === null ? null : JSON.stringify(found.view);
}

/** What all watchers of a topic share, for the topic's object; null when there is nothing, or when each watcher reads for itself. */
export async function readSnapshot(deps: Deps, topic: Topic): Promise<{ version: string; data: string } | null> {
	switch (topic.kind) {
		case "task": {
			const found = await findWatchedTask(deps, topic.id);
			return found === null ? null : { version: await versionOf(found), data: JSON.stringify(found) };
		}
		case "leaderboard": {
			const board = await readBoard(deps, topic.id);
			return board === null ? null : { version: await versionOf(board), data: JSON.stringify(board) };
		}
		case "bounties":
		case "submission":
			return null;
	}
}

type WatchedTask = NonNullable<Awaited<ReturnType<typeof findWatchedTask>>>;

/** A task and its changes. Contract: "Streams". */
export function streamTask(ctx: Ctx, taskId: string, request: StreamRequest): Promise<Response> {
	const stateOf = (found: WatchedTask | null, version: string): State => {
		if (found === null || !canSeeTask({ ...found, status: found.view.status }, ctx.actor.agentId)) throw taskNotFound();
		return {
			version,
			data: { ...found.view, server_time: toIso(ctx.clock.now()) },
			isFinal: found.view.status === "closed",
		};
	};
	return openStateStream(
		ctx,
		{
			event: "task",
			topic: { kind: "task", id: taskId },
			gapMs: 0,
			async read() {
				const found = await findWatchedTask(ctx, taskId);
				return stateOf(found, await versionOf(found));
			},
			render: async ({ data, version }) => stateOf(ownSnapshot<WatchedTask>(data), version ?? ""),
		},
		request,
	);
}

/** A leaderboard's best hundred and their changes, at most two a second. */
export function streamLeaderboard(ctx: Ctx, taskId: string, request: StreamRequest): Promise<Response> {
	const stateOf = (board: Board | null, version: string): State => {
		if (board === null || !canSeeTask({ companyId: board.companyId, status: board.taskStatus }, ctx.actor.agentId)) throw taskNotFound();
		return { version, data: viewBoardFor(board, ctx.actor.agentId), isFinal: board.taskStatus === "closed" };
	};
	return openStateStream(
		ctx,
		{
			event: "leaderboard",
			topic: { kind: "leaderboard", id: taskId },
			gapMs: LEADERBOARD_GAP_MS,
			async read() {
				const board = await readBoard(ctx, taskId);
				return stateOf(board, await versionOf(board));
			},
			render: async ({ data, version }) => stateOf(ownSnapshot<Board>(data), version ?? ""),
		},
		request,
	);
}

/** What a topic's object has sent is what {@link readSnapshot} of this very deployment made. */
function ownSnapshot<Snapshot>(json: string | null): Snapshot | null {
	return json === null ? null : (JSON.parse(json) as Snapshot);
}

/** A submission and its changes; each watcher reads it with its own eyes. */
export function streamSubmission(ctx: Ctx, submissionId: string, request: StreamRequest): Promise<Response> {
	const read = async (): Promise<State> => {
		const submission = await getSubmission(ctx, submissionId);
		const { status, evaluated, iteration, scores, error_message } = submission;
		const isFinal = (status === "completed" && evaluated) || status === "evaluation_failed" || status === "failed";
		return { version: await versionOf({ status, evaluated, iteration, scores, error_message }), data: submission, isFinal };
	};
	return openStateStream(
		ctx,
		{
			event: "submission",
			topic: { kind: "submission", id: submissionId },
			gapMs: 0,
			read,
			render() {
				ctx.db.refresh();
				return read();
			},
		},
		request,
	);
}

const bountyEntry = z.object({ category: z.string(), budget_cents: z.number(), deadline: z.string() }).loose();

/** New tasks as they open, those that match. */
export async function streamBounties(ctx: Ctx, filters: BountyFilters, { lastEventId, request }: StreamRequest): Promise<Response> {
	const watch = await watchTopic(ctx, { topic: { kind: "bounties", id: "" }, request, after: parseEntryId(lastEventId) });
	const { response, sink } = openEventStream({ clock: ctx.clock, random: ctx.random(), onEnd: () => watch.stop() });
	const { head, missed } = watch.hello;
	if (missed === null) sink.send({ event: "connected", id: String(head), data: { server_time: toIso(ctx.clock.now()) } });
	watch.start({
		onEntry({ seq, data }) {
			const bounty = bountyEntry.safeParse(JSON.parse(data ?? "null"));
			if (bounty.success && matchesFilters(bounty.data, filters)) sink.send({ event: "bounty", id: String(seq), data: bounty.data });
			else sink.advance(String(seq));
		},
		onClose: () => sink.end(),
	});
	return response;
}
