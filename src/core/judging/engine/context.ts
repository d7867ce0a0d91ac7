// Creates what all calls of one attempt at an evaluation share.
import type { ModelJudgeSettings } from "../../../config/judge-settings.ts";
import { readModel } from "../../../config/judge-suppliers.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Attempt, CallWatch, EvaluationRequest, JudgeWait, SupplierReports } from "../../../ports/judge.ts";
import { CHECKPOINT } from "../rules.ts";
import type { CallDeps } from "./calling.ts";
import { type ControlBook, createControlBook } from "./control-book.ts";
import { gateOf } from "./gate.ts";
import type { CallLimits } from "./learning.ts";
import { createFirstAlone, type FirstAlone } from "./limiter.ts";
import { type SharedPrompt, writeShared } from "./prompts.ts";
import { WaitError } from "./waits.ts";

export type EngineSettings = Omit<ModelJudgeSettings, "kind" | "screeningModel">;

export interface CallingContext {
	readonly deps: CallDeps;
	readonly settings: EngineSettings;
	readonly watch: CallWatch;
	readonly suppliers: SupplierReports;
	/** Aborted when the attempt's time is over, or when the caller gives up. */
	readonly signal: AbortSignal;
	/** Thrown if the attempt is over before its work is done. */
	readonly over: WaitError;
	/** @throws WaitError if no more calls may start, or if the model cannot continue. */
	assertGoing(model: string): void;
	/** Stops a model for the rest of this attempt, and reports a fault of its supplier once. Keeps only the first reason. */
	stop(model: string, wait: JudgeWait): void;
	readonly firstAlone: FirstAlone;
	readonly controls: ControlBook;
	/** For each model, the limits that its server has made necessary in this attempt. */
	readonly limits: Map<string, Partial<CallLimits>>;
	/** Returns the next number. Numbers show the order of events, even of those in the same millisecond. */
	tick(): number;
	/** For each model, the number from {@link tick} at which a call was sent: the latest call that has received a token. */
	readonly heard: Map<string, number>;
	/**
	 * Runs work that calls a model, as soon as a place at the model's gate is free.
	 *
	 * @throws WaitError if no place becomes free in this attempt.
	 */
	runAtGate<Result>(model: string, work: () => Promise<Result>): Promise<Result>;
	/** Records how long a call waited for its first token. */
	noteFirstToken(model: string, ms: number): void;
	/** Records that a call got a usable reply. `sentAt` is when the call was sent, in milliseconds since the epoch. */
	noteAnswer(model: string, sentAt: number): void;
	/** Returns true if the server may have cut off a reply because of another call of ours. If so, makes calls one by one for an hour. */
	noteBrokenOff(model: string): boolean;
	end(): void;
}

const OVER: JudgeWait = {
	reason: "continues",
	message: "The evaluation continues in another attempt.",
	retryAfterMs: 0,
	supplierWords: null,
};

/** For commands that judge without a platform, and so without a circuit breaker. */
const NO_REPORTS: SupplierReports = { findOutage: () => null, noteFault() {}, noteAnswer() {} };

export function supplierOf(model: string): string {
	return readModel(model).supplier;
}

