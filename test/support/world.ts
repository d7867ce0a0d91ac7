// A platform whose clock stands still and whose queue delivers nothing by itself, so that a test decides what happens when.
import { createMessageBatch } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { consumeBatch } from "../../queues/index.ts";
import { createApp } from "../../src/app.ts";
import { EvaluationFault } from "../../src/domain/evaluation-fault.ts";
import { offlineJudge } from "../../src/features/judging/offline.ts";
import { quickSubmit } from "../../src/features/submissions/contract.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { Judge } from "../../src/ports/judge.ts";
import { type CallInput, type Client, createClient } from "./client.ts";
import { manualClock, recordingQueue, type TestDeps, testDeps } from "./deps.ts";
import { GOOD_FILES, type RegisteredClient } from "./scenario.ts";
import { queryOne } from "./storage.ts";

export interface JobState {
	readonly id: string;
	readonly lease_token: string | null;
	readonly due_at: number;
	readonly give_up_at: number;
	readonly finished_at: number | null;
	readonly outcome: string | null;
	readonly last_error: string | null;
}

export type World = ReturnType<typeof createWorld>;

export function createWorld() {
	const clock = manualClock();
	const queue = recordingQueue();
	const deps = (change: Partial<Deps> = {}): TestDeps => {
		const real = testDeps();
		return testDeps({ clock, queues: { ...real.queues, evaluation: queue }, log: { info: () => {}, error: () => {} }, ...change });
	};
	/** The same caller, on this world's clock and queue; with further dependencies replaced. */
	const enter = (caller: Pick<Client, "key">, change: Partial<Deps> = {}): Client =>
		createClient({
			key: caller.key,
			fetch: async (request) => {
				const own = deps(change);
				const response = await createApp(() => own).fetch(request);
				await own.settled();
				return response;
			},
		});
	return {
		clock,
		queue,
		deps,
		enter,
		/** Submits, and leaves the evaluation to the test. */
		async submit(agent: RegisteredClient, taskId: string, input: CallInput = {}) {
			const { id } = await enter(agent).call(quickSubmit, { params: { id: taskId }, body: { files: GOOD_FILES }, ...input });
			const job = await readJob(id);
			return { id, jobId: job.id };
		},
		/** Delivers messages to a queue's consumer, as the platform does; what was acknowledged and what is to be retried. */
		async deliver(queueName: string, bodies: readonly unknown[], change: Partial<Deps> = {}) {
			const outcome = { acked: [] as number[], retried: [] as number[] };
			await putFirst(bodies);
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

/** Tests leave jobs behind, and a message lets those go first whose turn it is. In a world, the jobs of its own messages are next. */
async function putFirst(bodies: readonly unknown[]): Promise<void> {
	const text =
		"update evaluation_jobs set turn = -1, party_turn = -1 where attempts = 0 and id in (select value->>'jobId' from json_each(?))";
	await env.DB.prepare(text)
		.bind(JSON.stringify(bodies.filter((body) => typeof body === "object")))
		.run();
}

export async function readJob(submissionId: string): Promise<JobState> {
	const job = await queryOne<JobState>("select * from evaluation_jobs where submission_id = ? order by created_at desc", submissionId);
	if (job === null) throw new Error(`Submission ${submissionId} has no job.`);
	return job;
}

/** A judge that fails every time. */
export function failingJudge(fault: Error): Judge {
	return { ...offlineJudge, judgeCriterion: () => Promise.reject(fault) };
}

export const PLATFORM_FAULT = new EvaluationFault("The judge cannot be reached.", { blame: "platform", isRetryable: true });

/** A judge that answers when it is told to. */
export function heldJudge() {
	const { promise, resolve } = Promise.withResolvers<void>();
	const started = Promise.withResolvers<void>();
	const judge: Judge = {
		...offlineJudge,
		async judgeCriterion(request) {
			started.resolve();
			await promise;
			return offlineJudge.judgeCriterion(request);
		},
	};
	return { judge, started: started.promise, release: resolve };
}
