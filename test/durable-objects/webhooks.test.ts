// Tests the object of a webhook: when it attempts its deliveries, gives them up, and forgets them. The test controls clock, alarms and
// receiver.
import { describe, expect, it } from "vitest";
import { sendEvent } from "../../src/core/events/webhooks/fan-out.ts";
import { createDraft, registerAgent } from "../support/scenario.ts";
import { emit, type HeldPlatform, holdPlatform, moveWebhook, readLog, subscribe, targetOf } from "../support/webhooks.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Returns a poster with a subscription to its own task, and an event on its way to it. */
async function sendOne(platform: HeldPlatform, change: Readonly<Record<string, unknown>> = {}) {
	const registered = await registerAgent();
	const poster = platform.clientOf(registered);
	const { id: taskId } = await createDraft(poster);
	const webhook = await subscribe(registered, platform.url, change);
	const send = () => emit(platform.deps, { type: "task.opened", taskId });
	await send();
	return { poster, taskId, webhook, send, log: () => readLog(poster, webhook.id) };
}

const gone = () => new Response(null, { status: 410 });
const broken = () => new Response("broken", { status: 500 });
const never = () => new Promise<Response>(() => {});

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
			await platform.work();
			expect(platform.receiver.calls).toHaveLength(made);
			platform.clock.advance(1);
			await platform.work();
			expect(platform.receiver.calls).toHaveLength(made + 1);
		}
		const waits = platform.receiver.calls.map(({ at }, index, calls) => at - (calls[index - 1]?.at ?? start));
		expect(waits).toEqual([0, 30_000, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, DAY]);
		const [delivery] = await log();
		expect(delivery).toMatchObject({ status: "failed", next_attempt_at: null });
		expect(delivery?.attempts.map(({ number, response_code }) => [number, response_code])).toEqual(
			[1, 2, 3, 4, 5, 6, 7, 8].map((number) => [number, 500]),
		);
		platform.clock.advance(2 * DAY);
		await platform.work();
		expect(platform.receiver.calls).toHaveLength(8);
	});

	it("waits up to a tenth longer, at random", async () => {
		for (const [random, wait] of [
			[0.5, 31_500],
			[0.999, 32_997],
		] as const) {
			const platform = holdPlatform({ random: () => random });
			platform.receiver.answer = broken;
			const { log } = await sendOne(platform);
			await platform.work();
			expect((await log())[0]?.next_attempt_at).toBe(new Date(platform.clock.now() + wait).toISOString());
			platform.clock.advance(wait - 1);
			await platform.work();
			expect(platform.receiver.calls).toHaveLength(1);
		}
	});

	it("sends the same body and webhook-id each time, with a new webhook-timestamp", async () => {
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
		await platform.work();
		expect(platform.receiver.calls).toHaveLength(2);
		expect((await log())[0]).toMatchObject({ status: "delivered", attempts: [{ number: 1 }, { number: 2, response_code: 202 }] });
	});
});

async function nextAttempt(log: () => ReturnType<typeof readLog>): Promise<number | null> {
	const next = (await log())[0]?.next_attempt_at ?? null;
	return next === null ? null : Date.parse(next);
}

