import { describe, expect, it } from "vitest";
import { admin } from "../../support/admin.ts";
import { createApp } from "../../support/app.ts";
import { type Client, createClient } from "../../support/client.ts";
import { testDeps } from "../../support/deps.ts";
import { suspendElsewhere } from "../../support/directory.ts";
import { changeTask } from "../../support/house.ts";
import { createFleet, signInHuman } from "../../support/identities.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { send } from "../../support/mcp.ts";
import { awaitEvaluation, createDraft, GOOD_FILES, openTask, registerAgent, submit } from "../../support/scenario.ts";
import { countInTask } from "../../support/task-object.ts";
import { emit, holdPlatform, subscribe } from "../../support/webhooks.ts";

const anyone = createClient();
const because = { body: { reason: "It breaks the rules." } };
/** An operator's act takes effect within 10 seconds. */
const LATER = { timeout: 10_000, interval: 500 };
const at = (id: string) => ({ params: { id } });
const act = (id: string) => ({ ...at(id), ...because });

describe("a suspended agent", () => {
	it("is rejected with every key, and its tasks are hidden, until it is restored", async () => {
		const poster = await registerAgent("Poster of spam");
		const second = createClient({ key: (await poster.call("createApiKey")).api_key });
		const taskId = await openTask(poster, { category: "spamming" });
		expect(await admin.call("suspendAgent", act(poster.agentId))).toMatchObject({ id: poster.agentId, hidden_tasks: 1 });
		for (const client of [poster, second]) {
			const { message } = await client.refused("whoAmI", "FORBIDDEN");
			expect(message).toContain("suspended");
			await client.refused("createApiKey", "FORBIDDEN");
		}
		await anyone.refused("getPublicTask", "NOT_FOUND", at(taskId));
		await admin.call("restoreAgent", act(poster.agentId));
		await poster.call("whoAmI");
		expect(await anyone.call("getPublicTask", at(taskId))).toMatchObject({ id: taskId });
	});

	it("disappears within 10 seconds from all that another isolate remembers: keys, MCP, pages, the feed", async () => {
		const category = `fading-${crypto.randomUUID().slice(0, 8)}`;
		const poster = await registerAgent();
		const taskId = await openTask(poster, { category });
		const clock = manualClock();
		const fetch = (request: Request) => createApp(() => testDeps({ clock })).fetch(request);
		const [owner, visitor] = [createClient({ key: poster.key, fetch }), createClient({ fetch })];
		const reads = (["getTaskPage", "getPublicTask", "getPublicLeaderboard"] as const).map(
			(operation) => () => visitor.send(operation, at(taskId)),
		);
		const lists = (["getTasksPage", "listPublicTasks", "getRssFeed"] as const).map(
			(operation) => () => visitor.send(operation, { query: { category } }),
		);
		const mcp = () => send("tools/call", { name: "read_task", arguments: { task_id: taskId } }, { key: poster.key, fetch });
		const shows = async (read: () => Promise<Response>) => {
			const response = await read();
			return response.ok && (await response.text()).includes(taskId);
		};
		const everything = async () => ({
			keys: [(await owner.send("whoAmI")).ok, await shows(() => owner.send("getTask", at(taskId))), await shows(mcp)],
			pages: await Promise.all(reads.map(async (read) => (await read()).ok)),
			lists: await Promise.all([...lists, () => visitor.send("getSitemap")].map(shows)),
		});
		expect(await everything()).toEqual({ keys: [true, true, true], pages: Array(3).fill(true), lists: Array(4).fill(true) });
		// A suspension in another isolate changes these rows, but this isolate does not notice.
		await suspendElsewhere(poster.agentId);
		await changeTask(taskId, { hidden: true });
		clock.advance(10_000);
		expect(await everything()).toEqual({ keys: [false, false, false], pages: Array(3).fill(false), lists: Array(4).fill(false) });
		await owner.refused("whoAmI", "FORBIDDEN");
	});

	it("loses its operator tokens, its fleet and its session", async () => {
		const fleet = await createFleet();
		const child = await fleet.mint();
		const childTask = await openTask(child);
		const operator = createClient({ key: fleet.token });
		const { agent_id: makerId } = await fleet.operator.call("whoAmI");
		await admin.call("suspendAgent", act(makerId));
		await operator.refused("mintChildKey", "FORBIDDEN");
		await expect.poll(async () => (await child.send("whoAmI")).status, LATER).toBe(403);
		await anyone.refused("getPublicTask", "NOT_FOUND", at(childTask));
		const human = await signInHuman();
		await admin.call("suspendAgent", act(human.agentId));
		await human.refused("whoAmI", "FORBIDDEN");
	});

	it("hides a task that is published while its key is still remembered", async () => {
		const poster = await registerAgent();
		const { id } = await createDraft(poster);
		await poster.call("whoAmI");
		await suspendElsewhere(poster.agentId);
		await poster.send("publishTask", at(id));
		await anyone.refused("getPublicTask", "NOT_FOUND", at(id));
	});

	it("gets no more webhooks", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const taskId = await openTask(poster);
		const platform = holdPlatform();
		const { id: webhookId } = await subscribe(poster, platform.url, { events: ["submission.created"] });
		const ids = { taskId, submissionId: (await submit(agent, taskId)).id, agentId: agent.agentId };
		const tell = () => emit(platform.deps, { type: "submission.created", ...ids, status: "running" });
		platform.receiver.answer = () => new Response(null, { status: 500 });
		await tell();
		await platform.work();
		expect(platform.receiver.calls).toHaveLength(1);
		await admin.call("suspendAgent", act(poster.agentId));
		platform.clock.advance(30_000);
		// The task is hidden, so no agent submits. An earlier event is sent late.
		await tell();
		await platform.work();
		expect(platform.receiver.calls).toHaveLength(1);
		const log = await platform.senders.hubs.callSender(webhookId, (sender) => sender.listDeliveries({ before: null, limit: 10 }));
		expect(log.filter(({ status }) => status === "pending")).toEqual([]);
	});

	it("leaves nothing open when it submits in parallel", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const taskId = await openTask(poster);
		const [, ...answers] = await Promise.all([
			admin.call("suspendAgent", act(agent.agentId)),
			...Array.from({ length: 5 }, () => agent.send("quickSubmit", { ...at(taskId), body: { files: GOOD_FILES } })),
		]);
		for (const { status } of answers) expect([201, 202, 200, 403]).toContain(status);
		await agent.refused("quickSubmit", "FORBIDDEN", { ...at(taskId), body: { files: GOOD_FILES } });
	});

	it("accepts no submission to its tasks after the suspension, also in parallel", async () => {
		const [poster, ...agents] = await Promise.all(Array.from({ length: 7 }, () => registerAgent()));
		if (poster === undefined) throw new Error("No poster.");
		const taskId = await openTask(poster);
		await expectNothingAfter(taskId, agents, () => admin.call("suspendAgent", act(poster.agentId)));
		expect(await admin.call("restoreAgent", act(poster.agentId))).toMatchObject({ suspended_at: null });
		const [agent] = agents;
		expect((await agent?.send("quickSubmit", { ...at(taskId), body: { files: GOOD_FILES } }))?.status).toBe(201);
	});
});

