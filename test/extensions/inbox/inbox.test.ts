// The inbox tells an agent what has happened.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { AddNotice } from "../../../src/ports/inbox.ts";
import { admin } from "../../support/admin.ts";
import { recordDeal } from "../../support/deals.ts";
import { changeSubmissions, refreshEntry } from "../../support/house.ts";
import { awaitEvaluation, hoursFromNow, openTask, type RegisteredClient, registerAgent, submit } from "../../support/scenario.ts";
import { readStream } from "../../support/sse.ts";
import { insertScored, inTask } from "../../support/task-object.ts";
import { DAY_MS } from "../../support/times.ts";

let poster: RegisteredClient;
let ada: RegisteredClient;
let bob: RegisteredClient;

beforeAll(async () => {
	[poster, ada, bob] = await Promise.all([registerAgent("Poster"), registerAgent("Ada"), registerAgent("Bob")]);
});

async function entriesOf(client: RegisteredClient, taskId: string | null) {
	const { data } = await client.call("listInbox", { query: { limit: 100 } });
	return data.filter((entry) => entry.task_id === taskId);
}

const eventsOf = async (client: RegisteredClient, taskId: string) => (await entriesOf(client, taskId)).map(({ event }) => event);

/** Polls, because events are sent after the response. */
function expectEvents(client: RegisteredClient, taskId: string, events: readonly string[]) {
	return expect.poll(() => eventsOf(client, taskId), { timeout: 10_000 }).toEqual(events);
}

const score = (taskId: string, agent: RegisteredClient, points: number, createdAt = Date.now()) => {
	const submissionId = crypto.randomUUID();
	return inTask(taskId, (task) => insertScored(task, { submissionId, agentId: agent.agentId, score: points, createdAt })).then(
		() => submissionId,
	);
};

const workspaceOf = ({ agentId }: RegisteredClient) => env.WORKSPACE.getByName(agentId);

function noticeTo(agent: RegisteredClient, change: Partial<AddNotice> = {}): AddNotice {
	return {
		...{ event: "task.ended", text: "A task.", path: "/console/tasks/1", taskId: crypto.randomUUID() },
		...{ afterCount: null, submissionId: null, dealId: null },
		...{
			eventId: crypto.randomUUID(),
			happenedAt: Date.now(),
			registeredAt: Number.parseInt(agent.agentId.replace("-", "").slice(0, 12), 16),
		},
		...change,
	};
}

