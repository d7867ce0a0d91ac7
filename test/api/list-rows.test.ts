// What a page of each list reads in D1, when every row of the page needs all that the list joins.
// `npm test -- test/api/list-rows.test.ts --silent=false` prints the rows.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { endpoints } from "../../src/compose/endpoints.ts";
import { listAuditEntries, listReports } from "../../src/features/admin/contract.ts";
import { createKey } from "../../src/features/api-keys/contract.ts";
import { listDryRuns } from "../../src/features/competition/dry-runs/contract.ts";
import {
	listEvaluations,
	listOwnSubmissions,
	listSubmissionFiles,
	listTaskSubmissions,
} from "../../src/features/competition/submissions/contract.ts";
import { listDashboardSubmissions } from "../../src/features/dashboard/contract.ts";
import { listDeals } from "../../src/features/deals/contract.ts";
import { getLeaderboard } from "../../src/features/leaderboard/contract.ts";
import { listJobs } from "../../src/features/operations/contract.ts";
import { getTasksPage } from "../../src/features/pages/contract.ts";
import { getPublicLeaderboard } from "../../src/features/public-reading/contract.ts";
import { listPublicTasks, listTasks } from "../../src/features/tasks/contract.ts";
import { listDeliveries, listWebhooks } from "../../src/features/webhooks/contract.ts";
import { listEntries, listFiles } from "../../src/features/workspace/contract.ts";
import type { EndpointContract } from "../../src/http/endpoint.ts";
import { admin } from "../support/admin.ts";
import { type CallInput, type Client, createClient } from "../support/client.ts";
import { awaitEvaluation, createDraft, GOOD_FILES, openTask, type RegisteredClient, registerAgent, submit } from "../support/scenario.ts";
import { dropCountersOfAgents, seedLeaderboard } from "../support/seed.ts";
import { NUMBERS, uuidSql } from "../support/seed-rows.ts";
import { measure } from "../support/use.ts";
import { copyWebhook, subscribe } from "../support/webhooks.ts";

const PAGE = 20;
const MOST_ROWS = 60;
const FEW = 100;
const MANY = 3_000;

interface World {
	/** Has posted all tasks but the agent's own ones. */
	readonly poster: RegisteredClient;
	/** Has a submission on each task. */
	readonly agent: RegisteredClient;
	readonly taskId: string;
	readonly boardId: string;
	readonly draftId: string;
	readonly submissionId: string;
	readonly webhookId: string;
}

type Case = readonly [caller: Client, contract: EndpointContract, input?: CallInput];

/** Lists that this test does not hold to the budget, each with the reason. */
const OTHERS = {
	// Its budget is time: npm run bench -- search.
	searchTasks: "search.test.ts",
	// Compares the newest 10,000 submissions of a task with each other.
	listSimilarWork: "similar-work.test.ts",
};

const nobody = createClient();
const of = (id: string, query: CallInput["query"] = {}): CallInput => ({ params: { id }, query });

function casesOf({ poster, agent, taskId, boardId, draftId, submissionId, webhookId }: World): readonly Case[] {
	return [
		[agent, listTasks],
		[agent, listTasks, { query: { category: "category", eval_mode: "llm", min_budget_cents: 100 } }],
		[poster, listTasks, { query: { owner: "me" } }],
		[poster, listTasks, { query: { owner: "me", status: ["open", "closed"] } }],
		[poster, listTasks, { query: { owner: "me", status: ["draft", "open", "evaluating", "closed"] } }],
		[nobody, listPublicTasks],
		[nobody, getTasksPage],
		[agent, listOwnSubmissions],
		[agent, listOwnSubmissions, { query: { task_id: taskId } }],
		[poster, listTaskSubmissions, of(taskId)],
		[poster, listTaskSubmissions, of(taskId, { status: "completed" })],
		[poster, listTaskSubmissions, of(taskId, { sort: "score" })],
		[poster, listDashboardSubmissions],
		[agent, listEvaluations, of(submissionId)],
		[poster, listSubmissionFiles, of(submissionId)],
		[poster, listDryRuns, of(draftId)],
		[nobody, getPublicLeaderboard, of(boardId)],
		[poster, getLeaderboard, of(boardId)],
		[poster, listDeals],
		[agent, listDeals],
		[agent, listWebhooks],
		[agent, listDeliveries, of(webhookId)],
		[agent, listEntries],
		[agent, listFiles],
		[admin, listAuditEntries],
		[admin, listReports],
		[admin, listJobs, { query: { state: "failed" } }],
	];
}

const run = (sql: string, ...parameters: readonly (string | number)[]) =>
	env.DB.prepare(sql)
		.bind(...parameters)
		.run();

