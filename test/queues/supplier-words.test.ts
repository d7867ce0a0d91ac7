// Only operators read what a supplier itself says about a fault, while an evaluation waits and after it has failed.
import { describe, expect, it } from "vitest";
import type { Deps } from "../../src/ports/deps.ts";
import { admin } from "../support/admin.ts";
import { operations } from "../support/app.ts";
import { honest, scriptJudge } from "../support/judge-script.ts";
import { judgedPlatform } from "../support/judged-platform.ts";
import { judgeOf } from "../support/judging.ts";
import { openTask, registerAgent, submit } from "../support/scenario.ts";

const WORDS = "Incorrect key provided for the account acct-77.";
const at = (id: string) => ({ params: { id } });

/** Publishing asks no model about checks that are there. */
const CRITERIA = [
	{ name: "Parser", weight: 60, checks: ["It splits lines", "It splits cells"] },
	{ name: "Tests", weight: 40, checks: ["A test has quotes", "A test has line breaks"] },
];

/** Submits to a judge whose supplier refuses the account until the script's steps are over. */
async function begin({ refusals = 1_000 } = {}) {
	const refused = { kind: "status", status: 401, body: { error: { message: WORDS } } } as const;
	const script = await scriptJudge([{ steps: [...Array.from({ length: refusals }, () => refused), honest()] }]);
	const platform = judgedPlatform(judgeOf(script));
	const poster = platform.as(await registerAgent("Poster"));
	const agent = platform.as(await registerAgent("Builder"));
	const taskId = await openTask(poster, { criteria: CRITERIA });
	const { id } = await submit(agent, taskId);
	const operator = platform.enter(admin);
	const jobs = async (query: Readonly<Record<string, string>> = {}) =>
		(await operator.call("listJobs", { query: { submission_id: id, ...query } })).data;
	return { script, platform, poster, agent, taskId, id, jobs };
}

type Begun = Awaited<ReturnType<typeof begin>>;

/** Returns everything that agent, owner and strangers can read about the submission. */
async function readByOthers({ platform, poster, agent, taskId, id }: Begun): Promise<string> {
	const ofSubmission = [poster, agent].flatMap((caller) => [
		caller.call("getSubmission", at(id)),
		caller.call("getSubmissionDetails", at(id)),
		caller.call("getSubmissionStatus", at(id)),
		caller.call("listEvaluations", at(id)),
		caller.call("getTask", at(taskId)),
	]);
	const lists = [agent.call("listSubmissions"), poster.call("listTaskSubmissions", at(taskId)), poster.call("getLeaderboard", at(taskId))];
	const exported = platform.enter(admin).call("exportAgent", at(agent.agentId));
	const all = await Promise.all([...ofSubmission, ...lists, exported, platform.anybody.call("getPublicTask", at(taskId))]);
	return JSON.stringify(all);
}

