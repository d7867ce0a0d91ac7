// The archive of settled tasks: nobody notices it, a crash loses nothing, and what changes a submission brings its rows back first.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createApp } from "../../src/app.ts";
import { commit } from "../../src/db/commit.ts";
import { EvaluationFault } from "../../src/domain/evaluation-fault.ts";
import { reEvaluateSubmission, voidSubmission } from "../../src/features/admin/contract.ts";
import { getDashboardStats, listDashboardSubmissions } from "../../src/features/dashboard/contract.ts";
import { postExternalScore } from "../../src/features/evaluation/contract.ts";
import { runEvaluation } from "../../src/features/evaluation/service.ts";
import { getLeaderboard } from "../../src/features/leaderboard/contract.ts";
import { getSpend, listJobs, retryJob } from "../../src/features/operations/contract.ts";
import { eraseAgent, exportAgent } from "../../src/features/privacy/contract.ts";
import { listSimilarWork } from "../../src/features/similarity/contract.ts";
import { streamSubmission } from "../../src/features/streams/contract.ts";
import * as submissions from "../../src/features/submissions/contract.ts";
import { archiveTasks, bringBack } from "../../src/features/task-archive/service.ts";
import { insertRows } from "../../src/features/task-archive/statements.ts";
import { closeTask, getTask, publishTask } from "../../src/features/tasks/contract.ts";
import { DAY_MS, SECOND_MS, toIso } from "../../src/platform/clock.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { ADMIN_TOKEN } from "../support/admin.ts";
import { type CallInput, type Client, createClient } from "../support/client.ts";
import { manualClock, testDeps } from "../support/deps.ts";
import { CALLBACK_URL } from "../support/external-judging.ts";
import { honest, scriptJudge } from "../support/judge-script.ts";
import { judgedPlatform } from "../support/judged-platform.ts";
import { judgeOf } from "../support/judging.ts";
import { call as callTool } from "../support/mcp.ts";
import { mortal } from "../support/mortality.ts";
import { createDraft, GOOD_FILES, openTask, registerAgent } from "../support/scenario.ts";
import { seedSubmissions } from "../support/seed.ts";
import { count, listBucket, queryAll, queryOne } from "../support/storage.ts";
import { collectAll } from "../support/stored-objects.ts";
import { failingJudge } from "../support/world.ts";

const judge = judgeOf(await scriptJudge([{ steps: [honest(4)] }]), { JUDGE_SAMPLES: "0:1", JUDGE_PRICES: "model-a=1/1" });
const platform = judgedPlatform(judge);
const poster = platform.as(await registerAgent("Poster"));
const admin = platform.as({ ...poster, key: ADMIN_TOKEN });
const at = (id: string) => ({ params: { id } });
const act = (id: string) => ({ ...at(id), body: { reason: "They asked for it." } });

/** Long after the present of the platform, so that everything that is settled may be archived. */
const laterDeps = (change: Partial<Deps> = {}) => testDeps({ clock: manualClock(platform.clock.now() + 31 * DAY_MS), ...change });

/** An open task, on the clock of the platform. */
const open = () => openTask(poster, { deadline: toIso(platform.clock.now() + 2 * DAY_MS) });

async function submitJudged(taskId: string) {
	const agent = platform.as(await registerAgent());
	const { id } = await agent.call(submissions.quickSubmit, { ...at(taskId), body: { files: GOOD_FILES } });
	await platform.workOff();
	return { agent, id };
}

/** A closed task with two judged submissions, the first of them judged twice. */
async function settledTask() {
	const taskId = await open();
	const [first, second] = [await submitJudged(taskId), await submitJudged(taskId)];
	await poster.call(submissions.requestReEvaluation, at(first.id));
	await platform.workOff();
	await poster.call(closeTask, at(taskId));
	return { taskId, first, second };
}

type Settled = Awaited<ReturnType<typeof settledTask>>;

/** As if nothing had moved on the task for long. */
async function makeQuiet(taskId: string): Promise<void> {
	await env.DB.prepare("update submissions set updated_at = 1 where task_id = ?").bind(taskId).run();
	await env.DB.prepare("update tasks set quiet_since = 1 where id = ?").bind(taskId).run();
}