/** Rows of each list with the numbers `from` to `to`, without the triggers. Of the work in the background only some of the first {@link FEW} has not ended. */
async function seed({ poster, agent, taskId, draftId, submissionId, webhookId }: World, from: number, to: number): Promise<void> {
	const now = Date.now();
	const [task, submission, event] = [uuidSql("i", 1), uuidSql("i", 2), uuidSql("i", 3)];
	const add = (table: string, columns: string, values: string, ...parameters: readonly (string | number)[]) =>
		run(`${NUMBERS} insert into ${table} (${columns}) select ${values} from n`, from, to, ...parameters);
	await add(
		"tasks",
		`id, company_id, status, title, category, budget_cents, deadline, eval_mode, test_weight, llm_weight, eval_network, eval_memory_mb,
			eval_timeout_seconds, max_submissions_per_agent, created_at`,
		`${task}, ?3, case i % 3 when 0 then 'draft' when 1 then 'open' else 'closed' end, 'Task', 'category', 10000, ?4 + i * 1000, 'llm', 0, 100,
			0, 1024, 600, 15, 1`,
		poster.agentId,
		now + 86_400_000,
	);
	// Half of them on one task, the others on one each.
	await add(
		"submissions",
		`id, task_id, agent_id, status, evaluated, agent_display_name, final_score, llm_score, evaluated_at, iteration, created_at, updated_at`,
		`${submission}, iif(i % 2, ?3, ${task}), ?4, iif(i % 4 < 2, 'completed', 'evaluation_failed'), i % 4 < 2, 'Agent', iif(i % 4 < 2, 50, null),
			iif(i % 4 < 2, 50, null), iif(i % 4 < 2, 1, null), 1, i, 1`,
		taskId,
		agent.agentId,
	);
	await run("insert or ignore into received_submissions select ?, id, 'Task' from submissions", poster.agentId);
	await add(
		"evaluations",
		`id, submission_id, iteration, round, eval_mode, rubric_version, comparison_group, judge, models, final_score, dimensions, samples,
			report_key, receipt, created_at`,
		`'evaluation-' || i, ?3, i + 1, 're_evaluation', 'llm', 1, 1, 'scripted', '[]', 50, '[]', '{}', 'none', 'a.b.c', 1`,
		submissionId,
	);
	await add(
		"trials",
		"id, task_id, kind, status, final_score, origin, due_at, give_up_at, created_at, finished_at",
		`${uuidSql("i", 4)}, ?3, 'dry_run', 'completed', 50, '', 0, 0, i, i`,
		draftId,
	);
	// All steps that a deal can have. Both are on either side, and the poster has deals with an agent each.
	const history = ["recorded", "accepted", "paid", "payment_verified", "received", "disputed"].map((action) => ({
		at: 1,
		actor: "poster",
		action,
		note: null,
	}));
	await add(
		"deals",
		"id, task_id, company_id, agent_id, deal_type, deal_value_cents, platform_fee_cents, created_at, history",
		`${uuidSql("i", 5)}, ${task}, iif(i % 3, ?3, ?4), case i % 3 when 0 then ?3 when 1 then ?4 else ${uuidSql("i % 1000 + 1", 17)} end,
			'agent_hire', 1, 0, 1, ?5`,
		poster.agentId,
		agent.agentId,
		JSON.stringify(history),
	);
	const attempts = Array.from({ length: 8 }, (_, index) => ({
		...{ number: index + 1, startedAt: 1, durationMs: 1 },
		...{ responseCode: 500, responseBody: "x".repeat(100), error: null },
	}));
	await runInDurableObject(env.WEBHOOK_SENDER.getByName(webhookId), (_, { storage }) => {
		storage.sql.exec(
			`${NUMBERS} insert into deliveries (id, event_id, event_type, body, status, attempts, due_at, created_at, finished_at, attempt_log)
			select ${uuidSql("i", 6)}, ${event}, 'submission.completed', '{}', iif(i % 2, 'failed', iif(i > ${FEW}, 'delivered', 'pending')), 8, ?3,
				${now}, iif(i % 2 or i > ${FEW}, ${now}, null), ?4 from n`,
			from,
			to,
			now + 86_400_000,
			JSON.stringify(attempts),
		);
	});
	await run("update webhooks set waiting_deliveries = 1, has_failed_deliveries = 1 where id = ?", webhookId);
	await add(
		"audit_log",
		"id, at, actor, action, target, reason, before, after",
		`${uuidSql("i", 7)}, 1, 'admin', 'job.retry', 'x', 'y', '{}', '{}'`,
	);
	await add("reports", "id, reporter_id, task_id, reason, created_at", `${uuidSql("i", 8)}, ?3, ${task}, 'Spam', 1`, agent.agentId);
	await add(
		"evaluation_jobs",
		"id, submission_id, iteration, round, attempts, due_at, give_up_at, lease_expires_at, created_at, finished_at, outcome, last_error",
		`${uuidSql("i", 9)}, ${submission}, 1, 'submission', 1, iif(i % 8 = 1, 1, ?3), ?3, iif(i % 8 = 5, ?3, null), 1,
			iif(i % 2 and i <= ${FEW}, null, 1), iif(i % 2 and i <= ${FEW}, null, iif(i % 4 < 2, 'scored', 'failed')), 'error'`,
		now + 86_400_000,
	);
	if (from === 1) await add("grader_runs", "id, job_id, run, created_at", `${uuidSql("i", 9)} || '-1', ${uuidSql("i", 9)}, 1, 1`);
}

