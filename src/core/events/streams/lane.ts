import type { PublicCtx } from "../../../ports/deps.ts";
import type { Topic, TopicEntry } from "../../../ports/topics.ts";
import { waitBeforeNext } from "./rules.ts";
import type { Watch } from "./watch.ts";

export interface StreamState {
	/** Later states of one source have larger numbers. */
	readonly number: number;
	/** What the client gets as the event's `data`. */
	readonly json: string;
	/** True if no further state is expected. */
	readonly isFinal: boolean;
}

export interface StateSource {
	readonly event: "submission" | "leaderboard" | "task";
	readonly topic: Topic;
	/** The minimum time between two events, in milliseconds. */
	readonly gapMs: number;
	/** Reads the current state as this caller sees it. Throws the same errors as the endpoint without streaming. */
	read(): Promise<StreamState>;
	/** Renders the state in a topic's entry as this caller sees it. Null if each caller must read the state itself. */
	readonly render: ((entry: TopicEntry, data: string) => StreamState | Promise<StreamState>) | null;
}

/** The methods of a stream that its lanes call. */
export interface LaneStream {
	readonly ctx: PublicCtx;
	hasEnded(): boolean;
	/**
	 * Sends a state. Before the call, the lane must have stored the state's number, because the event's id contains the numbers of all
	 * lanes.
	 */
	send(source: StateSource, state: StreamState): void;
	/** Called by a lane that has sent its final state. */
	finish(): void;
	fail(error: unknown): void;
	/** Called by a lane whose watch has ended, so that the client reconnects. */
	end(): void;
	/** Reads a source again. Throws if the caller's credential has ended, or if the caller may no longer read the source. */
	readAgain(source: StateSource): Promise<StreamState>;
}

export interface LaneOpening {
	readonly source: StateSource;
	/** The current state, read after the watch began. */
	readonly present: StreamState;
	/** True if the client has the current state from an earlier stream. */
	readonly isKnown: boolean;
	/** The open watch. Null for a state that is already final. */
	readonly watch: Watch | null;
}

/**
 * A lane is one source of a state stream: its watch, the state that the client has, and the entry to show next.
 */
export class StreamLane {
	readonly #stream: LaneStream;
	readonly #opening: LaneOpening;
	/** The entry to show next. Each entry contains the whole state, so a newer one replaces it. */
	#waiting: TopicEntry | null = null;
	#isWorking = false;
	#stopTimer = () => {};
	/** The state that the client has. Null before the first. */
	#shown: StreamState | null;
	#sentAt: number | null = null;

	constructor(stream: LaneStream, opening: LaneOpening) {
		this.#stream = stream;
		this.#opening = opening;
		this.#shown = opening.isKnown ? opening.present : null;
	}

	/** The number of the state that the client has. Null before the first. */
	get number(): number | null {
		return this.#shown?.number ?? null;
	}

	/** Returns the final state once the client has it, and null before that. */
	get final(): StreamState | null {
		return this.#shown?.isFinal === true ? this.#shown : null;
	}

	/** Sends the current state if the client does not have it, then follows the changes. */
	open(): void {
		const { present, watch } = this.#opening;
		this.#show(present);
		if (!present.isFinal) watch?.start({ onEntry: (entry) => this.#take(entry), onClose: () => this.#stream.end() });
	}

	stop(): void {
		this.#stopTimer();
		this.#opening.watch?.stop();
	}

	#show(state: StreamState): void {
		const before = this.#shown;
		this.#shown = state;
		if (before === null || before.json !== state.json) {
			this.#sentAt = this.#stream.ctx.clock.now();
			this.#stream.send(this.#opening.source, state);
		}
		if (state.isFinal) this.#stream.finish();
	}

	#take(entry: TopicEntry): void {
		this.#waiting = entry;
		if (this.#isWorking) return;
		this.#isWorking = true;
		this.#workLater();
	}

	#workLater(): void {
		if (this.#isOver()) return;
		const { clock } = this.#stream.ctx;
		const waitMs = waitBeforeNext({ now: clock.now(), sentAt: this.#sentAt, gapMs: this.#opening.source.gapMs });
		if (waitMs > 0) this.#stopTimer = clock.after(waitMs, () => this.#work());
		else this.#work();
	}

	async #work(): Promise<void> {
		const entry = this.#waiting;
		this.#waiting = null;
		if (entry === null || this.#isOver()) {
			this.#isWorking = false;
			return;
		}
		try {
			await this.#follow(entry);
		} catch (error) {
			this.#stream.fail(error);
		}
		this.#workLater();
	}

	#isOver(): boolean {
		return this.final !== null || this.#stream.hasEnded();
	}

	async #follow(entry: TopicEntry): Promise<void> {
		if (entry.seq <= (this.number ?? -1)) return;
		const { source } = this.#opening;
		const { render } = source;
		const state = render === null || entry.data === null ? await this.#stream.readAgain(source) : await render(entry, entry.data);
		if (!this.#isOver()) this.#show(state);
	}
}
