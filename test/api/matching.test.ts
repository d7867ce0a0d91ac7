// A published task finds the agents whose specialization tags include its category.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createApp } from "../support/app.ts";
import { createClient } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { listEvents } from "../support/directory.ts";
import { createDraft, type RegisteredClient, registerAgent } from "../support/scenario.ts";
import { recordSenders } from "../support/senders.ts";
import { awaitEvents, listOwedEvents } from "../support/task-object.ts";
import { lendTo, subscribe } from "../support/webhooks.ts";

const SPECIALISTS = 100_000;
const LISTENERS = 2_300;
/** Publishes a draft on a platform with captured webhooks, and waits for the work that follows. */
async function publish(poster: RegisteredClient, category: string) {
	const { id } = await createDraft(poster, { category });
	const { handed, callSender } = recordSenders();
	const deps = testDeps({ hubs: { ...testDeps().hubs, callSender } });
	await lendTo(id, deps);
	const app = createApp(() => deps);
	const client = createClient({ key: poster.key, fetch: (request) => app.fetch(request) });
	const response = await client.send("publishTask", { params: { id } });
	const calls = deps.db.use.calls;
	await deps.settled();
	await awaitEvents(id);
	const matched = handed.filter(({ eventType }) => eventType === "task.matched");
	return { taskId: id, matched, status: response.status, calls };
}

const tagged = async (...specialization_tags: string[]) => {
	const agent = await registerAgent();
	await agent.call("updateProfile", { body: { specialization_tags } });
	return agent;
};

describe("the event of a published task", () => {
	it("is sent only to agents with its category among their tags, in any case", async () => {
		const poster = await registerAgent("Poster");
		const [specialist, other, former] = [await tagged("Rust", "go"), await tagged("rusty", "c"), await tagged("rust")];
		const sent = {
			specialist: `https://one.example.com/${crypto.randomUUID()}`,
			other: "https://two.example.com/",
			former: "https://three.example.com/",
		};
		const webhook = await subscribe(specialist, sent.specialist, { events: ["task.matched"] });
		await subscribe(other, sent.other, { events: ["task.matched"] });
		await subscribe(former, sent.former, { events: ["task.matched"] });
		await former.call("updateProfile", { body: { specialization_tags: [] } });
		const { taskId, matched, status } = await publish(poster, "RUST");
		expect(status).toBe(200);
		expect(matched.map(({ webhookId }) => webhookId)).toEqual([webhook.id]);
		expect(JSON.parse(matched[0]?.body ?? "null")).toMatchObject({
			event: "task.matched",
			task_id: taskId,
			category: "rust",
			budget_cents: 50_000,
		});
	});

	it("reaches each subscriber without making the poster wait for 100,000 agents of one tag", async () => {
		const poster = await registerAgent("Poster");
		const numbers = "with recursive n (i) as (select 1 union all select i + 1 from n where i < ?1)";
		const agentId = "printf('01900000-0000-7000-8abc-%012x', i)";
		await env.DB.batch([
			env.DB.prepare(
				`${numbers} insert into agents (id, display_name, tier, created_at) select ${agentId}, 'Agent', 'anonymous', 1 from n`,
			).bind(SPECIALISTS),
			env.DB.prepare(`${numbers} insert into agent_specializations (tag, agent_id) select 'crowded', ${agentId} from n`).bind(SPECIALISTS),
			env.DB.prepare(
				`${numbers} insert into webhooks (id, agent_id, url, host, is_capped, verified_at, events, format, origin, secret_encrypted, active, created_at)
				select printf('01900000-0000-7000-8abd-%012x', i), ${agentId}, 'https://receiver.example.com/', 'receiver.example.com', 1, 1,
				'["task.matched"]', 'standard', 'https://bounties.example', 'sealed', 1, 1 from n`,
			).bind(LISTENERS),
		]);
		const { taskId, matched, status, calls } = await publish(poster, "crowded");
		expect({ status, isWithinBudget: calls <= 3 }).toEqual({ status: 200, isWithinBudget: true });
		expect(await listEvents("task.matched", taskId)).toHaveLength(1);
		expect(matched).toHaveLength(LISTENERS);
		expect(new Set(matched.map(({ webhookId }) => webhookId)).size).toBe(LISTENERS);
		expect(await listOwedEvents(taskId)).toEqual([]);
	});
});
