// One source of a state stream: its watch, the state that the client has of it, and what is still to be sent.
import type { PublicCtx } from "../../../ports/deps.ts";
import type { TopicEntry } from "../../../ports/topics.ts";
import type { Reading, State, StateSource } from "../../streams/state-source.ts";
import { missedStates, waitBeforeNext } from "./rules.ts";
import type { Watch } from "./watch.ts";

/** What a lane needs of the stream that it is part of. */
export interface LaneStream {
	readonly ctx: PublicCtx;
	/** Nothing is sent after the end. */
	hasEnded(): boolean;
	/** Sends a state. The lanes have their new numbers already. */
	send(source: StateSource, state: State): void;
	/** The numbers have changed and there is nothing to see. */
	advance(): void;
	/** A lane has shown its final state. */
	finish(): void;
	fail(error: unknown): void;
	/** The watch has ended: the client reconnects. */
	end(): void;
	/** Reads a source again for the caller, if it still may. */
	readAgain(source: StateSource, after: number | null): Promise<Reading>;
}

export interface LaneOpening {
	readonly source: StateSource;
	/** Made after the watch began. */
	readonly reading: Reading;
	/** The last state that the client has from an earlier stream; null for none. */
	readonly after: number | null;
	/** Null for a state that is final already. */
	readonly watch: Watch | null;
}

export class Lane {
	readonly #stream: LaneStream;
	readonly #opening: LaneOpening;
	#waiting: TopicEntry[] = [];
	#isWorking = false;
	#stopTimer = () => {};
	#number: number | null;
	#version: string | null = null;
	#sentAt: number | null = null;
	#final: State | null = null;

	constructor(stream: LaneStream, opening: LaneOpening) {
		this.#stream = stream;
		this.#opening = opening;
		this.#number = this.#missed() === null ? null : opening.after;
	}

	/** The number of the state that the client has; null before the first. */
	get number(): number | null {
		return this.#number;
	}

	/** The final state, once the client has it. */
	get final(): State | null {
		return this.#final;
	}

	/** Shows the present state or what the client has missed, then follows the changes. */
	open(): void {
		const { reading, watch } = this.#opening;
		const missed = this.#missed();
		if (missed !== null && missed.length === 0) this.#version = reading.present.version;
		this.#show(missed ?? [reading.present]);
		if (reading.present.isFinal) this.#end(reading.present);
		else watch?.start({ onEntry: (entry) => this.#take(entry), onClose: () => this.#stream.end() });
	}

	stop(): void {
		this.#stopTimer();
		this.#opening.watch?.stop();
	}

	#missed(): readonly State[] | null {
		const { reading, after } = this.#opening;
		return missedStates({ after, ...reading });
	}

	/** Sends states, all of them later than the one that the client has. */
	#show(states: readonly State[]): void {
		for (const state of states) {
			this.#number = state.number;
			if (state.version !== null && state.version === this.#version) {
				this.#stream.advance();
				continue;
			}
			this.#version = state.version;
			this.#sentAt = this.#stream.ctx.clock.now();
			this.#stream.send(this.#opening.source, state);
		}
	}

	#end(state: State): void {
		this.#final = state;
		this.#stream.finish();
	}

	#take(entry: TopicEntry): void {
		const isCoalescing = this.#opening.source.gapMs > 0;
		this.#waiting = isCoalescing ? [entry] : [...this.#waiting, entry];
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
		const entry = this.#waiting.shift();
		if (entry === undefined || this.#isOver()) {
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
		return this.#final !== null || this.#stream.hasEnded();
	}

	async #follow(entry: TopicEntry): Promise<void> {
		if (entry.seq <= (this.#number ?? -1)) return;
		if (entry.version !== null && entry.version === this.#version) {
			this.#number = entry.seq;
			this.#stream.advance();
			return;
		}
		const states = (await this.#render(entry)) ?? (await this.#readOn());
		if (this.#isOver()) return;
		this.#show(states);
		const last = states.at(-1);
		if (last?.isFinal) this.#end(last);
	}

	/** The state in an entry, if nothing is missing before it. */
	async #render(entry: TopicEntry): Promise<readonly State[] | null> {
		const { render, gapMs } = this.#opening.source;
		const isNext = gapMs > 0 || entry.seq === (this.#number ?? -1) + 1;
		return render !== null && entry.data !== null && isNext ? [await render(entry, entry.data)] : null;
	}

	async #readOn(): Promise<readonly State[]> {
		const reading = await this.#stream.readAgain(this.#opening.source, this.#number);
		return missedStates({ after: this.#number, ...reading }) ?? [reading.present];
	}
}