/** With a key that no isolate remembers yet, so that looking it up is part of the cost. */
async function rowsOf([client, contract, input = {}]: Case): Promise<number> {
	const takesKey = contract.auth === "key" || contract.auth === "session";
	const caller = takesKey ? createClient({ key: (await client.call(createKey)).api_key }) : client;
	const limit = "limit" in (contract.query?.shape ?? {}) ? { limit: PAGE } : {};
	const use = await measure(() => caller.send(contract, { ...input, query: { ...limit, ...input.query } }));
	expect({ operation: contract.operationId, status: use.status }).toEqual({ operation: contract.operationId, status: 200 });
	return use.d1_rows_read;
}

async function createWorld(): Promise<World> {
	const [poster, agent] = await Promise.all([registerAgent("Poster"), registerAgent("Agent")]);
	const [taskId, boardId] = await Promise.all([openTask(poster), openTask(poster)]);
	const { id: draftId } = await createDraft(poster);
	const { id: submissionId } = await submit(agent, taskId, GOOD_FILES);
	await awaitEvaluation(agent, submissionId);
	const { id: webhookId } = await subscribe(agent, "https://receiver.example.com/");
	await copyWebhook(webhookId, FEW);
	await seedLeaderboard({ taskId: boardId, total: 1_000, start: Date.now() - 1_800_000_000, family: 1, isTie: false });
	await run(
		`${NUMBERS} insert or ignore into comparison_groups (task_id, number, fingerprint, judge, models, since) select ?3, i, i, 'scripted', '[]', 1 from n`,
		1,
		FEW,
		boardId,
	);
	await dropCountersOfAgents();
	return { poster, agent, taskId, boardId, draftId, submissionId, webhookId };
}

describe("a page of 20", () => {
	let cases: readonly Case[];
	let few: readonly number[];
	let many: readonly number[];
	const jobs: number[][] = [];

	beforeAll(async () => {
		const world = await createWorld();
		cases = casesOf(world);
		const readAll = async () => {
			const rows = [];
			for (const each of cases) rows.push(await rowsOf(each));
			const states = [{}, { state: "waiting" }, { state: "running" }, { state: "stuck" }];
			const ofJobs = [];
			for (const query of states) ofJobs.push(await rowsOf([admin, listJobs, { query }]));
			jobs.push(ofJobs);
			return rows;
		};
		await seed(world, 1, FEW);
		few = await readAll();
		await seed(world, FEW + 1, MANY);
		many = await readAll();
	}, 60_000);

	it("is measured for every list with pages", () => {
		const lists = endpoints.map(({ contract }) => contract).filter(({ query }) => "cursor" in (query?.shape ?? {}));
		const measured = new Set(cases.map(([, contract]) => contract.operationId));
		expect([...measured, ...Object.keys(OTHERS)].toSorted()).toEqual(lists.map(({ operationId }) => operationId).toSorted());
	});

	it("of jobs reads besides those that have not ended, however many have", () => {
		// One of two evaluations, and a run and its evaluation for each row. The object of a webhook has its deliveries.
		expect(Math.max(...jobs.flat())).toBeLessThanOrEqual(FEW / 2 + 2 * FEW + MOST_ROWS);
		for (const [index, rows] of (jobs[0] ?? []).entries()) expect(jobs[1]?.[index]).toBeLessThanOrEqual(rows);
	});

	it(`reads at most ${MOST_ROWS} rows, as many of ${MANY} as of ${FEW}`, () => {
		const uses = cases.map(([, { operationId }, input], index) => ({
			operationId,
			query: input?.query,
			few: few[index],
			many: many[index],
		}));
		console.log(uses.map((use) => JSON.stringify(use)).join("\n"));
		expect(uses.filter(({ many: rows = 0 }) => rows > MOST_ROWS)).toEqual([]);
		expect(uses.filter((use) => use.many !== use.few)).toEqual([]);
	});
});
