import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { goodZipWith } from "../support/archives.ts";
import { testDeps } from "../support/deps.ts";
import { changeSubmissions, refreshEntry } from "../support/house.ts";
import { awaitEvaluation, GOOD_FILES, openTask, type RegisteredClient, registerAgent, submit } from "../support/scenario.ts";
import { seedSubmission } from "../support/seed.ts";
import { putTo, register } from "../support/uploads.ts";

const poster = await registerAgent("Poster");
const at = (id: string, query: Readonly<Record<string, string | number>> = {}) => ({ params: { id }, query });
const ids = testDeps().ids;

/** Gives an agent a scored submission and updates its entry, as the end of an evaluation does. */
async function score(taskId: string, agentId: string, final: number, createdAt = Date.now()): Promise<string> {
	const submissionId = ids.next();
	await seedSubmission({ taskId, agentId, submissionId, score: final, createdAt });
	await refreshEntry(taskId, agentId);
	return submissionId;
}

async function readBoard(client: RegisteredClient, taskId: string, limit = 100) {
	const entries = [];
	for (let cursor: string | null = null; ; ) {
		const page: Awaited<ReturnType<typeof client.call<"getLeaderboard">>> = await client.call(
			"getLeaderboard",
			at(taskId, { limit, ...(cursor === null ? {} : { cursor }) }),
		);
		entries.push(...page.entries);
		cursor = page.next_cursor;
		expect(page.has_more).toBe(cursor !== null);
		if (cursor === null) return entries;
	}
}

describe("the leaderboard", () => {
	it("is empty at first", async () => {
		const taskId = await openTask(poster);
		const board = await poster.call("getLeaderboard", at(taskId));
		expect(board).toMatchObject({ entries: [], me: null, revealed: false, taskStatus: "open", evalMode: "llm", isOwner: true });
		expect(board).toMatchObject({ has_more: false, next_cursor: null });
	});

	it("counts each agent's best, and ranks without gaps", async () => {
		const taskId = await openTask(poster);
		const agents = await Promise.all([1, 2, 3].map(() => registerAgent()));
		const [a, b, c] = agents.map(({ agentId }) => agentId);
		await score(taskId, a ?? "", 50);
		const best = await score(taskId, a ?? "", 90);
		await score(taskId, a ?? "", 70);
		await score(taskId, b ?? "", 80.5);
		await score(taskId, c ?? "", 0);
		const board = await readBoard(poster, taskId);
		expect(board.map(({ rank, finalScore }) => [rank, finalScore])).toEqual([
			[1, 90],
			[2, 80.5],
			[3, 0],
		]);
		expect(board[0]).toMatchObject({ submissionId: best, testScore: null, llmScore: 90, isMe: false });
	});

	it("counts from the time of submitting, so that a slot reserved early gives no precedence", async () => {
		const taskId = await openTask(poster);
		const [early, prompt] = await Promise.all([registerAgent(), registerAgent()]);
		const reserved = await register(early, taskId);
		const first = await submit(prompt, taskId);
		await putTo(early, reserved.upload_url, goodZipWith());
		await early.call("completeSubmission", at(reserved.id));
		await Promise.all([awaitEvaluation(prompt, first.id), awaitEvaluation(early, reserved.id)]);
		await changeSubmissions(taskId, "final_score = 80, llm_score = 80");
		for (const { agentId } of [early, prompt]) await refreshEntry(taskId, agentId);
		expect((await readBoard(poster, taskId)).map(({ submissionId }) => submissionId)).toEqual([first.id, reserved.id]);
	});

	it("puts the earlier of equal scores first, also between an agent's own", async () => {
		const taskId = await openTask(poster);
		const [a, b] = (await Promise.all([registerAgent(), registerAgent()])).map(({ agentId }) => agentId);
		const now = Date.now();
		await score(taskId, a ?? "", 77.77, now);
		const earlier = await score(taskId, b ?? "", 77.77, now - 1);
		await score(taskId, b ?? "", 77.77, now + 1);
		expect((await readBoard(poster, taskId)).map(({ submissionId }) => submissionId)[0]).toBe(earlier);
	});

	it("shows the caller's own entry on every page", async () => {
		const taskId = await openTask(poster);
		const me = await registerAgent();
		for (let n = 0; n < 6; n += 1) await score(taskId, (await registerAgent()).agentId, 50 + n);
		const own = await score(taskId, me.agentId, 1);
		for (let cursor: string | null = null, page = 0; page < 3; page += 1) {
			const board: Awaited<ReturnType<typeof me.call<"getLeaderboard">>> = await me.call(
				"getLeaderboard",
				at(taskId, { limit: 3, ...(cursor === null ? {} : { cursor }) }),
			);
			expect(board.me).toMatchObject({ rank: 7, submissionId: own, isMe: true });
			expect(board.entries.map(({ rank }) => rank)).toEqual(page === 2 ? [7] : [3 * page + 1, 3 * page + 2, 3 * page + 3]);
			expect(board.entries.map(({ isMe }) => isMe)).toEqual(page === 2 ? [true] : [false, false, false]);
			cursor = board.next_cursor;
		}
		expect((await poster.call("getLeaderboard", at(taskId))).me).toBeNull();
	});

	it("accepts limits of 1 to 500", async () => {
		const taskId = await openTask(poster);
		await poster.call("getLeaderboard", at(taskId, { limit: 500 }));
		await poster.refused("getLeaderboard", "VALIDATION_ERROR", at(taskId, { limit: 501 }));
	});
});

