// Tests PATCH of a webhook, and webhooks that post messages to Slack and Discord.
import { describe, expect, it } from "vitest";
import { countingDatabase } from "../support/deps.ts";
import { interceptD1 } from "../support/intercepted-d1.ts";
import { openTask, registerAgent, taskInput } from "../support/scenario.ts";
import { emit, holdPlatform, type ReceivedCall, targetOf } from "../support/webhooks.ts";

const echo = ({ body }: ReceivedCall) => new Response(body);

async function meet(change: Readonly<Record<string, unknown>> = {}) {
	const platform = holdPlatform();
	const registered = await registerAgent("Harbour");
	const agent = platform.clientOf(registered);
	const created = await agent.call("createWebhook", { body: { url: platform.url, events: ["task.opened"], ...change } });
	const patch = (body: object) => agent.call("updateWebhook", { params: { id: created.id }, body });
	const { receiver } = platform;
	receiver.calls.length = 0;
	return { platform, registered, agent, created, patch, receiver };
}

describe("changing a webhook", () => {
	it("changes what is sent, keeps the rest and the secret, and returns no secret", async () => {
		const { created, patch, agent } = await meet();
		const { secret: _, message: __, ...before } = created;
		const changed = await patch({ events: ["task.closed", "task.closed"] });
		expect(changed).toEqual({ ...before, events: ["task.closed"] });
		expect((await agent.call("listWebhooks")).data).toEqual([changed]);
		expect(await patch({})).toEqual(changed);
	});

	it("removes a scope with null, and sets one", async () => {
		const { platform, patch, agent, registered, receiver } = await meet();
		const taskId = await openTask(registered);
		expect(await patch({ task_ids: [taskId] })).toMatchObject({ task_ids: [taskId], categories: null, verified: true });
		await emit(platform.deps, { type: "task.opened", taskId: await openTask(registered) });
		await platform.work();
		expect(receiver.calls).toHaveLength(0);
		expect(await patch({ task_ids: null, categories: ["Parsing"] })).toMatchObject({ task_ids: null, categories: ["parsing"] });
		expect(await patch({ categories: null })).toMatchObject({ task_ids: null, categories: null });
		expect((await agent.call("listWebhooks")).data[0]?.task_ids).toBeNull();
	});

	it.each([{ url: "http://10.0.0.1/hook" }, { events: [] }, { format: "teams" }, { active: null }])("refuses %o", async (body) => {
		const { agent, created } = await meet();
		await agent.refused("updateWebhook", "INVALID_BODY", { params: { id: created.id }, body });
	});

	it("ignores unknown fields, such as the secret", async () => {
		const { agent, created } = await meet();
		const { secret: _, message: __, ...record } = created;
		const params = { id: created.id };
		expect(await agent.call("updateWebhook", { params, body: { urls: ["https://a.example"], secret: "whsec_AAAA" } })).toEqual(record);
	});

	it("is 404 for others and for a deleted webhook", async () => {
		const { agent, created } = await meet();
		const params = { id: created.id };
		await (await registerAgent()).refused("updateWebhook", "NOT_FOUND", { params, body: {} });
		await agent.call("deleteWebhook", { params });
		await agent.refused("updateWebhook", "NOT_FOUND", { params, body: { active: true } });
	});

	it("revives a webhook that 410 has ended, but not one that was deleted afterwards", async () => {
		const { platform, agent, created, patch, receiver } = await meet();
		const params = { id: created.id };
		receiver.answer = () => new Response(null, { status: 410 });
		await agent.call("testWebhook", { params });
		await platform.work();
		expect((await agent.call("listWebhooks")).data).toMatchObject([{ active: false, inactive_reason: "gone" }]);
		receiver.answer = echo;
		expect(await patch({ active: true })).toMatchObject({ active: true });
		expect(await patch({ active: false })).toMatchObject({ active: false, inactive_reason: "paused" });
		await agent.call("deleteWebhook", { params });
		await agent.refused("updateWebhook", "NOT_FOUND", { params, body: { active: true } });
	});

	it("keeps events from a paused webhook, and sends them again after the pause", async () => {
		const { platform, registered, patch, receiver } = await meet();
		const taskId = await openTask(registered);
		await patch({ active: false });
		await emit(platform.deps, { type: "task.opened", taskId });
		await platform.work();
		expect(receiver.calls).toHaveLength(0);
		await patch({ active: true });
		await emit(platform.deps, { type: "task.opened", taskId });
		await platform.work();
		expect(receiver.calls).toHaveLength(1);
	});

	it("counts a revived webhook toward the limit of 50", async () => {
		const { platform, agent, created, patch } = await meet({ task_ids: [crypto.randomUUID()] });
		await patch({ active: false });
		const body = { url: platform.url, events: ["deal.created"], format: "slack" };
		for (let made = 0; made < 50; made += 1) await agent.call("createWebhook", { body });
		await agent.refused("updateWebhook", "CONFLICT", { params: { id: created.id }, body: { active: true } });
	});

	it("leaves one complete change if two run in parallel", async () => {
		const { patch, agent } = await meet();
		const changes = [
			{ events: ["task.closed"], categories: ["a"] },
			{ events: ["task.opened"], categories: ["b"] },
		];
		await Promise.all(changes.map(patch));
		const { data } = await agent.call("listWebhooks");
		expect(changes).toContainEqual({ events: data[0]?.events, categories: data[0]?.categories });
	});

	it("keeps a secret that another request has set between the read and the commit", async () => {
		const { registered, created } = await meet();
		const params = { id: created.id };
		const readSecret = async () => (await targetOf(created.id)).secretEncrypted;
		let rotated: string | null = null;
		const database = interceptD1(async (run, statements) => {
			if (rotated === null && statements.some((text) => text.startsWith('update "webhooks"'))) {
				rotated = "";
				await registered.call("rotateWebhookSecret", { params });
				rotated = await readSecret();
			}
			return run();
		});
		const patcher = holdPlatform({ db: countingDatabase(database) }).clientOf(registered);
		expect(await patcher.call("updateWebhook", { params, body: { events: ["task.closed"] } })).toMatchObject({ events: ["task.closed"] });
		expect(rotated).toMatch(/./);
		expect(await readSecret()).toBe(rotated);
	});
});

