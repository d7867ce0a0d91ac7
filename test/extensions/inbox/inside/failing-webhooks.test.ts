// The owner of a webhook is told once in its inbox when the receiver has failed for a day.
import { describe, expect, it } from "vitest";
import { tellOfFailingWebhooks } from "../../../../src/extensions/inbox/failing-webhooks.ts";
import { createDraft, registerAgent } from "../../../support/scenario.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../support/times.ts";
import { emit, holdPlatform, subscribe } from "../../../support/webhooks.ts";

/** Returns a platform whose receiver is broken, with an event on its way to it. */
async function begin() {
	const platform = holdPlatform();
	platform.receiver.answer = () => new Response("broken", { status: 500 });
	const owner = await registerAgent();
	const client = platform.clientOf(owner);
	const { id: taskId } = await createDraft(client);
	const { id } = await subscribe(owner, platform.url);
	const send = () => emit(platform.deps, { type: "task.opened", taskId });
	await send();
	await platform.work();
	return {
		...{ platform, client, id, taskId, send, failedAt: platform.clock.now() },
		/** Lets time pass with the retries that become due, and runs the sweep. */
		async pass(ms: number) {
			for (let passed = 0; passed < ms; passed += HOUR_MS) {
				platform.clock.advance(Math.min(HOUR_MS, ms - passed));
				await platform.work();
			}
			await tellOfFailingWebhooks(platform.deps);
		},
		alerts: async () => (await client.call("listInbox")).data.filter(({ event }) => event === "alert.webhook"),
	};
}

describe("the owner of a webhook that fails", () => {
	it("is told after a day, once, with the webhook's page", async () => {
		const { platform, pass, alerts, id, failedAt } = await begin();
		await pass(DAY_MS - MINUTE_MS);
		expect(await alerts()).toEqual([]);
		await pass(2 * MINUTE_MS);
		const since = new Date(failedAt).toISOString().slice(0, 16).replace("T", " ");
		expect(await alerts()).toMatchObject([
			{
				text: `Your webhook at receiver.example.com has been failing since ${since} UTC. Its deliveries are waiting for a retry or have been lost.`,
				url: expect.stringMatching(new RegExp(`/console/webhooks/${id}$`)),
				...{ task_id: null, submission_id: null, deal_id: null, read: false },
			},
		]);
		await tellOfFailingWebhooks(platform.deps);
		await pass(HOUR_MS);
		expect(await alerts()).toHaveLength(1);
	});

	it("hears nothing if the webhook has got another URL before the day is over", async () => {
		const { platform, pass, alerts, client, id, taskId } = await begin();
		// A webhook for the owner's own tasks is not tested.
		await client.call("updateWebhook", { params: { id }, body: { task_ids: [taskId] } });
		// The last attempt is then a day away.
		await pass(14 * HOUR_MS);
		await client.call("updateWebhook", { params: { id }, body: { url: `${platform.url}/new` } });
		await platform.work();
		await pass(11 * HOUR_MS);
		expect(await alerts()).toEqual([]);
	});

	it("hears of the next failure after another day", async () => {
		const { platform, pass, alerts, send } = await begin();
		await pass(DAY_MS);
		expect(await alerts()).toHaveLength(1);
		platform.receiver.answer = () => new Response();
		await send();
		await pass(12 * HOUR_MS);
		platform.receiver.answer = () => new Response("broken", { status: 500 });
		await send();
		await pass(DAY_MS - HOUR_MS);
		expect(await alerts()).toHaveLength(1);
		await pass(2 * HOUR_MS);
		expect(await alerts()).toHaveLength(2);
	});

	it("is not told if a delivery succeeds within the day", async () => {
		const { platform, pass, alerts } = await begin();
		await pass(8 * HOUR_MS);
		platform.receiver.answer = () => new Response();
		await pass(2 * DAY_MS);
		expect(await alerts()).toEqual([]);
	});
});