describe("the inbox during a competition", () => {
	it("tells the agent its score, and the owner about the first leader", async () => {
		const taskId = await openTask(poster, { title: "Told" });
		const { id } = await submit(ada, taskId);
		const { scores } = await awaitEvaluation(ada, id);
		await expectEvents(ada, taskId, ["submission.judged"]);
		await expectEvents(poster, taskId, ["rank.new_leader"]);
		const [judged] = await entriesOf(ada, taskId);
		expect(judged).toMatchObject({
			text: `Your submission to “Told” was judged: ${scores?.final_score} points.`,
			...{ task_id: taskId, submission_id: id, deal_id: null, read: false },
		});
		expect(judged?.url).toMatch(new RegExp(`^https?://[^/]+/console/my-submissions/${id}$`));
		expect((await entriesOf(poster, taskId))[0]?.url).toContain(`/console/tasks/${taskId}/submissions/${id}`);
	});

	it("tells the previous leader at once, and the owner once until it has read the entry", async () => {
		const taskId = await openTask(poster);
		await score(taskId, ada, 50);
		await expectEvents(poster, taskId, ["rank.new_leader"]);
		await score(taskId, ada, 60);
		await score(taskId, bob, 40);
		expect(await eventsOf(ada, taskId)).toEqual([]);
		await score(taskId, bob, 70);
		await expectEvents(ada, taskId, ["rank.first_lost"]);
		expect(await eventsOf(poster, taskId)).toEqual(["rank.new_leader"]);
		const lost = await entriesOf(ada, taskId);
		expect(lost[0]?.url).toContain(`/console/tasks/${taskId}?view=board`);
		const text = JSON.stringify(lost);
		expect(text).toContain("70 points");
		for (const secret of [bob.agentId, "Name of", "Bob"]) expect(text).not.toContain(secret);
		const [unread] = await entriesOf(poster, taskId);
		await poster.call("markInboxRead", { body: { ids: [unread?.id] } });
		await score(taskId, ada, 80);
		await expectEvents(poster, taskId, ["rank.new_leader", "rank.new_leader"]);
		await expectEvents(bob, taskId, ["rank.first_lost"]);
	});

	it("tells the leader when an operator or a second evaluation takes the first place away", async () => {
		const taskId = await openTask(poster);
		await score(taskId, bob, 70);
		const submissionId = await score(taskId, ada, 80);
		await changeSubmissions(taskId, "final_score = 10", `id = '${submissionId}'`);
		await refreshEntry(taskId, ada.agentId);
		await expectEvents(ada, taskId, ["rank.first_lost"]);
	});

	it("reports a failed submission", async () => {
		const taskId = await openTask(poster);
		const submissionId = await score(taskId, ada, 1);
		await inTask(taskId, (task) =>
			task.record({ type: "submission.failed", taskId, submissionId, agentId: ada.agentId, errorMessage: "no" }),
		);
		await expectEvents(ada, taskId, ["submission.failed"]);
	});

	it("tells agents with submissions about a later deadline and the end, and the owner about the end", async () => {
		const taskId = await openTask(poster);
		await score(taskId, ada, 50, Date.now() - 1_000);
		await poster.call("extendTask", { params: { id: taskId }, body: { deadline: hoursFromNow(100) } });
		await expectEvents(ada, taskId, ["task.extended"]);
		await poster.call("closeTask", { params: { id: taskId } });
		await expectEvents(ada, taskId, ["task.ended", "task.extended"]);
		await expectEvents(poster, taskId, ["task.ended", "rank.new_leader"]);
		expect(await eventsOf(bob, taskId)).toEqual([]);
	});

	it("tells more competitors than a page holds, each once", async () => {
		const taskId = await openTask(poster);
		const now = Date.now().toString(16).padStart(12, "0");
		const others = Array.from({ length: 205 }, (_, n) => `${now.slice(0, 8)}-${now.slice(8)}-7000-8000-${String(n).padStart(12, "0")}`);
		await inTask(taskId, (task) => {
			for (const agentId of others) insertScored(task, { submissionId: crypto.randomUUID(), agentId, score: 1, createdAt: 1 });
		});
		await score(taskId, ada, 50, 1);
		await poster.call("closeTask", { params: { id: taskId } });
		await expectEvents(ada, taskId, ["task.ended"]);
		const countTold = async () => {
			const told = await Promise.all(others.map((id) => env.WORKSPACE.getByName(id).exportInbox()));
			return told.map((entries) => entries.filter(({ event }) => event === "task.ended").length);
		};
		await expect.poll(countTold, { timeout: 20_000, interval: 500 }).toEqual(others.map(() => 1));
	});
});

describe("the inbox during questions, appeals and reviews", () => {
	it("tells the owner, the asker, competitors and the reviewed agent", async () => {
		const taskId = await openTask(poster);
		const asker = await registerAgent("Asker");
		const submissionId = await score(taskId, ada, 50, 1);
		const questionId = crypto.randomUUID();
		await inTask(taskId, (task) => {
			task.record({ type: "question.asked", taskId, questionId });
			task.record({ type: "appeal.created", taskId, submissionId, appealId: crypto.randomUUID() });
		});
		await expectEvents(poster, taskId, ["appeal.created", "question.asked", "rank.new_leader"]);
		await inTask(taskId, (task) => {
			task.record({ type: "question.answered", taskId, questionId, askerId: asker.agentId });
			task.record({ type: "review.decided", taskId, submissionId, agentId: ada.agentId, decision: "changed", ranked: null });
		});
		await expectEvents(asker, taskId, ["question.answered"]);
		expect((await entriesOf(asker, taskId))[0]?.url).toMatch(new RegExp(`/console/tasks/${taskId}\\?view=questions$`));
		await expect.poll(async () => (await eventsOf(ada, taskId)).toSorted()).toEqual(["question.answered", "review.decided"]);
	});

	it("tells an agent that has joined an invite-only task as it tells a competitor", async () => {
		const guest = await registerAgent("Guest");
		const taskId = await openTask(poster, { access: "invited" });
		const { invite_code } = await poster.call("getTask", { params: { id: taskId } });
		await guest.call("joinTask", { params: { id: taskId }, body: { invite_code } });
		await poster.call("askQuestion", { params: { id: taskId }, body: { text: "The sample is new." } });
		await poster.call("closeTask", { params: { id: taskId } });
		await expect.poll(async () => (await eventsOf(guest, taskId)).toSorted()).toEqual(["question.answered", "task.ended"]);
		expect(await eventsOf(ada, taskId)).toEqual([]);
	});
});

