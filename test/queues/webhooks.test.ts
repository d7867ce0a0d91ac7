// What the queue does with deliveries, with the clock, the receiver and the queue in the test's hands.
import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { consumeBatch } from "../../queues/index.ts";
import { deleteWebhook, listWebhooks, rotateWebhookSecret } from "../../src/features/webhooks/contract.ts";
import { deliver, sweepDeliveries } from "../../src/features/webhooks/delivery.ts";
import { forgetOldDeliveries } from "../../src/features/webhooks/service.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { testDeps } from "../support/deps.ts";
import { survive } from "../support/disasters.ts";
import { mortal } from "../support/mortality.ts";
import { createDraft, registerAgent } from "../support/scenario.ts";
import { emit, type HeldPlatform, holdPlatform, moveWebhook, readLog, subscribe } from "../support/webhooks.ts";

const MINUTE = 60_000;
/** How often the queue delivers a message: once, and `max_retries` of wrangler.toml. */
const TRIES = 6;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A poster with a subscription to its own task, and an event on its way to it. */
async function sendOne(platform: HeldPlatform, change: Readonly<Record<string, unknown>> = {}) {
	const poster = await registerAgent();
	const { id: taskId } = await createDraft(poster);
	const webhook = await subscribe(poster, platform.url, change);
	const send = () => emit(platform.deps, { type: "task.opened", taskId });
	await send();
	return { poster, taskId, webhook, send, log: () => readLog(poster, webhook.id) };
}

const gone = () => new Response(null, { status: 410 });
const broken = () => new Response("broken", { status: 500 });

describe("the schedule", () => {
	it("tries immediately and after each of the seven delays, then gives up", async () => {
		const platform = holdPlatform();
		platform.receiver.answer = broken;
		const { log } = await sendOne(platform);
		const start = platform.clock.now();
		await platform.work();
		for (let next = await nextAttempt(log); next !== null; next = await nextAttempt(log)) {
			const made = platform.receiver.calls.length;
			platform.clock.advance(next - platform.clock.now() - 1);
			await sweepDeliveries(platform.deps);
			await platform.work();
			expect(platform.receiver.calls).toHaveLength(made);
			// Short waits have a message of their own; long ones are found by the sweep.
			platform.clock.advance(1);
			await platform.work();
			platform.clock.advance(30_000);
			await sweepDeliveries(platform.deps);
			await platform.work();
			expect(platform.receiver.calls).toHaveLength(made + 1);
		}
		const waits = platform.receiver.calls.map(({ at }, index, calls) => at - (calls[index - 1]?.at ?? start));
		expect(waits).toEqual([...[0, 30_000, MINUTE, 5 * MINUTE], ...[30 * MINUTE, 2 * HOUR, 6 * HOUR, DAY].map((delay) => delay + 30_000)]);
		const [delivery] = await log();
		expect(delivery).toMatchObject({ status: "failed", next_attempt_at: null });
		expect(delivery?.attempts.map(({ number, response_code }) => [number, response_code])).toEqual(
			[1, 2, 3, 4, 5, 6, 7, 8].map((number) => [number, 500]),
		);
		// Not by the sweep, nor by a message that comes late.
		platform.clock.advance(2 * DAY);
		await sweepDeliveries(platform.deps);
		await platform.work();
		await deliver(platform.deps, delivery?.id ?? "");
		expect(platform.receiver.calls).toHaveLength(8);
	});

	it("waits up to a tenth longer, by chance", async () => {
		for (const [random, wait] of [
			[0.5, 31_500],
			[0.999, 32_997],
		] as const) {
			const platform = holdPlatform({ random: () => random });
			platform.receiver.answer = broken;
			const { log } = await sendOne(platform);
			await platform.work();
			expect((await log())[0]?.next_attempt_at).toBe(new Date(platform.clock.now() + wait).toISOString());
			// The message itself may come a little early or late; it decides nothing.
			platform.clock.advance(wait - 1);
			await sweepDeliveries(platform.deps);
			await platform.work();
			expect(platform.receiver.calls).toHaveLength(1);
		}
	});

	it("sends the same body and webhook-id each time, with a fresh webhook-timestamp", async () => {
		const platform = holdPlatform();
		platform.receiver.answer = broken;
		await sendOne(platform);
		await platform.work();
		platform.clock.advance(31_000);
		await platform.work();
		const [first, second] = platform.receiver.calls;
		expect(second?.body).toBe(first?.body);
		expect(second?.headers.get("webhook-id")).toBe(first?.headers.get("webhook-id"));
		expect(second?.headers.get("X-Svc-Signature")).toBe(first?.headers.get("X-Svc-Signature"));
		expect(Number(second?.headers.get("webhook-timestamp")) - Number(first?.headers.get("webhook-timestamp"))).toBe(31);
	});

	it("shows when the next attempt is due, and stops after a success", async () => {
		const platform = holdPlatform();
		platform.receiver.answer = () => (platform.receiver.calls.length === 1 ? broken() : new Response("thanks", { status: 202 }));
		const { log } = await sendOne(platform);
		await platform.work();
		expect((await log())[0]).toMatchObject({
			status: "pending",
			next_attempt_at: new Date(platform.clock.now() + 30_000).toISOString(),
			attempts: [{ number: 1, response_code: 500, response_body: "broken", error: null }],
		});
		platform.clock.advance(30_000);
		await platform.work();
		platform.clock.advance(DAY);
		await sweepDeliveries(platform.deps);
		await platform.work();
		expect(platform.receiver.calls).toHaveLength(2);
		expect((await log())[0]).toMatchObject({ status: "delivered", attempts: [{ number: 1 }, { number: 2, response_code: 202 }] });
	});

	it("waits as long as Retry-After says, at most twice the delay", async () => {
		const platform = holdPlatform();
		const answers = ["45", "3600"];
		platform.receiver.answer = () => new Response(null, { status: 503, headers: { "Retry-After": answers.shift() ?? "0" } });
		const { log } = await sendOne(platform);
		await platform.work();
		expect((await log())[0]?.next_attempt_at).toBe(new Date(platform.clock.now() + 45_000).toISOString());
		platform.clock.advance(45_000);
		await platform.work();
		expect((await log())[0]?.next_attempt_at).toBe(new Date(platform.clock.now() + 2 * MINUTE).toISOString());
	});
});

