// Runs Task objects under the test's control: they use the storage of the real objects, but the test's alarms and the test's outside world.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { TASK_PARTS } from "#platform";
import { createHubs } from "../../src/compose/hubs.ts";
import { TaskRuntime } from "../../src/compose/task-runtime.ts";
import type { Task } from "../../src/durable-objects/task.ts";
import type { Clock } from "../../src/platform/clock.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { Hubs } from "../../src/ports/hubs.ts";
import type { TaskCall, TaskReply } from "../../src/ports/task.ts";
import type { Interceptor } from "./intercepted-d1.ts";
import type { ManualClock } from "./manual-clock.ts";
import { SimulatedDeath, type Step, withSteps } from "./mortality.ts";

/** A life lasts from the wake of an object to its end. An object that dies loses its memory, and its unfinished work takes no effect. */
export interface Life {
	isDead: boolean;
}

/** Decides before a step whether the object dies at this step, and whether the step still takes effect. */
export type Fate = () => "lives" | "dies before" | "dies after";

export interface HeldTasks {
	/** Maps tasks to the times at which their objects wake up. */
	readonly alarms: ReadonlyMap<string, number>;
	/** Hubs through which calls reach the held objects. */
	readonly hubs: Hubs;
	/** Wakes the objects that are due. */
	ring(): Promise<void>;
	/** Wakes these objects, if they have an alarm, at any time. */
	ringNow(taskIds: readonly string[]): Promise<void>;
	/** Returns the tasks whose objects are held. */
	taskIds(): readonly string[];
	/** Ends the lives of all objects that are awake. Returns how many there were. */
	kill(): number;
	/** Waits until no object waits for the outside. Work that waits for the clock continues to wait. */
	settled(): Promise<void>;
}

interface HeldTask {
	readonly life: Life;
	readonly runtime: TaskRuntime;
	/** The runtime evicts the real object from memory when it is idle. */
	readonly object: Task;
	readonly isAwake: Promise<void>;
}

interface World {
	readonly clock: ManualClock;
	/** Returns the outside world of one life. */
	openDeps(): Deps;
	/** Returns the fate of one life. */
	openFate(): Fate;
	/** Runs for each call of an object to D1. */
	readonly onCall?: Interceptor;
	/** Returns true if the call is lost on its way to the object, or its response on the way back. */
	loses(way: "call" | "response"): boolean;
}

/** Returns the error that the caller gets if an object has died, or was never reached. */
function resetError(): Error {
	return Object.assign(new Error("Durable Object reset because its code was updated."), { retryable: true });
}

/**
 * Limits the real objects to verbs, because the runtime evicts idle objects. They then run verbs for relays until they are held again.
 *
 * @returns A function that lifts the limit.
 */
export function silenceRealTasks(): () => void {
	const parts = { ...TASK_PARTS };
	Object.assign(TASK_PARTS, { duties: [], createFollowers: () => [], listeners: [] });
	return () => void Object.assign(TASK_PARTS, parts);
}

