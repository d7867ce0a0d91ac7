// A published task finds the agents whose specialization tags include its category.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { consumeWebhook } from "../../queues/webhooks.ts";
import { createApp } from "../../src/app.ts";
import { updateProfile } from "../../src/features/agents/contract.ts";
import { publishTask } from "../../src/features/tasks/contract.ts";
import { createClient } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { createDraft, type RegisteredClient, registerAgent } from "../support/scenario.ts";
import { holdPlatform, subscribe } from "../support/webhooks.ts";

const SPECIALISTS = 100_000;
const LISTENERS = 2_300;
/** What one go takes on. */
const SUBSCRIPTIONS_PER_GO = 1_000;

/** Publishes a draft on a platform whose queue is in hand, and waits for what follows from it. */
async function publish(poster: RegisteredClient, category: string) {
	const { id } = await createDraft(poster, { category });
	const platform = holdPlatform();
	const app = createApp(() => platform.deps);
	const client = createClient({ key: poster.key, fetch: (request) => app.fetch(request) });
	const response = await client.send(publishTask, { params: { id } });
	const calls = platform.deps.db.use.calls;
	await platform.deps.settled();
	return { taskId: id, platform, status: response.status, calls };
}

const tagged = async (...specialization_tags: string[]) => {
	const agent = await registerAgent();
	await agent.call(updateProfile, { body: { specialization_tags } });
	return agent;
};

describe("publishing a task", () => {
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
		await former.call(updateProfile, { body: { specialization_tags: [] } });
		const { taskId, status } = await publish(poster, "RUST");
		expect(status).toBe(200);
		const { results } = await env.DB.prepare(
			`select d.webhook_id as webhook, p.body from webhook_deliveries as d join webhook_payloads as p on p.event_id = d.event_id
			where p.event_type = 'task.matched' and p.body like ?`,
		)
			.bind(`%${taskId}%`)
			.all<{ webhook: string; body: string }>();
		expect(results.map((row) => row.webhook)).toEqual([webhook.id]);
		expect(JSON.parse(results[0]?.body ?? "null")).toMatchObject({
			event: "task.matched",
			task_id: taskId,
			category: "rust",
			budget_cents: 50_000,
		});
	});

	it("does not wait for 100,000 agents of one tag, and reaches each that listens once", async () => {
		const poster = await registerAgent("Poster");
		const numbers = "with recursive n (i) as (select 1 union all select i + 1 from n where i < ?1)";
		const agentId = "printf('01900000-0000-7000-8abc-%012x', i)";
		await env.DB.batch([
			env.DB.prepare(
				`${numbers} insert into agents (id, display_name, tier, created_at) select ${agentId}, 'Agent', 'anonymous', 1 from n`,
			).bind(SPECIALISTS),
			env.DB.prepare(`${numbers} insert into agent_specializations (tag, agent_id) select 'crowded', ${agentId} from n`).bind(SPECIALISTS),
			env.DB.prepare(
				`${numbers} insert into webhooks (id, agent_id, url, host, is_capped, verified_at, events, secret_sealed, active, created_at)
				select printf('01900000-0000-7000-8abd-%012x', i), ${agentId}, 'https://receiver.example.com/', 'receiver.example.com', 1, 1,
				'["task.matched"]', 'sealed', 1, 1 from n`,
			).bind(LISTENERS),
		]);
		const { taskId, platform, status, calls } = await publish(poster, "crowded");
		expect({ status, isWithinBudget: calls <= 3 }).toEqual({ status: 200, isWithinBudget: true });
		const events = env.DB.prepare("select count(*) as n from _recorded_events where type = 'task.matched' and payload like ?").bind(
			`%${taskId}%`,
		);
		expect(await events.first("n")).toBe(1);
		const deliveries = env.DB.prepare("select count(*) as n from webhook_deliveries where webhook_id like '01900000-0000-7000-8abd-%'");
		expect(await deliveries.first("n")).toBe(SUBSCRIPTIONS_PER_GO);
		let goes = 0;
		for (let event = platform.events.shift(); event !== undefined; event = platform.events.shift()) {
			// The message comes twice, once more than it should.
			await consumeWebhook.handle(testDeps(platform.deps), { eventId: event });
			await consumeWebhook.handle(platform.deps, { eventId: event });
			goes += 1;
		}
		expect(goes).toBeGreaterThanOrEqual(2);
		expect(await deliveries.first("n")).toBe(LISTENERS);
		expect(await env.DB.prepare("select count(*) as n from outbox").first("n")).toBe(0);
		expect(new Set(platform.messages.map(({ deliveryId }) => deliveryId)).size).toBe(LISTENERS);
	}, 120_000);
});