/** Rows of the task's submissions in the tables that an archive takes. */
async function countRows(taskId: string): Promise<number> {
	const own = "(select id from submissions where task_id = ?1)";
	return count(
		`select (select count(*) from evaluations where submission_id in ${own}) + (select count(*) from evaluation_jobs where submission_id in ${own})
			+ (select count(*) from judge_usage where submission_id in ${own}) + (select count(*) from state_changes where subject_id in ${own})`,
		taskId,
	);
}

const objectsOf = (taskId: string) => listBucket(`archives/${taskId}/`);

/** The whole text of a stream, on a clock that stands still while it opens. */
async function readStream(caller: Client, id: string, lastEventId: string): Promise<string> {
	const clock = manualClock(platform.clock.now());
	const client = createClient({
		key: caller.key,
		fetch: (request) => createApp(() => testDeps({ clock, random: () => 0.5 })).fetch(request),
	});
	const response = await client.send(streamSubmission, { ...at(id), headers: { "Last-Event-ID": lastEventId } });
	const text = response.text();
	const timer = setInterval(() => clock.advance(SECOND_MS), 5);
	try {
		return await text;
	} finally {
		clearInterval(timer);
	}
}

async function readText(caller: Client, contract: Parameters<Client["send"]>[0], input: CallInput = {}): Promise<string> {
	const response = await caller.send(contract, input);
	expect(response.status).toBe(200);
	return response.text();
}

/** What every reader gets that may concern the task, byte by byte. */
async function readEverything({ taskId, first, second }: Settled): Promise<Record<string, string>> {
	const texts: Record<string, string> = {};
	for (const [name, caller] of [["agent", first.agent] as const, ["poster", poster] as const]) {
		const reads = {
			submission: submissions.getSubmission,
			details: submissions.getSubmissionDetails,
			evaluations: submissions.listEvaluations,
		};
		for (const [read, contract] of Object.entries(reads)) texts[`${read} for ${name}`] = await readText(caller, contract, at(first.id));
		for (const after of ["0", "1", "2"]) texts[`stream after ${after} for ${name}`] = await readStream(caller, first.id, after);
	}
	const page = await poster.call(submissions.listEvaluations, { ...at(first.id), query: { limit: 1 } });
	texts["first page"] = JSON.stringify(page);
	const query = { limit: 1, cursor: page.pagination.next_cursor ?? "" };
	texts["second page"] = await readText(poster, submissions.listEvaluations, { ...at(first.id), query });
	texts["status"] = await readText(platform.anybody, submissions.getSubmissionStatus, at(second.id));
	texts["own"] = await readText(first.agent, submissions.listOwnSubmissions);
	texts["received"] = await readText(poster, submissions.listTaskSubmissions, at(taskId));
	for (const format of ["csv", "jsonl"])
		texts[format] = await readText(poster, submissions.exportTask, { ...at(taskId), query: { format } });
	texts["files"] = await readText(poster, submissions.listSubmissionFiles, at(first.id));
	texts["task"] = await readText(poster, getTask, at(taskId));
	texts["board"] = await readText(poster, getLeaderboard, at(taskId));
	texts["similar"] = await readText(poster, listSimilarWork, at(taskId));
	texts["stats"] = await readText(poster, getDashboardStats);
	texts["dashboard"] = await readText(poster, listDashboardSubmissions);
	texts["spend"] = await readText(admin, getSpend);
	texts["jobs"] = await readText(admin, listJobs);
	const mcp = (key: string) => ({ key, fetch: (request: Request) => createApp(platform.openDeps).fetch(request) });
	texts["waiting over MCP"] = JSON.stringify(await callTool("wait_for_score", { submission_id: first.id }, mcp(first.agent.key)));
	texts["review over MCP"] = JSON.stringify(
		await callTool("review_submissions", { task_id: taskId, submission_id: first.id }, mcp(poster.key)),
	);
	texts["export of agent"] = await readText(admin, exportAgent, at(first.agent.agentId));
	texts["export of poster"] = await readText(admin, exportAgent, at(poster.agentId));
	return texts;
}

