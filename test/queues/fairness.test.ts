// Whose evaluation is next: 1,000 jobs of one against 10 of others.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { commit } from "../../src/db/commit.ts";
import { submissions } from "../../src/db/schema/submissions.ts";
import { runNextEvaluation } from "../../src/features/evaluation/service.ts";
import { insertJob } from "../../src/features/evaluation/statements.ts";
import { claimNext } from "../../src/features/evaluation/store.ts";
import { testDeps } from "../support/deps.ts";
import { createDraft, openTask, registerAgent } from "../support/scenario.ts";
import { count, queryAll, queryOne } from "../support/storage.ts";
import { createWorld, readJob } from "../support/world.ts";

const deps = testDeps();
const poster = await registerAgent("Poster");
const tasks = await Promise.all(Array.from({ length: 40 }, async () => (await createDraft(poster)).id));
const FLOOD = 1000;
const OTHERS = 10;

/** An agent, of an operator's fleet if it has a token. Distinct agents are distinct parties. */
async function newAgents(total: number, operatorTokenId: string | null = null): Promise<string[]> {
	const ids = Array.from({ length: total }, () => crypto.randomUUID());
	await env.DB.prepare(
		"insert into agents (id, display_name, tier, operator_token_id, created_at) select value, 'Agent', 'anonymous', ?2, 0 from json_each(?1)",
	)
		.bind(JSON.stringify(ids), operatorTokenId)
		.run();
	return ids;
}

async function newFleet(total: number): Promise<string[]> {
	const tokenId = crypto.randomUUID();
	const [maker = ""] = await newAgents(1);
	await env.DB.prepare(
		"insert into operator_tokens (id, holder_id, agent_id, hash, prefix, monthly_quota, child_quota_pct, created_at) values (?1, ?2, ?2, ?1, '', 1, 1, 0)",
	)
		.bind(tokenId, maker)
		.run();
	return newAgents(total, tokenId);
}

interface Source {
	readonly agents: readonly string[];
	readonly tasks: readonly string[];
}

/** Submissions with their jobs, of all agents and on all tasks in turn. Returns the submissions. */
async function enqueue({ agents, tasks }: Source, total: number): Promise<Set<string>> {
	const now = deps.clock.now();
	const ids = new Set<string>();
	for (let first = 0; first < total; first += 50) {
		const statements = Array.from({ length: Math.min(50, total - first) }, (_, offset) => {
			const n = first + offset;
			const id = deps.ids.next();
			ids.add(id);
			const [agentId = "", taskId = ""] = [agents[n % agents.length], tasks[n % tasks.length]];
			const row = { id, taskId, agentId, status: "running" as const, agentDisplayName: "Agent", createdAt: now, updatedAt: now };
			const job = {
				id: deps.ids.next(),
				submissionId: id,
				iteration: 1,
				round: "submission" as const,
				origin: "",
				dueAt: now,
				giveUpAt: now,
				createdAt: now,
			};
			return [deps.db.query.insert(submissions).values(row), insertJob(deps, { ...job, longRubric: null })];
		});
		await commit(deps.db, statements.flat());
	}
	return ids;
}

/** Takes jobs as consumers do, by messages in the order of the jobs; the submissions that they are of. */
async function take(messages: readonly string[]): Promise<string[]> {
	const taken: string[] = [];
	for (const id of messages) {
		const job = await claimNext(deps, { id, token: deps.ids.next() }, deps.clock.now());
		if (job !== null) taken.push(job.submissionId);
	}
	return taken;
}

async function readMessages(): Promise<string[]> {
	return (await queryAll<{ id: string }>("select id from evaluation_jobs where finished_at is null order by id")).map(({ id }) => id);
}

beforeEach(async () => {
	await env.DB.prepare("update evaluation_jobs set finished_at = 1, outcome = 'failed' where finished_at is null").run();
});

const [taskA = "", taskB = ""] = tasks;