async function isListed(taskId: string, category: string, title: string): Promise<boolean[]> {
	const has = (list: readonly { id: string }[]) => list.some(({ id }) => id === taskId);
	const reader = await registerAgent();
	const feed = await (await anyone.send("getRssFeed", { query: { category } })).text();
	return [
		has((await anyone.call("listPublicTasks", { query: { category } })).data),
		has((await reader.call("listTasks", { query: { category } })).data),
		has((await reader.call("searchTasks", { query: { query: title } })).data),
		feed.includes(taskId),
	];
}

describe("a task that is taken down", () => {
	it("leaves every list and page; its owner reads why, and competitors keep their submissions", async () => {
		const [poster, competitor, stranger] = [await registerAgent(), await registerAgent(), await registerAgent()];
		const [category, title] = [`hidden-${crypto.randomUUID().slice(0, 8)}`, `Zanzibarium ${crypto.randomUUID().slice(0, 8)}`];
		const taskId = await openTask(poster, { category, title });
		const { id: submissionId } = await submit(competitor, taskId);
		expect(await isListed(taskId, category, title)).toEqual([true, true, true, true]);
		const { hidden } = await admin.call("takeDownTask", act(taskId));
		expect(hidden).toBe(true);

		await expect.poll(() => isListed(taskId, category, title), LATER).toEqual([false, false, false, false]);
		for (const read of ["getPublicTask", "getPublicLeaderboard"] as const) expect((await anyone.send(read, at(taskId))).status).toBe(404);
		for (const read of ["getTask", "getLeaderboard", "listAttachments", "streamTask"] as const)
			expect((await stranger.send(read, at(taskId))).status).toBe(404);
		await stranger.refused("quickSubmit", "NOT_FOUND", { ...at(taskId), body: { files: GOOD_FILES } });

		const { warnings } = await poster.call("getTask", at(taskId));
		expect(warnings).toContainEqual({ code: "TAKEN_DOWN", message: expect.stringContaining("It breaks the rules.") });
		expect((await competitor.call("getTask", at(taskId))).id).toBe(taskId);
		await competitor.call("getLeaderboard", at(taskId));
		await competitor.call("getSubmissionDetails", at(submissionId));
		expect((await competitor.call("listSubmissions")).data.map(({ id }) => id)).toEqual([submissionId]);
		expect((await awaitEvaluation(competitor, submissionId)).status).toBe("completed");

		await admin.call("restoreTask", act(taskId));
		await expect.poll(() => isListed(taskId, category, title), LATER).toEqual([true, true, true, true]);
		expect((await poster.call("getTask", at(taskId))).warnings?.map(({ code }) => code)).not.toContain("TAKEN_DOWN");
		await stranger.call("getTask", at(taskId));
	});

	it("refuses submissions, completions and re-evaluations", async () => {
		const [poster, competitor] = [await registerAgent(), await registerAgent()];
		const taskId = await openTask(poster);
		const { id: submissionId } = await submit(competitor, taskId);
		await awaitEvaluation(competitor, submissionId);
		const { id: registeredId } = await competitor.call("createSubmission", at(taskId));
		expect(await competitor.call("getSubmission", at(registeredId))).toHaveProperty("resume");
		await admin.call("takeDownTask", act(taskId));
		expect(await competitor.call("getSubmission", at(registeredId))).not.toHaveProperty("resume");
		await competitor.refused("quickSubmit", "TASK_NOT_OPEN", { ...at(taskId), body: { files: GOOD_FILES } });
		await competitor.refused("createSubmission", "TASK_NOT_OPEN", at(taskId));
		await competitor.refused("completeSubmission", "TASK_CLOSED", at(registeredId));
		await competitor.refused("requestReEvaluation", "TASK_CLOSED", at(submissionId));
		expect(await poster.call("closeTask", at(taskId))).toMatchObject({ status: "closed" });
	});

	it("accepts no submission after the take-down, also in parallel", async () => {
		const [poster, ...agents] = await Promise.all(Array.from({ length: 7 }, () => registerAgent()));
		if (poster === undefined) throw new Error("No poster.");
		const taskId = await openTask(poster);
		await expectNothingAfter(taskId, agents, () => admin.call("takeDownTask", act(taskId)));
	});

	it("is missing from the webhooks of its category", async () => {
		const [poster, competitor, follower] = [await registerAgent(), await registerAgent(), await registerAgent()];
		const category = `quiet-${crypto.randomUUID().slice(0, 8)}`;
		const taskId = await openTask(poster, { category });
		await submit(competitor, taskId);
		const platform = holdPlatform();
		const follow = { events: ["task.closed"], categories: [category] };
		for (const [name, agent] of Object.entries({ poster, competitor, follower })) await subscribe(agent, `${platform.url}?${name}`, follow);
		const told = () => platform.receiver.calls.splice(0).map(({ url }) => url.slice(platform.url.length + 1));
		platform.receiver.answer = () => new Response(null, { status: 500 });
		await emit(platform.deps, { type: "task.closed", taskId });
		await platform.work();
		expect(told().toSorted()).toEqual(["competitor", "follower", "poster"]);
		await admin.call("takeDownTask", act(taskId));
		platform.receiver.answer = () => new Response();
		// These events were not delivered before, or happen later.
		platform.clock.advance(30_000);
		await platform.work();
		expect(told().toSorted()).toEqual(["competitor", "poster"]);
		await emit(platform.deps, { type: "task.closed", taskId });
		platform.clock.advance(86_400_000);
		await platform.work();
		expect(told().toSorted()).toEqual(["competitor", "poster"]);
	});

	it("ends only the streams of those who may not see it any more", async () => {
		const [poster, stranger] = [await registerAgent(), await registerAgent()];
		const taskId = await openTask(poster);
		const response = await stranger.send("streamTask", at(taskId));
		await admin.call("takeDownTask", act(taskId));
		const text = await response.text();
		expect(text).toContain("NOT_FOUND");
	});
});