describe("a delivery", () => {
	it("is made once, even if the object receives the event often and in parallel", async () => {
		const platform = holdPlatform();
		const answer = Promise.withResolvers<Response>();
		platform.receiver.answer = () => answer.promise;
		const { webhook, log, taskId } = await sendOne(platform, { events: ["task.closed"] });
		const target = await targetOf(webhook.id);
		const event = { eventId: crypto.randomUUID(), eventType: "task.closed", taskId, body: '{"event":"task.closed"}' };
		const hand = () =>
			platform.deps.hubs.callSender(webhook.id, (sender) => sender.deliver({ id: platform.deps.ids.next(), ...event }, target));
		await Promise.all(Array.from({ length: 10 }, hand));
		await expect.poll(() => platform.receiver.calls.length).toBe(1);
		await hand();
		answer.resolve(new Response());
		await platform.work();
		await hand();
		platform.clock.advance(DAY);
		await platform.work();
		expect(platform.receiver.calls).toHaveLength(1);
		expect(await log()).toMatchObject([{ event_id: event.eventId, status: "delivered", attempts: [{ number: 1 }] }]);
	});

	it("is made once for each subscription, even if the event is sent often", async () => {
		const platform = holdPlatform();
		const [one, other] = [await sendOne(platform, { events: ["task.closed"] }), await sendOne(platform, { events: ["task.closed"] })];
		const targets = await Promise.all([one, other].map(({ webhook }) => targetOf(webhook.id)));
		const event = { id: crypto.randomUUID(), type: "task.closed" as const, taskId: one.taskId, body: '{"event":"task.closed"}' };
		await Promise.all(Array.from({ length: 5 }, () => sendEvent(platform.deps, event, targets)));
		await platform.work();
		await sendEvent(platform.deps, event, targets);
		await platform.work();
		expect(platform.receiver.calls).toHaveLength(2);
		for (const { log } of [one, other]) expect(await log()).toMatchObject([{ event_id: event.id, status: "delivered" }]);
	});

	it("that the object has stored when it dies is attempted once the object has woken", async () => {
		const platform = holdPlatform();
		// The object dies before it takes a place of the host.
		const { hubs } = platform.deps;
		const enterHost = hubs.enterHost;
		Object.assign(hubs, { enterHost: never });
		const { log } = await sendOne(platform);
		platform.senders.kill();
		Object.assign(hubs, { enterHost });
		expect(await log()).toMatchObject([{ status: "pending", attempts: [] }]);
		expect(platform.receiver.calls).toHaveLength(0);
		platform.clock.advance(30_000);
		await platform.senders.ring();
		await expect.poll(async () => (await log())[0]?.status).toBe("delivered");
		expect(await log()).toMatchObject([{ attempts: [{ number: 1 }] }]);
	});

	it("waits at most half a minute when D1 cannot be read, and loses no attempt", async () => {
		const platform = holdPlatform();
		platform.receiver.answer = broken;
		const { log } = await sendOne(platform);
		await platform.work();
		const { deps } = platform;
		const { db } = deps;
		const failing = () => {
			throw new Error("D1 is away.");
		};
		Object.assign(deps, { db: { ...db, query: { ...db.query, select: failing } }, log: { info: () => {}, error: () => {} } });
		for (let time = 0; time < 20; time += 1) {
			platform.clock.advance(30_000);
			await platform.work();
		}
		Object.assign(deps, { db });
		platform.receiver.answer = () => new Response();
		platform.clock.advance(30_000);
		await platform.work();
		expect(await log()).toMatchObject([{ status: "delivered", attempts: [{ number: 1 }, { number: 2 }] }]);
	});
});

