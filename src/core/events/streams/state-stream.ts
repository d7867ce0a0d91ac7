// Streams that show a current state and its changes: submission, leaderboard, task, and the last two together for readers without a key.
import type { Actor } from "../../../domain/actor.ts";
import { AppError, wireCodeOf } from "../../../domain/errors.ts";
import { authenticate } from "../../../http/authenticate.ts";
import { type EventSink, headEventStream, openEventStream } from "../../../http/sse.ts";
import { describeError } from "../../../platform/log.ts";
import type { PublicCtx } from "../../../ports/deps.ts";
import { watchCredential } from "./credential-watch.ts";
import { type LaneOpening, type LaneStream, type StateSource, StreamLane, type StreamState } from "./lane.ts";
import { formatStateId, parseStateId, type StateEventKind } from "./rules.ts";
import { readAndWatch } from "./watch.ts";

export interface StreamRequest {
	readonly lastEventId: string | undefined;
	readonly request: Request;
	/** The caller, with whose credential the stream ends. Null if anyone may read the stream. */
	readonly actor: Actor | null;
}

/**
 * A watched stream ends 300 to 1,000 ms after its terminal event. Closing a thousand sockets at once would delay events still being sent.
 */
const END_AFTER_MS = 300;
const END_SPREAD_MS = 700;

/**
 * Sends the current state, unless the client already has it, then each change. Once every source is final, sends the terminal event with
 * the state of the first source. Returns 204 if the client already has the terminal event.
 */
export async function openStateStream(ctx: PublicCtx, sources: readonly StateSource[], options: StreamRequest): Promise<Response> {
	const { lastEventId, request } = options;
	const lastId = parseStateId(lastEventId, sources.length);
	if (request.method === "HEAD") {
		await Promise.all(sources.map((source) => source.read()));
		return headEventStream();
	}
	const openings = await openTogether(
		sources.map((source, index) => openLane(ctx, source, { knownNumber: lastId?.numbers[index] ?? null, request })),
	);
	if (lastId?.isEnd && openings.every(({ present, isKnown }) => present.isFinal && isKnown)) {
		for (const { watch } of openings) watch?.stop();
		return new Response(null, { status: 204 });
	}
	return new StateStream(ctx, options, openings).open();
}

/** Opens all lanes, or none: if one fails, the watches of the others are stopped. */
async function openTogether(attempts: readonly Promise<LaneOpening>[]): Promise<LaneOpening[]> {
	const results = await Promise.allSettled(attempts);
	const opened = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
	const failed = results.find((result) => result.status === "rejected");
	if (failed === undefined) return opened;
	for (const { watch } of opened) watch?.stop();
	throw failed.reason;
}

async function openLane(
	ctx: PublicCtx,
	source: StateSource,
	{ knownNumber, request }: { knownNumber: number | null; request: Request },
): Promise<LaneOpening> {
	const { reading: present, watch } = await readAndWatch(ctx, {
		topic: source.topic,
		request,
		read: () => source.read(),
		numberOf: ({ number, isFinal }) => (isFinal ? null : number),
	});
	return { source, present, isKnown: knownNumber === present.number, watch };
}

class StateStream implements LaneStream {
	readonly ctx: PublicCtx;
	readonly #options: StreamRequest;
	readonly #lanes: readonly StreamLane[];
	readonly #isWatching: boolean;
	readonly #sink: EventSink;
	readonly #response: Response;
	#hasEnded = false;
	#stopTimer = () => {};
	#stopChecks = () => {};

	constructor(ctx: PublicCtx, options: StreamRequest, openings: readonly LaneOpening[]) {
		this.ctx = ctx;
		this.#options = options;
		this.#lanes = openings.map((opening) => new StreamLane(this, opening));
		this.#isWatching = openings.some(({ watch }) => watch !== null);
		const onEnd = () => {
			this.#hasEnded = true;
			this.#stopTimer();
			this.#stopChecks();
			for (const lane of this.#lanes) lane.stop();
		};
		const { response, sink } = openEventStream({ clock: ctx.clock, random: ctx.random(), request: options.request, onEnd });
		this.#response = response;
		this.#sink = sink;
		const { request, actor } = options;
		if (actor !== null) this.#stopChecks = watchCredential(ctx, { request, actor }, (error) => this.fail(error));
	}

	open(): Response {
		for (const lane of this.#lanes) lane.open();
		return this.#response;
	}

	hasEnded(): boolean {
		return this.#hasEnded;
	}

	send({ event }: StateSource, { json }: StreamState): void {
		this.#sink.send({ event, id: this.#id("state"), json });
	}

	finish(): void {
		const finals = this.#lanes.map((lane) => lane.final);
		const [first] = finals;
		if (this.#hasEnded || first == null || finals.includes(null)) return;
		this.#sink.send({ event: "terminal", id: this.#id("end"), json: first.json });
		this.#hasEnded = true;
		const waitMs = this.#isWatching ? END_AFTER_MS + this.ctx.random() * END_SPREAD_MS : 0;
		this.#stopTimer = this.ctx.clock.after(waitMs, () => this.#sink.end());
	}

	fail(error: unknown): void {
		const json = JSON.stringify(viewStreamError(this.ctx, error));
		this.#sink.send({ event: "error", id: this.#id("error"), json });
		this.#sink.end();
	}

	end(): void {
		this.#sink.end();
	}

	/** Reads a state as the caller may see it. Throws if the caller's credential has ended. */
	async readAgain(source: StateSource): Promise<StreamState> {
		this.ctx.db.refresh();
		if (this.#options.actor !== null) await authenticate(this.ctx, this.#options.request, this.ctx.baseUrl);
		return source.read();
	}

	#id(kind: StateEventKind): string {
		return formatStateId(
			this.#lanes.map((lane) => lane.number),
			kind,
		);
	}
}

/** Returns the error in the form that the endpoint without streaming returns. */
export function viewStreamError(ctx: PublicCtx, error: unknown) {
	if (!(error instanceof AppError)) ctx.log.error("stream_failed", { request_id: ctx.requestId, ...describeError(error) });
	const { message, code } = error instanceof AppError ? error : new AppError("INTERNAL_ERROR");
	return { error: { message, code: wireCodeOf(code) } };
}
