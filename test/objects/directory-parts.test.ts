// The directory has one database today. These tests give its part 3 a second one, and show that every statement of
// `core/competition/directory` goes where its id says.
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deleteCards, deleteTaskCards, selectCardIds, selectTasksOf, writeCards } from "../../src/core/competition/directory/cards.ts";
import { createLocator } from "../../src/core/competition/directory/locate.ts";
import { hasDraftCard } from "../../src/core/competition/directory/store.ts";
import { createIds, partOf } from "../../src/platform/ids.ts";
import { createApp, operations } from "../support/app.ts";
import { createClient } from "../support/client.ts";
import { countingDatabase, testDeps } from "../support/deps.ts";
import { interceptD1, measureValues } from "../support/intercepted-d1.ts";
import { createDraft, GOOD_FILES, openTask, registerAgent, taskInput } from "../support/scenario.ts";

const CARD_TABLES = ["task_cards", "submission_cards", "member_cards", "usage_cards", "located_cards", "asker_cards"];
/** The index of searches lends its database, because tests have no third one. */
const SECOND = env.SEARCH;
const PART = 3;

beforeAll(async () => {
	const names = CARD_TABLES.map((name) => `'${name}'`).join(", ");
	const { results } = await env.DB.prepare(`select sql from sqlite_master where tbl_name in (${names}) and sql is not null`).all<{
		sql: string;
	}>();
	await SECOND.batch(results.map(({ sql }) => SECOND.prepare(sql)));
});

afterAll(async () => {
	await SECOND.batch(CARD_TABLES.map((name) => SECOND.prepare(`drop table ${name}`)));
});

/** Returns dependencies with a second part of the directory, and the order in which the two databases were written. */
function dividedDeps() {
	const order: string[] = [];
	const watched = (name: string, database: D1Database) =>
		countingDatabase(
			interceptD1((run, statements) => {
				order.push(...statements.map((text) => `${name}: ${text}`));
				return run();
			}, database),
		);
	const parts = new Map([[PART, watched("second", SECOND)]]);
	return { deps: testDeps({ db: watched("first", env.DB), parts }), order };
}

const ids = createIds();

/** The card of a task with one submission, as its object makes it. */
function cardsOf(taskId: string, { companyId, agentId }: { readonly companyId: string; readonly agentId: string }) {
	const now = Date.now();
	const scores = { finalScore: 70, judgeScore: 70, testScore: null, llmScore: 70, containerScore: null };
	const task = {
		...{ id: taskId, number: 2, companyId, status: "open" as const, title: "A parser", description: "Parse it.", category: "code" },
		...{
			budgetCents: 100,
			feeBps: 1_000,
			deadline: now,
			evalMode: "llm" as const,
			maxSubmissionsPerAgent: 3,
			competitorCount: 1,
			submissionCount: 1,
		},
		...{ hidden: false, access: "public" as const, takenDown: false, createdAt: now, publishedAt: now, closedAt: null },
		...{ settledAt: null, judgingPaused: false, winnerId: null, winnerName: null, winnerScore: null, encryptedWith: null },
	};
	const submission = {
		...{ id: ids.nextIn(partOf(taskId)), number: 1, taskId, agentId, companyId, status: "completed" as const, agentDisplayName: "Ada" },
		...{ ...scores, iteration: 1, isOwn: false, isTest: false, details: null, evaluatedAt: now, createdAt: now },
	};
	const located = ids.nextIn(partOf(taskId));
	const usage = { taskId, calls: 1, inputTokens: 1, outputTokens: 1, costMicroUsd: 1 };
	return {
		...{ taskId, task, usage, submissions: [submission], returnedIds: [], locatedIds: [located], acts: [] },
		members: [{ agentId, taskId, number: 1, isMember: true, deadline: now }],
	};
}

const countIn = async (database: D1Database, taskId: string) =>
	(await database.prepare("select 1 from task_cards where id = ?").bind(taskId).all()).results.length;

it("gets the cards of a thousand submissions with long errors in values that D1 accepts", async () => {
	const { database, largest } = measureValues(env.DB);
	const taskId = ids.nextIn(0);
	const cards = cardsOf(taskId, { companyId: ids.nextIn(0), agentId: ids.nextIn(0) });
	const details = { errorMessage: "ä".repeat(5_000) };
	const submissions = Array.from({ length: 1_000 }, () =>
		cards.submissions.map((card) => ({ ...card, id: ids.nextIn(0), details })),
	).flat();
	await writeCards(testDeps({ db: countingDatabase(database) }), { ...cards, submissions, task: undefined });
	expect(largest()).toBeLessThanOrEqual(2_000_000);
	expect(largest()).toBeGreaterThan(500_000);
});