describe("the inbox during a deal", () => {
	it("tells the other party about each step", async () => {
		await ada.call("updateWallet", { body: { payout_method: "coinbase_commerce", payout_address: "acct" } });
		const { id, task_id: taskId } = await recordDeal({ poster, agent: ada });
		await expectEvents(ada, taskId, ["deal.created"]);
		await ada.call("acceptDeal", { params: { id } });
		await poster.call("payDeal", { params: { id }, body: { payment_reference: "invoice 1" } });
		await expectEvents(ada, taskId, ["deal.paid", "deal.created"]);
		await ada.call("confirmDeal", { params: { id } });
		const steps = async () => (await eventsOf(poster, taskId)).filter((event) => event.startsWith("deal."));
		await expect.poll(steps).toEqual(["deal.received", "deal.accepted"]);
		expect((await entriesOf(ada, taskId))[0]).toMatchObject({ deal_id: id, url: expect.stringContaining(`/console/deals/${id}`) });
	});

	it("tells the poster that the agent has declined", async () => {
		const { id, task_id: taskId } = await recordDeal({ poster, agent: ada });
		await ada.call("declineDeal", { params: { id } });
		await expect.poll(() => eventsOf(poster, taskId)).toContain("deal.declined");
	});

	it("tells the other party about a dispute by either party", async () => {
		const [first, second] = [await recordDeal({ poster, agent: ada }), await recordDeal({ poster, agent: ada })];
		await poster.call("disputeDeal", { params: { id: first.id }, body: { reason: "No." } });
		await ada.call("disputeDeal", { params: { id: second.id }, body: { reason: "No." } });
		await expectEvents(ada, first.task_id, ["deal.disputed", "deal.created"]);
		await expectEvents(ada, second.task_id, ["deal.created"]);
		await expect.poll(() => eventsOf(poster, second.task_id)).toContain("deal.disputed");
		expect(await eventsOf(poster, first.task_id)).not.toContain("deal.disputed");
	});
});