/** Opens a context. The caller must end it. */
export function openContext(deps: CallDeps, settings: EngineSettings, watch: CallWatch & Pick<Attempt, "startedAt">): CallingContext {
	const { clock } = deps;
	const { startedAt = clock.now(), suppliers = NO_REPORTS } = watch;
	const over = new WaitError(null, OVER);
	const time = openTimeLimits(clock, { startedAt, over, signal: watch.signal });
	const stopped = new Map<string, WaitError>();
	const reported = new Set<JudgeWait>();
	let ticks = 0;
	const turn = { signal: time.lastCall, now: clock.now, endsAt: startedAt + CHECKPOINT.breakOffAfterMs };
	const gateFor = (model: string) => gateOf(`${settings.baseUrl} ${model}`, settings.callsAtOnce ?? defaultWidth(model));
	return {
		...{ deps, settings, watch, suppliers, signal: time.breakOff, over },
		assertGoing(model) {
			const error = stopped.get(model);
			if (error !== undefined) throw error;
			time.lastCall.throwIfAborted();
		},
		stop(model, wait) {
			if (wait.breaker === "fault" && !reported.has(wait)) suppliers.noteFault({ supplier: supplierOf(model), words: wait.supplierWords });
			reported.add(wait);
			if (!stopped.has(model)) stopped.set(model, new WaitError(model, wait));
		},
		firstAlone: createFirstAlone(),
		controls: createControlBook(),
		limits: new Map(),
		tick: () => (ticks += 1),
		heard: new Map(),
		runAtGate: (model, work) => gateFor(model).run(work, turn),
		noteFirstToken: (model, ms) => gateFor(model).note(ms, clock.now()),
		noteAnswer: (model, sentAt) => suppliers.noteAnswer({ supplier: supplierOf(model), sentAt }),
		noteBrokenOff: (model) => gateFor(model).noteBrokenOff(clock.now()),
		end: time.close,
	};
}

interface TimeLimits {
	/** Aborted when no more calls may start. */
	readonly lastCall: AbortSignal;
	/** Aborted when running calls must end. */
	readonly breakOff: AbortSignal;
	close(): void;
}

/** An attempt ends in two steps, so that running calls can still return their replies. The caller's signal causes both steps at once. */
function openTimeLimits(
	clock: Clock,
	{ startedAt, over, signal }: { readonly startedAt: number; readonly over: WaitError; readonly signal: AbortSignal | undefined },
): TimeLimits {
	const [lastCall, breakOff] = [new AbortController(), new AbortController()];
	const startNone = () => lastCall.abort(over);
	const timers = [
		runAt(clock, startedAt + CHECKPOINT.lastCallAfterMs, startNone),
		runAt(clock, startedAt + CHECKPOINT.breakOffAfterMs, () => breakOff.abort(over)),
	];
	signal?.addEventListener("abort", startNone, { once: true });
	if (signal?.aborted === true) startNone();
	return {
		lastCall: lastCall.signal,
		breakOff: signal === undefined ? breakOff.signal : AbortSignal.any([signal, breakOff.signal]),
		close() {
			for (const cancel of timers) cancel();
			signal?.removeEventListener("abort", startNone);
		},
	};
}

/** Runs a function at a given time, or at once if that time has passed. Returns a function that cancels it. */
function runAt(clock: Clock, at: number, run: () => void): () => void {
	const left = at - clock.now();
	if (left > 0) return clock.after(left, run);
	run();
	return () => {};
}

/** Waits for the work on all items, so that a fault in one does not lose the others' replies. Then throws the most informative fault. */
export async function untilAllEnded<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
	const ended = await Promise.allSettled(items.map(work));
	const faults = ended.flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
	const unexpected = faults.find((fault) => !(fault instanceof WaitError));
	const waiting = faults.find((fault) => fault instanceof WaitError && fault.wait.reason !== "continues");
	if (faults.length > 0) throw unexpected ?? waiting ?? faults[0];
}

const HOSTED_WIDTH = 12;

/** Returns how many parallel calls a model gets at first: one on an OpenAI-compatible server, because some handle only one at a time. */
function defaultWidth(model: string): number {
	return readModel(model).kind === "chat" ? 1 : HOSTED_WIDTH;
}

/** Returns a function that builds the part of the prompt that all calls about a submission share. It builds the part once for each room. */
export function createSharedPrompts(request: EvaluationRequest, mark: string): (room: number) => SharedPrompt {
	const written = new Map<number, SharedPrompt>();
	return (room) => {
		const messages = written.get(room) ?? writeShared(request, { mark, room });
		written.set(room, messages);
		return messages;
	};
}