/** Submits several times while an operator acts. A submission that is not there when the act is done must never appear. */
async function expectNothingAfter(taskId: string, agents: readonly Client[], act: () => Promise<unknown>): Promise<void> {
	const submissions = agents.map(async (agent, index) => {
		await new Promise((resolve) => setTimeout(resolve, index * 15));
		return agent.send("quickSubmit", { ...at(taskId), body: { files: GOOD_FILES } });
	});
	await Promise.race(submissions);
	await act();
	const before = await countSubmissions(taskId);
	const statuses = (await Promise.all(submissions)).map(({ status }) => status);
	for (const status of statuses) expect([201, 404]).toContain(status);
	expect(await countSubmissions(taskId)).toBe(before);
	expect(statuses.filter((status) => status === 201)).toHaveLength(before);
	expect(before).toBeGreaterThan(0);
}

async function countSubmissions(taskId: string): Promise<number> {
	return countInTask(taskId, "select count(*) from submissions");
}

async function rankOf(agent: Client, taskId: string) {
	return (await agent.call("getLeaderboard", at(taskId))).me;
}

describe("a submission that is voided", () => {
	it("returns its slot and leaves the leaderboard to the next best; its evaluations stay", async () => {
		const [poster, agent, rival] = [await registerAgent(), await registerAgent(), await registerAgent()];
		const taskId = await openTask(poster, { max_submissions_per_agent: 2 });
		const good = await submit(agent, taskId);
		const poor = await submit(agent, taskId, { "SUBMISSION.md": "# What I Built\nnothing\n" });
		const other = await submit(rival, taskId, { "SUBMISSION.md": "# What I Built\nparser quotes\n" });
		for (const [who, { id }] of [
			[agent, good],
			[agent, poor],
			[rival, other],
		] as const)
			await awaitEvaluation(who, id);
		await agent.refused("quickSubmit", "QUOTA_EXHAUSTED", { ...at(taskId), body: { files: GOOD_FILES } });
		const { evaluated_submissions: counted } = await readCounts(agent);

		const { voided } = await admin.call("voidSubmission", act(good.id));
		expect(voided.reason).toBe("It breaks the rules.");
		const shown = await agent.call("getSubmission", at(good.id));
		expect(shown.voided).toEqual(voided);
		expect(shown.quota).toMatchObject({ used: 1, remaining: 1 });
		expect((await agent.call("getSubmissionDetails", at(good.id))).voided).toEqual(voided);
		expect((await agent.call("listEvaluations", at(good.id))).data).toHaveLength(1);
		expect((await rankOf(agent, taskId))?.submissionId).toBe(poor.id);
		expect(await readCounts(agent)).toMatchObject({ evaluated_submissions: counted - 1 });
		await admin.refused("voidSubmission", "CONFLICT", act(good.id));

		await admin.call("voidSubmission", act(poor.id));
		expect(await rankOf(agent, taskId)).toBeNull();
		expect((await rankOf(rival, taskId))?.rank).toBe(1);
		await submit(agent, taskId);
	});

	it("passes the win on if the task is closed", async () => {
		const [poster, agent, rival] = [await registerAgent(), await registerAgent(), await registerAgent()];
		const taskId = await openTask(poster);
		const best = await submit(agent, taskId);
		const second = await submit(rival, taskId, { "SUBMISSION.md": "# What I Built\nparser quotes\n" });
		await awaitEvaluation(agent, best.id);
		await awaitEvaluation(rival, second.id);
		await poster.call("closeTask", at(taskId));
		expect((await readCounts(agent)).wins).toBe(1);
		await admin.call("voidSubmission", act(best.id));
		expect([(await readCounts(agent)).wins, (await readCounts(rival)).wins]).toEqual([0, 1]);
		await admin.call("voidSubmission", act(second.id));
		expect((await readCounts(rival)).wins).toBe(0);
	});

	it("returns one slot if it is voided twice in parallel", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const taskId = await openTask(poster);
		const [first] = [await submit(agent, taskId), await submit(agent, taskId)];
		const answers = await Promise.all(Array.from({ length: 4 }, () => admin.send("voidSubmission", act(first.id))));
		expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
		expect((await agent.call("getSubmission", at(first.id))).quota.used).toBe(1);
		const { data } = await admin.call("listAuditEntries", { query: { limit: 100 } });
		expect(data.filter(({ target }) => target === first.id)).toHaveLength(1);
	});
});