describe("a second part of the directory", () => {
	it("gets the cards of its ids after everything that exists once, and all reads of them", async () => {
		const { agentId } = await registerAgent("Ada");
		const companyId = ids.nextIn(PART);
		const { deps, order } = dividedDeps();
		const taskId = ids.nextIn(PART);
		const cards = cardsOf(taskId, { companyId, agentId });
		const [submission] = cards.submissions;
		const [located] = cards.locatedIds;
		await writeCards(deps, cards);
		expect([await countIn(env.DB, taskId), await countIn(SECOND, taskId)]).toEqual([0, 1]);
		const databases = order.map((text) => text.split(":", 1)[0]);
		expect(databases).toEqual(databases.toSorted());
		expect(order.filter((text) => text.startsWith("first") && /_cards/.test(text))).toEqual([]);
		expect(order.filter((text) => text.startsWith("second") && /agents|audit_log|operator|anonymous_drafts/.test(text))).toEqual([]);

		order.splice(0);
		expect(await createLocator(deps)(submission?.id ?? "")).toBe(taskId);
		expect(await createLocator(deps)(located ?? "")).toBe(taskId);
		expect(await selectCardIds(deps, { taskId, after: "", limit: 10 })).toEqual([submission?.id, located].toSorted());
		expect(await selectTasksOf(deps, companyId)).toEqual([{ id: taskId, isOwnDraft: false }]);
		expect(await hasDraftCard(deps, taskId)).toBe(false);
		await deleteCards(deps, { taskId, ids: [located ?? ""] });
		expect(await selectCardIds(deps, { taskId, after: "", limit: 10 })).toEqual([submission?.id]);
		expect(order.filter((text) => text.startsWith("first"))).toEqual([]);
		await deleteTaskCards(deps, taskId);
		expect(await countIn(SECOND, taskId)).toBe(0);
	});

	it("is mended by writing again after its database has failed", async () => {
		const { agentId } = await registerAgent("Ada");
		const taskId = ids.nextIn(PART);
		const cards = cardsOf(taskId, { companyId: ids.nextIn(PART), agentId });
		const away = countingDatabase(interceptD1(() => Promise.reject(new Error("The database is away.")), SECOND));
		await expect(writeCards(testDeps({ parts: new Map([[PART, away]]) }), cards)).rejects.toThrow("away");
		const { deps } = dividedDeps();
		await writeCards(deps, cards);
		await writeCards(deps, cards);
		expect(await countIn(SECOND, taskId)).toBe(1);
	});

	it("leaves the cards of other parts where they are, in one call", async () => {
		const { agentId } = await registerAgent("Ada");
		const { deps, order } = dividedDeps();
		const taskId = ids.nextIn(0);
		const before = deps.db.use.calls;
		await writeCards(deps, cardsOf(taskId, { companyId: ids.nextIn(0), agentId }));
		expect(deps.db.use.calls - before).toBe(1);
		expect(await countIn(env.DB, taskId)).toBe(1);
		expect(order.filter((text) => text.startsWith("second"))).toEqual([]);
	});
});

it("a task has the part of its owner, and a submission has the part of its task", async () => {
	const deps = testDeps({ ids: { next: ids.next, nextIn: (part) => ids.nextIn(part === 0 ? PART : part) } });
	const app = createApp(() => deps);
	const stranger = createClient({ fetch: (request) => app.fetch(request) });
	const { agent_id, api_key } = operations.registerAnonymous.response.schema.parse(await stranger.call("registerAnonymous", { body: {} }));
	expect(partOf(agent_id)).toBe(PART);
	const poster = { ...createClient({ key: api_key }), agentId: agent_id, key: api_key };
	const taskId = await openTask(poster);
	const draft = await createDraft(poster, taskInput());
	const agent = await registerAgent("Ada");
	const { id } = await agent.call("quickSubmit", { params: { id: taskId }, body: { files: GOOD_FILES } });
	expect([taskId, draft.id, id, agent.agentId].map(partOf)).toEqual([PART, PART, PART, 0]);
});