async function nextAttempt(log: () => ReturnType<typeof readLog>): Promise<number | null> {
	const next = (await log())[0]?.next_attempt_at ?? null;
	return next === null ? null : Date.parse(next);
}

describe("an attempt", () => {
	it("is made once, however many parallel messages name it", async () => {
		const platform = holdPlatform();
		const { log } = await sendOne(platform);
		const [message] = platform.messages;
		await Promise.all(Array.from({ length: 10 }, () => deliver(platform.deps, message?.deliveryId ?? "")));
		expect(platform.receiver.calls).toHaveLength(1);
		expect(await log()).toMatchObject([{ status: "delivered", attempts: [{ number: 1 }] }]);
	});

	it("counts as failed without a response, and the log says why", async () => {
		const platform = holdPlatform();
		platform.receiver.answer = () => Promise.reject(new Error("no such host"));
		const { log } = await sendOne(platform);
		await platform.work();
		expect((await log())[0]).toMatchObject({ status: "pending", attempts: [{ response_code: null, error: "no such host" }] });
	});

	it("ends after ten seconds", async () => {
		const platform = holdPlatform();
		const { log } = await sendOne(platform);
		const hanging = holdPlatform({
			clock: platform.clock,
			fetch: (_, { signal }) => new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(new Error("aborted")))),
		});
		const attempt = deliver(hanging.deps, platform.messages[0]?.deliveryId ?? "");
		await expect.poll(() => platform.clock.waiting()).toBe(1);
		platform.clock.advance(10_000);
		await attempt;
		expect((await log())[0]?.attempts).toMatchObject([{ response_code: null, error: "No response within 10 s.", duration_ms: 10_000 }]);
	});

	it("does not follow redirects, and keeps 4 KB of the response", async () => {
		const platform = holdPlatform();
		platform.receiver.answer = () => new Response("x".repeat(10_000), { status: 302, headers: { Location: "https://other.example.com" } });
		const { log } = await sendOne(platform);
		await platform.work();
		expect(platform.receiver.calls).toMatchObject([{ redirect: "manual" }]);
		expect((await log())[0]).toMatchObject({ status: "pending", attempts: [{ response_code: 302, response_body: "x".repeat(4096) }] });
	});

	it("does not go out when the address has become one that the platform refuses", async () => {
		const platform = holdPlatform();
		const { webhook, log } = await sendOne(platform);
		await moveWebhook(webhook.id, "https://169.254.169.254/latest");
		await platform.work();
		expect(platform.receiver.calls).toHaveLength(0);
		expect((await log())[0]?.attempts[0]?.error).toMatch(/private or reserved/);
	});

	it("is taken over when its consumer died, and given up when all of them did", async () => {
		const platform = holdPlatform();
		const { log } = await sendOne(platform);
		const dead = holdPlatform({ clock: platform.clock, fetch: () => new Promise(() => {}) });
		const deliveryId = platform.messages.splice(0)[0]?.deliveryId ?? "";
		for (let death = 1; death <= 8; death += 1) {
			void deliver(dead.deps, deliveryId);
			await expect.poll(() => dead.clock.waiting(), { message: `death ${death}` }).toBe(1);
			// What is dead does not time out.
			dead.clock.forget();
			platform.clock.advance(MINUTE);
		}
		await sweepDeliveries(platform.deps);
		await platform.work();
		expect((await log())[0]).toMatchObject({ status: "failed", attempts: [{ number: 9, error: "Every attempt was interrupted." }] });
	});

	it("changes nothing when it ends after another consumer took over", async () => {
		const platform = holdPlatform();
		const { log } = await sendOne(platform);
		const deliveryId = platform.messages.splice(0)[0]?.deliveryId ?? "";
		const late = Promise.withResolvers<Response>();
		platform.receiver.answer = () => (platform.receiver.calls.length === 1 ? late.promise : new Response("taken"));
		const stalled = deliver(platform.deps, deliveryId);
		await expect.poll(() => platform.receiver.calls.length).toBe(1);
		platform.clock.advance(MINUTE);
		await deliver(platform.deps, deliveryId);
		late.resolve(broken());
		await stalled;
		expect(await log()).toMatchObject([{ status: "delivered", attempts: [{ number: 2, response_code: 200 }] }]);
		expect((await log())[0]?.attempts).toHaveLength(1);
		platform.clock.advance(DAY);
		await sweepDeliveries(platform.deps);
		await platform.work();
		expect(platform.receiver.calls).toHaveLength(2);
	});

	it.each([
		["before the sender has the delivery", async () => {}],
		[
			"after the sender has taken the lease",
			(deps: Deps, deliveryId: string) => survive(deliver(mortal(deps, { atStep: 0, isAfter: true }), deliveryId)),
		],
	])("is made after the sweep when the message kills its consumer on every try, %s", async (_, beforeDeath) => {
		const platform = holdPlatform();
		const { webhook, log } = await sendOne(platform);
		const [{ deliveryId } = { deliveryId: "" }] = platform.messages.splice(0);
		const sendDelivery: Deps["hubs"]["sendDelivery"] = async (message) => {
			await beforeDeath(platform.deps, message.deliveryId);
			throw new Error("The consumer died.");
		};
		const dying = testDeps({ ...platform.deps, hubs: { ...platform.deps.hubs, sendDelivery }, log: { info: () => {}, error: () => {} } });
		for (let attempts = 1; attempts <= TRIES; attempts += 1) {
			const body = { deliveryId, webhookId: webhook.id };
			const batch = createMessageBatch("bounty-platform-webhooks", [{ id: "1", timestamp: new Date(), attempts, body }]);
			await consumeBatch(batch, () => dying);
			const { explicitAcks, retryMessages } = await getQueueResult(batch, createExecutionContext());
			expect({ explicitAcks, retried: retryMessages.map(({ msgId }) => msgId) }).toEqual({ explicitAcks: [], retried: ["1"] });
			platform.clock.advance((retryMessages[0]?.delaySeconds ?? 0) * 1000);
		}
		// The queue drops the message. No sweep has run so far.
		expect(platform.messages).toEqual([]);
		expect(platform.receiver.calls).toEqual([]);
		platform.clock.advance(MINUTE);
		await sweepDeliveries(platform.deps);
		expect(platform.messages).toHaveLength(1);
		await platform.work();
		expect(platform.receiver.calls).toHaveLength(1);
		expect(await log()).toMatchObject([{ status: "delivered", attempts: [{ response_code: 200 }] }]);
	});
});

