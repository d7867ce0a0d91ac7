// GET /api/public/tasks?status=closed and the page /results show everyone the tasks that have ended.
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { admin } from "../support/admin.ts";
import { createApp } from "../support/app.ts";
import { createClient } from "../support/client.ts";
import { seedClosedTask } from "../support/deals.ts";
import { testDeps } from "../support/deps.ts";
import { changeTask } from "../support/house.ts";
import { awaitEvaluation, createDraft, openTask, type RegisteredClient, registerAgent, submit } from "../support/scenario.ts";
import { insertScored, inTask } from "../support/task-object.ts";

const nobody = createClient();
const MB = 1_048_576;
let poster: RegisteredClient;
let ada: RegisteredClient;
let bob: RegisteredClient;

beforeAll(async () => {
	[poster, ada, bob] = await Promise.all([registerAgent("Northwind"), registerAgent("Ada"), registerAgent("Bob")]);
});

async function results(limit = 1000) {
	return (await nobody.call("listPublicTasks", { query: { status: "closed", limit } })).data;
}

async function resultOf(taskId: string) {
	const found = (await results()).find(({ id }) => id === taskId);
	if (found === undefined) throw new Error("The task is not in the results.");
	return found;
}

describe("the results of tasks that have ended", () => {
	it("name the winner by its revealed name, and follow the deal", async () => {
		const taskId = await openTask(poster, { title: "With a winner" });
		const { id } = await submit(ada, taskId);
		const { scores } = await awaitEvaluation(ada, id);
		await submit(bob, taskId, { "SUBMISSION.md": "# What I Built\nNothing\n" }).then(({ id: other }) => awaitEvaluation(bob, other));
		expect((await results()).map(({ title }) => title)).not.toContain("With a winner");
		const before = Date.now();
		await poster.call("closeTask", { params: { id: taskId } });
		const ended = await resultOf(taskId);
		expect(ended).toMatchObject({
			...{ status: "closed", competitor_count: 2, chosen: null, deal_status: null },
			...{ deal_value_cents: null, agent_gets_cents: null, paid_by: null },
			winner: { display_name: "Ada", final_score: scores?.final_score },
		});
		expect(Date.parse(ended.ended_at ?? "")).toBeGreaterThanOrEqual(before - 1000);
		const body = { taskId, agentId: ada.agentId, dealType: "output_purchase", dealValueCents: 100_050 };
		const { id: dealId } = await poster.call("createDeal", { body });
		const recorded = { deal_status: "recorded", deal_value_cents: 100_050, agent_gets_cents: 90_045, paid_by: null };
		expect(await resultOf(taskId)).toMatchObject(recorded);
		const chosen = { display_name: "Ada", rank: 1, final_score: scores?.final_score };
		expect((await resultOf(taskId)).chosen).toEqual(chosen);
		await ada.call("acceptDeal", { params: { id: dealId } });
		expect((await resultOf(taskId)).deal_status).toBe("accepted");
		await ada.call("disputeDeal", { params: { id: dealId }, body: { reason: "No." } });
		expect((await resultOf(taskId)).deal_status).toBe("disputed");
	});

	it("have no winner if no agent has a score, and before the final round has ended", async () => {
		const empty = await openTask(poster);
		await poster.call("closeTask", { params: { id: empty } });
		expect(await resultOf(empty)).toMatchObject({ winner: null, competitor_count: 0 });
		const judged = await seedClosedTask({ poster, agent: ada });
		const settle = (at: number | null) => env.DB.prepare("update task_cards set settled_at = ? where id = ?").bind(at, judged).run();
		await settle(null);
		expect((await resultOf(judged)).winner).toBeNull();
		await settle(1);
		expect((await resultOf(judged)).winner).toMatchObject({ final_score: 90 });
	});

	it("follow a score that changes after the close, and the erasure of the winner", async () => {
		const gone = await registerAgent("Gone Robotics");
		const taskId = await seedClosedTask({ poster, agent: ada });
		const submissionId = crypto.randomUUID();
		await inTask(taskId, (task) => insertScored(task, { submissionId, agentId: gone.agentId, score: 95, createdAt: 1 }));
		expect((await resultOf(taskId)).winner).toMatchObject({ final_score: 95 });
		await admin.call("eraseAgent", { params: { id: gone.agentId }, body: { reason: "asked" } });
		expect((await resultOf(taskId)).winner?.display_name).toMatch(/^Erased agent/);
	});

	it("leave out drafts, open and hidden tasks, and the newest end comes first", async () => {
		const ids: string[] = [];
		for (let n = 0; n < 3; n += 1) {
			ids.unshift(await openTask(poster));
			await poster.call("closeTask", { params: { id: ids[0] ?? "" } });
		}
		const [draft, open, hidden] = [(await createDraft(poster)).id, await openTask(poster), await seedClosedTask({ poster, agent: ada })];
		await changeTask(hidden, { hidden: true });
		const listed = (await results()).map(({ id }) => id);
		expect(listed.slice(0, 3)).toEqual(ids);
		for (const id of [draft, open, hidden]) expect(listed).not.toContain(id);
	});

	it("have pages without gaps, whose cursors work for no other list", async () => {
		const all = (await results()).map(({ id }) => id);
		const paged: string[] = [];
		for (let cursor: string | null = null; ; ) {
			const query: Record<string, string | number> = { status: "closed", limit: 2, ...(cursor === null ? {} : { cursor }) };
			const page: { data: { id: string }[]; next_cursor: string | null } = await nobody.call("listPublicTasks", { query });
			paged.push(...page.data.map(({ id }) => id));
			cursor = page.next_cursor;
			if (cursor === null) break;
			if (paged.length === 2) await nobody.refused("listPublicTasks", "VALIDATION_ERROR", { query: { cursor } });
		}
		expect(paged).toEqual(all);
		for (const status of ["evaluating", "draft", ""]) await nobody.refused("listPublicTasks", "VALIDATION_ERROR", { query: { status } });
	});
});