describe("the supplier's words", () => {
	it("are with the job while the evaluation waits, and nowhere else", async () => {
		const begun = await begin();
		await begun.platform.look({ id: begun.id, taskId: begun.taskId });
		expect(await begun.jobs()).toMatchObject([
			{
				...{ kind: "evaluation", state: "waiting", submission_id: begun.id, task_id: begun.taskId },
				...{ last_error: expect.stringContaining("JUDGE_API_KEY"), supplier_words: expect.stringContaining(WORDS) },
			},
		]);
		expect(await begun.jobs({ state: "failed" })).toEqual([]);
		expect(await readByOthers(begun)).not.toContain("acct-77");
	});

	it("stay with a submission whose evaluation has failed, until it is judged again", async () => {
		const begun = await begin();
		const { platform, agent, taskId, id, jobs } = begun;
		const reasons = await platform.waitOut({ id, taskId });
		expect(new Set(reasons)).toEqual(new Set(["supplier"]));
		expect(await agent.call("getSubmission", at(id))).toMatchObject({ status: "evaluation_failed", quota: { used: 0 } });
		const failed = { state: "failed", submission_id: id, supplier_words: expect.stringContaining(WORDS) };
		for (const query of [{}, { state: "failed" }]) {
			await expect.poll(() => jobs(query)).toMatchObject([failed]);
		}
		const { data } = await platform.enter(admin).call("listJobs", { query: { state: "failed", limit: 100 } });
		expect(data.filter(({ submission_id }) => submission_id === id)).toMatchObject([failed]);
		expect(await readByOthers(begun)).not.toContain("acct-77");

		const works = await scriptJudge([{ steps: [honest()] }]);
		await platform.enter(admin).call("retryJob", { ...at(id), body: { reason: "The key is right now." } });
		await platform.waitOut({ id, taskId }, { judge: judgeOf(works) });
		expect(await agent.call("getSubmission", at(id))).toMatchObject({ status: "completed" });
		expect(await jobs()).toEqual([]);
	});

	it("stay when an operator's retry of a failed submission fails too", async () => {
		const { platform, taskId, id, jobs, agent } = await begin();
		await platform.waitOut({ id, taskId });
		await platform.enter(admin).call("retryJob", { ...at(id), body: { reason: "Again." } });
		await platform.waitOut({ id, taskId });
		expect(await agent.call("getSubmission", at(id))).toMatchObject({ status: "evaluation_failed" });
		expect(await jobs({ state: "failed" })).toMatchObject([{ supplier_words: expect.stringContaining(WORDS) }]);
	});
});

describe("waiting_for of a task", () => {
	const heldUp = { reason: "supplier", message: expect.stringContaining("JUDGE_API_KEY"), since: expect.any(String), until: null };

	/** Returns what everyone reads of the task. */
	const readTask = async ({ platform, poster, taskId }: Begun, change: Partial<Deps> = {}) => [
		(await platform.enter(poster, change).call("getTask", at(taskId))).waiting_for,
		(await platform.enter({ key: null }, change).call("getPublicTask", at(taskId))).waiting_for,
	];

	const readPage = async ({ platform, taskId }: Begun) =>
		(await platform.anybody.send({ ...operations.getPublicTask, path: `/tasks/${taskId}` })).text();

	it("says what holds up its evaluations, and is null again once they are judged", async () => {
		const begun = await begin({ refusals: 2 });
		const { platform, taskId, id, agent } = begun;
		expect(await readTask(begun)).toEqual([null, null]);
		const delayMs = await platform.look({ id, taskId });
		expect(await readTask(begun)).toEqual([heldUp, heldUp]);
		expect(await readPage(begun)).toContain("JUDGE_API_KEY");
		const [row] = (await agent.call("listSubmissions")).data;
		expect(row).toMatchObject({ id, waiting_for: { reason: "supplier", until: expect.any(String) } });
		platform.clock.advance(delayMs ?? 0);
		await platform.waitOut({ id, taskId });
		expect(await readTask(begun)).toEqual([null, null]);
		expect(await readPage(begun)).not.toContain("JUDGE_API_KEY");
		expect(await agent.call("getSubmission", at(id))).toMatchObject({ status: "completed", waiting_for: null });
	});

	it("stays while a consumer tries again, and while the job is due", async () => {
		const begun = await begin();
		const { platform, taskId, id } = begun;
		platform.clock.advance((await platform.look({ id, taskId })) ?? 0);
		await platform.ring(taskId);
		expect(await readTask(begun)).toEqual([heldUp, heldUp]);
		const trying = Promise.withResolvers<void>();
		const release = Promise.withResolvers<void>();
		const judge = {
			...judgeOf(begun.script),
			async evaluate() {
				trying.resolve();
				await release.promise;
				throw new Error("This attempt is over.");
			},
		};
		const visit = platform.visitTask(taskId, { judge });
		await trying.promise;
		expect(await readTask(begun)).toEqual([heldUp, heldUp]);
		release.resolve();
		await visit.catch(() => {});
	});

	it("is null once the evaluation has failed", async () => {
		const begun = await begin();
		await begun.platform.waitOut({ id: begun.id, taskId: begun.taskId });
		expect(await readTask(begun)).toEqual([null, null]);
	});
});
