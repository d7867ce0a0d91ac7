// Tests posters' images over real sockets: the whole platform, the grader as a separate process, and containers that really run.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { runIdOf } from "../../src/core/judging/grader/client.ts";
import { titled, whyNoContainers } from "../support/container-engine.ts";
import { type StagedGrader, setGraderStage } from "../support/grader-stage.ts";
import { type HttpCaller, registerCaller } from "../support/http.ts";
import { type RunningServer, startServer } from "../support/server.ts";

const IMAGES = {
	/** Runs the submitted program for each case. */
	runner: { script: 'sh "$SUBMISSION_DIR/solve.sh"' },
	/** This is the same with the entry point that most programs have. */
	main: { script: 'sh "$SUBMISSION_DIR/main.sh"; true' },
	/** The image runs long enough that the test sees it running on a busy machine. */
	slow: { script: `sleep 15; echo '{"score": 50}' > "$SCORE_FILE"` },
	/** Starts the submitted program with access to its own score file, and believes the score that it finds there. */
	gullible: {
		script: `sh "$SUBMISSION_DIR/main.sh" > /dev/null; echo "the program ended"; [ -s "$SCORE_FILE" ] || echo '{"score": 0}' > "$SCORE_FILE"`,
	},
} as const;

const SUITE = {
	test_cases: [
		{ name: "doubles 2", input: "2\n", expected_output: "4", match_type: "exact" },
		{ name: "doubles 21", input: "21\n", expected_output: "42", match_type: "contains" },
		{ name: "says more", input: "1\n", expected_output: "^a number: \\d+$", match_type: "regex" },
		{ name: "doubles 0", input: "0\n", expected_output: "0", match_type: "exact" },
	],
};

const FILES = {
	"SUBMISSION.md": "# What I Built\nA doubler with a parser of quotes\n",
	"solve.sh": 'read number\necho "$((number * 2))"\n',
};

interface Submission {
	readonly status: string;
	readonly evaluated: boolean;
	readonly error_message?: string;
	readonly quota: { readonly used: number };
	readonly scores: Readonly<Record<string, number | null>> | null;
}