async function evaluationsOf({ first }: Settled): Promise<string> {
	return readText(first.agent, submissions.listEvaluations, at(first.id));
}

describe("an archived task", () => {
	it("reads as before, byte by byte, from one object, which the collector keeps", { timeout: 60_000 }, async () => {
		const settled = await settledTask();
		const rows = await countRows(settled.taskId);
		expect(rows).toBeGreaterThan(10);
		await archiveTasks(testDeps({ clock: manualClock(platform.clock.now() + 29 * DAY_MS) }));
		expect(await countRows(settled.taskId)).toBe(rows);

		platform.clock.advance(31 * DAY_MS);
		// Reading notes when a key was last used.
		await readEverything(settled);
		const before = await readEverything(settled);
		expect(before["stream after 0 for agent"]).toContain("event: terminal");
		await archiveTasks(laterDeps());
		expect(await countRows(settled.taskId)).toBe(0);
		expect(await objectsOf(settled.taskId)).toHaveLength(1);
		expect(await readEverything(settled)).toEqual(before);

		await collectAll();
		expect(await objectsOf(settled.taskId)).toHaveLength(1);
		expect(await readEverything(settled)).toEqual(before);

		await bringBack(testDeps(), settled.first.id);
		expect(await countRows(settled.taskId)).toBe(rows);
		expect(await objectsOf(settled.taskId)).toEqual([]);
		const after = await readEverything(settled);
		expect(after).toEqual(before);
	});

	it("is left alone while something is judged, while writes are switched off, and again for as long after each change", async () => {
		const { taskId, first } = await settledTask();
		const rows = await countRows(taskId);
		await admin.call(reEvaluateSubmission, act(first.id));
		await archiveTasks(laterDeps());
		expect(await objectsOf(taskId)).toEqual([]);
		await platform.workOff();
		expect(await countRows(taskId)).toBeGreaterThan(rows);
		await makeQuiet(taskId);
		const switchboard = { ...testDeps().switchboard };
		const paused = async (deps: Deps) => {
			const state = await testDeps().switchboard.read(deps);
			return { ...state, switches: { ...state.switches, writes: { on: false, message: "" } } };
		};
		await archiveTasks(laterDeps({ switchboard: { ...switchboard, read: paused } }));
		expect(await objectsOf(taskId)).toEqual([]);
		await archiveTasks(laterDeps());
		expect(await countRows(taskId)).toBe(0);
		await admin.call(voidSubmission, act(first.id));
		await archiveTasks(testDeps({ clock: manualClock(platform.clock.now() + 29 * DAY_MS) }));
		expect(await countRows(taskId)).toBeGreaterThan(rows);
		await archiveTasks(laterDeps());
		expect(await countRows(taskId)).toBe(0);
	});

	it("leaves jobs that failed where operators look for them", async () => {
		const taskId = await open();
		const agent = platform.as(await registerAgent());
		const { id } = await agent.call(submissions.quickSubmit, { ...at(taskId), body: { files: GOOD_FILES } });
		const fault = new EvaluationFault("The judge declines.", { blame: "platform", isRetryable: false });
		const jobId = platform.queue.sent.shift()?.message.jobId ?? "";
		await runEvaluation({ ...platform.openDeps(), judge: failingJudge(fault) }, jobId);
		await poster.call(closeTask, at(taskId));
		const failed = () => readText(admin, listJobs, { query: { state: "failed" } });
		const before = await failed();
		expect(before).toContain(jobId);
		await archiveTasks(laterDeps());
		expect(await objectsOf(taskId)).toHaveLength(1);
		expect(await failed()).toBe(before);
		await admin.call(retryJob, act(jobId));
		await platform.workOff();
		expect(await agent.call(submissions.getSubmission, at(id))).toMatchObject({ status: "completed" });
	});
});

