// A platform of Task objects whose clock stands still and whose queue delivers nothing by itself, so that a test decides what happens when.
import { createMessageBatch, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { consumeBatch } from "../../queues/index.ts";
import { createApp } from "../../src/app.ts";
import { createDeps } from "../../src/compose/create-deps.ts";
import { workOff } from "../../src/features/competition/evaluation/consumer.ts";
import { quickSubmit } from "../../src/features/submissions/contract.ts";
import { publishTask } from "../../src/features/tasks/contract.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { TaskMessage } from "../../src/ports/queues.ts";
import { type CallInput, type Client, createClient } from "./client.ts";
import { manualClock, recordingQueue, type TestDeps, testDeps } from "./deps.ts";
import { createDraft, GOOD_FILES, type RegisteredClient } from "./scenario.ts";
import { queryTask } from "./task-object.ts";

const QUEUE = "bounty-platform-evaluation";
/** Alarms of the runtime follow the real clock, so none of them comes by itself. */
const AHEAD_MS = 3_600_000;
const MAX_VISITS = 500;
const SILENT = { info: () => {}, error: () => {} };

export interface ObjectJob {
	readonly [column: string]: SqlStorageValue;
	readonly id: string;
	readonly kind: string;
	readonly state: string;
	readonly attempts: number;
	readonly faults: number;
	readonly runs: number;
	readonly lease_token: string | null;
	readonly due_at: number;
	readonly give_up_at: number;
	readonly waiting_for: string | null;
	readonly last_error: string | null;
}

/** @param common Replaces dependencies of everything in this world. */
export function createObjectWorld(common: Partial<Deps> = {}) {
	const clock = manualClock(Date.now() + AHEAD_MS);
	const queue = recordingQueue<TaskMessage>();
	const own = (): Partial<Deps> => ({ clock, log: SILENT, ...common });
	const deps = (change: Partial<Deps> = {}): TestDeps => {
		const real = testDeps();
		const hubs: Deps["hubs"] = {
			...real.hubs,
			async callTask(taskId, verb, call) {
				await adopt(taskId);
				return real.hubs.callTask(taskId, verb, call);
			},
		};
		return testDeps({ ...own(), hubs, queues: { ...real.queues, tasks: queue }, ...change });
	};

	/** Gives the object of a task this world's clock and queue. It loses them when it is evicted. */
	function adopt(taskId: string): Promise<void> {
		return runInDurableObject(env.TASK.getByName(taskId), ({ runtime }) => {
			const { background } = runtime.deps;
			const real = createDeps({ env, background, readFrom: "first-primary" });
			runtime.deps = { ...real, ...own(), queues: { ...real.queues, tasks: queue } };
		});
	}

	const jobsOf = (taskId: string) => queryTask<ObjectJob>(taskId, "select * from jobs order by created_at, id");
	const findJob = async (taskId: string, subjectId: string) => {
		const [job] = await queryTask<ObjectJob>(taskId, "select * from jobs where subject_id = ?", subjectId);
		return job ?? null;
	};

	/** A consumer that comes with a message for the task. */
	async function visit(taskId: string, change: Partial<Deps> = {}): Promise<void> {
		const consumer = deps(change);
		await workOff(consumer, taskId);
		await consumer.settled();
	}

	/** The alarm of a task's object, whatever its time. */
	async function ring(taskId: string): Promise<void> {
		await adopt(taskId);
		await runDurableObjectAlarm(env.TASK.getByName(taskId));
	}

	/** The same caller, on this world's clock and queue; with further dependencies replaced. */
	function enter<Caller extends Pick<Client, "key">>(caller: Caller, change: Partial<Deps> = {}): Caller & Client {
		const client = createClient({
			key: caller.key,
			fetch: async (request) => {
				const server = deps(change);
				const response = await createApp(() => server).fetch(request);
				await server.settled();
				return response;
			},
		});
		return { ...caller, ...client };
	}

	return {
		clock,
		queue,
		deps,
		enter,
		adopt,
		jobsOf,
		findJob,
		visit,
		ring,
		/** An open task in this world. */
		async openTask(poster: RegisteredClient, change: Readonly<Record<string, unknown>> = {}): Promise<string> {
			const own = enter(poster);
			const { id } = await createDraft(own, change);
			await own.call(publishTask, { params: { id } });
			return id;
		},
		/** Submits, and leaves the evaluation to the test. */
		async submit(agent: RegisteredClient, taskId: string, input: CallInput = {}) {
			const { id } = await enter(agent).call(quickSubmit, { params: { id: taskId }, body: { files: GOOD_FILES }, ...input });
			return { id };
		},
		/** Delivers messages to the queue's consumer, as the platform does; what was acknowledged and what is to be retried. */
		async deliver(bodies: readonly unknown[], { queueName = QUEUE, ...change }: Partial<Deps> & { queueName?: string } = {}) {
			const outcome = { acked: [] as number[], retried: [] as number[] };
			const batch = createMessageBatch(
				queueName,
				bodies.map((body, index) => ({ id: `${index}`, timestamp: new Date(clock.now()), attempts: 1, body })),
			);
			for (const [index, message] of batch.messages.entries()) {
				message.ack = () => outcome.acked.push(index);
				message.retry = () => outcome.retried.push(index);
			}
			const consumer = deps(change);
			await consumeBatch(batch, () => consumer);
			await consumer.settled();
			return outcome;
		},
		/** A visit of the job of a submission or trial; in how many milliseconds it is due again, or null when it has ended. */
		async look(taskId: string, subjectId: string, change: Partial<Deps> = {}): Promise<number | null> {
			await ring(taskId);
			await visit(taskId, change);
			const job = await findJob(taskId, subjectId);
			return job === null ? null : Math.max(0, job.due_at - clock.now());
		},
		/** Visits until the job of a submission or trial has ended; the delays between visits in milliseconds. */
		async workOff(taskId: string, subjectId: string, change: Partial<Deps> = {}): Promise<number[]> {
			const delays: number[] = [];
			for (let visits = 0; visits < MAX_VISITS; visits += 1) {
				await ring(taskId);
				if ((await findJob(taskId, subjectId)) === null) return delays;
				await visit(taskId, change);
				const job = await findJob(taskId, subjectId);
				if (job === null) return delays;
				const delayMs = Math.max(0, job.due_at - clock.now());
				delays.push(delayMs);
				clock.advance(delayMs);
			}
			throw new Error("The job does not end.");
		},
		/** Works off all jobs of a task that are due, however many messages there are. */
		async workOffDue(taskId: string, change: Partial<Deps> = {}): Promise<void> {
			for (let visits = 0; visits < MAX_VISITS; visits += 1) {
				await ring(taskId);
				const due = (await jobsOf(taskId)).filter(({ state }) => state === "ready");
				if (due.length === 0) return;
				await visit(taskId, change);
			}
			throw new Error("The jobs do not end.");
		},
	};
}