describe.skipIf(whyNoContainers !== null)(titled("tasks that a poster's image judges"), () => {
	const stage = setGraderStage(IMAGES);
	let grader: StagedGrader;
	/** Tasks get no judge check here, because a check takes many runs of the image. */
	let server: RunningServer;
	let checking: RunningServer;
	let poster: HttpCaller;
	let agent: HttpCaller;
	const opened: { readonly on: RunningServer; readonly taskId: string }[] = [];

	beforeAll(async () => {
		grader = await stage.start();
		const vars = { GRADER_URL: grader.url, GRADER_TOKEN: grader.token };
		server = await startServer({ vars: { ...vars, JUDGE_CHECK: "false" } });
		checking = await startServer({ vars });
		[poster, agent] = [await registerCaller(server), await registerCaller(server)];
	});

	afterAll(() => Promise.all([server?.close(), checking?.close()]));

	const open = (change: Readonly<Record<string, unknown>>, suite?: unknown) => openOn(server, { owner: poster, change, suite });

	interface NewTask {
		readonly owner: HttpCaller;
		readonly change: Readonly<Record<string, unknown>>;
		readonly suite: unknown;
	}

	async function openOn(on: RunningServer, { owner, change, suite }: NewTask): Promise<string> {
		const { id } = await owner.call<{ id: string }>("POST", "/api/v1/tasks", {
			title: "Double a number",
			budget_cents: 50_000,
			deadline: new Date(Date.now() + 48 * 3_600_000).toISOString(),
			criteria: [{ name: "Parser", description: "quotes", weight: 100 }],
			eval_mode: "container",
			...change,
		});
		opened.push({ on, taskId: id });
		if (suite !== undefined) await uploadSuite({ url: on.url, key: owner.key, id }, suite);
		await owner.call("POST", `/api/v1/tasks/${id}/publish`);
		return id;
	}

	async function uploadSuite({ url, key, id }: { url: string; key: string; id: string }, suite: unknown): Promise<void> {
		const form = new FormData();
		form.set("file", new File([JSON.stringify(suite)], "suite.json", { type: "application/json" }));
		const headers = { Authorization: `Bearer ${key}` };
		const response = await fetch(`${url}/api/v1/tasks/${id}/test-suite`, { method: "POST", headers, body: form });
		expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ test_case_count: 4 })]);
	}

	/** Submits, waits as an agent would, and reads the details. */
	async function judge(taskId: string) {
		const { id } = await agent.call<{ id: string }>("POST", `/api/v1/tasks/${taskId}/quick-submit`, { files: FILES });
		const read = () => agent.call<Submission & Record<string, unknown>>("GET", `/api/v1/submissions/${id}`);
		await expect.poll(read, { timeout: 60_000, interval: 200 }).toMatchObject({ status: expect.not.stringMatching(/registered|running/) });
		const details = await agent.call<{ breakdown: Record<string, unknown> | null; reasoning: string }>(
			"GET",
			`/api/submissions/${id}/details`,
		);
		return { id, submission: await read(), details };
	}

	it.concurrent("are scored by the share of the suite's cases that the submission passes", async () => {
		const { submission, details } = await judge(await open({ eval_image: stage.names.runner }, SUITE));
		expect(submission).toMatchObject({ status: "completed", evaluated: true, quota: { used: 1 } });
		expect(submission.scores).toMatchObject({ final_score: 75, test_score: 75, container_score: null, llm_score: null });
		expect(details.breakdown).toMatchObject({
			outcome: "graded",
			image_digest: expect.stringMatching(/sha256:[0-9a-f]{64}/),
			tests_passed: 3,
			tests: SUITE.test_cases.map(({ name }) => ({ name, passed: name !== "says more" })),
		});
	});

	it("are judged although the grader is killed while their image runs", async () => {
		const taskId = await open({ eval_image: stage.names.slow });
		const { id } = await agent.call<{ id: string }>("POST", `/api/v1/tasks/${taskId}/quick-submit`, { files: FILES });
		const job = async () => (await server.queryTask(taskId, "select last_error from jobs where subject_id = ?", id))[0];
		await expect.poll(job, { timeout: 60_000, interval: 50 }).toEqual({ last_error: "The image was running." });
		await grader.stop("SIGKILL");
		const { port } = new URL(grader.url);
		grader = await stage.start({ workFolder: grader.workFolder, token: grader.token, env: { PORT: port } });
		await expect
			.poll(() => agent.call("GET", `/api/v1/submissions/${id}`), { timeout: 120_000, interval: 200 })
			.toMatchObject({ status: "completed", scores: { final_score: 50 }, quota: { used: 1 } });
	});

	describe("against the attacks of the judge check", () => {
		interface Checked {
			readonly judge_check: { readonly status: string; readonly cases: readonly { readonly name: string }[] } | null;
			readonly warnings: readonly { readonly code: string; readonly message: string }[];
		}

		/** Opens a task and waits until its judge check has ended. */
		async function check(change: Readonly<Record<string, unknown>>, suite?: unknown): Promise<Checked> {
			const owner = await registerCaller(checking);
			const id = await openOn(checking, { owner, change, suite });
			const read = () => owner.call<Checked & Record<string, unknown>>("GET", `/api/v1/tasks/${id}`);
			await expect
				.poll(read, { timeout: 300_000, interval: 2_000 })
				.toMatchObject({ judge_check: { status: expect.not.stringMatching(/running/) } });
			return read();
		}

		const attackOf = ({ judge_check }: Checked) => judge_check?.cases.find(({ name }) => name === "grader_attack");

		it.concurrent("pass if the grader compares the output with the suite", async () => {
			const checked = await check({ eval_image: stage.names.main }, SUITE);
			expect(attackOf(checked)).toEqual({ name: "grader_attack", score: 0, expected_at_most: 20, expected_at_least: null, passed: true });
			expect(checked.judge_check?.status).toBe("passed");
			expect(checked.warnings.map(({ code }) => code)).not.toContain("JUDGE_CHECK_FAILED");
		}, 900_000);

		it.concurrent("fail if their image believes what the submission writes, and their owner is warned", async () => {
			const checked = await check({ eval_image: stage.names.gullible });
			expect(checked.judge_check?.status).toBe("failed");
			expect(attackOf(checked)).toEqual({
				name: "grader_attack",
				score: 100,
				expected_at_most: 20,
				expected_at_least: null,
				passed: false,
			});
			expect(checked.judge_check?.cases.find(({ name }) => name === "empty")).toMatchObject({ score: 0, passed: true });
			expect(checked.warnings.find(({ code }) => code === "JUDGE_CHECK_FAILED")?.message).toContain("got 100 points");
		}, 900_000);
	});

	it("leave nothing on the grader", async () => {
		// An ended job leaves another one, which stops its runs.
		const ended = "select subject_id as jobId, runs from jobs where kind = 'stop_runs'";
		const jobs = z.array(z.object({ jobId: z.string(), runs: z.number() }));
		const found = await Promise.all(opened.map(async ({ on, taskId }) => jobs.parse(await on.queryTask(taskId, ended))));
		const runs = found
			.flat()
			.flatMap(({ jobId, runs: many }) => Array.from({ length: many }, (_, run) => runIdOf({ jobId, run: run + 1 })));
		expect(runs.length).toBeGreaterThanOrEqual(5);
		for (const id of runs) {
			const headers = { Authorization: `Bearer ${grader.token}` };
			const look = () => fetch(`${grader.url}/jobs/${id}`, { headers }).then(({ status }) => status);
			await expect.poll(look, { timeout: 10_000 }).toBe(404);
		}
	});
});
