// Streams that show a present state and its changes: submission, leaderboard, task.
import type { Ctx } from "../../deps.ts";
import { AppError } from "../../errors.ts";
import { openEventStream } from "../../http/sse.ts";
import { sha256Hex } from "../../platform/crypto.ts";
import { describeError } from "../../platform/log.ts";
import { formatEndId, formatStateId, parseStateId } from "./rules.ts";
import type { Topic, TopicEntry } from "./topics.ts";
import { type Watch, watchTopic } from "./watch.ts";

export interface State {
	/** The same for equal states; see {@link versionOf}. */
	readonly version: string;
	readonly data: unknown;
	/** Whether nothing is expected to follow. */
	readonly isFinal: boolean;
}

export interface StateSource {
	readonly event: "submission" | "leaderboard" | "task";
	readonly topic: Topic;
	/** Least time between two events, in milliseconds. */
	readonly gapMs: number;
	/** The present state as this caller sees it. Throws what the plain endpoint answers. */
	read(): Promise<State>;
	/** The state in a topic's entry as this caller sees it. */
	render(entry: TopicEntry): Promise<State>;
}

export interface StreamRequest {
	readonly lastEventId: string | undefined;
	readonly request: Request;
}

const VERSION_LENGTH = 16;

/** Names a state by what it consists of. */
export async function versionOf(state: unknown): Promise<string> {
	return (await sha256Hex(JSON.stringify(state))).slice(0, VERSION_LENGTH);
}

/** A topic that changed this recently may have changed after the state was read, or before the replica that was read knew it. */
const RECENT_MS = 60_000;

/** Answers with the present state, its changes, and the last word when there is one. */
export async function openStateStream(ctx: Ctx, source: StateSource, { lastEventId, request }: StreamRequest): Promise<Response> {
	const readAt = ctx.clock.now();
	let state = await source.read();
	const known = parseStateId(lastEventId);
	let watch: Watch | null = null;
	if (!state.isFinal) {
		watch = await watchTopic(ctx, { topic: source.topic, request, after: null });
		try {
			if (watch.hello.changedAt >= readAt - RECENT_MS) {
				ctx.db.refresh();
				state = await source.read();
			}
		} catch (error) {
			watch.stop();
			throw error;
		}
	}
	if (state.isFinal && known?.isEnd && known.version === state.version) {
		watch?.stop();
		return new Response(null, { status: 204 });
	}
	return pump(ctx, { source, state, watch, knownVersion: known?.version ?? null });
}

interface Pump {
	readonly source: StateSource;
	/** Read after the watch began. */
	readonly state: State;
	/** Null for a state that is final already. */
	readonly watch: Watch | null;
	/** What the client has from an earlier stream. */
	readonly knownVersion: string | null;
}

function pump(ctx: Ctx, { source, state, watch, knownVersion }: Pump): Response {
	let version = knownVersion;
	let sentAt = 0;
	let stopWaiting = () => {};
	let pending: TopicEntry | null = null;
	let work: Promise<void> = Promise.resolve();
	const { response, sink } = openEventStream({
		clock: ctx.clock,
		random: ctx.random(),
		onEnd: () => {
			stopWaiting();
			watch?.stop();
		},
	});
	const show = (next: State, seq: number) => {
		if (next.version !== version) {
			version = next.version;
			sentAt = ctx.clock.now();
			sink.send({ event: source.event, id: formatStateId(seq, version), data: next.data });
		}
		if (!next.isFinal) return;
		sink.send({ event: "terminal", id: formatEndId(seq, next.version), data: next.data });
		sink.end();
	};
	const showPending = async () => {
		const entry = pending;
		if (entry === null) return;
		pending = null;
		try {
			show(await source.render(entry), entry.seq);
		} catch (error) {
			sink.send({ event: "error", id: String(entry.seq), data: describeFault(ctx, error) });
			sink.end();
		}
	};
	const enqueue = () => {
		work = work.then(showPending);
	};
	show(state, watch?.hello.head ?? 0);
	watch?.start({
		onEntry(entry) {
			const isWaiting = pending !== null;
			pending = entry;
			if (isWaiting) return;
			const waitMs = sentAt + source.gapMs - ctx.clock.now();
			if (waitMs > 0) stopWaiting = ctx.clock.after(waitMs, enqueue);
			else enqueue();
		},
		onClose: () => sink.end(),
	});
	return response;
}

/** The error envelope, as the plain endpoint would answer. */
function describeFault(ctx: Ctx, error: unknown) {
	if (!(error instanceof AppError)) ctx.log.error("stream_failed", { request_id: ctx.requestId, ...describeError(error) });
	const { message, code } = error instanceof AppError ? error : new AppError("INTERNAL_ERROR");
	return { error: { message, code } };
}
