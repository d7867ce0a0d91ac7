// Streams that show a present state and its changes: submission, leaderboard, task.

import { AppError, wireCodeOf } from "../../domain/errors.ts";
import type { Topic } from "../../domain/topics.ts";
import { authenticate } from "../../http/authenticate.ts";
import { type EventSink, headEventStream, openEventStream } from "../../http/sse.ts";
import { describeError } from "../../platform/log.ts";
import type { Ctx } from "../../ports/deps.ts";
import type { TopicEntry } from "../../ports/topics.ts";
import { watchCredential } from "./credential-check.ts";
import { formatStateId, missedStates, parseStateId, waitBeforeNext } from "./rules.ts";
import { type Watch, watchTopic } from "./watch.ts";

export interface State {
	/** Later states of one source have larger numbers. */
	readonly number: number;
	/** The same where there is nothing new to see; null where every state is shown. */
	readonly version: string | null;
	/** What the client gets. */
	readonly json: string;
	/** Whether nothing is expected to follow. */
	readonly isFinal: boolean;
}

/** What one read has found. */
export interface Reading {
	readonly present: State;
	/** Every state after the one that was asked for, the present one included, as far as it is known. */
	readonly changes: readonly State[];
}

export interface StateSource {
	readonly event: "submission" | "leaderboard" | "task";
	readonly topic: Topic;
	/** Least time between two events, in milliseconds. Only the latest of the states in between is sent; 0 sends every state. */
	readonly gapMs: number;
	/** The present state as this caller sees it, and what came after state `after`. Throws what the plain endpoint answers. */
	read(after: number | null): Promise<Reading>;
	/** The state in a topic's entry as this caller sees it; null where each caller reads for itself. */
	readonly render: ((entry: TopicEntry, data: string) => State) | null;
}

export interface StreamRequest {
	readonly lastEventId: string | undefined;
	readonly request: Request;
}

/** A topic that changed this recently may have changed after the state was read, or before the replica that was read knew it. */
const RECENT_MS = 60_000;

/** Spread the disconnects after the terminal event: closing a thousand sockets at once delays what is still being sent. */
const END_AFTER_MS = 300;
const END_SPREAD_MS = 700;

/** Sends the present state or what the client has missed, then each change, and at last the terminal event. */
export async function openStateStream(ctx: Ctx, source: StateSource, { lastEventId, request }: StreamRequest): Promise<Response> {
	const readAt = ctx.clock.now();
	const known = parseStateId(lastEventId);
	const after = known?.number ?? null;
	let reading = await source.read(after);
	if (request.method === "HEAD") return headEventStream();
	let watch: Watch | null = null;
	if (!reading.present.isFinal) {
		watch = await watchTopic(ctx, { topic: source.topic, request, after: null });
		// A client that knows more than what was read has read nearer to the primary.
		const isStale = watch.hello.changedAt >= readAt - RECENT_MS || (after !== null && after > reading.present.number);
		try {
			if (isStale) {
				ctx.db.refresh();
				reading = await source.read(after);
			}
		} catch (error) {
			watch.stop();
			throw error;
		}
	}
	const { present } = reading;
	if (present.isFinal && known?.isEnd && known.number === present.number) {
		watch?.stop();
		return new Response(null, { status: 204 });
	}
	return new StateStream(ctx, source, request).open({ reading, after, watch });
}

interface Opening {
	/** Made after the watch began. */
	readonly reading: Reading;
	/** The last state that the client has from an earlier stream; null for none. */
	readonly after: number | null;
	/** Null for a state that is final already. */
	readonly watch: Watch | null;
}

class StateStream {
	readonly #ctx: Ctx;
	readonly #source: StateSource;
	readonly #request: Request;
	readonly #sink: EventSink;
	readonly #response: Response;
	#watch: Watch | null = null;
	#waiting: TopicEntry[] = [];
	#isWorking = false;
	/** Nothing is sent after the terminal event. */
	#hasEnded = false;
	#stopTimer = () => {};
	#stopChecks = () => {};
	/** The number of the state that the client has. */
	#number = -1;
	#version: string | null = null;
	#sentAt: number | null = null;

