// One attempt at an evaluation shares this among all of its calls.
import type { ModelJudgeSettings } from "../../../config/judge-settings.ts";
import { readModel } from "../../../config/judge-suppliers.ts";
import type { CallWatch, EvaluationRequest, JudgeWait } from "../../../ports/judge.ts";
import { CHECKPOINT } from "../rules.ts";
import type { CallDeps } from "./calling.ts";
import { type ControlBook, createControlBook } from "./control-book.ts";
import { type Gate, gateOf } from "./gate.ts";
import type { CallLimits } from "./learning.ts";
import { createFirstAlone, type FirstAlone } from "./limiter.ts";
import { type SharedPrompt, writeShared } from "./prompts.ts";

export type EngineSettings = Omit<ModelJudgeSettings, "kind" | "screeningModel">;

/** A model cannot go on now, through no fault of the work. */
export class WaitError extends Error {
	override readonly name = "WaitError";
	readonly wait: JudgeWait;
	readonly model: string;

	constructor(model: string, wait: JudgeWait) {
		super(wait.message);
		this.model = model;
		this.wait = wait;
	}
}

export interface CallingContext {
	readonly deps: CallDeps;
	readonly settings: EngineSettings;
	readonly watch: CallWatch;
	/** It is aborted when the attempt's time is over, or when its caller gives up. */
	readonly signal: AbortSignal;
	/** @throws WaitError if no call may start any more, or if the model cannot go on. */
	assertGoing(model: string): void;
	/** Ends what a model has still to do in this attempt. The first reason stays. */
	stop(error: WaitError): void;
	readonly firstAlone: FirstAlone;
	readonly controls: ControlBook;
	readonly limits: Map<string, CallLimits>;
	/** Each happening gets the next number, so that the order of calls is known although several end in the same millisecond. */
	tick(): number;
	/** The latest of the calls of each model that have got a token was sent at this tick. */
	readonly heard: Map<string, number>;
	gate(model: string): Gate;
	end(): void;
}

const OVER: JudgeWait = {
	reason: "continues",
	message: "The evaluation continues in another attempt.",
	retryAfterMs: 0,
	supplierWords: null,
};

/** Opens a context. Its owner ends it. */
export function openContext(deps: CallDeps, settings: EngineSettings, watch: CallWatch): CallingContext {
	const { clock } = deps;
	const controller = new AbortController();
	const stopped = new Map<string, WaitError>();
	let isOver = false;
	let ticks = 0;
	const timers = [
		clock.after(CHECKPOINT.lastCallAfterMs, () => {
			isOver = true;
		}),
		clock.after(CHECKPOINT.breakOffAfterMs, () => controller.abort(new Error("The attempt is over."))),
	];
	const signal = watch.signal === undefined ? controller.signal : AbortSignal.any([watch.signal, controller.signal]);
	return {
		...{ deps, settings, watch, signal },
		assertGoing(model) {
			const error = stopped.get(model);
			if (error !== undefined) throw error;
			if (isOver || signal.aborted) throw new WaitError(model, OVER);
		},
		stop(error) {
			if (!stopped.has(error.model)) stopped.set(error.model, error);
		},
		firstAlone: createFirstAlone(),
		controls: createControlBook(),
		limits: new Map(),
		tick: () => (ticks += 1),
		heard: new Map(),
		gate: (model) => gateOf(`${settings.baseUrl} ${model}`, settings.callsAtOnce ?? defaultWidth(model)),
		end: () => timers.forEach((cancel) => void cancel()),
	};
}

const HOSTED_WIDTH = 12;

/** A server of one's own answers one call after the other, as far as anyone knows. */
function defaultWidth(model: string): number {
	return readModel(model).kind === "chat" ? 1 : HOSTED_WIDTH;
}

/** Writes what all calls about a work share, once for each room. */
export function createSharedPrompts(request: EvaluationRequest, mark: string): (room: number) => SharedPrompt {
	const written = new Map<number, SharedPrompt>();
	return (room) => {
		const known = written.get(room) ?? writeShared(request, { mark, room });
		written.set(room, known);
		return known;
	};
}
