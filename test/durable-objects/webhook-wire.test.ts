// Tests receivers that misbehave on a real socket with the runtime's own fetch. The harness of test/e2e cannot do it: it sends requests
// through Node, which follows redirects and responds for hosts that do not exist.
import { describe, expect, inject, it } from "vitest";
import type { ReceiverRecord } from "../support/hostile-receiver.ts";
import { createDraft, type RegisteredClient, registerAgent } from "../support/scenario.ts";
import { emit, type HeldPlatform, holdPlatform, readLog, subscribe } from "../support/webhooks.ts";

const receiver = inject("hostileReceiver");

interface Meeting {
	readonly platform: HeldPlatform;
	readonly agent: RegisteredClient;
	readonly webhookId: string;
	/** Returns the receiver's record of the requests under this name. */
	happened(suffix?: string): Promise<ReceiverRecord>;
}

/** Returns a subscription to a URL, and an event on its way to it. */
async function meet(target: (name: string) => string): Promise<Meeting> {
	const platform = holdPlatform({ fetch: (url, init) => fetch(url, init) });
	const agent = await registerAgent();
	const name = crypto.randomUUID();
	const { id: webhookId } = await subscribe(agent, target(name));
	const { id: taskId } = await createDraft(agent);
	await emit(platform.deps, { type: "task.opened", taskId });
	const happened = async (suffix = "") => (await fetch(`${receiver}/${name}${suffix}`)).json<ReceiverRecord>();
	return { platform, agent, webhookId, happened };
}

/** Returns the log entry of the one delivery, with its first attempt and the time until the next one. */
async function logOf({ platform, agent, webhookId }: Meeting) {
	const [delivery] = await readLog(platform.clientOf(agent), webhookId);
	const next = delivery?.next_attempt_at ?? null;
	return { status: delivery?.status, attempt: delivery?.attempts[0], wait: next === null ? null : Date.parse(next) - platform.clock.now() };
}

async function attempt(target: (name: string) => string) {
	const meeting = await meet(target);
	await meeting.platform.deps.settled();
	return { ...meeting, ...(await logOf(meeting)) };
}

it.each([301, 302, 303, 307, 308])("does not follow a redirect with %i", async (status) => {
	const { happened, ...log } = await attempt((name) => `${receiver}/redirect-${status}/${name}`);
	expect(log).toMatchObject({ status: "pending", attempt: { response_code: status, response_body: "over there" }, wait: 30_000 });
	expect(await happened()).toMatchObject({ posts: 1 });
	expect(await happened("-elsewhere")).toMatchObject({ posts: 0 });
});

describe("a receiver that does not exist", () => {
	it.each([
		["because its name does not resolve", () => "https://receiver.invalid/hook", /^The host could not be found or reached\.$/],
		["because nobody listens", () => "http://127.0.0.1:9/hook", /./],
		["because it cuts the connection", (name: string) => `${receiver}/destroy/${name}`, /./],
	])("(%s) is tried again, and the log says why", async (_, target, reason) => {
		const log = await attempt(target);
		expect(log).toMatchObject({ status: "pending", attempt: { response_code: null, error: expect.stringMatching(reason) }, wait: 30_000 });
	});
});

describe("a received status", () => {
	it.each([
		[200, "delivered"],
		[500, "pending"],
	])("of %i counts, even if the connection is cut in the body", async (response_code, status) => {
		const log = await attempt((name) => `${receiver}/cut-${response_code}/${name}`);
		expect(log).toMatchObject({ status, attempt: { response_code, response_body: "so far", error: null } });
	});

	it("of 410 ends the subscription", async () => {
		const { agent, webhookId, ...log } = await attempt((name) => `${receiver}/leave/${name}`);
		expect(log).toMatchObject({ status: "failed", attempt: { response_code: 410 }, wait: null });
	});
});

describe("Retry-After", () => {
	it.each([
		["45", 45_000],
		["3600", 60_000],
	])("of %s is honoured within one and two times the delay", async (after, wait) => {
		expect(await attempt((name) => `${receiver}/busy/${name}?after=${after}`)).toMatchObject({ status: "pending", wait });
	});
});

describe("a wait of ten seconds", () => {
	it.each([
		["for a response", "mute", { response_code: null, response_body: null, error: "No response within 10 s." }],
		["for its body", "drip", { response_code: 200, response_body: expect.stringMatching(/^x+$/), error: null }],
	])("%s ends the attempt", async (_, behaviour, expected) => {
		const meeting = await meet((name) => `${receiver}/${behaviour}/${name}`);
		const { happened, platform, webhookId } = meeting;
		// The work that the time-out ends continues in the object.
		const advance = (ms: number) => platform.deps.hubs.callSender(webhookId, async () => platform.clock.advance(ms));
		await expect.poll(async () => (await happened()).isOpen).toBe(true);
		await new Promise((resolve) => setTimeout(resolve, 200));
		await advance(9_999);
		await new Promise((resolve) => setTimeout(resolve, 100));
		expect(await happened()).toMatchObject({ posts: 1, isOpen: true });
		await advance(1);
		await platform.deps.settled();
		expect((await logOf(meeting)).attempt).toMatchObject({ ...expected, duration_ms: 10_000 });
		await expect.poll(async () => (await happened()).isOpen).toBe(false);
	});
});

it("reads 4 KB of an endless response, and closes the connection", async () => {
	const { happened, ...log } = await attempt((name) => `${receiver}/pour/${name}`);
	expect(log).toMatchObject({ status: "delivered", attempt: { response_code: 200, response_body: "y".repeat(4096) } });
	await expect.poll(async () => (await happened()).isOpen).toBe(false);
	expect((await happened()).bytesSent).toBeLessThan(16 * 1024 * 1024);
});