describe("a change of an archived submission", () => {
	it("finds its rows back in D1, so that nothing is numbered or counted anew", async () => {
		const { taskId, first, second } = await settledTask();
		const usage = async () => (await poster.call(getTask, at(taskId))).judge_usage?.calls ?? 0;
		const used = await usage();
		await archiveTasks(laterDeps());
		await admin.call(reEvaluateSubmission, act(first.id));
		await platform.workOff();
		const { data } = await first.agent.call(submissions.listEvaluations, at(first.id));
		expect(data.map(({ iteration }) => iteration)).toEqual([1, 2, 3]);
		expect(await usage()).toBeGreaterThan(used);
		expect(await usage()).toBeLessThan(2 * used);
		await makeQuiet(taskId);
		await archiveTasks(laterDeps());
		expect(await countRows(taskId)).toBe(0);
		const numbers = async () => [...(await readStream(second.agent, second.id, "0")).matchAll(/^id: ?(\S+)/gm)].map(([, id]) => id);
		expect(await numbers()).toEqual(["1", "1-end"]);
		await admin.call(voidSubmission, act(second.id));
		expect(await numbers()).toEqual(["1", "2", "2-end"]);
	});

	it("is refused by the schema where a verb forgets to bring it back", async () => {
		const { first } = await settledTask();
		await archiveTasks(laterDeps());
		const change = env.DB.prepare("update submissions set status = 'failed', evaluated = 0, revision = revision + 1 where id = ?");
		await expect(change.bind(first.id).run()).rejects.toThrow("stale_read");
	});

	it("loses nothing when it comes while the task is archived", { timeout: 60_000 }, async () => {
		const settled = await settledTask();
		const { taskId, first } = settled;
		for (let round = 1; round <= 6; round += 1) {
			await Promise.all([
				archiveTasks(laterDeps()),
				admin.call(reEvaluateSubmission, act(first.id)),
				...(round % 2 === 0 ? [archiveTasks(laterDeps())] : []),
				evaluationsOf(settled),
			]);
			await platform.workOff();
			const { data } = await first.agent.call(submissions.listEvaluations, at(first.id));
			expect(data.map(({ iteration }) => iteration)).toEqual(Array.from({ length: round + 2 }, (_, index) => index + 1));
			await makeQuiet(taskId);
			if (round % 3 === 0) await archiveTasks(laterDeps());
		}
		const stored = await queryAll<{ number: number }>("select number from state_changes where subject_id = ?", first.id);
		await archiveTasks(laterDeps());
		expect(await countRows(taskId)).toBe(0);
		const ids = [...(await readStream(first.agent, first.id, "0")).matchAll(/^id: ?(\d+)$/gm)].map(([, id]) => Number(id));
		expect(ids).toEqual(Array.from({ length: ids.length }, (_, index) => index + 1));
		expect(ids.length).toBeGreaterThanOrEqual(Math.max(stored.length, 15));
		await collectAll();
		expect(await objectsOf(taskId)).toHaveLength(1);
	});
});

describe("an archived task of a restored database", () => {
	it("reads as before where rows are in both places, and comes back without doubles", async () => {
		const settled = await settledTask();
		const { taskId, first } = settled;
		const read = async () => {
			const { exported_at, ...facts } = await admin.call(exportAgent, at(first.agent.agentId));
			return { facts, evaluations: await evaluationsOf(settled), rows: await countRows(taskId) };
		};
		await read();
		const before = await read();
		const rows = await queryAll<Record<string, unknown>>("select * from evaluations where submission_id = ?", first.id);
		await archiveTasks(laterDeps());
		const deps = testDeps();
		await commit(deps.db, insertRows(deps, "evaluations", rows));
		const { facts, evaluations } = await read();
		expect({ facts, evaluations }).toEqual({ facts: before.facts, evaluations: before.evaluations });
		await bringBack(deps, first.id);
		expect(await read()).toEqual(before);
	});
});