describe(`a flood of ${FLOOD} jobs`, () => {
	const floods: readonly (readonly [string, number, () => Promise<{ flood: Source; others: Source }>])[] = [
		[
			"of one agent over many tasks, against another agent",
			1,
			async () => ({ flood: { agents: await newAgents(1), tasks }, others: { agents: await newAgents(1), tasks: [taskB] } }),
		],
		[
			"of an operator's fleet on one task, against other agents on the same one",
			1,
			async () => ({ flood: { agents: await newFleet(40), tasks: [taskA] }, others: { agents: await newAgents(OTHERS), tasks: [taskA] } }),
		],
		[
			"of many agents on one task, against an agent on another task",
			1,
			async () => ({ flood: { agents: await newAgents(FLOOD), tasks: [taskA] }, others: { agents: await newAgents(1), tasks: [taskB] } }),
		],
		[
			"of one agent, against another agent of the same operator",
			2,
			async () => {
				const [first = "", second = ""] = await newFleet(2);
				return { flood: { agents: [first], tasks }, others: { agents: [second], tasks: [taskB] } };
			},
		],
	];

	it.each(floods)(
		"%s comes in front of each of 10 with %i evaluations at most",
		async (_, most, make) => {
			const { flood, others } = await make();
			await enqueue(flood, FLOOD);
			const messages = await readMessages();
			await take(messages.slice(0, 5));
			const few = await enqueue(others, OTHERS);
			const order = await take(messages.slice(5, 5 + (most + 1) * OTHERS));
			const places = order.flatMap((id, place) => (few.has(id) ? [place] : []));
			expect(places).toHaveLength(OTHERS);
			for (const [index, place] of places.entries()) expect(place - (places[index - 1] ?? -1)).toBeLessThanOrEqual(most + 1);
		},
		60_000,
	);

	it("does not reorder or lose what it consists of, and two consumers never take the same", async () => {
		const [agents, early] = [await newAgents(1), await newAgents(1)];
		const ids = [...(await enqueue({ agents, tasks }, 60))];
		const messages = await readMessages();
		const taken = (await Promise.all(messages.map((id) => claimNext(deps, { id, token: deps.ids.next() }, deps.clock.now())))).map(
			(job) => job?.submissionId,
		);
		expect(new Set(taken)).toEqual(new Set(ids));
		// One that was begun is continued by its own message, whoever waits.
		await enqueue({ agents: early, tasks }, 1);
		await env.DB.prepare("update evaluation_jobs set lease_token = null, lease_expires_at = null where id = ?").bind(messages[7]).run();
		expect((await claimNext(deps, { id: messages[7] ?? "", token: "t" }, deps.clock.now()))?.id).toBe(messages[7]);
		expect(await count("select count(*) from evaluation_jobs where attempts = 2")).toBe(1);
		expect(await queryOne("select count(*) as waiting from evaluation_jobs where finished_at is null and attempts = 0")).toEqual({
			waiting: 1,
		});
	});

	it("is left alone by the message of a job that no longer exists", async () => {
		await enqueue({ agents: await newAgents(1), tasks }, 1);
		const lease = { id: crypto.randomUUID(), token: deps.ids.next() };
		expect(await claimNext(deps, lease, deps.clock.now())).toBeNull();
		const [message = ""] = await readMessages();
		expect((await claimNext(deps, { ...lease, id: message }, deps.clock.now()))?.id).toBe(message);
	});

	it("keeps the message of a job that lets another go first", async () => {
		const [world, taskId] = [createWorld(), await openTask(poster)];
		const [first, second] = await Promise.all([registerAgent(), registerAgent()]);
		const early = await world.submit(first, taskId);
		const late = await world.submit(second, taskId);
		world.queue.sent.splice(0);
		await runNextEvaluation(world.deps(), late.jobId);
		expect([await readJob(early.id), await readJob(late.id)]).toMatchObject([{ outcome: "scored" }, { outcome: null }]);
		expect(world.queue.sent).toEqual([{ message: { jobId: late.jobId }, delaySeconds: 0 }]);
		await runNextEvaluation(world.deps(), early.jobId);
		expect(await readJob(late.id)).toMatchObject({ outcome: "scored" });
		expect(world.queue.sent).toHaveLength(1);
	});
});