async function readCounts(agent: Client) {
	return (await agent.call("getProfile")).reputation;
}

describe("judging again", () => {
	it("ignores the cooldown and the task's state, and refuses a running submission", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const taskId = await openTask(poster);
		const { id } = await submit(agent, taskId);
		await awaitEvaluation(agent, id);
		await agent.call("requestReEvaluation", at(id));
		await awaitEvaluation(agent, id);
		await agent.refused("requestReEvaluation", "RE_EVAL_COOLDOWN", at(id));
		await poster.call("closeTask", at(taskId));
		expect(await admin.call("reEvaluateSubmission", act(id))).toMatchObject({ id, iteration: 3 });
		await awaitEvaluation(agent, id);
		expect((await agent.call("listEvaluations", at(id))).data).toHaveLength(3);
		const { id: registered } = await agent.call("createSubmission", at(await openTask(poster)));
		await admin.refused("reEvaluateSubmission", "WRONG_STATUS", act(registered));
	});
});

describe("the audit log", () => {
	it("has each act with ids, newest first, page by page, and no names", async () => {
		const agent = await registerAgent("Nameable Agent");
		await admin.call("suspendAgent", { ...at(agent.agentId), body: { reason: "Number one." } });
		await admin.call("restoreAgent", { ...at(agent.agentId), body: { reason: "Number two." } });
		const { data, pagination } = await admin.call("listAuditEntries", { query: { limit: 1 } });
		expect(data).toMatchObject([{ action: "agent.restore", target: agent.agentId, reason: "Number two.", after: { suspended_at: null } }]);
		const next = await admin.call("listAuditEntries", { query: { limit: 1, cursor: pagination.next_cursor ?? "" } });
		expect(next.data).toMatchObject([{ action: "agent.suspend", reason: "Number one.", before: { suspended_at: null } }]);
		expect(next.data[0]?.after).toEqual(data[0]?.before);
		expect(JSON.stringify([data, next.data])).not.toContain("Nameable");
		expect(data[0]?.actor).toMatch(/^admin:[0-9a-f]{12}$/);
	});

	it("demands a reason of 1 to 500 characters", async () => {
		const agent = await registerAgent();
		const { agentId } = agent;
		for (const body of [{}, { reason: "" }, { reason: "x".repeat(501) }])
			await admin.refused("suspendAgent", "INVALID_BODY", { ...at(agentId), body });
		await agent.call("whoAmI");
	});
});

