// Provides tasks that a poster's image judges, with a scripted grader, on a clock that the test moves.

import type { Config } from "../../src/config/env.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { createClient } from "./client.ts";
import { testDeps } from "./deps.ts";
import { GRADER_TOKEN, type GraderCall, type GraderScript, scriptGrader } from "./grader-script.ts";
import { createDraft, registerAgent } from "./scenario.ts";
import { queryTask } from "./task-object.ts";
import { createWorld, findJob, jobsOf } from "./world.ts";

export const IMAGE = "registry.example/secret-judge:1";

export interface TestCaseInput {
	readonly name: string;
	readonly input: string;
	readonly expected_output: string;
	readonly match_type: "exact" | "contains" | "regex";
	readonly public?: boolean;
}

export function suiteForm(suite: unknown, filename = "suite.json"): FormData {
	const form = new FormData();
	form.set("file", new File([typeof suite === "string" ? suite : JSON.stringify(suite)], filename, { type: "application/json" }));
	return form;
}

interface Choices {
	readonly task?: Readonly<Record<string, unknown>>;
	readonly cases?: readonly TestCaseInput[];
	/** The default is the scripted grader. */
	readonly grader?: Config["grader"];
}

/** Returns an open container task with one submission that waits for its evaluation. */
export async function createContainerTask(script: GraderScript, { task = {}, cases, grader }: Choices = {}) {
	const [poster, agent] = [await registerAgent("Poster"), await registerAgent("Builder")];
	const scripted = await scriptGrader(script);
	const settings = grader === undefined ? { kind: "url" as const, url: scripted.url, token: GRADER_TOKEN } : grader;
	const world = createWorld({ config: { ...testDeps().config, grader: settings } });
	const { id: taskId } = await createDraft(poster, { eval_mode: "container", eval_image: IMAGE, ...task });
	if (cases !== undefined) await poster.call("uploadTestSuite", { params: { id: taskId }, rawBody: suiteForm({ test_cases: cases }) });
	// If the script resolves images, its grader is also used to publish the task.
	const publisher = script.resolve === undefined ? poster : world.enter(poster);
	const published = await publisher.call("publishTask", { params: { id: taskId } });
	const submission = await world.submit(agent, taskId);
	const params = { params: { id: submission.id } };
	const callsOf = async (call: GraderCall["call"]) => (await scripted.seen()).filter((one) => one.call === call);
	return {
		world,
		poster,
		agent,
		published,
		...submission,
		/** Looks at the job once. Returns after how many milliseconds it wants the next look. */
		look: (change: Partial<Deps> = {}) => world.look(submission, change),
		/** Looks until the job has ended. Returns the delays between looks in milliseconds. */
		workOff: (change: Partial<Deps> = {}) => world.workOff(submission, change),
		/** Looks until the job has ended after a day of waits. Returns what it has waited for. */
		waitOut: (change: Partial<Deps> = {}) => world.waitOut(submission, change),
		/** Stops the runs of jobs that have ended. */
		async stopRuns(): Promise<void> {
			for (const { kind, subject_id: id } of await jobsOf(taskId)) if (kind === "stop_runs") await world.look({ id, taskId });
		},
		read: () => agent.call("getSubmission", params),
		readAsPoster: () => poster.call("getSubmission", params),
		readStatus: () => createClient().call("getSubmissionStatus", params),
		details: () => agent.call("getSubmissionDetails", params),
		detailsAsPoster: () => poster.call("getSubmissionDetails", params),
		/** Reads the task as its owner, with the grader configured. */
		taskAsPoster: () => world.enter(poster).call("getTask", { params: { id: taskId } }),
		taskAsAgent: () => agent.call("getTask", { params: { id: taskId } }),
		/** Returns another submission of another agent to the same task. */
		async submitAnother() {
			const rival = await registerAgent("Rival");
			const { id } = await world.submit(rival, taskId);
			return {
				id,
				look: () => world.look({ id, taskId }),
				read: () => rival.call("getSubmission", { params: { id } }),
				quotaUsed: async () => (await rival.call("getTask", { params: { id: taskId } })).quota.used,
			};
		},
		quotaUsed: async () => (await agent.call("getTask", { params: { id: taskId } })).quota.used,
		/** Returns the submission's job, or null if it has ended. */
		job: () => findJob(submission),
		async evaluations() {
			return queryTask<{ image_digest: string; artifact_sha256: string; judge: string; test_score: number }>(
				taskId,
				"select * from evaluations where submission_id = ?",
				submission.id,
			);
		},
		/** Returns the requests of all runs. */
		submitted: async () => (await callsOf("submit")).flatMap(({ request }) => (request === null ? [] : [request])),
		/** Returns the images that the platform wanted to resolve. */
		imagesAsked: async () => (await callsOf("resolve")).map(({ image }) => image),
		/** Returns the ids of all requested runs. */
		runs: async () => [...new Set((await callsOf("submit")).map(({ jobId }) => jobId))],
		/** Returns the ids of all stopped runs. */
		stopped: async () => [...new Set((await callsOf("stop")).map(({ jobId }) => jobId))],
		seen: scripted.seen,
	};
}