describe("names", () => {
	it("are pseudonyms before reveal: stable for agent and task, unrelated between tasks", async () => {
		const agent = await registerAgent("Known Name");
		const boards = [];
		for (let n = 0; n < 2; n += 1) {
			const taskId = await openTask(poster);
			const { id } = await agent.call("quickSubmit", {
				params: { id: taskId },
				body: { files: GOOD_FILES, agent_display_name: "Chosen Name" },
			});
			await awaitEvaluation(agent, id);
			boards.push([await poster.call("getLeaderboard", at(taskId)), await agent.call("getLeaderboard", at(taskId))] as const);
			await submit(agent, taskId).then((again) => awaitEvaluation(agent, again.id));
			expect((await agent.call("getLeaderboard", at(taskId))).me?.agentName).toBe(boards[n]?.[0].entries[0]?.agentName);
		}
		const [[first, firstOwn], [second]] = [boards[0] ?? [], boards[1] ?? []];
		expect(firstOwn?.me?.agentName).toBe(first?.entries[0]?.agentName);
		expect(first?.entries[0]?.agentName).not.toBe(second?.entries[0]?.agentName);
		for (const [board] of boards) {
			const text = JSON.stringify(board);
			for (const secret of [agent.agentId, agent.agentId.slice(-12), "Known Name", "Chosen Name"]) expect(text).not.toContain(secret);
		}
	});

	it("are shown once the task is closed", async () => {
		const taskId = await openTask(poster);
		const agent = await registerAgent();
		await agent
			.call("quickSubmit", { params: { id: taskId }, body: { files: GOOD_FILES, agent_display_name: "Chosen Name" } })
			.then(({ id }) => awaitEvaluation(agent, id));
		await poster.call("closeTask", at(taskId));
		const board = await agent.call("getLeaderboard", at(taskId));
		expect(board).toMatchObject({
			revealed: true,
			taskStatus: "closed",
			entries: [{ agentName: "Chosen Name" }],
			me: { agentName: "Chosen Name" },
		});
	});
});

describe("ranks and counters", () => {
	interface Change {
		readonly agent: number;
		readonly score: number;
		readonly second: number;
	}
	const changes: fc.Arbitrary<readonly Change[]> = fc.array(
		fc.record({
			agent: fc.integer({ min: 0, max: 11 }),
			score: fc.oneof(
				fc.constantFrom(0, 100, 50, 50.01, 99.99),
				fc.integer({ min: 0, max: 10_000 }).map((hundredths) => hundredths / 100),
			),
			second: fc.integer({ min: 0, max: 5 }),
		}),
		{ minLength: 1, maxLength: 25 },
	);

	it("equal those of a simple sort, for any scores", async () => {
		const agents = await Promise.all(Array.from({ length: 12 }, () => registerAgent()));
		await fc.assert(
			fc.asyncProperty(changes, fc.integer({ min: 1, max: 7 }), async (list, limit) => {
				const taskId = await openTask(poster);
				const now = Date.now();
				const all: { agentId: string; id: string; score: number; at: number }[] = [];
				for (const change of list) {
					const agentId = agents[change.agent]?.agentId ?? "";
					const createdAt = now + change.second * 1000;
					all.push({ agentId, score: change.score, at: createdAt, id: await score(taskId, agentId, change.score, createdAt) });
				}
				await rescore(taskId, all);
				const expected = bruteForce(all);
				const board = await readBoard(poster, taskId, limit);
				expect(board.map(({ rank, submissionId }) => [rank, submissionId])).toEqual(expected.map(({ id }, index) => [index + 1, id]));
				for (const { client, rank } of ranksOf(expected, agents).slice(0, 4)) {
					expect((await client.call("getLeaderboard", at(taskId, { limit: 1 }))).me?.rank).toBe(rank);
				}
			}),
			{ numRuns: 12 },
		);
	});

	/** A later evaluation lowers or raises a score. */
	async function rescore(taskId: string, all: { agentId: string; id: string; score: number }[]): Promise<void> {
		const [first] = all;
		if (first === undefined) return;
		first.score = Math.round((100 - first.score) * 100) / 100;
		await changeSubmissions(taskId, `final_score = ${first.score}`, `id = '${first.id}'`);
		await refreshEntry(taskId, first.agentId);
	}

	function bruteForce(all: readonly { agentId: string; id: string; score: number; at: number }[]) {
		const better = (a: (typeof all)[number], b: (typeof all)[number]) => b.score - a.score || a.at - b.at || (a.id < b.id ? -1 : 1);
		const best = Map.groupBy(all, ({ agentId }) => agentId);
		return [...best.values()]
			.map((own) => own.toSorted(better)[0])
			.filter((entry) => entry !== undefined)
			.toSorted(better);
	}

	function ranksOf(expected: readonly { agentId: string }[], agents: readonly RegisteredClient[]) {
		return expected.flatMap(({ agentId }, index) => {
			const client = agents.find((agent) => agent.agentId === agentId);
			return client === undefined ? [] : [{ client, rank: index + 1 }];
		});
	}

	it("stay correct when many scores arrive in parallel", async () => {
		const taskId = await openTask(poster);
		const agents = await Promise.all(Array.from({ length: 8 }, () => registerAgent()));
		await Promise.all(agents.flatMap(({ agentId }, n) => [score(taskId, agentId, n), score(taskId, agentId, 90 - n)]));
		expect((await readBoard(poster, taskId, 3)).map(({ finalScore }) => finalScore)).toEqual([90, 89, 88, 87, 86, 85, 84, 83]);
	});
});
