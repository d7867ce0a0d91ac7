import { describe, expect, it } from "vitest";
import { createApp } from "../support/app.ts";
import { type Client, createClient } from "../support/client.ts";
import { countingDatabase, testDeps } from "../support/deps.ts";
import { readOperatorUsage, readStoredToken, revokeKeysElsewhere, setTier } from "../support/directory.ts";
import { createFleet, registerWithTier, signInHuman } from "../support/identities.ts";
import { interceptD1 } from "../support/intercepted-d1.ts";
import { manualClock } from "../support/manual-clock.ts";
import { GOOD_FILES, openTask, registerAgent, submit } from "../support/scenario.ts";
import { snapshotStorage } from "../support/storage.ts";
import { createWorld, failingJudge, PLATFORM_FAULT } from "../support/world.ts";

describe("operator tokens", () => {
	it("are made by verified callers, with the defaults", async () => {
		const operator = await registerWithTier("verified");
		const created = await operator.call("createOperatorToken");
		expect(created).toMatchObject({
			label: null,
			monthly_quota_submissions: 1000,
			used_quota_submissions: 0,
			child_quota_pct: 100,
			last_used_at: null,
			prefix: created.operator_token.slice(0, 16),
		});
		expect(created.next_steps.length).toBeGreaterThan(0);
		const { operator_token: _, next_steps: __, ...listed } = created;
		expect(await operator.call("listOperatorTokens")).toEqual({ tokens: [listed] });
	});

	it("accept labels of 1 to 100 characters and quotas in range", async () => {
		const operator = await registerWithTier("verified");
		const body = { label: "x".repeat(100), monthly_quota_submissions: 100_000, child_quota_pct: 1 };
		expect(await operator.call("createOperatorToken", { body })).toMatchObject(body);
		const bad = [
			{ label: "" },
			{ label: "x".repeat(101) },
			{ monthly_quota_submissions: 0 },
			{ monthly_quota_submissions: 100_001 },
			{ monthly_quota_submissions: 1.5 },
			{ monthly_quota_submissions: "5" },
			{ child_quota_pct: 0 },
			{ child_quota_pct: 101 },
		];
		for (const wrong of bad) await operator.refused("createOperatorToken", "INVALID_BODY", { body: wrong });
	});

	it("are ten at most, also when created in parallel; revoking one makes room", async () => {
		const operator = await registerWithTier("verified");
		const answers = await Promise.all(Array.from({ length: 14 }, () => operator.send("createOperatorToken")));
		expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(201), ...Array(4).fill(409)]);
		await operator.refused("createOperatorToken", "MAX_OPERATOR_TOKENS");
		const { tokens } = await operator.call("listOperatorTokens");
		expect(tokens).toHaveLength(10);
		await operator.call("revokeOperatorToken", { params: { id: tokens[0]?.id ?? "" } });
		await operator.call("createOperatorToken");
	});

	it("are ten at most for a human with several agents", async () => {
		const human = await signInHuman();
		const { api_key } = await human.call("createApiKey");
		const byKey = createClient({ key: api_key });
		for (let made = 0; made < 5; made += 1) await Promise.all([human.call("createOperatorToken"), byKey.call("createOperatorToken")]);
		await byKey.refused("createOperatorToken", "MAX_OPERATOR_TOKENS");
		expect((await human.call("listOperatorTokens")).tokens).toHaveLength(10);
	});

	it("belong to the agent that made them: only a session acts on all of a human's", async () => {
		const [human, claimed] = [await signInHuman(), await registerAgent()];
		await human.call("claimAgent", { body: { api_key: claimed.key } });
		const ownKey = createClient({ key: (await human.call("createApiKey")).api_key });
		const [bySession, byOwnKey, byClaimed] = [
			await human.call("createOperatorToken"),
			await ownKey.call("createOperatorToken"),
			await claimed.call("createOperatorToken"),
		];
		const idsOf = async (client: Client) => (await client.call("listOperatorTokens")).tokens.map(({ id }) => id);
		expect(await idsOf(human)).toEqual([byClaimed.id, byOwnKey.id, bySession.id]);
		expect(await idsOf(ownKey)).toEqual([byOwnKey.id, bySession.id]);
		expect(await idsOf(claimed)).toEqual([byClaimed.id]);
		for (const { id } of [bySession, byOwnKey]) await claimed.refused("revokeOperatorToken", "NOT_FOUND", { params: { id } });
		await ownKey.refused("revokeOperatorToken", "NOT_FOUND", { params: { id: byClaimed.id } });
		await claimed.call("revokeOperatorToken", { params: { id: byClaimed.id } });
		await human.call("revokeOperatorToken", { params: { id: byOwnKey.id } });
		expect(await idsOf(human)).toEqual([bySession.id]);
	});

	it("follow a tier that has just changed, up or down", async () => {
		const agent = await registerAgent();
		await agent.refused("createOperatorToken", "TIER_FORBIDDEN");
		await setTier(agent.agentId, "verified");
		expect(await agent.call("whoAmI")).toMatchObject({ tier: "verified" });
		await agent.call("createOperatorToken");
		await setTier(agent.agentId, "anonymous");
		await agent.refused("createOperatorToken", "TIER_FORBIDDEN");
	});

	it("are not made with a key that ends while the request is on its way", async () => {
		const agent = await registerWithTier("verified");
		const database = interceptD1(async (run, texts) => {
			if (texts.some((text) => text.includes("active_tokens"))) await revokeKeysElsewhere(agent.agentId);
			return run();
		});
		const app = createApp(() => testDeps({ db: countingDatabase(database) }));
		await createClient({ key: agent.key, fetch: app.fetch }).refused("createOperatorToken", "unauthorized");
	});

	it("are stored as a hash, and only their holder sees them", async () => {
		const { operator, tokenId, token } = await createFleet();
		const row = await readStoredToken(tokenId);
		expect(JSON.stringify(row)).not.toContain(token);
		const other = await registerWithTier("verified");
		expect(await other.call("listOperatorTokens")).toEqual({ tokens: [] });
		await other.refused("revokeOperatorToken", "NOT_FOUND", { params: { id: tokenId } });
		await operator.call("revokeOperatorToken", { params: { id: tokenId } });
		await operator.refused("revokeOperatorToken", "NOT_FOUND", { params: { id: tokenId } });
		expect(await operator.call("listOperatorTokens")).toEqual({ tokens: [] });
	});
});