describe("a score from outside for an archived task", () => {
	/** A closed task of the poster's own service, in the archive: one submission was scored, one only registered. */
	async function archivedOutside() {
		const { id: taskId, eval_callback_token: token } = await createDraft(poster, {
			deadline: toIso(platform.clock.now() + 2 * DAY_MS),
			eval_callback_url: CALLBACK_URL,
		});
		await poster.call(publishTask, at(taskId));
		const agents = await Promise.all([registerAgent(), registerAgent()].map(async (agent) => platform.as(await agent)));
		const [scored = "", late = ""] = await Promise.all(
			agents.map(async (agent) => (await agent.call(submissions.createSubmission, at(taskId))).id),
		);
		const post = (id: string, final_score: number) =>
			platform.anybody.send(postExternalScore, { ...at(id), body: { callback_token: token, final_score } });
		expect((await post(scored, 70)).status).toBe(200);
		await poster.call(closeTask, at(taskId));
		const rows = await countRows(taskId);
		const earlier = await readText(poster, submissions.listEvaluations, at(scored));
		await archiveTasks(laterDeps());
		expect(await countRows(taskId)).toBe(0);
		return { taskId, late, rows, post, readEarlier: () => readText(poster, submissions.listEvaluations, at(scored)), earlier };
	}

	it("brings the task back and enters its leaderboard, once", async () => {
		const { taskId, late, rows, post, readEarlier, earlier } = await archivedOutside();
		expect((await post(late, 90)).status).toBe(200);
		expect((await post(late, 10)).status).toBe(409);
		expect(await poster.call(submissions.getSubmission, at(late))).toMatchObject({ status: "completed", scores: { final_score: 90 } });
		const { entries } = await poster.call(getLeaderboard, at(taskId));
		expect(entries.map(({ finalScore }) => finalScore)).toEqual([90, 70]);
		expect(await readEarlier()).toBe(earlier);
		// An evaluation and a state, and no job.
		expect(await countRows(taskId)).toBe(rows + 2);
		expect(await objectsOf(taskId)).toEqual([]);
	});

	it("is taken once of many at the same time, while the sweep archives the task", async () => {
		const { taskId, late, post, readEarlier, earlier } = await archivedOutside();
		const [, ...responses] = await Promise.all([archiveTasks(laterDeps()), post(late, 10), post(late, 20), post(late, 30)]);
		expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
		await makeQuiet(taskId);
		await archiveTasks(laterDeps());
		expect(await countRows(taskId)).toBe(0);
		const { data } = await poster.call(submissions.listEvaluations, at(late));
		expect(data.map(({ iteration }) => iteration)).toEqual([1]);
		expect(await readEarlier()).toBe(earlier);
		await collectAll();
		expect(await objectsOf(taskId)).toHaveLength(1);
	});
});

describe("a process that dies at any step", () => {
	const WORKS: Readonly<
		Record<
			string,
			{ readonly prepare: (settled: Settled) => Promise<unknown>; readonly work: (deps: Deps, settled: Settled) => Promise<unknown> }
		>
	> = {
		"of archiving": {
			async prepare({ taskId, first }) {
				await bringBack(testDeps(), first.id);
				await makeQuiet(taskId);
			},
			work: (deps) => archiveTasks(deps),
		},
		"of bringing back": {
			async prepare({ taskId }) {
				await makeQuiet(taskId);
				await archiveTasks(laterDeps());
			},
			work: (deps, { first }) => bringBack(deps, first.id),
		},
	};

	it.each(Object.entries(WORKS))(
		"%s has done it all or nothing, and the next one goes on",
		{ timeout: 60_000 },
		async (_, { prepare, work }) => {
			const settled = await settledTask();
			const expected = await evaluationsOf(settled);
			const rows = await countRows(settled.taskId);
			let deaths = 0;
			for (const isAfter of [false, true]) {
				for (let atStep = 0; ; atStep += 1) {
					await prepare(settled);
					const dying = mortal(laterDeps(), { atStep, isAfter });
					await work(dying, settled).catch(() => {});
					if (!dying.hasDied()) break;
					deaths += 1;
					expect([0, rows]).toContain(await countRows(settled.taskId));
					expect(await evaluationsOf(settled)).toBe(expected);
				}
			}
			expect(deaths).toBeGreaterThanOrEqual(6);
			await makeQuiet(settled.taskId);
			await archiveTasks(laterDeps());
			await collectAll();
			expect(await objectsOf(settled.taskId)).toHaveLength(1);
			expect(await evaluationsOf(settled)).toBe(expected);
		},
	);
});

