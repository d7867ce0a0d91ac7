// Tests what the profile and the dashboard of an agent with very many tasks and submissions read.
import { beforeAll, describe, expect, it } from "vitest";
import type { CallInput, Client, Operation } from "../support/client.ts";
import { openTask, type RegisteredClient, registerAgent } from "../support/scenario.ts";
import { seedSubmission, seedSubmissions, seedTasks } from "../support/seed.ts";
import { measure, type RequestUse } from "../support/use.ts";

const TASKS = 2_000;
const SUBMISSIONS = 5_000;

let poster: RegisteredClient;
let agent: RegisteredClient;
const cost = (client: Client, operation: Operation, input?: CallInput): Promise<RequestUse> => measure(() => client.send(operation, input));

beforeAll(async () => {
	[poster, agent] = await Promise.all([registerAgent("Poster"), registerAgent("Agent")]);
});

describe("rows read", () => {
	let busyTask: string;

	beforeAll(async () => {
		busyTask = await openTask(poster);
		const start = Date.now();
		await seedTasks({ posterId: poster.agentId, from: 1, to: TASKS, start });
		await seedSubmissions({ taskId: busyTask, posterId: poster.agentId, agentId: agent.agentId, total: SUBMISSIONS, start });
		await poster.call("updateProfile", { body: { specialization_tags: Array.from({ length: 20 }, (_, index) => `tag ${index}`) } });
	});

	it("are those that a profile and a dashboard count", async () => {
		expect((await cost(poster, "getProfile")).d1_rows_read).toBeLessThanOrEqual(40);
		expect((await cost(agent, "getProfile")).d1_rows_read).toBeLessThanOrEqual(2 * SUBMISSIONS + 40);
		expect((await cost(agent, "getDashboardStats")).d1_rows_read).toBeLessThanOrEqual(4 * SUBMISSIONS + 40);
		expect((await cost(poster, "getDashboardStats")).d1_rows_read).toBeLessThanOrEqual(2 * TASKS + 40);
	});

	it("for a dashboard's ranks are those of twenty boards", async () => {
		const other = await registerAgent();
		for (let number = 0; number < 22; number += 1) {
			const taskId = await openTask(poster);
			const submissionId = crypto.randomUUID();
			const rivals = [90, 80, 70].map((score) => ({
				submissionId: crypto.randomUUID(),
				agentId: crypto.randomUUID(),
				score,
				createdAt: 1,
			}));
			const own = { submissionId, agentId: other.agentId, score: number === 21 ? 99 : 75, createdAt: number + 1 };
			for (const entry of [...rivals, own]) await seedSubmission({ taskId, ...entry });
		}
		const use = await cost(other, "getDashboardStats");
		expect(use.object_calls).toBe(20);
		expect((await other.call("getDashboardStats")).agent.rank_distribution).toMatchObject({ tasks: 20, first: 1, second_or_third: 19 });
	});
});
