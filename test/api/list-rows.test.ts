// Counts the rows that a page of each list reads in D1 and in the objects of tasks. Every row of the page uses all joins of the list.
// `npm test -- test/api/list-rows.test.ts --silent=false` prints the counts.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { admin } from "../support/admin.ts";
import { endpoints } from "../support/app.ts";
import { type CallInput, type Client, contractOf, createClient, type Operation } from "../support/client.ts";
import { type ObjectUse, watchObject, watchStorage } from "../support/object-use.ts";
import { awaitEvaluation, createDraft, GOOD_FILES, openTask, type RegisteredClient, registerAgent, submit } from "../support/scenario.ts";
import { seedLeaderboard } from "../support/seed.ts";
import { bytes, NUMBERS, uuidSql } from "../support/seed-rows.ts";
import { queryTask } from "../support/task-object.ts";
import { measure } from "../support/use.ts";
import { copyWebhook, subscribe } from "../support/webhooks.ts";
import { workspaceOf } from "../support/workspace.ts";

const PAGE = 20;
const MOST_ROWS = 60;
const FEW = 160;
const MANY = 3_000;
/** A page counts the unread entries of the inbox, at most 200 for each kind of event. */
const UNREAD = 10;

interface World {
	/** This agent has posted all tasks except the agent's own ones. */
	readonly poster: RegisteredClient;
	/** This agent has a submission on each task. */
	readonly agent: RegisteredClient;
	/** This agent has joined as many invite-only tasks as there are public ones. */
	readonly member: RegisteredClient;
	readonly taskId: string;
	readonly boardId: string;
	readonly draftId: string;
	readonly submissionId: string;
	readonly webhookId: string;
}

type Case = readonly [caller: Client, operation: Operation, input?: CallInput];

/** These lists are exempt from the budget, each for the reason in its comment. */
const OTHERS = {
	// The budget of the search is time: npm run bench -- search.
	searchTasks: "search.test.ts",
	// This list compares the newest 10,000 submissions of a task with each other, and only a person reads it.
	listReviews: "reviews.test.ts",
};

const nobody = createClient();
const of = (id: string, query: CallInput["query"] = {}): CallInput => ({ params: { id }, query });

function casesOf({ poster, agent, member, taskId, boardId, draftId, submissionId, webhookId }: World): readonly Case[] {
	return [
		[agent, "listTasks"],
		[agent, "listTasks", { query: { category: "category" } }],
		[agent, "listTasks", { query: { eval_mode: "llm" } }],
		[agent, "listTasks", { query: { category: "category", eval_mode: "llm" } }],
		[agent, "listTasks", { query: { category: "category", eval_mode: "llm", min_budget_cents: 100 } }],
		[agent, "listTasks", { query: { category: "category", eval_mode: "hybrid" } }],
		[poster, "listTasks", { query: { owner: "me" } }],
		[poster, "listTasks", { query: { owner: "me", status: "open" } }],
		[poster, "listTasks", { query: { owner: "me", status: ["open", "closed"] } }],
		[poster, "listTasks", { query: { owner: "me", status: ["draft", "open", "evaluating", "closed"] } }],
		[nobody, "listPublicTasks"],
		[nobody, "listPublicTasks", { query: { status: "closed" } }],
		[nobody, "getTasksPage"],
		[nobody, "getResultsPage"],
		[agent, "listSubmissions"],
		[agent, "listSubmissions", { query: { task_id: taskId } }],
		[agent, "listSubmissions", { query: { task_id: boardId } }],
		[poster, "listCompetitors", of(taskId)],
		[agent, "listQuestions", of(taskId)],
		[nobody, "listPublicQuestions", of(taskId)],
		[nobody, "getPublicHistory", of(taskId)],
		[member, "listTasks"],
		[member, "listTasks", { query: { category: "category", eval_mode: "llm" } }],
		[poster, "listTaskSubmissions", of(taskId)],
		[poster, "listTaskSubmissions", of(taskId, { status: "completed" })],
		[poster, "listTaskSubmissions", of(taskId, { status: "failed" })],
		[poster, "listTaskSubmissions", of(taskId, { sort: "score" })],
		[poster, "listTaskSubmissions", of(taskId, { status: "completed", sort: "score" })],
		[poster, "listDashboardSubmissions"],
		[agent, "listEvaluations", of(submissionId)],
		[poster, "listSubmissionFiles", of(submissionId)],
		[poster, "listDryRuns", of(draftId)],
		[nobody, "getPublicLeaderboard", of(boardId)],
		[poster, "getLeaderboard", of(boardId)],
		[poster, "listDeals"],
		[agent, "listDeals"],
		[agent, "listWebhooks"],
		[agent, "listWebhookDeliveries", of(webhookId)],
		[agent, "listWorkspaceEntries"],
		[agent, "listWorkspaceFiles"],
		[agent, "listInbox"],
		[admin, "listAuditEntries"],
		[admin, "listReports"],
		[admin, "listJobs", { query: { state: "failed" } }],
	];
}