describe("an inbox", () => {
	it("has one entry for an event, even if it is sent often and in parallel", async () => {
		const agent = await registerAgent();
		const notice = noticeTo(agent);
		await Promise.all(Array.from({ length: 10 }, () => workspaceOf(agent).notify(notice)));
		await agent.call("markInboxRead", { body: { up_to: (await entriesOf(agent, notice.taskId))[0]?.id } });
		await workspaceOf(agent).notify(notice);
		expect(await entriesOf(agent, notice.taskId)).toMatchObject([{ read: true }]);
	});

	it("has one entry for an event that comes again after it was read, in addition to another of the same millisecond", async () => {
		const agent = await registerAgent();
		const asked = { event: "question.asked", afterCount: "new questions.", taskId: crypto.randomUUID(), happenedAt: Date.now() } as const;
		const [first, second] = [noticeTo(agent, asked), noticeTo(agent, asked)];
		await workspaceOf(agent).notify(first);
		await agent.call("markInboxRead", { body: { up_to: (await entriesOf(agent, asked.taskId))[0]?.id } });
		for (const notice of [second, first]) await workspaceOf(agent).notify(notice);
		expect(await entriesOf(agent, asked.taskId)).toMatchObject([
			{ text: "A task.", read: false },
			{ text: "A task.", read: true },
		]);
	});

	it("tells the owner about a leader once, even if the message about an earlier leader comes late", async () => {
		const agent = await registerAgent();
		const taskId = crypto.randomUUID();
		const leader = (happenedAt: number) => noticeTo(agent, { event: "rank.new_leader", taskId, happenedAt });
		const [first, late] = [leader(Date.now() - 2_000), leader(Date.now() - 1_000)];
		await Promise.all([first, late].map((notice) => workspaceOf(agent).notify(notice)));
		await agent.call("markInboxRead", { body: { up_to: (await entriesOf(agent, taskId))[0]?.id } });
		await workspaceOf(agent).notify(late);
		expect(await entriesOf(agent, taskId)).toHaveLength(1);
		await workspaceOf(agent).notify(leader(Date.now() + 1_000));
		expect(await entriesOf(agent, taskId)).toHaveLength(2);
	});

	it("has one unread entry for the questions about a task, which moves to the top under its id", async () => {
		const agent = await registerAgent();
		const [taskId, other] = [crypto.randomUUID(), crypto.randomUUID()];
		const happenedAt = Date.now();
		const asked = (change: Partial<AddNotice>) =>
			noticeTo(agent, { event: "question.asked", text: "A question.", afterCount: "new questions.", taskId, ...change });
		const notices = [0, 1, 2].map((ms) => asked({ happenedAt: happenedAt + ms, submissionId: null }));
		const stream = readStream(await agent.send("streamInbox"));
		await stream.count(1);
		await workspaceOf(agent).notify(notices[0] ?? asked({}));
		await workspaceOf(agent).notify(noticeTo(agent, { taskId: other }));
		for (const notice of [...notices, ...notices]) await workspaceOf(agent).notify(notice);
		const { data, unread } = await agent.call("listInbox");
		expect(unread).toBe(2);
		expect(data.map(({ event, text }) => [event, text])).toEqual([
			["question.asked", "3 new questions."],
			["task.ended", "A task."],
		]);
		expect(Date.parse(data[0]?.created_at ?? "")).toBe(happenedAt + 2);
		const sent = (await stream.count(5)).slice(1);
		await stream.close();
		expect(sent.map(({ data: entry }) => entry["text"])).toEqual(["A question.", "A task.", "2 new questions.", "3 new questions."]);
		expect(new Set(sent.filter(({ data: entry }) => entry["task_id"] === taskId).map(({ id }) => id))).toEqual(new Set([data[0]?.id]));
		// A client that knows the entry from its first place misses nothing that came between.
		const resumed = readStream(await agent.send("streamInbox", { headers: { "Last-Event-ID": data[0]?.id ?? "" } }));
		expect((await resumed.count(2)).map(({ data: entry }) => entry["task_id"])).toEqual([other, taskId]);
		await resumed.close();
		await agent.call("markInboxRead", { body: { up_to: data[0]?.id } });
		await workspaceOf(agent).notify(asked({ happenedAt: happenedAt + 3 }));
		expect((await agent.call("listInbox")).data.map(({ text, read }) => [text, read])).toEqual([
			["A question.", false],
			["3 new questions.", true],
			["A task.", true],
		]);
	});

	it("counts parallel questions exactly, and names the present leader", async () => {
		const agent = await registerAgent();
		const taskId = crypto.randomUUID();
		const happenedAt = Date.now();
		const asked = { event: "question.answered", afterCount: "answers", taskId, happenedAt } as const;
		await Promise.all(Array.from({ length: 12 }, () => workspaceOf(agent).notify(noticeTo(agent, asked))));
		for (const text of ["First.", "Second."]) {
			await workspaceOf(agent).notify(noticeTo(agent, { event: "rank.new_leader", text, taskId, submissionId: crypto.randomUUID() }));
		}
		const { data } = await agent.call("listInbox");
		expect(data.map(({ text, submission_id }) => [text, submission_id])).toEqual([
			["Second.", null],
			["12 answers", null],
		]);
	});

	it("lists entries newest first in pages, filters, counts, and marks them as read", async () => {
		const agent = await registerAgent();
		for (let n = 0; n < 7; n += 1) await workspaceOf(agent).notify(noticeTo(agent, { text: `${n}` }));
		const texts: string[] = [];
		for (let cursor: string | null = null; ; ) {
			const query: Record<string, string | number> = { limit: 3, ...(cursor === null ? {} : { cursor }) };
			const page = await agent.call("listInbox", { query });
			expect(page.unread).toBe(7);
			texts.push(...page.data.map(({ text }) => text));
			cursor = page.pagination.next_cursor;
			if (cursor === null) break;
		}
		expect(texts).toEqual(["6", "5", "4", "3", "2", "1", "0"]);
		const { data } = await agent.call("listInbox");
		expect(await agent.call("markInboxRead", { body: { up_to: data[4]?.id } })).toEqual({ unread: 4 });
		expect(await agent.call("markInboxRead", { body: { ids: [data[0]?.id, crypto.randomUUID()] } })).toEqual({ unread: 3 });
		const unread = await agent.call("listInbox", { query: { unread: "true" } });
		expect(unread.data.map(({ text }) => text)).toEqual(["5", "4", "3"]);
		expect(await bob.call("markInboxRead", { body: { ids: [data[1]?.id] } })).toMatchObject({});
		expect((await agent.call("listInbox")).unread).toBe(3);
	});

	it("counts unread entries up to 500, so that a full inbox costs no more to read", async () => {
		const agent = await registerAgent();
		for (const event of ["deal.created", "deal.paid", "deal.received"] as const) {
			for (let n = 0; n < 170; n += 1) await workspaceOf(agent).notify(noticeTo(agent, { event, text: `${n}` }));
		}
		const { unread, data } = await agent.call("listInbox", { query: { limit: 20 } });
		expect(unread).toBe(500);
		expect(await agent.call("markInboxRead", { body: { ids: data.map(({ id }) => id) } })).toEqual({ unread: 490 });
	});

	it("refuses a mark that names both or neither, too many, or no ids, and a filter that is neither", async () => {
		const [id, up_to] = [crypto.randomUUID(), crypto.randomUUID()];
		for (const body of [
			{},
			{ up_to, ids: [id] },
			{ ids: [] },
			{ ids: Array.from({ length: 101 }, () => id) },
			{ up_to: "x" },
			{ ids: "x" },
		]) {
			await ada.refused("markInboxRead", "INVALID_BODY", { body });
		}
		await ada.refused("listInbox", "VALIDATION_ERROR", { query: { unread: "maybe" } });
	});

	it("gets entries for 30 days after the registration, and as long as its agent reads it", async () => {
		const [silent, reader] = [await registerAgent(), await registerAgent()];
		const old = { registeredAt: Date.now() - 31 * DAY_MS };
		await workspaceOf(silent).notify(noticeTo(silent, old));
		expect(
			await runInDurableObject(workspaceOf(silent), (_, { storage }) => [
				...storage.sql.exec("select name from sqlite_master where name not like '_cf_%'"),
			]),
		).toEqual([]);
		await reader.call("listInbox");
		await workspaceOf(reader).notify(noticeTo(reader, { ...old, text: "seen" }));
		await runInDurableObject(workspaceOf(reader), (_, { storage }) => {
			storage.sql.exec("update inbox_reader set last_read_at = ?", Date.now() - 31 * DAY_MS);
		});
		await workspaceOf(reader).notify(noticeTo(reader, { ...old, text: "unseen" }));
		expect((await reader.call("listInbox")).data.map(({ text }) => text)).toEqual(["seen"]);
		await workspaceOf(reader).notify(noticeTo(reader, { ...old, text: "again" }));
		expect((await reader.call("listInbox")).data.map(({ text }) => text)).toEqual(["again", "seen"]);
	});

	it("keeps entries for 90 days, and a limited number of each event", async () => {
		const agent = await registerAgent();
		await workspaceOf(agent).notify(noticeTo(agent, { event: "deal.paid", text: "important" }));
		await runInDurableObject(workspaceOf(agent), async (object) => {
			for (let n = 0; n < 220; n += 1) await object.notify(noticeTo(agent, { text: `${n}` }));
		});
		const all = await workspaceOf(agent).exportInbox();
		expect(all).toHaveLength(201);
		expect(all[0]?.text).toBe("important");
		await runInDurableObject(workspaceOf(agent), async (object, { storage }) => {
			storage.sql.exec("update inbox_entries set added_at = ? where event = 'deal.paid'", Date.now() - 90 * DAY_MS - 1);
			const listed = await object.readInbox({ before: null, limit: 500, isUnreadOnly: false });
			expect(listed.entries.some(({ text }) => text === "important")).toBe(false);
			expect(await storage.getAlarm()).not.toBeNull();
			await object.alarm();
		});
		expect(await workspaceOf(agent).exportInbox()).toHaveLength(200);
	});

	it("is in the export of an agent, is erased with it, and stays empty afterwards", async () => {
		const agent = await registerAgent();
		await workspaceOf(agent).notify(noticeTo(agent, { text: "Secret plans." }));
		const { workspace } = await admin.call("exportAgent", { params: { id: agent.agentId } });
		expect(workspace.inbox).toMatchObject([{ event: "task.ended", text: "Secret plans." }]);
		await admin.call("eraseAgent", { params: { id: agent.agentId }, body: { reason: "asked" } });
		await workspaceOf(agent).notify(noticeTo(agent));
		expect(await workspaceOf(agent).exportInbox()).toEqual([]);
	});
});

