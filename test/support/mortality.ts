// Provides dependencies of a process that dies at one of its steps to the outside, before the step takes effect or after.
import { env } from "cloudflare:workers";
import { openDatabase } from "../../src/db/client.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { type Interceptor, interceptD1 } from "./intercepted-d1.ts";

export interface Death {
	/** The number of the step, from 0. A process with fewer steps survives. */
	readonly atStep: number;
	/**
	 * True if the step still takes effect. That leaves the same state as a death before the next step, because a dead process takes no further
	 * step. So a test that plays every step needs only one of the two.
	 */
	readonly isAfter?: boolean;
}

export class SimulatedDeath extends Error {}

export interface MortalDeps extends Deps {
	/** Returns true once the process has died. A process with fewer steps survives. */
	hasDied(): boolean;
}

/** Returns the same dependencies, but their database, bucket, queue, objects and network stop working when the process dies. */
export function mortal(deps: Deps, { atStep, isAfter = false }: Death, onDeath = () => {}): MortalDeps {
	let steps = 0;
	const die = (when: string, number: number): never => {
		if (number === atStep) onDeath();
		throw new SimulatedDeath(`${when} step ${number}`);
	};
	const step: Step = async (run) => {
		const number = steps;
		steps += 1;
		if (number > atStep || (number === atStep && !isAfter)) return die("before", number);
		const result = await run();
		return number === atStep ? die("after", number) : result;
	};
	return {
		...withSteps(deps, step),
		log: { info: () => {}, error: () => {} },
		background: (work) => deps.background(work.catch(() => {})),
		hasDied: () => steps > atStep,
	};
}

export type Step = <T>(run: () => Promise<T>) => Promise<T>;

/** Returns the same dependencies, with each of their calls to the outside as a step. `onCall` runs for each call to D1. */
export function withSteps(deps: Deps, step: Step, onCall: Interceptor = (run) => run()): Deps {
	const { directTransfers, queues } = deps;
	return {
		...deps,
		db: Object.assign(
			openDatabase(
				interceptD1((run, statements) => step(() => onCall(run, statements))),
				"first-primary",
			),
			{
				committedEvents: deps.db.committedEvents,
			},
		),
		search: deps.search === null ? null : openDatabase(interceptD1(step, env.SEARCH), "first-primary"),
		bucket: inSteps(deps.bucket, step),
		directTransfers:
			directTransfers === null ? null : { ...directTransfers, copy: (from, to) => step(async () => directTransfers.copy(from, to)) },
		queues: { tasks: inSteps(queues.tasks, step), checks: inSteps(queues.checks, step), sweeps: inSteps(queues.sweeps, step) },
		hubs: inSteps(deps.hubs, step),
		locate: (id) => step(() => deps.locate(id)),
		fetch: (url, init) => step(() => deps.fetch(url, init)),
	};
}

/** Turns every method of a bucket, or of its upload in parts, into a step. */
export function inSteps<T extends object>(object: T, step: Step): T {
	return new Proxy(object, {
		get(target, name) {
			const member: unknown = Reflect.get(target, name);
			if (typeof member !== "function") return member;
			return (...input: unknown[]) =>
				step(async () => {
					const result: unknown = await member.apply(target, input);
					return isUpload(result) ? inSteps(result, step) : result;
				});
		},
	});
}

function isUpload(result: unknown): result is R2MultipartUpload {
	return typeof result === "object" && result !== null && "uploadPart" in result;
}