const run = (sql: string, ...parameters: readonly (string | number)[]) =>
	env.DB.prepare(sql)
		.bind(...parameters)
		.run();

/** Inserts rows of each list, with the numbers `from` to `to`. */
async function seed({ poster, agent, member, taskId, draftId, submissionId, webhookId }: World, from: number, to: number): Promise<void> {
	const now = Date.now();
	const [task, submission, event] = [uuidSql("i", 1), uuidSql("i", 2), uuidSql("i", 3)];
	const textOf = (table: string, columns: string, values: string) => `${NUMBERS} insert into ${table} (${columns}) select ${values} from n`;
	const add = (table: string, columns: string, values: string, ...parameters: readonly (string | number)[]) =>
		run(textOf(table, columns, values), from, to, ...parameters);
	const addTo = (id: string, [table, columns, values]: Parameters<typeof textOf>, ...parameters: readonly (string | number)[]) =>
		queryTask(id, textOf(table, columns, values), from, to, ...parameters);
	await add(
		"task_cards",
		`id, number, company_id, status, title, category, budget_cents, fee_bps, deadline, eval_mode, max_submissions_per_agent, competitor_count,
			submission_count, hidden, created_at, published_at, closed_at`,
		`${task}, 1, ?3, case i % 3 when 0 then 'draft' when 1 then 'open' else 'closed' end, 'Task', 'category', 10000, 1000, ?4 + i * 1000, 'llm', 15,
			0, 0, 0, 1, 1, iif(i % 3 = 2, i, null)`,
		poster.agentId,
		now + 86_400_000,
	);
	const invited = uuidSql("i", 9);
	await add(
		"task_cards",
		`id, number, company_id, status, title, category, budget_cents, fee_bps, deadline, eval_mode, max_submissions_per_agent, competitor_count,
			submission_count, hidden, access, created_at, published_at`,
		`${invited}, 1, ?3, 'open', 'Task', 'category', 10000, 1000, ?4 + i * 1000, 'llm', 15, 0, 0, 0, 'invited', 1, 1`,
		poster.agentId,
		now + 86_400_000,
	);
	await add(
		"member_cards",
		"agent_id, task_id, number, is_member, deadline",
		`?3, ${invited}, 1, 1, ?4 + i * 1000`,
		member.agentId,
		now + 86_400_000,
	);
	const question = `${uuidSql("i", 11)}, ?3, 0, 'Why?', i, i`;
	await addTo(taskId, ["questions", "id, agent_id, is_note, text, answered_at, created_at", question], agent.agentId);
	await addTo(taskId, ["public_log", "at, event, facts", `?3 + i, 'closed', '{"by":"owner"}'`], now);
	await addTo(taskId, ["entries", "agent_id, party, quota_used, created_at", `${uuidSql("i", 10)}, 'party', 0, i`]);
	// Half of the submissions are on one task, and the others on one task each.
	const [status, score] = ["iif(i % 4 < 2, 'completed', 'evaluation_failed')", "iif(i % 4 < 2, 50, null)"];
	await add(
		"submission_cards",
		`id, number, task_id, agent_id, company_id, status, agent_display_name, final_score, llm_score, evaluated_at, iteration, is_own, created_at`,
		`${bytes(submission)}, 1, ${bytes(`iif(i % 2, ?3, ${task})`)}, ${bytes("?4")}, ${bytes("?5")}, ${status}, 'Agent', ${score}, ${score}, iif(i % 4 < 2, 1, null), 1, 0, i`,
		taskId,
		agent.agentId,
		poster.agentId,
	);
	await addTo(
		taskId,
		[
			"submissions",
			"id, agent_id, status, evaluated, agent_display_name, final_score, llm_score, evaluated_at, iteration, created_at, updated_at",
			`${submission}, ?3, ${status}, i % 4 < 2, 'Agent', ${score}, ${score}, iif(i % 4 < 2, 1, null), 1, i, 1`,
		],
		agent.agentId,
	);
	await addTo(
		taskId,
		[
			"evaluations",
			`id, submission_id, iteration, round, eval_mode, rubric_version, comparison_group, judge, models, final_score, dimensions, samples,
				receipt, created_at`,
			"'evaluation-' || i, ?3, i + 1, 're_evaluation', 'llm', 1, 1, 'scripted', '[]', 50, '[]', '{}', 'a.b.c', 1",
		],
		submissionId,
	);
	const dryRun = `${uuidSql("i", 4)}, 'dry_run', 'completed', 50, i, i`;
	await addTo(draftId, ["trials", "id, kind, status, final_score, created_at, finished_at", dryRun]);
	// Each deal has all possible steps. Each agent is poster and agent of some, and the poster has one deal with each of many agents.
	const history = ["recorded", "address_shown", "accepted", "paid", "payment_verified", "received", "disputed"].map((action) => ({
		at: 1,
		actor: "poster",
		action,
		note: null,
	}));
	await add(
		"deals",
		"id, task_id, company_id, agent_id, deal_type, deal_value_cents, platform_fee_cents, created_at, decided_at, history",
		`${uuidSql("i", 5)}, ${task}, iif(i % 3, ?3, ?4), case i % 3 when 0 then ?3 when 1 then ?4 else ${uuidSql("i % 1000 + 1", 17)} end,
			'agent_hire', 1, 0, 1, 1, ?5`,
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
	await runInDurableObject(workspaceOf(agent), (_, { storage }) => {
		storage.sql.exec(
			`${NUMBERS} insert into inbox_entries (id, event, event_id, text, path, task_id, created_at, added_at, read_at)
			select ${uuidSql("i", 10)}, 'task.closed', ${event}, 'Text', '/', ${task}, ?3, ?3, iif(i > ${UNREAD}, ?3, null) from n`,
			from,
			to,
			now,
		);
	});
	await run("update webhooks set waiting_deliveries = 1, has_failed_deliveries = 1 where id = ?", webhookId);
	await add(
		"audit_log",
		"id, at, actor, action, target, reason, before, after",
		`${uuidSql("i", 7)}, 1, 'admin', 'job.retry', 'x', 'y', '{}', '{}'`,
	);
	await add("reports", "id, reporter_id, task_id, reason, created_at", `${uuidSql("i", 8)}, ?3, ${task}, 'Spam', 1`, agent.agentId);
}

interface Rows {
	readonly d1: number;
	readonly object: number;
}

/** The second page is null if there is one page only. */
interface Pages {
	readonly first: Rows;
	readonly second: Rows | null;
}

/**
 * Counts the rows that a page reads in D1, and in the object that reads most. No isolate remembers the key yet. Returns the cursor of the
 * next page too, or null.
 */
async function rowsOf([client, operation, input = {}]: Case, takes: readonly (() => Promise<ObjectUse>)[]) {
	const contract = contractOf(operation);
	const key = contract.auth === "key" || contract.auth === "session" ? await client.call("createApiKey") : null;
	const caller = key === null ? client : createClient({ key: key.api_key });
	const limit = "limit" in (contract.query?.shape ?? {}) ? { limit: PAGE } : {};
	for (const take of takes) await take();
	let next: string | null = null;
	const use = await measure(async () => {
		const response = await caller.send(operation, { ...input, query: { ...limit, ...input.query } });
		next = /"next_cursor":"([^"]+)"/.exec(await response.clone().text())?.[1] ?? null;
		return response;
	});
	expect({ operation, status: use.status }).toEqual({ operation, status: 200 });
	const ofObjects = (await Promise.all(takes.map((take) => take()))).map(({ read }) => read);
	// An agent has at most 50 keys.
	if (key !== null) await client.call("revokeApiKey", { query: { id: key.id } });
	return { rows: { d1: use.d1_rows_read, object: Math.max(...ofObjects) }, next };
}

