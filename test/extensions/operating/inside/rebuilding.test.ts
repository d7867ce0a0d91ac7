// Operators write all cards of the directory anew. Every read then returns what it returned before the cards were lost.
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { EndpointContract } from "../../../../src/http/endpoint.ts";
import { EVENT_STREAM } from "../../../../src/http/stream-places.ts";
import { ADMIN_TOKEN } from "../../../support/admin.ts";
import { endpoints } from "../../../support/app.ts";
import type { CallInput } from "../../../support/client.ts";
import { createStage } from "../../../support/fault-stage.ts";
import { honest, scriptJudge } from "../../../support/judge-script.ts";
import { judgeOf } from "../../../support/judging.ts";
import { outsideServices } from "../../../support/outside-services.ts";
import { readyRead, type Scene, setScene } from "../../../support/read-calls.ts";
import { createDraft, GOOD_FILES, openTask, type RegisteredClient } from "../../../support/scenario.ts";
import { queryAll, queryOne } from "../../../support/storage.ts";

const UNJUDGEABLE = "The judge refuses this text.";
const script = await scriptJudge([{ contains: UNJUDGEABLE, steps: [{ kind: "status", status: 400 }] }, { steps: [honest()] }]);
const judge = judgeOf(script, { JUDGE_PRICES: "model-a=1/1" });
const stage = createStage({ ...outsideServices(), judge });
const admin = stage.enter(ADMIN_TOKEN);
const at = (id: string) => ({ params: { id } });
const reason = "A test.";

/** Reads that return something else each time, each with the reason. */
const DIFFERENT_EACH_TIME = {
	listAuditEntries: "Reads and rebuilding are acts of operators.",
	startSignIn: "Each attempt has a secret of its own.",
	finishSignIn: "An attempt can end once.",
};
/** These lists show the same without cards, by what they read, so rebuilding does not change them. */
const NEED_NO_CARDS = {
	"the object of the task in the path": [
		...[
			"getLeaderboard",
			"getPublicHistory",
			"getPublicLeaderboard",
			"listCompetitors",
			"listDryRuns",
			"listPublicQuestions",
			"listQuestions",
		],
		...["listReviews", "listTaskSubmissions"],
	],
	"the object of the agent or of the webhook": ["listInbox", "listWebhookDeliveries", "listWorkspaceEntries", "listWorkspaceFiles"],
	"the task of the submission, which this isolate remembers": ["listEvaluations", "listSubmissionFiles"],
	"other tables of the directory": ["listDeals", "listWebhooks"],
};
/** They show cards without being lists with pages. */
const SUMMARIES = [
	...["exportAgent", "getAgent", "getAgentPage", "getDashboardStats", "getHistory", "getHome", "getMetrics"],
	...["getProfile", "getPublicAgent", "getRssFeed", "getSitemap", "getSpend", "listWaiting", "searchDirectory"],
];
/** Some reads show something else for these queries, or as a page. */
const VARIANTS: Readonly<Record<string, readonly CallInput[]>> = {
	listTasks: [
		...[{ owner: "me" }, { owner: "me", status: ["draft", "closed"] }, { category: "parsing", eval_mode: "llm" }].map((query) => ({
			query,
		})),
	],
	listPublicTasks: [{ query: { status: "closed" } }, { query: { category: "parsing" } }],
	listJobs: [{ query: { state: "failed" } }, { query: { state: "waiting" } }],
	searchTasks: [{ query: { query: "csv", status: "closed" } }],
	getHome: [{ headers: { Accept: "text/html" } }],
};

const reads = endpoints.filter(
	({ method, operationId, response }) =>
		// A stream begins with what the read shows.
		method === "get" && response.contentType !== EVENT_STREAM && !Object.hasOwn(DIFFERENT_EACH_TIME, operationId),
);
const lists = reads.filter(({ query }) => "cursor" in (query?.shape ?? {}));

interface World {
	readonly scene: Scene;
	readonly callers: readonly RegisteredClient[];
}

/** Adds tasks of every kind to the scene: a draft, one with a winner, an invited one, one that was taken down, and one with a failure. */
async function createWorld(): Promise<World> {
	const scene = await setScene(stage);
	const { poster, agent } = scene;
	const member = await stage.join("Member");
	const submit = async (client: RegisteredClient, taskId: string, files: object = GOOD_FILES) =>
		(await client.call("quickSubmit", { ...at(taskId), body: { files } })).id;
	await createDraft(poster, { title: "A draft about csv" });
	const [ended, invited, hidden] = [
		await openTask(poster, { title: "An ended task about csv" }),
		await openTask(poster, { access: "invited" }),
		await openTask(poster),
	];
	const { invite_code = "" } = await poster.call("getTask", at(invited));
	await member.call("joinTask", { ...at(invited), body: { invite_code } });
	await submit(member, invited);
	await submit(agent, ended);
	const voided = await submit(member, ended);
	await submit(member, hidden, { ...GOOD_FILES, "work.txt": UNJUDGEABLE });
	await stage.judge();
	await admin.call("voidSubmission", { ...at(voided), body: { reason } });
	await poster.call("closeTask", at(ended));
	await admin.call("takeDownTask", { ...at(hidden), body: { reason } });
	// Nothing judges it, so that it stays in the list of jobs.
	await submit(member, scene.names["tasks"] ?? "");
	return { scene, callers: [poster, agent, member] };
}