describe("children", () => {
	it("have an identity of their own that names the token", async () => {
		const { tokenId, token } = await createFleet();
		const client = createClient({ key: token });
		const child = await client.call("mintChildKey", { body: { display_name: "Scout" } });
		expect(child).toMatchObject({ tier: "operator_child", operator_token_id: tokenId, display_name: "Scout", is_floor_qualified: true });
		expect(await createClient({ key: child.api_key }).call("whoAmI")).toMatchObject({
			agent_id: child.agent_id,
			name: "Scout",
			tier: "operator_child",
			operator_token_id: tokenId,
		});
		expect((await client.call("mintChildKey")).agent_id).not.toBe(child.agent_id);
		for (const display_name of ["", "x".repeat(61), 7]) await client.refused("mintChildKey", "INVALID_BODY", { body: { display_name } });
	});

	it("are minted only with a well-formed, known and active token", async () => {
		const { operator, tokenId, token } = await createFleet();
		const malformed = [null, operator.key, "svc_op_", `svc_op_${"0".repeat(31)}`, `svc_op_${"A".repeat(32)}`, `x${token}`, `${token}0`];
		for (const key of malformed) await createClient({ key }).refused("mintChildKey", "INVALID_OPERATOR_TOKEN_FORMAT");
		await createClient({ key: `svc_op_${"0".repeat(32)}` }).refused("mintChildKey", "UNAUTHORIZED");
		await operator.call("revokeOperatorToken", { params: { id: tokenId } });
		const before = await snapshotStorage();
		await createClient({ key: token }).refused("mintChildKey", "UNAUTHORIZED");
		expect(await snapshotStorage()).toEqual(before);
	});

	it("cannot escape the limits of their tier: their keys make keys of the same kind", async () => {
		const { tokenId, mint } = await createFleet();
		const child = await mint();
		const { api_key } = await child.call("createApiKey");
		const further = createClient({ key: api_key });
		expect(await further.call("whoAmI")).toMatchObject({ agent_id: child.agentId, tier: "operator_child", operator_token_id: tokenId });
		await further.refused("createOperatorToken", "TIER_FORBIDDEN");
	});

	it("stop with their token at once, with all their keys", async () => {
		const { operator, tokenId, mint } = await createFleet();
		const children = await Promise.all([mint(), mint()]);
		const { api_key } = await children[0].call("createApiKey");
		const keys: Client[] = [...children, createClient({ key: api_key })];
		await Promise.all(keys.map((client) => client.call("whoAmI")));
		await operator.call("revokeOperatorToken", { params: { id: tokenId } });
		for (const client of keys) await client.refused("whoAmI", "unauthorized");
		await operator.call("whoAmI");
	});

	it("are not minted by a token that is revoked in parallel", async () => {
		const { operator, tokenId, token } = await createFleet();
		const client = createClient({ key: token });
		const [, ...minted] = await Promise.all([
			operator.call("revokeOperatorToken", { params: { id: tokenId } }),
			...Array.from({ length: 5 }, () => client.send("mintChildKey")),
		]);
		for (const answer of minted) {
			const body = await answer.json<{ api_key?: string }>();
			if (body.api_key !== undefined) await createClient({ key: body.api_key }).refused("whoAmI", "unauthorized");
		}
	});

	it("update the token's last use about once an hour", async () => {
		const { operator, token } = await createFleet();
		const lastUse = async () => (await operator.call("listOperatorTokens")).tokens[0]?.last_used_at;
		const clock = manualClock();
		const app = createApp(() => testDeps({ clock }));
		const client = createClient({ key: token, fetch: (request) => app.fetch(request) });
		await client.call("mintChildKey");
		const first = await lastUse();
		clock.advance(59 * 60_000);
		await client.call("mintChildKey");
		expect(await lastUse()).toEqual(first);
		clock.advance(60_000);
		await client.call("mintChildKey");
		expect(await lastUse()).toBe(new Date(clock.now()).toISOString());
	});
});

