// An agent can be erased while its work is judged.
import { describe, expect, it, vi } from "vitest";
import { EvaluationFault } from "../../../../src/domain/evaluation-fault.ts";
import { sweepStandings } from "../../../../src/extensions/operating/privacy/sweep-standings.ts";
import { Task } from "../../../../src/index.ts";
import { admin } from "../../../support/admin.ts";
import { testDeps } from "../../../support/deps.ts";
import { hideCards, listStandingChanges } from "../../../support/directory.ts";
import { createRound, finishedWith, scriptedJudge } from "../../../support/final-round.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { createDraft, registerAgent } from "../../../support/scenario.ts";
import { seedTasks } from "../../../support/seed.ts";
import { count } from "../../../support/storage.ts";
import { queryTask } from "../../../support/task-object.ts";

const at = (id: string) => ({ params: { id } });
const erase = ({ agentId }: { agentId: string }) => admin.call("eraseAgent", { ...at(agentId), body: { reason: "They asked for it." } });

/** Returns a judge that waits until the test says so, and then ends with this. */
function slowJudge(fault?: EvaluationFault) {
	const started = Promise.withResolvers<void>();
	const released = Promise.withResolvers<void>();
	const judge = scriptedJudge({
		async evaluate(request) {
			started.resolve();
			await released.promise;
			if (fault !== undefined) throw fault;
			return finishedWith(request, () => Array.from({ length: request.samples }, () => 70));
		},
	});
	return { judge, started: started.promise, release: released.resolve };
}

/** Everything that the object of the task stores as text about works. */
const textsOf = async (taskId: string) =>
	JSON.stringify([
		await queryTask(taskId, "select text from reports"),
		await queryTask(taskId, "select text from round_judgements"),
		await queryTask(taskId, "select error_message, owner_error_message from submissions"),
		await queryTask(taskId, "select * from signatures"),
	]);

describe("an agent that is erased while a consumer judges", () => {
	it("keeps its score, and nothing that quotes its submission is stored", async () => {
		const round = await createRound({ task: { final_round: false } });
		const entry = await round.submit({ now: 70, final: 70 });
		const { judge, started, release } = slowJudge();
		const judging = round.world.visitTask(round.taskId, { judge });
		await started;
		await erase(entry);
		release();
		await judging;
		expect(await round.board()).toMatchObject({ entries: [{ submissionId: entry.id, finalScore: 70 }] });
		expect(await textsOf(round.taskId)).not.toContain("as asked");
		expect(await queryTask(round.taskId, "select 1 from signatures")).toEqual([]);
	});

	it("leaves nothing of a fault that quotes its submission", async () => {
		const round = await createRound({ task: { final_round: false } });
		const entry = await round.submit({ now: 70, final: 70 });
		const fault = new EvaluationFault("Line 7 says: my name.", { blame: "submission", isRetryable: false, ownerMessage: "It is my name." });
		const { judge, started, release } = slowJudge(fault);
		const judging = round.world.visitTask(round.taskId, { judge });
		await started;
		await erase(entry);
		release();
		await judging;
		expect(await queryTask(round.taskId, "select status from submissions")).toEqual([{ status: "evaluation_failed" }]);
		expect(await textsOf(round.taskId)).not.toContain("my name");
	});

	it("leaves nothing behind as a candidate either", async () => {
		const round = await createRound();
		const entry = await round.enter({ now: 90, final: 70 });
		await round.enter({ now: 80, final: 60 });
		await round.close();
		await round.world.visitTask(round.taskId);
		const { judge, started, release } = slowJudge();
		const judging = round.world.visitTask(round.taskId, { judge });
		await started;
		await erase(entry);
		release();
		await judging;
		const kept = await queryTask<{ text: string }>(round.taskId, "select text from round_judgements where submission_id = ?", entry.id);
		expect(kept.length).toBeGreaterThan(0);
		expect(JSON.stringify(kept)).not.toContain("as asked");
	});
});

describe("an agent with thousands of tasks", () => {
	const TASKS = 2_300;
	/** An invocation may make 10,000 calls. */
	const MAX_CALLS_A_PAGE = 4_000;

	it("is erased in pages, the first with the request and the others by the sweep, and none costs more than another", async () => {
		const agent = await registerAgent("Busy Poster");
		await seedTasks({ from: 1, to: TASKS, posterId: agent.agentId, start: Date.now() });
		await hideCards(agent.agentId);
		// Its id is the last, so only the last page finds it.
		const { id: draft } = await createDraft(agent);
		const calls = vi.spyOn(Task.prototype, "call");
		const countCalls = async (run: () => Promise<unknown>) => {
			calls.mockClear();
			await run();
			return calls.mock.calls.length;
		};
		expect(await countCalls(() => erase(agent))).toBeLessThan(2_000);
		const pages: { readonly calls: number; readonly d1Calls: number }[] = [];
		while ((await listStandingChanges(agent.agentId)).length > 0 && pages.length < 10) {
			const deps = testDeps({ clock: manualClock(Date.now() + 60_000) });
			pages.push({ calls: await countCalls(() => sweepStandings(deps)), d1Calls: deps.db.use.calls });
		}
		calls.mockRestore();
		expect(pages).toHaveLength(3);
		for (const page of pages) {
			expect(page.calls).toBeLessThan(MAX_CALLS_A_PAGE);
			// The last page repeats the erasure of the rows too.
			expect(page.d1Calls).toBeLessThan(25);
		}
		expect(await count("select count(*) from task_cards where id = ?", draft)).toBe(0);
	});
});

describe("the earliest of several equal works that is erased in a final round", () => {
	it.each([
		["before it is judged", 1],
		["while others are judged", 2],
		["before its further samples", 3],
	])("%s leaves the others their judgement, and keeps its own part of it", async (_, visits) => {
		const round = await createRound();
		const equal = { now: 90, final: 70, salt: "same" };
		const [first, second] = [await round.enter(equal), await round.enter(equal)];
		const other = await round.enter({ now: 80, final: 69 });
		await round.close();
		for (let visit = 0; visit < visits; visit += 1) await round.world.visitTask(round.taskId);
		await erase(first);
		await round.workOff();
		const entries = [first, second, other].map(({ id }) => ({ submissionId: id, confirmed: true }));
		expect(await round.board()).toMatchObject({ provisional: false, entries });
		const { data } = await second.agent.call("listEvaluations", at(second.id));
		expect(data.at(-1)).toMatchObject({ round: "final" });
		expect(data.at(-1)?.samples["Parser"]).toHaveLength(13);
		const details = await second.agent.call("getSubmissionDetails", at(second.id));
		expect(details.reasoning).not.toContain("Judged together");
	});
});
