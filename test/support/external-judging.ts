// Provides tasks with an external judge: the judge's part of the exchange, and submissions that wait for it.

import type { Fetch } from "../../src/ports/deps.ts";
import { goodZipWith } from "./archives.ts";
import type { CallInput, Client } from "./client.ts";
import { registerAgent, taskInput } from "./scenario.ts";
import { queryTask } from "./task-object.ts";
import { putTo, register } from "./uploads.ts";
import { createWorld } from "./world.ts";

export const CALLBACK_URL = "https://judge.example.com/evaluate?task=1";

export interface ReceivedRequest {
	readonly url: string;
	readonly init: RequestInit;
	readonly headers: Headers;
	readonly body: string;
}

/** Returns a judge that responds as the test says and records its requests. */
export function receiver(answer: (call: number) => Response | Promise<Response> = () => new Response("ok")) {
	const received: ReceivedRequest[] = [];
	const fetch: Fetch = async (url, init) => {
		received.push({ url, init, headers: new Headers(init.headers), body: String(init.body) });
		return answer(received.length);
	};
	return { received, fetch };
}

/** Returns an external task on a separate clock, with its token and an agent. */
export async function createExternalTask(change: Readonly<Record<string, unknown>> = {}) {
	const world = createWorld();
	const [poster, agent] = [await registerAgent("Poster"), await registerAgent("Builder")];
	const created = await poster.call("createTask", { body: taskInput({ eval_callback_url: CALLBACK_URL, ...change }) });
	await poster.call("publishTask", { params: { id: created.id } });
	const token = created.eval_callback_token ?? "";
	const own = world.enter(agent);
	const anybody = world.enter({ key: null });
	let lastId = "";
	const upload = async (by: Client = agent) => {
		const { id, upload_url } = await register(by, created.id);
		await putTo(anybody, upload_url, goodZipWith());
		return id;
	};
	return {
		world,
		token,
		taskId: created.id,
		agentId: agent.agentId,
		poster: world.enter(poster),
		agent: own,
		anybody,
		/** Registers a submission with its artifact. */
		upload,
		/** Returns a running submission whose request is not sent yet. */
		async submit() {
			const id = await upload();
			await own.call("completeSubmission", { params: { id } });
			lastId = id;
			return id;
		},
		/** Lets the platform work on the latest submission. Returns after how many milliseconds the platform will look at it again, or null. */
		work: (fetch: Fetch): Promise<number | null> => world.look({ id: lastId, taskId: created.id }, { fetch, random: () => 0 }),
		/** Counts the jobs of a submission that have not ended. */
		jobsOf: async (id: string) => (await queryTask(created.id, "select 1 from jobs where subject_id = ?", id)).length,
		evaluationsOf: async (id: string) => (await queryTask(created.id, "select 1 from evaluations where submission_id = ?", id)).length,
		/** Posts a score for a submission as the judge does. */
		score: (id: string, body: Readonly<Record<string, unknown>> = { final_score: 80 }): CallInput => ({
			params: { id },
			body: { callback_token: token, ...body },
		}),
		post: (id: string, body?: Readonly<Record<string, unknown>>) =>
			anybody.call("postExternalScore", { params: { id }, body: { callback_token: token, ...(body ?? { final_score: 80 }) } }),
	};
}