describe("the erasure of an agent", () => {
	it("reaches its rows in archives, and no others", async () => {
		const settled = await settledTask();
		const { taskId, first, second } = settled;
		const mark = `Quint${crypto.randomUUID()}`;
		await env.DB.prepare("update state_changes set state = json_set(state, '$.errorMessage', ?1) where subject_id = ?2")
			.bind(mark, first.id)
			.run();
		await env.DB.prepare("update evaluation_jobs set last_error = ?1 where submission_id = ?2").bind(mark, first.id).run();
		const others = await readText(second.agent, submissions.listEvaluations, at(second.id));
		const score = (await platform.anybody.call(submissions.getSubmissionStatus, at(first.id))).scores?.final_score;
		await archiveTasks(laterDeps());
		const [key = ""] = await objectsOf(taskId);
		expect(await (await env.BUCKET.get(key))?.text()).toContain(mark);
		await admin.call(eraseAgent, act(first.agent.agentId));
		expect(await objectsOf(taskId)).toEqual([]);
		await makeQuiet(taskId);
		await archiveTasks(laterDeps());
		expect(await countRows(taskId)).toBe(0);
		const [again = ""] = await objectsOf(taskId);
		expect(await (await env.BUCKET.get(again))?.text()).not.toContain(mark);
		expect(JSON.stringify(await queryAll("select * from submissions where id = ?", first.id))).not.toContain(mark);
		expect(await readText(second.agent, submissions.listEvaluations, at(second.id))).toBe(others);
		expect((await platform.anybody.call(submissions.getSubmissionStatus, at(first.id))).scores?.final_score).toBe(score);
	});

	it("leaves nothing of the agent in an object that is archived at the same time", async () => {
		const { taskId, first } = await settledTask();
		const mark = `Quint${crypto.randomUUID()}`;
		await env.DB.prepare("update evaluation_jobs set last_error = ?1 where submission_id = ?2").bind(mark, first.id).run();
		await Promise.all([archiveTasks(laterDeps()), admin.call(eraseAgent, act(first.agent.agentId)), archiveTasks(laterDeps())]);
		await makeQuiet(taskId);
		await archiveTasks(laterDeps());
		await collectAll();
		const keys = await objectsOf(taskId);
		expect(keys).toHaveLength(1);
		for (const key of keys) expect(await (await env.BUCKET.get(key))?.text()).not.toContain(mark);
	});
});

describe("one run", () => {
	it("archives many submissions in few calls to D1, and leaves what its budget does not reach to the next", async () => {
		const taskId = await open();
		await seedSubmissions({ taskId, agentId: poster.agentId, total: 1_050, start: 1 });
		await env.DB.prepare("insert into state_changes select id, 1, '{}' from submissions where task_id = ?").bind(taskId).run();
		await poster.call(closeTask, at(taskId));
		const before = await countRows(taskId);
		await makeQuiet(taskId);
		const deps = laterDeps();
		await archiveTasks(deps);
		expect(before).toBe(1_050);
		expect(await countRows(taskId)).toBe(0);
		expect(await objectsOf(taskId)).toHaveLength(11);
		// Two for each part: what all tasks together cost is another five or so. So 400 calls move 20,000 submissions.
		expect(deps.db.use.calls).toBeLessThan(2 * 11 + 20);
		expect(await queryOne("select quiet_since from tasks where id = ?", taskId)).toEqual({ quiet_since: null });
	});

	it("has the rows of a few hundred evaluations in memory at a time", async () => {
		const settled = await settledTask();
		const { taskId } = settled;
		const before = await evaluationsOf(settled);
		await env.DB.prepare("update submissions set iteration = 400 where task_id = ?").bind(taskId).run();
		await makeQuiet(taskId);
		await archiveTasks(laterDeps());
		expect(await objectsOf(taskId)).toHaveLength(2);
		expect(await countRows(taskId)).toBe(0);
		expect(await evaluationsOf(settled)).toBe(before);
	});
});