/** Each task has a description of this character, which by default is one that JSON escapes. */
async function seedLong(status: "open" | "closed", count: number, character = "\u0001") {
	await env.DB.prepare(
		`with recursive n (i) as (select 1 union all select i + 1 from n where i < ?1)
		insert into task_cards (id, number, company_id, status, title, description, category, budget_cents, deadline, eval_mode,
			fee_bps, max_submissions_per_agent, competitor_count, submission_count, hidden, taken_down, created_at, published_at, closed_at)
		select printf('01a00000-0000-7000-8000-%06x%06x', ?2 = 'open', i), 1, 'p', ?2, 't', ?3, 'c', 1, 4000000000000 + i, 'llm',
			1000, 15, 0, 0, 0, 0, 1, 1, iif(?2 = 'closed', 5000000000000 + i, null) from n`,
	)
		.bind(count, status, character.repeat(10_000))
		.run();
}

describe("a page of the list", () => {
	/** Returns the ids of a list's pages, and expects each page to have at most 2 MB. */
	async function readPages(status: string): Promise<string[][]> {
		const pages: string[][] = [];
		for (let cursor: string | null = null; ; ) {
			const query: Record<string, string> = { status, limit: "1000", ...(cursor === null ? {} : { cursor }) };
			const text = await (await nobody.send("listPublicTasks", { query })).text();
			expect(new TextEncoder().encode(text).byteLength).toBeLessThanOrEqual(2 * MB);
			const page: { data: { id: string }[]; next_cursor: string | null } = JSON.parse(text);
			pages.push(page.data.map(({ id }) => id));
			cursor = page.next_cursor;
			if (cursor === null) return pages;
		}
	}

	it.each([
		["open", "\u0001"],
		["open", "😀"],
		["open", '"'],
		["closed", "\u0001"],
	] as const)("of %s tasks full of %j has at most 2 MB, and the pages have every task once", async (status, character) => {
		await seedLong(status, 500, character);
		const pages = await readPages(status);
		const ids = pages.flat();
		expect(pages.length).toBeGreaterThan(3);
		expect(new Set(ids).size).toBe(ids.length);
		expect(ids.filter((id) => id.startsWith("01a00000-"))).toHaveLength(500);
		await env.DB.prepare("delete from task_cards where company_id = 'p'").run();
	});
});

describe("a page of tasks for a key", () => {
	it.each([{}, { owner: "me" }])("has at most 2 MB, and the pages have every task once", async (filter) => {
		await seedLong("open", 150);
		const reader = await registerAgent();
		await env.DB.prepare("update task_cards set company_id = ? where company_id = 'p'").bind(reader.agentId).run();
		const ids: string[] = [];
		for (let cursor: string | null = null; ; ) {
			const query: Record<string, string> = { ...filter, limit: "100", ...(cursor === null ? {} : { cursor }) };
			const text = await (await reader.send("listTasks", { query })).text();
			expect(new TextEncoder().encode(text).byteLength).toBeLessThanOrEqual(2 * MB);
			const page: { data: { id: string }[]; next_cursor: string | null } = JSON.parse(text);
			ids.push(...page.data.map(({ id }) => id));
			cursor = page.next_cursor;
			if (cursor === null) break;
		}
		expect(new Set(ids).size).toBe(ids.length);
		expect(ids.filter((id) => id.startsWith("01a00000-"))).toHaveLength(150);
		await env.DB.prepare("delete from task_cards where company_id = ?").bind(reader.agentId).run();
	});
});

describe("the page /results", () => {
	const ask = async (path: string) => {
		const request = new Request(`http://bounty.test${path}`, { headers: { Accept: "text/html" } });
		return (await createApp(() => testDeps()).fetch(request)).text();
	};

	it("shows the winner and the deal, with hostile names as text, and is linked from every page", async () => {
		const agent = await registerAgent("<b>Eve</b>");
		const taskId = await openTask(poster, { title: "<i>Title</i>" });
		await submit(agent, taskId).then(({ id }) => awaitEvaluation(agent, id));
		await poster.call("closeTask", { params: { id: taskId } });
		const page = await ask("/results");
		expect(page).toContain("&lt;b&gt;Eve&lt;/b&gt;");
		expect(page).toContain("&lt;i&gt;Title&lt;/i&gt;");
		expect(page).toContain("The poster has not recorded a deal.");
		expect(page).toContain(`href="/tasks/${taskId}"`);
		for (const path of ["/", "/tasks", `/tasks/${taskId}`]) expect(await ask(path)).toContain('href="/results"');
		expect(await ask("/sitemap.xml")).toContain("/results</loc>");
	});

	it("leads through all pages", async () => {
		for (let n = 0; n < 55; n += 1) await seedClosedTask({ poster, agent: ada });
		let path: string | undefined = "/results";
		const titles: string[] = [];
		while (path !== undefined) {
			const page: string = await ask(path);
			titles.push(...[...page.matchAll(/class="task-link" href="\/tasks\/([^"]+)"/g)].map(([, id = ""]) => id));
			path = /rel="next" href="([^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&");
		}
		expect(titles).toEqual((await results()).map(({ id }) => id));
	});
});