/** Reads with the contract's credential, as each caller where that is a key, and in every variant. */
async function read({ scene, callers }: World, contract: EndpointContract): Promise<string[]> {
	const { key, ...input } = await readyRead(scene, contract);
	const keys = contract.auth === "key" ? callers.map((caller) => caller.key) : [key];
	const texts: string[] = [];
	for (const one of keys) {
		for (const variant of [{}, ...(VARIANTS[contract.operationId] ?? [])]) {
			const response = await stage.enter(one).send(contract, { ...input, ...variant, query: { ...input.query, ...variant.query } });
			const text = new TextDecoder().decode(await response.arrayBuffer());
			texts.push(`${response.status} ${text.replace(/"d1_size_bytes":\d+/, "")}`);
		}
	}
	return texts;
}

async function readAll(world: World): Promise<Readonly<Record<string, readonly string[]>>> {
	const results: Record<string, readonly string[]> = {};
	for (const contract of reads) results[contract.operationId] = await read(world, contract);
	return results;
}

async function cardTables(): Promise<string[]> {
	const tables = await queryAll<{ name: string }>(
		"select name from sqlite_schema where type = 'table' and name like '%\\_cards' escape '\\'",
	);
	return tables.map(({ name }) => name);
}

/** Returns the rows of all cards. A member's card has the number that the task had when the card was written. */
async function readCards() {
	const cards: Record<string, object[]> = {};
	for (const table of await cardTables()) {
		const rows = await queryAll<Readonly<Record<string, unknown>>>(`select * from ${table} order by 1, 2`);
		cards[table] = table === "member_cards" ? rows.map(({ number: _, ...row }) => row) : rows;
	}
	return cards;
}

/** Does all steps. Returns what the last one says. */
async function rebuildAll() {
	let step = await admin.call("rebuildDirectory", { body: { reason } });
	while (step.last !== null) step = await admin.call("rebuildDirectory", { body: { reason, after: step.last } });
	return step;
}

/** The bucket has no task of this id, as after a draft was deleted and the directory was put back to an earlier time. */
async function insertLostCard(): Promise<string> {
	const id = crypto.randomUUID();
	await env.DB.prepare(
		`insert into task_cards (id, number, company_id, status, title, category, budget_cents, fee_bps, deadline, eval_mode, max_submissions_per_agent,
			competitor_count, submission_count, hidden, created_at) values (?, 1, 'poster', 'draft', 'Lost', 'x', 1, 1, 1, 'llm', 1, 0, 0, 0, 1)`,
	)
		.bind(id)
		.run();
	return id;
}

describe("rebuilding the directory", () => {
	type Reading = Awaited<ReturnType<typeof readAll>>;
	let [before, without, after]: readonly Reading[] = [];
	let cards: { readonly before: Awaited<ReturnType<typeof readCards>>; readonly after: Awaited<ReturnType<typeof readCards>> };
	let lostId: string;
	let step: Awaited<ReturnType<typeof rebuildAll>>;

	beforeAll(async () => {
		const world = await createWorld();
		before = await readAll(world);
		const beforeLoss = await readCards();
		await env.DB.batch((await cardTables()).map((table) => env.DB.prepare(`delete from ${table}`)));
		without = await readAll(world);
		lostId = await insertLostCard();
		step = await rebuildAll();
		after = await readAll(world);
		cards = { before: beforeLoss, after: await readCards() };
	});

	const changedWithout = (operationId: string) => JSON.stringify(before?.[operationId]) !== JSON.stringify(without?.[operationId]);

	it("makes every read return what it returned before", () => {
		expect(after).toEqual(before);
	});

	it("concerns every list with pages, except those that are named here", () => {
		const unchanged = lists.map(({ operationId }) => operationId).filter((operationId) => !changedWithout(operationId));
		expect(unchanged.toSorted()).toEqual(Object.values(NEED_NO_CARDS).flat().toSorted());
	});

	it.each(SUMMARIES)("concerns %s", (operationId) => {
		expect(changedWithout(operationId)).toBe(true);
	});

	it("writes the same rows", () => {
		expect(Object.keys(cards.before).toSorted()).toEqual([
			...["asker_cards", "located_cards", "member_cards", "submission_cards", "task_cards", "usage_cards"],
		]);
		for (const rows of Object.values(cards.before)) expect(rows).not.toEqual([]);
		expect(cards.after).toEqual(cards.before);
	});

	it("deletes the cards of tasks that do not exist", async () => {
		expect(await queryOne("select id from task_cards where id = ?", lostId)).toBeNull();
	});

	it("says how much it has written, and leaves an act in the audit log", async () => {
		expect(step).toEqual({ tasks: cards.before["task_cards"]?.length, submissions: cards.before["submission_cards"]?.length, last: null });
		const { data } = await admin.call("listAuditEntries", { query: { limit: 100 } });
		expect(data.filter(({ action }) => action === "directory.rebuild")).toMatchObject([{ target: "directory", reason }]);
	});
});
