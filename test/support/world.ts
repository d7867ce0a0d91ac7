// Provides a platform with a fixed clock and a queue that delivers nothing by itself, so that a test decides what happens when.
import { createMessageBatch, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { z } from "zod";
import { createDeps } from "../../src/compose/create-deps.ts";
import { workOff as consumeTask } from "../../src/compose/work-off.ts";
import { IsolateBoard } from "../../src/core/judging/breaker/board.ts";
import { offlineJudge } from "../../src/core/judging/engine/offline.ts";
import { EvaluationFault } from "../../src/domain/evaluation-fault.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { Judge } from "../../src/ports/judge.ts";
import { consumeBatch } from "../../src/queues/index.ts";
import { createApp } from "./app.ts";
import { type CallInput, type Client, createClient } from "./client.ts";
import { recordingQueue, type TestDeps, testDeps } from "./deps.ts";
import { manualClock } from "./manual-clock.ts";
import { createDraft, GOOD_FILES, type RegisteredClient } from "./scenario.ts";
import { queryTask } from "./task-object.ts";
import { HOUR_MS } from "./times.ts";

export const QUEUE = "bounty-platform-evaluation";
/** How far a world's clock is ahead of the real one. The runtime's alarms follow the real clock, so none rings by itself. */
const AHEAD_MS = 240_000;
const MAX_VISITS = 500;
/** How many jobs a consumer may have before the one that a test looks at. */
const MAX_EARLIER = 20;
const SILENT = { info: () => {}, error: () => {} };

/** The fields of a job that a task's object stores. */
export interface JobState {
	readonly [column: string]: SqlStorageValue;
	readonly id: string;
	readonly kind: string;
	readonly subject_id: string;
	readonly state: string;
	readonly attempts: number;
	readonly faults: number;
	readonly runs: number;
	readonly claim_token: string | null;
	readonly due_at: number;
	readonly give_up_at: number;
	readonly last_error: string | null;
	readonly wait: string | null;
}

/** What is judged: a submission or a trial. If it has a card, its id is enough to find its task. */
export type Subject = string | { readonly id: string; readonly taskId: string };

export type World = ReturnType<typeof createWorld>;

/** @param common Replaces dependencies of everything in this world. */
export function createWorld(common: Partial<Deps> = {}) {
	const clock = manualClock(Date.now() + AHEAD_MS);
	const [tasks, checks] = [recordingQueue(), recordingQueue()];
	// Worlds have clocks of their own, so they know nothing of each other's suppliers.
	const watch = env.WATCH.getByName(crypto.randomUUID());
	const suppliers = new IsolateBoard();
	const deps = (change: Partial<Deps> = {}): TestDeps => {
		const real = testDeps();
		const own = { clock, queues: { ...real.queues, tasks, checks }, log: SILENT, suppliers, ...common, ...change };
		const hubs: Deps["hubs"] = {
			...(own.hubs ?? { ...real.hubs, callWatch: (call) => call(watch) }),
			async callTask(taskId, verb, call) {
				await adopt(taskId, own);
				return (own.hubs ?? real.hubs).callTask(taskId, verb, call);
			},
		};
		return testDeps({ ...own, hubs });
	};

	/** Gives the object of a task this world's clock, queue and configuration. It loses them when it is evicted. */
	function adopt(taskId: string, { config, metrics }: Partial<Deps> = common): Promise<void> {
		return runInDurableObject(env.TASK.getByName(taskId), ({ runtime }) => {
			const real = createDeps({ env, background: runtime.deps.background, readFrom: "first-primary" });
			const replaced = {
				clock: common.clock ?? clock,
				log: SILENT,
				queues: { ...real.queues, tasks, checks },
				config: config ?? real.config,
			};
			runtime.deps = { ...real, ...replaced, metrics: metrics ?? real.metrics };
		});
	}

	/** Does the work of a task's alarm at any time. */
	async function ring(taskId: string): Promise<void> {
		await adopt(taskId);
		await runDurableObjectAlarm(env.TASK.getByName(taskId));
	}

	/** Runs a consumer with a message for the task, which works on the next job. */
	async function visitTask(taskId: string, change: Partial<Deps> = {}): Promise<void> {
		const consumer = deps(change);
		await consumeTask(consumer, taskId);
		await consumer.settled();
	}

	/**
	 * Works on the job of a submission or trial, if it is due.
	 *
	 * @returns In how many milliseconds it is due again, or null if it has ended.
	 */
	async function look(subject: Subject, change: Partial<Deps> = {}): Promise<number | null> {
		const { id, taskId } = await locate(subject);
		await ring(taskId);
		const before = await findJob({ id, taskId });
		if (before === null) return null;
		// The job is made the next one. Other jobs that are ready wait.
		await putFirst(taskId, id);
		let job = before.due_at <= clock.now() ? await visitAndFind({ id, taskId }, change) : before;
		// Jobs that stop other runs come first.
		for (let visits = 1; visits < MAX_EARLIER && job?.attempts === before.attempts && job.state === "ready"; visits += 1) {
			job = await visitAndFind({ id, taskId }, change);
		}
		return job === null ? null : Math.max(0, job.due_at - clock.now());
	}

	async function visitAndFind(subject: { readonly id: string; readonly taskId: string }, change: Partial<Deps>): Promise<JobState | null> {
		await visitTask(subject.taskId, change);
		return findJob(subject);
	}

	/** Returns the same caller on this world's clock and queue, with further dependencies replaced. */
	function enter<Caller extends Pick<Client, "key">>(caller: Caller, change: Partial<Deps> = {}): Caller & Client {
		const client = createClient({
			key: caller.key,
			fetch: async (request) => {
				const own = deps(change);
				const response = await createApp(() => own).fetch(request);
				await own.settled();
				return response;
			},
		});
		return { ...caller, ...client };
	}

	return {
		clock,
		tasks,
		checks,
		deps,
		adopt,
		enter,
		ring,
		visitTask,
		look,
		/** Returns an open task of this world. */
		async openTask(poster: Pick<Client, "key">, change: Readonly<Record<string, unknown>> = {}): Promise<string> {
			const own = enter(poster);
			const { id } = await createDraft(own, change);
			await own.call("publishTask", { params: { id } });
			return id;
		},
		/** Submits, and leaves the evaluation to the test. */
		async submit(agent: RegisteredClient, taskId: string, input: CallInput = {}) {
			const { id } = await enter(agent).call("quickSubmit", { params: { id: taskId }, body: { files: GOOD_FILES }, ...input });
			const job = await findJob({ id, taskId });
			return { id, taskId, jobId: job?.id ?? "" };
		},
		/** Visits until the job of a submission or trial has ended. Returns the delays between visits in milliseconds. */
		async workOff(subject: Subject, change: Partial<Deps> = {}): Promise<number[]> {
			const delays: number[] = [];
			for (let visits = 0; visits < MAX_VISITS; visits += 1) {
				const delayMs = await look(subject, change);
				if (delayMs === null) return delays;
				delays.push(delayMs);
				clock.advance(delayMs);
			}
			throw new Error("The job does not end.");
		},
		/** Works on all jobs of a task, and moves the clock on until nothing is left. */
		async workOffTask(taskId: string, change: Partial<Deps> = {}): Promise<void> {
			for (let visit = 0; visit < MAX_VISITS; visit += 1) {
				await ring(taskId);
				const jobs = await jobsOf(taskId);
				if (jobs.length === 0) return;
				if (jobs.some(({ state }) => state === "ready")) await visitTask(taskId, change);
				else clock.advance(Math.max(0, Math.min(...jobs.map(({ due_at }) => due_at)) - clock.now()));
			}
		},
		/**
		 * Visits until the job of a submission or trial has ended, as rarely as is enough for a day of waits. Returns what the job has waited
		 * for.
		 */
		async waitOut(subject: Subject, change: Partial<Deps> = {}): Promise<string[]> {
			const reasons: string[] = [];
			for (let visits = 0; visits < MAX_VISITS; visits += 1) {
				const delayMs = await look(subject, change);
				if (delayMs === null) return reasons;
				const { wait } = await readJob(subject);
				if (wait === null) {
					clock.advance(delayMs);
					continue;
				}
				reasons.push(z.object({ reason: z.string() }).parse(JSON.parse(wait)).reason);
				clock.advance(Math.max(delayMs, 6 * HOUR_MS));
			}
			throw new Error("The job does not end.");
		},
		/** Works on a task's jobs until none is ready. */
		async workOffDue(taskId: string, change: Partial<Deps> = {}): Promise<void> {
			for (let visits = 0; visits < MAX_VISITS; visits += 1) {
				await ring(taskId);
				if ((await jobsOf(taskId)).every(({ state }) => state !== "ready")) return;
				await visitTask(taskId, change);
			}
			throw new Error("The jobs do not end.");
		},
		/** Delivers messages to a queue's consumer, as the platform does. Returns what was acknowledged and what must be retried. */
		async deliver(queueName: string, bodies: readonly unknown[], change: Partial<Deps> = {}) {
			const outcome = { acked: [] as number[], retried: [] as number[] };
			const batch = createMessageBatch(
				queueName,
				bodies.map((body, index) => ({ id: `${index}`, timestamp: new Date(clock.now()), attempts: 1, body })),
			);
			for (const [index, message] of batch.messages.entries()) {
				message.ack = () => outcome.acked.push(index);
				message.retry = () => outcome.retried.push(index);
			}
			const own = deps(change);
			await consumeBatch(batch, () => own);
			await own.settled();
			return outcome;
		},
	};
}

async function locate(subject: Subject): Promise<{ id: string; taskId: string }> {
	if (typeof subject !== "string") return subject;
	const taskId = await testDeps().locate(subject);
	if (taskId === null) throw new Error(`No task is known of ${subject}.`);
	return { id: subject, taskId };
}

/** Returns the jobs of a task that have not ended, oldest first. */
export function jobsOf(taskId: string): Promise<JobState[]> {
	return queryTask<JobState>(taskId, "select * from jobs order by created_at, id");
}

/** Returns the job of a submission or trial, or null if it has ended. */
export async function findJob(subject: Subject): Promise<JobState | null> {
	const { id, taskId } = await locate(subject);
	const [job] = await queryTask<JobState>(taskId, "select * from jobs where subject_id = ?", id);
	return job ?? null;
}

/** Returns the job of a submission or trial, which must not have ended. */
export async function readJob(subject: Subject): Promise<JobState> {
	const job = await findJob(subject);
	if (job === null) throw new Error("There is no such job.");
	return job;
}

async function putFirst(taskId: string, subjectId: string): Promise<void> {
	await queryTask(taskId, "update jobs set turn = -1 where subject_id = ?", subjectId);
}

/** Returns a judge that fails every time. */
export function failingJudge(fault: Error): Judge {
	return { ...offlineJudge, evaluate: () => Promise.reject(fault) };
}

/** Returns the judge that the tests' deployment has. */
export function ownJudge(): Judge {
	const { judge } = testDeps();
	if (judge === null) throw new Error("The tests' deployment has no judge.");
	return judge;
}

/** A fault after which a job waits. */
export const PLATFORM_FAULT = new EvaluationFault("The judge cannot be reached.", { blame: "platform", isRetryable: true });

/** Returns a judge that responds when the test says so. */
export function heldJudge() {
	const { promise, resolve } = Promise.withResolvers<void>();
	const started = Promise.withResolvers<void>();
	const judge: Judge = {
		...offlineJudge,
		async evaluate(request, attempt) {
			started.resolve();
			await promise;
			return offlineJudge.evaluate(request, attempt);
		},
	};
	return { judge, started: started.promise, release: resolve };
}