describe("reports", () => {
	it("are about exactly one task or submission that the reporter can see", async () => {
		const [poster, agent, reporter] = [await registerAgent(), await registerAgent("Copier"), await registerAgent("Witness")];
		const taskId = await openTask(poster);
		const { id: submissionId } = await submit(agent, taskId);
		const report = (body: object) => ({ body: { reason: "Stolen work.", ...body } });
		expect(await reporter.call("createReport", report({ task_id: taskId }))).toMatchObject({ task_id: taskId, submission_id: null });
		await reporter.call("createReport", report({ submission_id: submissionId }));
		for (const body of [{}, { task_id: taskId, submission_id: submissionId }, { task_id: taskId, reason: "" }]) {
			await reporter.refused("createReport", "INVALID_BODY", report(body));
		}
		const { id: draftId } = await createDraft(poster);
		await reporter.refused("createReport", "NOT_FOUND", report({ task_id: draftId }));
		const { id: dryRunId } = await poster.call("startDryRun", { ...at(draftId), body: { files: GOOD_FILES } });
		await poster.refused("createReport", "NOT_FOUND", report({ submission_id: dryRunId }));
		await anyone.refused("createReport", "unauthorized", report({ task_id: taskId }));
		const { data } = await admin.call("listReports", { query: { limit: 2 } });
		const [latest] = (await admin.call("listAuditEntries", { query: { limit: 1 } })).data;
		expect(latest).toMatchObject({ action: "reports.read", target: "reports" });
		expect(data).toMatchObject([
			{ submission_id: submissionId, submitted_by: { id: agent.agentId, name: "Copier" } },
			{ task_id: taskId, reporter_id: reporter.agentId, reporter_name: "Witness", submitted_by: null, resolved_at: null },
		]);
	});

	it("are resolved with a reason by one of several operators, and then leave the open ones", async () => {
		const [poster, reporter] = [await registerAgent(), await registerAgent()];
		const { id } = await reporter.call("createReport", { body: { task_id: await openTask(poster), reason: "Spam." } });
		const before = (await admin.call("getMetrics", {})).open_reports;
		const because = { ...at(id), body: { reason: "The task is harmless." } };
		const statuses = await Promise.all(Array.from({ length: 5 }, async () => (await admin.send("resolveReport", because)).status));
		expect(statuses.toSorted()).toEqual([200, 409, 409, 409, 409]);
		await admin.refused("resolveReport", "CONFLICT", because);
		await admin.refused("resolveReport", "NOT_FOUND", { ...because, ...at(poster.agentId) });
		expect(await admin.call("getMetrics", {})).toMatchObject({ open_reports: before - 1 });
		const open = await admin.call("listReports", { query: { limit: 100 } });
		expect(open.data.map((report) => report.id)).not.toContain(id);
		const { data } = await admin.call("listReports", { query: { status: "resolved", limit: 1 } });
		expect(data).toMatchObject([{ id, resolution: "The task is harmless.", resolved_at: expect.any(String) }]);
		await admin.refused("listReports", "VALIDATION_ERROR", { query: { status: "closed" } });
	});
});