describe("stopping", () => {
	it("follows from 410, immediately and for all that is scheduled", async () => {
		const platform = holdPlatform();
		platform.receiver.answer = () => (platform.receiver.calls.length === 1 ? broken() : gone());
		const { poster, send, log } = await sendOne(platform);
		await platform.work();
		await send();
		await platform.work();
		expect((await log()).map(({ status }) => status)).toEqual(["failed", "cancelled"]);
		platform.clock.advance(DAY);
		await sweepDeliveries(platform.deps);
		await send();
		await platform.work();
		expect(platform.receiver.calls).toHaveLength(2);
		const { data } = await poster.call(listWebhooks);
		expect(data).toMatchObject([{ active: false, inactive_reason: "gone" }]);
	});

	it("follows from DELETE, while an attempt is under way too", async () => {
		const platform = holdPlatform();
		const { poster, webhook, log } = await sendOne(platform);
		platform.receiver.answer = async () => {
			await poster.call(deleteWebhook, { params: { id: webhook.id } });
			return broken();
		};
		await platform.work();
		platform.clock.advance(DAY);
		await sweepDeliveries(platform.deps);
		await platform.work();
		expect(platform.receiver.calls).toHaveLength(1);
		expect((await log())[0]).toMatchObject({ status: "cancelled", next_attempt_at: null });
	});

	it("follows from five days without a success, and the list says so", async () => {
		const platform = holdPlatform();
		platform.receiver.answer = broken;
		const { poster, send } = await sendOne(platform);
		await platform.work();
		platform.clock.advance(5 * DAY - MINUTE);
		await send();
		await platform.work();
		expect((await poster.call(listWebhooks)).data).toMatchObject([{ active: true }]);
		platform.clock.advance(2 * MINUTE);
		await platform.work();
		expect((await poster.call(listWebhooks)).data).toMatchObject([{ active: false, inactive_reason: "failing" }]);
		expect(platform.messages).toEqual([]);
	});

	it("does not follow when there was a success in between", async () => {
		const platform = holdPlatform();
		platform.receiver.answer = () => (platform.receiver.calls.length === 2 ? new Response() : broken());
		const { poster, send } = await sendOne(platform);
		await platform.work();
		platform.clock.advance(MINUTE);
		await platform.work();
		platform.clock.advance(6 * DAY);
		await send();
		await platform.work();
		expect((await poster.call(listWebhooks)).data).toMatchObject([{ active: true }]);
	});
});