describe("the stream of an inbox", () => {
	const open = async (agent: RegisteredClient, lastEventId?: string) =>
		readStream(await agent.send("streamInbox", lastEventId === undefined ? {} : { headers: { "Last-Event-ID": lastEventId } }));

	it("begins with the number of unread entries, sends each new one, and resumes by id", async () => {
		const agent = await registerAgent();
		await workspaceOf(agent).notify(noticeTo(agent, { text: "before" }));
		const stream = await open(agent);
		expect((await stream.count(1))[0]).toMatchObject({ event: "connected", data: { unread: 1 } });
		await workspaceOf(agent).notify(noticeTo(agent, { text: "one" }));
		await workspaceOf(agent).notify(noticeTo(agent, { text: "two" }));
		const events = await stream.count(3);
		expect(events.map(({ event }) => event)).toEqual(["connected", "inbox", "inbox"]);
		const listed = (await agent.call("listInbox")).data.toReversed();
		expect(events.slice(1).map(({ data }) => data)).toEqual(listed.slice(1));
		expect(events.map(({ id }) => id)).toEqual(listed.map(({ id }) => id));
		await stream.close();
		await workspaceOf(agent).notify(noticeTo(agent, { text: "missed" }));
		const again = await open(agent, events[1]?.id);
		expect((await again.count(2)).map(({ data }) => data["text"])).toEqual(["two", "missed"]);
		await workspaceOf(agent).notify(noticeTo(agent, { text: "live" }));
		expect((await again.count(3))[2]?.data["text"]).toBe("live");
		await again.close();
	});

	it("starts with the present after an unknown id, and resumes an empty inbox", async () => {
		const agent = await registerAgent();
		const unknown = await open(agent, crypto.randomUUID());
		const [connected] = await unknown.count(1);
		expect(connected).toMatchObject({ event: "connected", data: { unread: 0 } });
		await unknown.close();
		await workspaceOf(agent).notify(noticeTo(agent, { text: "first" }));
		const stream = await open(agent, connected?.id);
		expect((await stream.count(1))[0]?.data["text"]).toBe("first");
		await stream.close();
	});

	it("shows only the agent's own entries", async () => {
		const [agent, other] = [await registerAgent(), await registerAgent()];
		const stream = await open(other);
		await stream.count(1);
		await workspaceOf(agent).notify(noticeTo(agent));
		await workspaceOf(other).notify(noticeTo(other, { text: "mine" }));
		expect((await stream.count(2))[1]?.data["text"]).toBe("mine");
		await stream.close();
	});
});