describe("an attempt", () => {
	it("is not sent if the platform refuses the URL by now", async () => {
		const platform = holdPlatform();
		const { webhook, send, log } = await sendOne(platform);
		await platform.work();
		await moveWebhook(webhook.id, "https://169.254.169.254/latest");
		await send();
		await platform.work();
		expect(platform.receiver.calls).toHaveLength(1);
		expect((await log())[0]?.attempts[0]?.error).toMatch(/private or reserved/);
	});

	it("uses the webhook's current URL and secrets", async () => {
		const platform = holdPlatform();
		platform.receiver.answer = broken;
		const { poster, webhook } = await sendOne(platform);
		await platform.work();
		await moveWebhook(webhook.id, `${platform.url}?moved`);
		await poster.call("rotateWebhookSecret", { params: { id: webhook.id } });
		platform.clock.advance(30_000);
		await platform.work();
		const [, second] = platform.receiver.calls;
		expect(second?.url).toBe(`${platform.url}?moved`);
		expect(second?.headers.get("webhook-signature")?.split(" ")).toHaveLength(2);
	});

	it("is repeated if the object died during it, and given up if it died during all of them", async () => {
		const platform = holdPlatform();
		platform.receiver.answer = never;
		const { log } = await sendOne(platform);
		for (let death = 1; death <= 8; death += 1) {
			await expect.poll(() => platform.receiver.calls.length, { message: `death ${death}` }).toBe(death);
			platform.senders.kill();
			// A dead object does not time out.
			platform.clock.forget();
			platform.clock.advance(29_999);
			await platform.senders.ring();
			expect(platform.receiver.calls).toHaveLength(death);
			platform.clock.advance(1);
			await platform.senders.ring();
		}
		await expect.poll(async () => (await log())[0]?.status).toBe("failed");
		expect((await log())[0]).toMatchObject({ attempts: [{ number: 9, error: "Every attempt was interrupted." }] });
		expect(platform.receiver.calls).toHaveLength(8);
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
		await send();
		await platform.work();
		expect(platform.receiver.calls).toHaveLength(2);
		const { data } = await poster.call("listWebhooks");
		expect(data).toMatchObject([{ active: false, inactive_reason: "gone" }]);
	});

	it("does not follow from 410 of a URL that the webhook no longer has", async () => {
		const platform = holdPlatform();
		const answer = Promise.withResolvers<Response>();
		platform.receiver.answer = ({ url, body }) => {
			if (url !== platform.url) return new Response(body);
			return platform.receiver.calls.length === 1 ? broken() : answer.promise;
		};
		const { poster, webhook, send, log } = await sendOne(platform);
		await platform.work();
		await send();
		await expect.poll(() => platform.receiver.calls.length).toBe(2);
		await poster.call("updateWebhook", { params: { id: webhook.id }, body: { url: `${platform.url}/new` } });
		answer.resolve(gone());
		await platform.work();
		platform.clock.advance(30_000);
		await platform.work();
		expect((await poster.call("listWebhooks")).data).toMatchObject([{ active: true }]);
		const events = (await log()).filter(({ event }) => event === "task.opened");
		expect(events.map(({ status }) => status)).toEqual(["failed", "delivered"]);
	});

	it("follows from DELETE, also during an attempt", async () => {
		const platform = holdPlatform();
		const answer = Promise.withResolvers<Response>();
		platform.receiver.answer = () => answer.promise;
		const { poster, webhook, log } = await sendOne(platform);
		await expect.poll(() => platform.receiver.calls.length).toBe(1);
		await poster.call("deleteWebhook", { params: { id: webhook.id } });
		expect((await log())[0]).toMatchObject({ status: "cancelled", next_attempt_at: null });
		answer.resolve(broken());
		await platform.work();
		platform.clock.advance(DAY);
		await platform.work();
		expect(platform.receiver.calls).toHaveLength(1);
		expect((await log())[0]).toMatchObject({ status: "cancelled", next_attempt_at: null });
	});

	it("follows from DELETE if the object did not hear of it, before the next attempt", async () => {
		const platform = holdPlatform();
		platform.receiver.answer = broken;
		const { poster, webhook, log } = await sendOne(platform);
		await platform.work();
		const { hubs } = platform.deps;
		const { callSender } = hubs;
		Object.assign(hubs, { callSender: () => Promise.reject(new Error("The object is away.")) });
		await poster.call("deleteWebhook", { params: { id: webhook.id } });
		Object.assign(hubs, { callSender });
		expect(await log()).toMatchObject([{ status: "pending" }]);
		platform.clock.advance(30_000);
		await platform.work();
		expect(await log()).toMatchObject([{ status: "cancelled" }]);
		expect(platform.receiver.calls).toHaveLength(1);
	});

	it("follows from five days without a success, and the list says so", async () => {
		const platform = holdPlatform();
		platform.receiver.answer = broken;
		const { poster, send, log } = await sendOne(platform);
		await platform.work();
		platform.clock.advance(5 * DAY - MINUTE);
		await send();
		await platform.work();
		expect((await poster.call("listWebhooks")).data).toMatchObject([{ active: true }]);
		platform.clock.advance(2 * MINUTE);
		await platform.work();
		expect((await poster.call("listWebhooks")).data).toMatchObject([{ active: false, inactive_reason: "failing" }]);
		expect((await log()).map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
	});

	it("does not follow if there was a success in between", async () => {
		const platform = holdPlatform();
		platform.receiver.answer = () => (platform.receiver.calls.length === 2 ? new Response() : broken());
		const { poster, send } = await sendOne(platform);
		await platform.work();
		platform.clock.advance(MINUTE);
		await platform.work();
		platform.clock.advance(6 * DAY);
		await send();
		await platform.work();
		expect((await poster.call("listWebhooks")).data).toMatchObject([{ active: true }]);
	});
});

describe("a burst", () => {
	it("is sent in parallel up to the host's limit, and the rest as soon as there is room", async () => {
		const platform = holdPlatform();
		let underWay = 0;
		let most = 0;
		let isOpen = false;
		platform.receiver.answer = async () => {
			underWay += 1;
			most = Math.max(most, underWay);
			while (!isOpen) await scheduler.wait(1);
			underWay -= 1;
			return new Response();
		};
		const { hubs } = platform.deps;
		const { leaveHost } = hubs;
		const leaveLate: typeof leaveHost = async (host, holder) => {
			await scheduler.wait(5);
			return leaveHost(host, holder);
		};
		Object.assign(hubs, { leaveHost: leaveLate });
		const { send, log } = await sendOne(platform);
		for (let sent = 1; sent < 50; sent += 1) await send();
		await expect.poll(() => underWay).toBe(20);
		isOpen = true;
		// The platform's clock is fixed, so the place of an earlier delivery throttles none.
		await expect.poll(() => platform.receiver.calls.length).toBe(50);
		await platform.deps.settled();
		expect(most).toBe(20);
		expect((await log()).map(({ status, attempts }) => [status, attempts.length])).toEqual(
			Array.from({ length: 50 }, () => ["delivered", 1]),
		);
	});

	it("gets two attempts at a time from a failing receiver, and the others wait without losing an attempt", async () => {
		const platform = holdPlatform();
		platform.receiver.answer = broken;
		const { send, log } = await sendOne(platform);
		await platform.work();
		platform.receiver.answer = never;
		for (let sent = 0; sent < 6; sent += 1) await send();
		await expect.poll(() => platform.receiver.calls.length).toBe(3);
		platform.clock.advance(5_000);
		await platform.senders.ring();
		expect(platform.receiver.calls).toHaveLength(3);
		expect((await log()).map(({ status, attempts }) => [status, attempts.length]).toSorted()).toEqual([
			...Array.from({ length: 6 }, () => ["pending", 0]),
			["pending", 1],
		]);
	});
});

describe("replaced secrets", () => {
	it("also sign for 24 hours after they were replaced", async () => {
		const platform = holdPlatform();
		const { poster, webhook, send } = await sendOne(platform);
		await platform.work();
		platform.receiver.calls.splice(0);
		const { secret, previous_secret_expires_at } = await poster.call("rotateWebhookSecret", { params: { id: webhook.id } });
		expect(secret).not.toBe(webhook.secret);
		await send();
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

describe("replays", () => {
	it("in parallel are separate deliveries, each attempted once", async () => {
		const platform = holdPlatform();
		const { poster, webhook, log } = await sendOne(platform);
		await platform.work();
		const [original] = await log();
		const params = { id: webhook.id, deliveryId: original?.id ?? "" };
		const replayed = await Promise.all(Array.from({ length: 10 }, () => poster.call("replayWebhookDelivery", { params })));
		const ids = replayed.map(({ delivery_id }) => delivery_id);
		expect(new Set(ids).size).toBe(10);
		await platform.work();
		expect(platform.receiver.calls).toHaveLength(11);
		expect(new Set(platform.receiver.calls.map(({ body }) => body)).size).toBe(1);
		const logged = (await log()).filter(({ replay_of }) => replay_of === original?.id);
		expect(logged.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
		for (const { status, attempts } of logged) expect([status, attempts.length]).toEqual(["delivered", 1]);
	});

	it("of a delivery that waits attempt it now, once, so that a receiver that is back gets it before it is due", async () => {
		const platform = holdPlatform();
		platform.receiver.answer = broken;
		const { poster, webhook, log } = await sendOne(platform);
		await platform.work();
		const [waiting] = await log();
		const params = { id: webhook.id, deliveryId: waiting?.id ?? "" };
		const answer = Promise.withResolvers<Response>();
		platform.receiver.answer = () => answer.promise;
		const replayed = await Promise.all(Array.from({ length: 10 }, () => poster.call("replayWebhookDelivery", { params })));
		expect(new Set(replayed.map(({ delivery_id }) => delivery_id))).toEqual(new Set([waiting?.id]));
		answer.resolve(new Response());
		await platform.work();
		expect(platform.receiver.calls).toHaveLength(2);
		expect(await log()).toMatchObject([{ id: waiting?.id, status: "delivered", attempts: [{ number: 1 }, { number: 2 }] }]);
	});

	it("of a delivery that waits use up its attempts", async () => {
		const platform = holdPlatform();
		platform.receiver.answer = broken;
		const { poster, webhook, log } = await sendOne(platform);
		await platform.work();
		const [waiting] = await log();
		for (let attempt = 2; attempt <= 8; attempt += 1) {
			await poster.call("replayWebhookDelivery", { params: { id: webhook.id, deliveryId: waiting?.id ?? "" } });
			await platform.work();
			expect(platform.receiver.calls).toHaveLength(attempt);
		}
		expect(await log()).toMatchObject([{ id: waiting?.id, status: "failed", next_attempt_at: null }]);
	});

	it("whose response was lost are made once, if they are repeated with their id", async () => {
		const platform = holdPlatform();
		const { webhook, log } = await sendOne(platform);
		await platform.work();
		const [original] = await log();
		const target = await targetOf(webhook.id);
		const replay = { id: platform.deps.ids.next(), deliveryId: original?.id ?? "" };
		const again = () => platform.deps.hubs.callSender(webhook.id, (sender) => sender.replay(replay, target));
		expect([await again(), await again()]).toEqual(["queued", "queued"]);
		await platform.work();
		expect(platform.receiver.calls).toHaveLength(2);
		expect(await log()).toHaveLength(2);
	});
});

it("stay in the log for 30 days, and longer while they are pending", async () => {
	const platform = holdPlatform();
	const { send, log, webhook } = await sendOne(platform);
	await platform.work();
	expect(await log()).toHaveLength(1);
	// The object wakes by itself: first to see if an attempt was cut off, then to forget.
	for (const days of [29, 2]) {
		platform.clock.advance(days * DAY);
		await platform.work();
		expect(await log()).toHaveLength(days === 29 ? 1 : 0);
	}
	expect(platform.senders.alarms.has(webhook.id)).toBe(false);
	platform.receiver.answer = broken;
	await send();
	platform.clock.advance(1);
	await send();
	await platform.deps.settled();
	platform.clock.advance(31 * DAY);
	platform.receiver.answer = never;
	await platform.senders.ring();
	await expect.poll(() => platform.receiver.calls.length).toBeGreaterThan(3);
	expect((await log()).map(({ status }) => status)).toEqual(["pending", "pending"]);
});