it("gives a failing receiver two attempts at a time and postpones the others", async () => {
	const platform = holdPlatform();
	platform.receiver.answer = broken;
	const { send } = await sendOne(platform);
	await platform.work();
	for (let sent = 0; sent < 6; sent += 1) await send();
	const hanging = holdPlatform({ clock: platform.clock, fetch: () => new Promise(() => {}) });
	const ids = platform.messages.filter(({ dueAt }) => dueAt <= platform.clock.now()).map(({ deliveryId }) => deliveryId);
	for (const id of ids) void deliver(hanging.deps, id);
	await expect.poll(() => hanging.messages.length).toBe(4);
	expect(hanging.clock.waiting()).toBe(2);
	expect(hanging.messages.every(({ dueAt }) => dueAt === platform.clock.now() + 15_000)).toBe(true);
});

describe("secrets", () => {
	it("sign along for 24 hours after they were replaced", async () => {
		const platform = holdPlatform();
		const { poster, webhook, send } = await sendOne(platform);
		const { secret, previous_secret_expires_at } = await poster.call(rotateWebhookSecret, { params: { id: webhook.id } });
		expect(secret).not.toBe(webhook.secret);
		await platform.work();
		platform.clock.advance(Date.parse(previous_secret_expires_at) - platform.clock.now() + 1);
		await send();
		await platform.work();
		const [during, after] = platform.receiver.calls.map(({ headers }) => ({
			standard: headers.get("webhook-signature")?.split(" ").length,
			previous: headers.has("X-Svc-Signature-Previous"),
		}));
		expect(during).toEqual({ standard: 2, previous: true });
		expect(after).toEqual({ standard: 1, previous: false });
	});
});

it("keeps the log for 30 days, and what is pending for longer", async () => {
	const platform = holdPlatform();
	const { send, log } = await sendOne(platform);
	await platform.work();
	platform.receiver.answer = broken;
	await send();
	await platform.work();
	platform.clock.advance(31 * DAY);
	await forgetOldDeliveries(platform.deps);
	expect((await log()).map(({ status }) => status)).toEqual(["pending"]);
});