	constructor(ctx: Ctx, source: StateSource, request: Request) {
		this.#ctx = ctx;
		this.#source = source;
		this.#request = request;
		const onEnd = () => {
			this.#hasEnded = true;
			this.#stopTimer();
			this.#stopChecks();
			this.#watch?.stop();
		};
		const { response, sink } = openEventStream({ clock: ctx.clock, random: ctx.random(), onEnd });
		this.#response = response;
		this.#sink = sink;
		this.#stopChecks = watchCredential(ctx, request, (error) => this.#fail(error));
	}

	open({ reading, after, watch }: Opening): Response {
		const { present } = reading;
		const missed = missedStates({ after, ...reading });
		this.#watch = watch;
		if (missed !== null) {
			this.#number = after ?? 0;
			this.#version = missed.length === 0 ? present.version : null;
		}
		this.#show(missed ?? [present]);
		if (present.isFinal) this.#finish(present);
		else watch?.start({ onEntry: (entry) => this.#take(entry), onClose: () => this.#sink.end() });
		return this.#response;
	}

	/** Sends states, all of them later than the one that the client has. */
	#show(states: readonly State[]): void {
		for (const state of states) {
			this.#number = state.number;
			const id = formatStateId(state.number, "state");
			if (state.version !== null && state.version === this.#version) {
				this.#sink.advance(id);
				continue;
			}
			this.#version = state.version;
			this.#sentAt = this.#ctx.clock.now();
			this.#sink.send({ event: this.#source.event, id, json: state.json });
		}
	}

	#finish(state: State): void {
		this.#sink.send({ event: "terminal", id: formatStateId(state.number, "end"), json: state.json });
		this.#hasEnded = true;
		const waitMs = this.#watch === null ? 0 : END_AFTER_MS + this.#ctx.random() * END_SPREAD_MS;
		this.#stopTimer = this.#ctx.clock.after(waitMs, () => this.#sink.end());
	}

	#take(entry: TopicEntry): void {
		const isCoalescing = this.#source.gapMs > 0;
		this.#waiting = isCoalescing ? [entry] : [...this.#waiting, entry];
		if (this.#isWorking) return;
		this.#isWorking = true;
		this.#workLater();
	}

	#workLater(): void {
		if (this.#hasEnded) return;
		const waitMs = waitBeforeNext({ now: this.#ctx.clock.now(), sentAt: this.#sentAt, gapMs: this.#source.gapMs });
		if (waitMs > 0) this.#stopTimer = this.#ctx.clock.after(waitMs, () => this.#work());
		else this.#work();
	}

	async #work(): Promise<void> {
		const entry = this.#waiting.shift();
		if (entry === undefined || this.#hasEnded) {
			this.#isWorking = false;
			return;
		}
		try {
			await this.#follow(entry);
		} catch (error) {
			this.#fail(error);
		}
		this.#workLater();
	}

	#fail(error: unknown): void {
		const json = JSON.stringify(describeFault(this.#ctx, error));
		this.#sink.send({ event: "error", id: formatStateId(this.#number, "error"), json });
		this.#sink.end();
	}

	async #follow(entry: TopicEntry): Promise<void> {
		if (entry.seq <= this.#number) return;
		if (entry.version !== null && entry.version === this.#version) {
			this.#number = entry.seq;
			this.#sink.advance(formatStateId(entry.seq, "state"));
			return;
		}
		const states = this.#render(entry) ?? (await this.#readOn());
		this.#show(states);
		const last = states.at(-1);
		if (last?.isFinal) this.#finish(last);
	}

	/** The state in an entry, if nothing is missing before it. */
	#render(entry: TopicEntry): readonly State[] | null {
		const { render, gapMs } = this.#source;
		const isNext = gapMs > 0 || entry.seq === this.#number + 1;
		return render !== null && entry.data !== null && isNext ? [render(entry, entry.data)] : null;
	}

	/** What each caller reads for itself it gets as long as its key is valid. */
	async #readOn(): Promise<readonly State[]> {
		this.#ctx.db.refresh();
		await authenticate(this.#ctx, this.#request, this.#ctx.baseUrl);
		const reading = await this.#source.read(this.#number);
		return missedStates({ after: this.#number, ...reading }) ?? [reading.present];
	}
}

/** The error envelope, as the plain endpoint would answer. */
function describeFault(ctx: Ctx, error: unknown) {
	if (!(error instanceof AppError)) ctx.log.error("stream_failed", { request_id: ctx.requestId, ...describeError(error) });
	const { message, code } = error instanceof AppError ? error : new AppError("INTERNAL_ERROR");
	return { error: { message, code: wireCodeOf(code) } };
}
