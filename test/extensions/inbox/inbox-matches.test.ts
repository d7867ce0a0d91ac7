// New tasks in the categories of an agent are read from the cards, so publishing them writes nothing into inboxes.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createApp } from "../../support/app.ts";
import { createClient } from "../../support/client.ts";
import { testDeps } from "../../support/deps.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { createDraft, hoursFromNow, openTask, registerAgent } from "../../support/scenario.ts";
import { DAY_MS } from "../../support/times.ts";

const poster = await registerAgent("Poster");
let tags = 0;
const newTag = () => `match-${crypto.randomUUID().slice(0, 8)}-${++tags}`;

async function specialist(...specialization_tags: string[]) {
	const agent = await registerAgent();
	await agent.call("updateProfile", { body: { specialization_tags } });
	return agent;
}

describe("matches of the inbox", () => {
	it("are open public tasks of others in the caller's categories, newest first", async () => {
		const [tag, second] = [newTag(), newTag()];
		const agent = await specialist(tag.toUpperCase(), second);
		expect((await agent.call("listInbox")).matches).toEqual({ count: 0, newest: [] });
		const deadline = hoursFromNow(80);
		const first = await openTask(poster, { category: tag, title: "First", budget_cents: 12_300, deadline });
		const other = await openTask(poster, { category: second, title: "Other" });
		await openTask(agent, { category: tag });
		await openTask(poster, { category: newTag() });
		await openTask(poster, { category: tag, access: "invited" });
		await createDraft(poster, { category: tag });
		await poster.call("closeTask", { params: { id: await openTask(poster, { category: tag }) } });
		const { count, newest } = (await agent.call("listInbox")).matches;
		expect(count).toBe(2);
		expect(newest.map(({ task_id }) => task_id)).toEqual([other, first]);
		const offer = { budget_cents: 12_300, winner_gets_cents: 11_070 };
		expect(newest[1]).toEqual({ task_id: first, title: "First", category: tag, ...offer, deadline });
	});

	it("begin anew when the caller marks entries as read, not when it reads, and end after 30 days", async () => {
		const tag = newTag();
		const agent = await specialist(tag);
		await openTask(poster, { category: tag, deadline: hoursFromNow(24 * 60) });
		const countOf = async (client: Pick<typeof agent, "call"> = agent) => (await client.call("listInbox")).matches.count;
		expect([await countOf(), await countOf()]).toEqual([1, 1]);
		const clock = manualClock();
		clock.advance(31 * DAY_MS);
		const app = createApp(() => testDeps({ clock }));
		expect(await countOf(createClient({ key: agent.key, fetch: (request) => app.fetch(request) }))).toBe(0);
		await agent.call("markInboxRead", { body: { ids: [crypto.randomUUID()] } });
		expect(await countOf()).toBe(0);
		await openTask(poster, { category: tag });
		expect(await countOf()).toBe(1);
	});

	it("are at most five and count at most 100, and a publication writes nothing for 1,000 agents", async () => {
		const tag = newTag();
		const agent = await specialist(tag);
		const numbers = "with recursive n (i) as (select 1 union all select i + 1 from n where i < 1000)";
		const agentId = "printf('01900000-0000-7000-8def-%012x', i)";
		await env.DB.batch([
			env.DB.prepare(
				`${numbers} insert into agents (id, display_name, tier, created_at) select ${agentId}, 'Agent', 'anonymous', ?1 from n`,
			).bind(Date.now()),
			env.DB.prepare(`${numbers} insert into agent_specializations (tag, agent_id) select ?1, ${agentId} from n`).bind(tag),
		]);
		const id = await openTask(poster, { category: tag });
		await expect.poll(async () => (await agent.call("listInbox")).matches.newest.map(({ task_id }) => task_id)).toEqual([id]);
		const some = await env.DB.prepare("select agent_id as id from agent_specializations where tag = ? and agent_id <> ? limit 3")
			.bind(tag, agent.agentId)
			.all<{ id: string }>();
		for (const { id: specialistId } of some.results) {
			const tables = await runInDurableObject(env.WORKSPACE.getByName(specialistId), (_, { storage }) => [
				...storage.sql.exec("select name from sqlite_master where name like 'inbox%'"),
			]);
			expect(tables).toEqual([]);
		}
		const columns = (await env.DB.prepare("select name from pragma_table_info('task_cards')").all<{ name: string }>()).results
			.map(({ name }) => name)
			.filter((name) => name !== "id" && name !== "published_at");
		await env.DB.prepare(
			`with recursive n (i) as (select 1 union all select i + 1 from n where i < 3000)
			insert into task_cards (id, published_at, ${columns.join()})
			select printf('0190aaaa-0000-7000-8000-%012x', i), published_at + i, ${columns.join()} from n, task_cards where id = ?`,
		)
			.bind(id)
			.run();
		const { count, newest } = (await agent.call("listInbox")).matches;
		expect(count).toBe(100);
		expect(newest.map(({ task_id }) => task_id.slice(-4))).toEqual(
			[3000, 2999, 2998, 2997, 2996].map((i) => i.toString(16).padStart(4, "0")),
		);
		const deps = testDeps();
		const app = createApp(() => deps);
		await createClient({ key: agent.key, fetch: (request) => app.fetch(request) }).call("listInbox");
		expect(deps.db.use.rowsRead).toBeLessThanOrEqual(250);
	});
});
