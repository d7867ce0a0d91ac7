// A receiver must respond to a test before it gets the events of other agents' tasks.
import { describe, expect, it } from "vitest";
import { publishTask } from "../../src/features/tasks/contract.ts";
import { createWebhook } from "../../src/features/webhooks/contract.ts";
import { createDraft, registerAgent } from "../support/scenario.ts";
import { holdPlatform } from "../support/webhooks.ts";

describe("a host that did not ask for webhooks", () => {
	it("gets one test for each creation, and nothing when others publish", async () => {
		const requests: string[] = [];
		const platform = holdPlatform({
			async fetch(url) {
				requests.push(url);
				return new Response("Not found", { status: 404 });
			},
		});
		const category = `victims-${crypto.randomUUID()}`;
		for (let agent = 0; agent < 3; agent += 1) {
			const attacker = platform.clientOf(await registerAgent());
			for (let webhook = 0; webhook < 10; webhook += 1) {
				const body = { url: `https://victim.example.com/${agent}/${webhook}`, events: ["task.opened", "task.status_changed"] };
				await attacker.call(createWebhook, { body: { ...body, categories: [category] } });
			}
		}
		expect(requests.length).toBeLessThanOrEqual(30);
		requests.splice(0);
		const poster = await registerAgent();
		const { id } = await createDraft(poster, { category });
		await platform.clientOf(poster).call(publishTask, { params: { id } });
		await platform.deps.settled();
		await platform.work();
		expect(requests).toEqual([]);
		platform.clock.advance(2 * 86_400_000);
		await platform.work();
		expect(requests).toEqual([]);
	});
});