describe("the challenge", () => {
	it("is a new text in each test, and verifies only if the response contains it", async () => {
		const { platform, agent, created, receiver } = await meet();
		const other = await meet();
		other.receiver.answer = () => new Response("ok");
		expect(created.verified).toBe(true);
		for (let test = 0; test < 2; test += 1) await agent.call("testWebhook", { params: { id: created.id } });
		await platform.work();
		const challenges = receiver.calls.map(({ body }) => JSON.parse(body).challenge);
		expect(challenges).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), expect.stringMatching(/^[0-9a-f]{32}$/)]);
		expect(new Set(challenges).size).toBe(2);
		expect(await other.patch({ url: `${other.platform.url}/new` })).toMatchObject({ verified: false });
	});

	it("is sent again for another URL or format, and for a wider scope that follows others", async () => {
		const { platform, patch, receiver, registered } = await meet({ categories: ["parsing"] });
		expect(await patch({ events: ["task.closed"] })).toMatchObject({ verified: true });
		expect(receiver.calls).toHaveLength(0);
		receiver.answer = () => new Response("ok");
		expect(await patch({ categories: ["parsing", "vision"] })).toMatchObject({ verified: false });
		expect(receiver.calls).toHaveLength(1);
		receiver.answer = echo;
		expect(await patch({ url: `${platform.url}/elsewhere` })).toMatchObject({ verified: true, url: `${platform.url}/elsewhere` });
		const own = await openTask(registered);
		expect(await patch({ categories: null, task_ids: [own] })).toMatchObject({ verified: true });
		expect(await patch({ format: "slack" })).toMatchObject({ verified: false });
	});
});

const HOSTILE = "> Win <!channel> @everyone [now](https://evil.example) *big* _sly_ ~old~ `code` & <https://evil.example|here>";

describe.each([
	["slack", "text"],
	["discord", "content"],
] as const)("a %s webhook", (format, field) => {
	async function receive(title: string) {
		const met = await meet({ format, events: ["task.opened", "task.warning"] });
		const { id } = await met.registered.call("createTask", { body: taskInput({ title }) });
		return { ...met, taskId: id };
	}

	it("posts one message in the service's form, which links the task, without a signature", async () => {
		const { platform, taskId, receiver, created } = await receive("Parse bank exports");
		expect(created).toMatchObject({ format, verified: false });
		await emit(platform.deps, { type: "task.opened", taskId });
		await platform.work();
		expect(receiver.calls).toHaveLength(1);
		const [call] = receiver.calls;
		const text: unknown = JSON.parse(call?.body ?? "")[field];
		expect(text).toContain(`/tasks/${taskId}`);
		expect(text).toContain("Parse bank exports");
		expect([...(call?.headers.keys() ?? [])].filter((name) => name.includes("signature") || name.startsWith("webhook-"))).toEqual([]);
	});

	it("links the console's page of an invite-only task, because it has no public page", async () => {
		const { platform, registered, receiver } = await meet({ format, events: ["task.opened"] });
		const taskId = await openTask(registered, { access: "invited" });
		await emit(platform.deps, { type: "task.opened", taskId });
		await platform.work();
		expect(JSON.parse(receiver.calls[0]?.body ?? "")[field]).toContain(`/console/tasks/${taskId}`);
	});

	it("lets no title or text mention everyone, link or format, and stays under 2,000 characters", async () => {
		const { platform, taskId, receiver } = await receive(HOSTILE);
		await emit(platform.deps, { type: "task.warning", taskId, code: "JUDGE_CHECK_FAILED", message: `@here ${"<!here> ".repeat(1_000)}` });
		await platform.work();
		const message = JSON.parse(receiver.calls[0]?.body ?? "");
		const text = String(message[field]);
		expect(text.length).toBeLessThanOrEqual(2_000);
		expect(text).toContain(`/tasks/${taskId}`);
		expect(text).not.toMatch(/@(everyone|here)|<!|<https|https:\/\/evil/);
		if (format === "discord") {
			expect(message.allowed_mentions).toEqual({ parse: [] });
			expect(text).not.toMatch(/[^\\]\[now/);
		} else {
			expect(message.mrkdwn).toBe(false);
			expect(text).not.toMatch(/[*_~`][a-z]|[a-z][*_~`]|^(&gt;|>)/m);
		}
	});

	it("gets a message as a test, which verifies nothing", async () => {
		const { platform, agent, created, receiver } = await receive("Any");
		await agent.call("testWebhook", { params: { id: created.id } });
		await platform.work();
		expect(JSON.parse(receiver.calls[0]?.body ?? "")[field]).toMatch(/^This is a test\./);
		expect((await agent.call("listWebhooks")).data).toMatchObject([{ verified: false, format }]);
	});
});