describe("quotas", () => {
	it("refuse with 429 until the next month in UTC", async () => {
		const { operator, mint } = await createFleet({ monthly_quota_submissions: 2 });
		const child = await mint();
		const clock = manualClock(Date.UTC(2026, 10, 30, 23, 59, 0));
		const app = createApp(() => testDeps({ clock }));
		const at = (key: string) => createClient({ key, fetch: (request) => app.fetch(request) });
		const deadline = new Date(Date.UTC(2027, 0, 1)).toISOString();
		const taskId = await openTask(at((await registerAgent()).key), { deadline, max_submissions_per_agent: 25 });
		await submit(at(child.key), taskId);
		await submit(at(child.key), taskId);
		const refusal = await at(child.key).refused("quickSubmit", "OPERATOR_QUOTA_EXHAUSTED", submission(taskId));
		expect(refusal.code).toBe("QUOTA_EXHAUSTED");
		expect(refusal.headers.get("Retry-After")).toBe("60");
		await at(child.key).refused("createSubmission", "OPERATOR_QUOTA_EXHAUSTED", { params: { id: taskId } });
		clock.advance(60_000);
		await submit(at(child.key), taskId);
		expect((await at(operator.key).call("listOperatorTokens")).tokens[0]?.used_quota_submissions).toBe(1);
		expect((await at(child.key).call("listSubmissions", { query: { task_id: taskId } })).data).toHaveLength(3);
	});

	it("give a child its share, rounded down, but at least one submission", async () => {
		const taskId = await openTask(await registerAgent(), { max_submissions_per_agent: 25 });
		for (const [quota, pct, share] of [
			[10, 25, 2],
			[3, 34, 1],
			[2, 1, 1],
		] as const) {
			const { mint } = await createFleet({ monthly_quota_submissions: quota, child_quota_pct: pct });
			const child = await mint();
			for (let used = 0; used < share; used += 1) await submit(child, taskId);
			await child.refused("quickSubmit", "OPERATOR_QUOTA_EXHAUSTED", submission(taskId));
			await submit(await mint(), taskId);
		}
	});

	it("get back a submission that failed through a fault of the platform", async () => {
		const { tokenId, mint } = await createFleet({ monthly_quota_submissions: 1 });
		const taskId = await openTask(await registerAgent());
		const child = await mint();
		const world = createWorld({ judge: failingJudge(PLATFORM_FAULT) });
		const { id } = await world.submit(child, taskId);
		await world.waitOut(id);
		expect((await child.call("getSubmission", { params: { id } })).status).toBe("evaluation_failed");
		expect(await readOperatorUsage(tokenId)).toMatchObject({ used: 0 });
		await submit(child, taskId);
		await child.refused("quickSubmit", "OPERATOR_QUOTA_EXHAUSTED", submission(taskId));
	});

	it("are never exceeded by 100 parallel submissions of 20 children", async () => {
		const { operator, tokenId, mint } = await createFleet({ monthly_quota_submissions: 50, child_quota_pct: 6 });
		const taskId = await openTask(await registerAgent(), { max_submissions_per_agent: 25 });
		const children = await Promise.all(Array.from({ length: 20 }, () => mint()));
		const calls = Array.from({ length: 100 }, (_, index) => children[index % 20]?.send("quickSubmit", submission(taskId)));
		const answers = await Promise.all(calls);
		const statuses = answers.map((answer) => answer?.status);
		expect(new Set(statuses)).toEqual(new Set([201, 429]));
		expect(statuses.filter((status) => status === 201)).toHaveLength(50);
		expect((await operator.call("listOperatorTokens")).tokens[0]?.used_quota_submissions).toBe(50);
		expect(await readOperatorUsage(tokenId)).toMatchObject({ units: 50 });
		const made = await Promise.all(children.map(async (child) => (await child.call("listSubmissions")).data.length));
		expect(made.reduce((sum, own) => sum + own, 0)).toBe(50);
		expect(Math.max(...made)).toBeLessThanOrEqual(3);
	});
});

const submission = (taskId: string) => ({ params: { id: taskId }, body: { files: GOOD_FILES } });
