// Tasks that a poster's image judges, with a grader that does what a script says, on a clock that the test moves.

import type { GraderSettings } from "../../src/config/env.ts";
import { sweepRuns } from "../../src/features/evaluation/image-runs.ts";
import { runEvaluation } from "../../src/features/evaluation/service.ts";
import { getSubmission, getSubmissionDetails, getSubmissionStatus } from "../../src/features/submissions/contract.ts";
import { getTask, publishTask, uploadTestSuite } from "../../src/features/tasks/contract.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { createClient } from "./client.ts";
import { GRADER_TOKEN, type GraderCall, type GraderScript, scriptGrader } from "./grader-script.ts";
import { createDraft, registerAgent } from "./scenario.ts";
import { queryOne } from "./storage.ts";
import { createWorld, readJob } from "./world.ts";

export const IMAGE = "registry.example/secret-judge:1";
const MAX_LOOKS = 400;

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
	/** Left out, the scripted grader. */
	readonly grader?: GraderSettings | null;
}

/** An open container task with one submission that waits for its evaluation. */
export async function createContainerTask(script: GraderScript, { task = {}, cases, grader }: Choices = {}) {
	const [poster, agent] = [await registerAgent("Poster"), await registerAgent("Builder")];
	const world = createWorld();
	const scripted = await scriptGrader(script);
	const settings = grader === undefined ? { kind: "url" as const, url: scripted.url, token: GRADER_TOKEN } : grader;
	const deps = (change: Partial<Deps> = {}) => {
		const own = world.deps(change);
		return { ...own, config: change.config ?? { ...own.config, grader: settings } };
	};
	const { id: taskId } = await createDraft(poster, { eval_mode: "container", eval_image: IMAGE, ...task });
	if (cases !== undefined) await poster.call(uploadTestSuite, { params: { id: taskId }, rawBody: suiteForm({ test_cases: cases }) });
	// A script that resolves images is the grader at publish too.
	const publisher = script.resolve === undefined ? poster : world.enter(poster, { config: deps().config });
	const published = await publisher.call(publishTask, { params: { id: taskId } });
	const submission = await world.submit(agent, taskId);
	const params = { params: { id: submission.id } };
	const look = async (change: Partial<Deps> = {}) => {
		const own = deps(change);
		const next = await runEvaluation(own, submission.jobId);
		await own.settled();
		return next?.delayMs ?? null;
	};
	const callsOf = async (call: GraderCall["call"]) => (await scripted.seen()).filter((one) => one.call === call);
	return {
		world,
		deps,
		poster,
		agent,
		published,
		...submission,
		/** One look at the job; in how many milliseconds it wants the next one. */
		look,
		/** Looks until the job has ended; the delays between looks in milliseconds. */
		async workOff(change: Partial<Deps> = {}): Promise<number[]> {
			const delays: number[] = [];
			for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
				const delayMs = await look(change);
				if (delayMs === null) return delays;
				delays.push(delayMs);
				world.clock.advance(delayMs);
			}
			throw new Error("The evaluation does not end.");
		},
		async sweepRuns() {
			const own = deps();
			await sweepRuns(own);
			await own.settled();
		},
		read: () => agent.call(getSubmission, params),
		readAsPoster: () => poster.call(getSubmission, params),
		readStatus: () => createClient().call(getSubmissionStatus, params),
		details: () => agent.call(getSubmissionDetails, params),
		detailsAsPoster: () => poster.call(getSubmissionDetails, params),
		/** The task as its owner sees it where the grader is configured. */
		taskAsPoster: () => world.enter(poster, { config: deps().config }).call(getTask, { params: { id: taskId } }),
		taskAsAgent: () => agent.call(getTask, { params: { id: taskId } }),
		/** Another submission of another agent to the same task. */
		async submitAnother() {
			const rival = await registerAgent("Rival");
			const { id, jobId } = await world.submit(rival, taskId);
			return {
				id,
				jobId,
				look: async () => {
					const own = deps();
					const next = await runEvaluation(own, jobId);
					await own.settled();
					return next?.delayMs ?? null;
				},
				read: () => rival.call(getSubmission, { params: { id } }),
				quotaUsed: async () => (await rival.call(getTask, { params: { id: taskId } })).quota.used,
			};
		},
		quotaUsed: async () => (await agent.call(getTask, { params: { id: taskId } })).quota.used,
		job: () => readJob(submission.id),
		evaluation: () =>
			queryOne<{ image_digest: string; artifact_sha256: string; judge: string; test_score: number }>(
				"select * from evaluations where submission_id = ?",
				submission.id,
			),
		/** The requests, one for each time that a run was asked for. */
		submitted: async () => (await callsOf("submit")).flatMap(({ request }) => (request === null ? [] : [request])),
		/** The images that were to be resolved. */
		imagesAsked: async () => (await callsOf("resolve")).map(({ image }) => image),
		/** Ids of the runs that were asked for, and of those that were stopped. */
		runs: async () => [...new Set((await callsOf("submit")).map(({ jobId }) => jobId))],
		stopped: async () => [...new Set((await callsOf("stop")).map(({ jobId }) => jobId))],
		seen: scripted.seen,
	};
}