export function holdTasks({ clock, openDeps, openFate, onCall, loses }: World): HeldTasks {
	const held = new Map<string, HeldTask>();
	const alarms = new Map<string, number>();
	let underWay = 0;
	const parts = { ...TASK_PARTS };

	/** Returns a clock whose callbacks run in the object, unless the object has died. */
	function ownClock(taskId: string, life: Life): Clock {
		const late = (run: () => void) => () => {
			if (life.isDead) return;
			underWay += 1;
			const ran = runInDurableObject(env.TASK.getByName(taskId), (object) => {
				if (!life.isDead && held.get(taskId)?.object === object) run();
			});
			ran.finally(() => {
				underWay -= 1;
			});
		};
		return { now: clock.now, after: (ms, run) => clock.after(ms, late(run)), every: (ms, run) => clock.every(ms, late(run)) };
	}

	function openLife(taskId: string, life: Life): Deps {
		const decide = openFate();
		const step: Step = async (run) => {
			// The runtime stores writes together if the object does not wait between them, so the object may die only after a wait.
			await null;
			if (life.isDead) throw new SimulatedDeath("earlier");
			const fate = decide();
			life.isDead ||= fate === "dies before";
			if (life.isDead) throw new SimulatedDeath("before a step");
			const result = await run();
			life.isDead ||= fate === "dies after";
			if (life.isDead) throw new SimulatedDeath("after a step");
			return result;
		};
		const counted: Step = (run) => {
			underWay += 1;
			return step(run).finally(() => {
				underWay -= 1;
			});
		};
		const deps = withSteps(openDeps(), counted, onCall);
		return {
			...deps,
			clock: ownClock(taskId, life),
			log: { info: () => {}, error: () => {} },
			background: (work) => void work.catch(() => {}),
		};
	}

	function hold(taskId: string, object: Task, storage: DurableObjectStorage): HeldTask {
		const known = held.get(taskId);
		if (known !== undefined && !known.life.isDead && known.object === object) return known;
		if (known !== undefined) known.life.isDead = true;
		const life = { isDead: false };
		const runtime = new TaskRuntime(untilDeath(storage, { life, alarms, taskId }), openLife(taskId, life), parts);
		const opened = { life, runtime, object, isAwake: runtime.wake() };
		held.set(taskId, opened);
		// The relays of streams, and tests that seed, use the object itself.
		const again = () => hold(taskId, object, storage);
		const inside = {
			deps: runtime.deps,
			call: (sent: TaskCall) => enter(again(), (present) => present.call(sent)),
			alarm: () => enter(again(), (present) => present.alarm()),
		};
		Object.defineProperty(object, "runtime", { value: inside, configurable: true });
		return opened;
	}

	async function enter<T>({ life, runtime, isAwake }: HeldTask, work: (runtime: TaskRuntime) => Promise<T>): Promise<T> {
		try {
			await isAwake;
			const result = await work(runtime);
			if (!life.isDead) return result;
		} catch (error) {
			if (!life.isDead) throw error;
		}
		throw resetError();
	}

	const visit = <T>(taskId: string, work: (runtime: TaskRuntime) => Promise<T>): Promise<T> =>
		runInDurableObject(env.TASK.getByName(taskId), (object, { storage }) => enter(hold(taskId, object, storage), work));

	async function call(sent: TaskCall): Promise<TaskReply> {
		if (loses("call")) throw resetError();
		const reply = await visit(sent.taskId, (runtime) => runtime.call(structuredClone(sent)));
		if (loses("response")) throw resetError();
		return structuredClone(reply);
	}

	const namespace: Env["TASK"] = Object.assign(Object.create(null), { getByName: () => ({ call }) });

	/** Runs an alarm again if it did not end, as the runtime does. */
	async function wake(taskId: string): Promise<void> {
		try {
			await visit(taskId, (runtime) => runtime.alarm());
		} catch {
			alarms.set(taskId, Math.min(alarms.get(taskId) ?? clock.now(), clock.now()));
		}
	}

	async function wakeDue(isDue: (at: number, taskId: string) => boolean): Promise<void> {
		const due = [...alarms].filter(([taskId, at]) => isDue(at, taskId)).map(([taskId]) => taskId);
		for (const taskId of due) alarms.delete(taskId);
		await Promise.all(due.map(wake));
	}

	return {
		alarms,
		hubs: createHubs({ ...env, TASK: namespace }),
		ring: () => wakeDue((at) => at <= clock.now()),
		ringNow: (taskIds) => wakeDue((_, taskId) => taskIds.includes(taskId)),
		taskIds: () => [...held.keys()],
		kill() {
			const awake = [...held.values()].filter(({ life }) => !life.isDead);
			for (const { life } of awake) life.isDead = true;
			return awake.length;
		},
		async settled() {
			for (let quiet = 0; quiet < 3; quiet = underWay === 0 ? quiet + 1 : 0) await scheduler.wait(1);
		},
	};
}

interface Held {
	readonly life: Life;
	readonly alarms: Map<string, number>;
	readonly taskId: string;
}

/** Returns the storage of an object, which a dead one cannot use any more. Its alarm belongs to the test. */
function untilDeath(storage: DurableObjectStorage, { life, alarms, taskId }: Held): DurableObjectStorage {
	const alarm = {
		getAlarm: async () => alarms.get(taskId) ?? null,
		setAlarm: async (at: number | Date) => void alarms.set(taskId, Number(at)),
		deleteAlarm: async () => void alarms.delete(taskId),
	};
	return new Proxy(storage, {
		get(target, name) {
			if (life.isDead) throw new SimulatedDeath("earlier");
			const member: unknown = Reflect.get(name in alarm ? alarm : target, name);
			return typeof member === "function" ? member.bind(target) : member;
		},
	});
}