async function createWorld(): Promise<World> {
	const [poster, agent, member] = await Promise.all([registerAgent("Poster"), registerAgent("Agent"), registerAgent("Member")]);
	const [taskId, boardId] = await Promise.all([openTask(poster), openTask(poster)]);
	const { id: draftId } = await createDraft(poster);
	const { id: submissionId } = await submit(agent, taskId, GOOD_FILES);
	await awaitEvaluation(agent, submissionId);
	// The first requests create the tables of the workspace, and record in the directory that the inbox is read.
	await agent.call("listInbox");
	await agent.call("listWorkspaceEntries");
	const { id: webhookId } = await subscribe(agent, "https://receiver.example.com/");
	await copyWebhook(webhookId, FEW);
	await seedLeaderboard({ taskId: boardId, total: 1_000, start: Date.now() - 1_800_000_000, family: 1, isTie: false });
	await queryTask(
		boardId,
		`${NUMBERS} insert or ignore into comparison_groups (number, fingerprint, judge, models, since) select i, i, 'scripted', '[]', 1 from n`,
		1,
		FEW,
	);
	return { poster, agent, member, taskId, boardId, draftId, submissionId, webhookId };
}

describe("a page of 20", () => {
	let cases: readonly Case[];
	let few: readonly Pages[];
	let many: readonly Pages[];

	beforeAll(async () => {
		const world = await createWorld();
		cases = casesOf(world);
		const takes = [
			await watchObject(world.taskId),
			await watchObject(world.boardId),
			await watchObject(world.draftId),
			await watchStorage(workspaceOf(world.agent)),
		];
		const readAll = async () => {
			// The first read after a change also reads what the object's alarm needs, so the second one counts.
			for (const each of cases) await rowsOf(each, takes);
			const pages = [];
			for (const each of cases) {
				const [client, operation, input] = each;
				const { rows: first, next } = await rowsOf(each, takes);
				const onward = { ...input, query: { ...input?.query, cursor: next ?? "" } };
				// A later page of a leaderboard also counts the ranks before it: budgets.test.ts.
				const isLast = next === null || contractOf(operation).path.endsWith("/leaderboard");
				pages.push({ first, second: isLast ? null : (await rowsOf([client, operation, onward], takes)).rows });
			}
			return pages;
		};
		await seed(world, 1, FEW);
		few = await readAll();
		await seed(world, FEW + 1, MANY);
		many = await readAll();
	});

	it("is measured for every list with pages", () => {
		const lists = endpoints.filter(({ query }) => "cursor" in (query?.shape ?? {}));
		const measured = new Set(cases.map(([, operation]) => operation));
		expect([...measured, ...Object.keys(OTHERS)].toSorted()).toEqual(lists.map(({ operationId }) => operationId).toSorted());
	});

	it(`reads at most ${MOST_ROWS} rows, among ${MANY} as among ${FEW}`, () => {
		const uses = cases.map(([, operation, input], index) => ({
			operation,
			query: input?.query,
			few: few[index],
			many: many[index],
		}));
		console.log(uses.map((use) => JSON.stringify(use)).join("\n"));
		const isOver = (rows: Rows | null | undefined) => rows !== null && rows !== undefined && Math.max(rows.d1, rows.object) > MOST_ROWS;
		expect(uses.filter(({ many: pages }) => pages === undefined || isOver(pages.first) || isOver(pages.second))).toEqual([]);
		expect(many).toEqual(few);
	});
});
