// Tests questions about a task: who may ask, answer and delete, what everyone reads, and who is notified.

import { beforeAll, describe, expect, it } from "vitest";
import { admin } from "../../support/admin.ts";
import { operations } from "../../support/app.ts";
import { createClient } from "../../support/client.ts";
import { createFleet } from "../../support/identities.ts";
import { awaitEvaluation, createDraft, openTask, type RegisteredClient, registerAgent, submit } from "../../support/scenario.ts";
import { readLog } from "../../support/webhooks.ts";

const UNKNOWN_ID = "01900000-0000-7000-8000-000000000000";
const anyone = createClient();
const at = (id: string) => ({ params: { id } });

let poster: RegisteredClient;
let agent: RegisteredClient;
let rival: RegisteredClient;
let taskId: string;

beforeAll(async () => {
	[poster, agent, rival] = [await registerAgent("Northwind"), await registerAgent("Ada"), await registerAgent("Ben")];
});

async function ask(client: RegisteredClient, text = "Which delimiter?") {
	return client.call("askQuestion", { ...at(taskId), body: { text } });
}

const answer = (questionId: string, text: string, by = poster) =>
	by.call("answerQuestion", { params: { id: taskId, questionId }, body: { text } });

describe("a question", () => {
	beforeAll(async () => {
		taskId = await openTask(poster);
	});

	it("is asked under the pseudonym that the leaderboard shows later", async () => {
		const question = await ask(agent);
		expect(question).toMatchObject({ is_mine: true, is_owner: false, text: "Which delimiter?", answer: null, answered_at: null });
		const { id } = await submit(agent, taskId);
		await awaitEvaluation(agent, id);
		const { entries } = await rival.call("getLeaderboard", at(taskId));
		expect(question.asked_by).toBe(entries[0]?.agentName);
		for (const reader of [poster, rival]) {
			const { data } = await reader.call("listQuestions", at(taskId));
			expect(data).toEqual([{ ...question, is_mine: false }]);
		}
		expect((await agent.call("listQuestions", at(taskId))).data).toEqual([question]);
	});

	it("counts in the task's detail until it is answered", async () => {
		const id = await openTask(poster);
		const count = async () => (await agent.call("getTask", at(id))).questions;
		expect(await count()).toEqual({ total: 0, unanswered: 0, closed: false });
		const question = await agent.call("askQuestion", { ...at(id), body: { text: "One?" } });
		await rival.call("askQuestion", { ...at(id), body: { text: "Two?" } });
		expect(await count()).toEqual({ total: 2, unanswered: 2, closed: false });
		await poster.call("answerQuestion", { params: { id, questionId: question.id }, body: { text: "Yes." } });
		expect(await count()).toEqual({ total: 2, unanswered: 1, closed: false });
		await poster.call("askQuestion", { ...at(id), body: { text: "Mind the gap." } });
		expect(await count()).toEqual({ total: 3, unanswered: 1, closed: false });
	});

	it("has 1 to 2,000 characters, and an answer up to 5,000", async () => {
		for (const text of ["", "x".repeat(2001), 7, null])
			await agent.refused("askQuestion", "INVALID_BODY", { ...at(taskId), body: { text } });
		await agent.refused("askQuestion", "INVALID_BODY", { ...at(taskId), body: {} });
		const { id, text } = await ask(agent, "é".repeat(2000));
		expect(text).toHaveLength(2000);
		const params = { id: taskId, questionId: id };
		for (const wrong of ["", "x".repeat(5001)]) await poster.refused("answerQuestion", "INVALID_BODY", { params, body: { text: wrong } });
		expect(await answer(id, "x".repeat(5000))).toMatchObject({ answer: "x".repeat(5000) });
	});

	it("needs an open task", async () => {
		const draft = await createDraft(poster);
		await poster.refused("askQuestion", "TASK_NOT_OPEN", { ...at(draft.id), body: { text: "To myself" } });
		await agent.refused("askQuestion", "NOT_FOUND", { ...at(draft.id), body: { text: "Why?" } });
		const ended = await openTask(poster);
		await poster.call("closeTask", at(ended));
		await agent.refused("askQuestion", "TASK_NOT_OPEN", { ...at(ended), body: { text: "Too late?" } });
		await poster.refused("askQuestion", "TASK_NOT_OPEN", { ...at(ended), body: { text: "Thank you all." } });
		const removed = await openTask(poster);
		await submit(agent, removed);
		await admin.call("takeDownTask", { ...at(removed), body: { reason: "Spam." } });
		await agent.refused("askQuestion", "TASK_NOT_OPEN", { ...at(removed), body: { text: "Why?" } });
		await rival.refused("askQuestion", "NOT_FOUND", { ...at(removed), body: { text: "Why?" } });
		await anyone.refused("listPublicQuestions", "NOT_FOUND", at(removed));
	});
});

describe("unanswered questions", () => {
	it("are at most three for an agent, also in parallel, and only an answer makes room", async () => {
		taskId = await openTask(poster);
		const asked = await Promise.all(
			Array.from({ length: 20 }, (_, index) => agent.send("askQuestion", { ...at(taskId), body: { text: `Number ${index}?` } })),
		);
		const statuses = asked.map(({ status }) => status);
		expect(statuses.toSorted()).toEqual([...Array(3).fill(201), ...Array(17).fill(409)]);
		await ask(rival);
		const { data } = await agent.call("listQuestions", at(taskId));
		expect(data).toHaveLength(4);
		const [first, second, third] = data.filter(({ is_mine }) => is_mine);
		await answer(first?.id ?? "", "Yes.");
		await ask(agent, "A fourth?");
		await agent.refused("askQuestion", "CONFLICT", { ...at(taskId), body: { text: "A fifth?" } });
		// A question that its asker deletes still counts, and one that the owner deletes does not.
		await agent.call("deleteQuestion", { params: { id: taskId, questionId: second?.id ?? "" } });
		await agent.refused("askQuestion", "CONFLICT", { ...at(taskId), body: { text: "A fifth?" } });
		await poster.call("deleteQuestion", { params: { id: taskId, questionId: third?.id ?? "" } });
		await ask(agent, "A fifth?");
	});

	it("are at most twenty for all anonymous agents of one network, also in parallel", async () => {
		taskId = await openTask(poster);
		const agents = await Promise.all(Array.from({ length: 9 }, () => registerAgent()));
		const askFrom = (key: string, address: string) =>
			createClient({ key, address }).send("askQuestion", { ...at(taskId), body: { text: "How large are the files?" } });
		const asked = await Promise.all(agents.flatMap(({ key }, host) => [1, 2, 3].map(() => askFrom(key, `203.0.113.${host}`))));
		expect(asked.map(({ status }) => status).toSorted()).toEqual([...Array(20).fill(201), ...Array(7).fill(409)]);
		const { key } = await registerAgent();
		expect((await askFrom(key, "203.0.113.99")).status).toBe(409);
		expect((await askFrom(key, "203.0.114.1")).status).toBe(201);
		const person = await (await createFleet()).mint();
		expect((await askFrom(person.key, "203.0.113.99")).status).toBe(201);
		const elsewhere = await openTask(poster);
		expect(
			(await createClient({ key, address: "203.0.113.99" }).send("askQuestion", { ...at(elsewhere), body: { text: "And here?" } })).status,
		).toBe(201);
	});

	it("do not count for the owner, whose questions are notes to all", async () => {
		taskId = await openTask(poster);
		for (let number = 1; number <= 7; number += 1) {
			const note = await ask(poster, `Note ${number}`);
			expect(note).toMatchObject({ asked_by: "Northwind", is_owner: true, is_mine: true, answer: null, answered_at: note.created_at });
		}
		expect((await poster.call("getTask", at(taskId))).questions).toEqual({ total: 7, unanswered: 0, closed: false });
		const notes = Array.from({ length: 60 }, (_, index) => poster.send("askQuestion", { ...at(taskId), body: { text: `More ${index}` } }));
		const statuses = (await Promise.all(notes)).map(({ status }) => status);
		expect(statuses.toSorted()).toEqual([...Array(43).fill(201), ...Array(17).fill(409)]);
		expect((await poster.call("getTask", at(taskId))).questions).toEqual({ total: 50, unanswered: 0, closed: false });
	});
});

describe("closing questions", () => {
	it("is the owner's, once and for all: agents are refused, answers and notes go on", async () => {
		taskId = await openTask(poster);
		const question = await ask(agent);
		await agent.refused("closeQuestions", "FORBIDDEN", at(taskId));
		expect((await anyone.call("getPublicTask", at(taskId))).questions.closed).toBe(false);
		const closed = await Promise.all(Array.from({ length: 5 }, () => poster.call("closeQuestions", at(taskId))));
		expect(new Set(closed.map(({ id, status }) => `${id} ${status}`))).toEqual(new Set([`${taskId} open`]));
		const { message } = await rival.refused("askQuestion", "CONFLICT", { ...at(taskId), body: { text: "May I?" } });
		expect(message).toContain("stopped accepting questions");
		await answer(question.id, "A comma.");
		await ask(poster, "The sample has a new column.");
		const expected = { total: 2, unanswered: 0, closed: true };
		expect((await agent.call("getTask", at(taskId))).questions).toEqual(expected);
		expect((await anyone.call("getPublicTask", at(taskId))).questions).toEqual(expected);
		expect((await poster.call("closeQuestions", at(taskId))).id).toBe(taskId);
		const page = await (await anyone.send({ ...operations.listPublicQuestions, path: `/tasks/${taskId}` })).text();
		expect(page).toContain("The poster has stopped accepting questions.");
		expect(page).not.toContain("Ask the poster");
		// A copy of the task takes questions again.
		const clone = await poster.call("cloneTask", at(taskId));
		expect(clone.questions).toEqual({ total: 0, unanswered: 0, closed: false });
	});

	it("in parallel with questions leaves no question that was asked after it", async () => {
		const id = await openTask(poster);
		const agents = await Promise.all(Array.from({ length: 6 }, () => registerAgent()));
		const asked = agents.map((one) => one.send("askQuestion", { ...at(id), body: { text: "In time?" } }));
		const closing = poster.send("closeQuestions", at(id));
		const statuses = (await Promise.all(asked)).map(({ status }) => status);
		expect((await closing).status).toBe(200);
		expect(statuses.every((status) => status === 201 || status === 409)).toBe(true);
		const { questions } = await poster.call("getTask", at(id));
		expect(questions).toMatchObject({ total: statuses.filter((status) => status === 201).length, closed: true });
		const late = await Promise.all(agents.map((one) => one.send("askQuestion", { ...at(id), body: { text: "Too late?" } })));
		expect(late.map(({ status }) => status)).toEqual(agents.map(() => 409));
	});

	it("is possible in a draft, and changes the ETag of the task", async () => {
		const { id } = await createDraft(poster);
		await agent.refused("closeQuestions", "NOT_FOUND", at(id));
		const etag = async () => (await poster.send("getTask", at(id))).headers.get("ETag");
		const before = await etag();
		await poster.call("closeQuestions", at(id));
		expect((await poster.call("getTask", at(id))).questions.closed).toBe(true);
		expect(await etag()).not.toBe(before);
		await poster.call("publishTask", at(id));
		await agent.refused("askQuestion", "CONFLICT", { ...at(id), body: { text: "May I?" } });
	});
});

describe("an answer", () => {
	it("is the owner's, in every state but draft, and a new one replaces it", async () => {
		taskId = await openTask(poster);
		const question = await ask(agent);
		const params = { id: taskId, questionId: question.id };
		for (const other of [agent, rival]) await other.refused("answerQuestion", "FORBIDDEN", { params, body: { text: "Me!" } });
		expect(await answer(question.id, "A comma.")).toMatchObject({
			...question,
			is_mine: false,
			answer: "A comma.",
			answered_at: expect.any(String),
		});
		await poster.call("closeTask", at(taskId));
		const replaced = await answer(question.id, "A semicolon.");
		expect(replaced.answer).toBe("A semicolon.");
		expect((await anyone.call("listPublicQuestions", at(taskId))).data[0]).toMatchObject({ answer: "A semicolon." });
	});

	it("needs a question of this task", async () => {
		taskId = await openTask(poster);
		const question = await ask(agent);
		const elsewhere = await openTask(poster);
		const body = { text: "Yes." };
		for (const questionId of [UNKNOWN_ID, question.id]) {
			await poster.refused("answerQuestion", "NOT_FOUND", { params: { id: elsewhere, questionId }, body });
		}
	});
});

describe("deleting a question", () => {
	it("is for the asker while it is unanswered, and for the owner always", async () => {
		taskId = await openTask(poster);
		const [mine, answered] = [await ask(agent, "One?"), await ask(agent, "Two?")];
		await answer(answered.id, "Yes.");
		const paramsOf = (questionId: string) => ({ params: { id: taskId, questionId } });
		for (const { id } of [mine, answered]) await rival.refused("deleteQuestion", "FORBIDDEN", paramsOf(id));
		await agent.refused("deleteQuestion", "CONFLICT", paramsOf(answered.id));
		expect(await agent.call("deleteQuestion", paramsOf(mine.id))).toEqual({ id: mine.id, deleted: true });
		await agent.refused("deleteQuestion", "NOT_FOUND", paramsOf(mine.id));
		await poster.call("closeTask", at(taskId));
		expect(await poster.call("deleteQuestion", paramsOf(answered.id))).toEqual({ id: answered.id, deleted: true });
		expect((await agent.call("listQuestions", at(taskId))).data).toEqual([]);
	});

	it("in parallel with an answer leaves the question answered or deleted, never both", async () => {
		taskId = await openTask(poster);
		const questions = [await ask(agent, "1?"), await ask(agent, "2?"), await ask(agent, "3?")];
		await Promise.all(
			questions.map(async ({ id: questionId }) => {
				const params = { id: taskId, questionId };
				const [deleted, answered] = await Promise.all([
					agent.send("deleteQuestion", { params }),
					poster.send("answerQuestion", { params, body: { text: "Yes." } }),
				]);
				expect([
					[200, 404],
					[409, 200],
				]).toContainEqual([deleted.status, answered.status]);
			}),
		);
	});
});

describe("the list of questions", () => {
	beforeAll(async () => {
		taskId = await openTask(poster);
		for (const client of [agent, rival, poster, agent]) await ask(client);
	});

	it("is newest first, page by page, with a key and without", async () => {
		const { data } = await agent.call("listQuestions", at(taskId));
		expect(data.map(({ created_at }) => created_at)).toEqual(
			data
				.map(({ created_at }) => created_at)
				.toSorted()
				.toReversed(),
		);
		const first = await agent.call("listQuestions", { ...at(taskId), query: { limit: 3 } });
		expect(first.pagination.has_more).toBe(true);
		const rest = await agent.call("listQuestions", { ...at(taskId), query: { limit: 3, cursor: first.pagination.next_cursor ?? "" } });
		expect([...first.data, ...rest.data]).toEqual(data);
		expect(rest.pagination).toEqual({ has_more: false, next_cursor: null });
		const open = await anyone.call("listPublicQuestions", { ...at(taskId), query: { limit: 3 } });
		const more = await anyone.call("listPublicQuestions", { ...at(taskId), query: { cursor: open.pagination.next_cursor ?? "" } });
		expect([...open.data, ...more.data]).toEqual(data.map(({ is_mine: _, ...question }) => question));
	});

	it("has another ETag after a question", async () => {
		const response = await anyone.send("listPublicQuestions", at(taskId));
		await response.text();
		const etag = response.headers.get("ETag") ?? "";
		await ask(rival, "Something new?");
		const changed = await anyone.send("listPublicQuestions", { ...at(taskId), headers: { "If-None-Match": etag } });
		expect(changed.status).toBe(200);
		await changed.text();
	});

	it("shows the current names once the leaderboard is revealed", async () => {
		const hidden = (await anyone.call("listPublicQuestions", at(taskId))).data.map(({ asked_by }) => asked_by);
		expect(new Set(hidden)).toEqual(new Set(["Northwind", ...hidden.filter((name) => /^Competitor [0-9a-f]{10}$/.test(name))]));
		await agent.call("updateProfile", { body: { display_name: "Ada Lovelace" } });
		await poster.call("closeTask", at(taskId));
		const names = (await anyone.call("listPublicQuestions", at(taskId))).data.map(({ asked_by }) => asked_by);
		expect(new Set(names)).toEqual(new Set(["Ada Lovelace", "Ben", "Northwind"]));
	});
});

describe("the page of the task", () => {
	it("shows announcements before questions, as text", async () => {
		taskId = await openTask(poster);
		const question = await ask(agent, "Is <b>bold</b> allowed?");
		await answer(question.id, "No & never.");
		await ask(poster, "A new sample is attached.");
		const page = await (await anyone.send({ ...operations.listPublicQuestions, path: `/tasks/${taskId}` })).text();
		const places = ["A new sample is attached.", "Is &lt;b&gt;bold&lt;/b&gt; allowed?", "No &amp; never.", "do not change the rubric"].map(
			(text) => [text, page.indexOf(text) > 0] as const,
		);
		expect(places.filter(([, isThere]) => !isThere)).toEqual([]);
		expect(page.indexOf("A new sample")).toBeLessThan(page.indexOf("Is &lt;b"));
		expect(page).toContain(question.asked_by);
		expect(page).not.toContain("Ada");
	});
});

describe("events", () => {
	it("tell the owner about a question, and the asker and those who have submitted about an answer or a note", async () => {
		const people = { poster, agent, rival, stranger: await registerAgent("Stranger") };
		taskId = await openTask(poster);
		await submit(rival, taskId);
		const logs: Record<string, string> = {};
		for (const [name, client] of Object.entries(people)) {
			const body = { url: `https://${crypto.randomUUID()}.example/`, events: ["question.asked", "question.answered"] };
			logs[name] = (await client.call("createWebhook", { body })).id;
		}
		const question = await ask(agent);
		await answer(question.id, "A comma.");
		await answer(question.id, "A comma.");
		const note = await ask(poster, "To all.");
		const ids = (questionId: string) => ({ task_id: taskId, question_id: questionId });
		const told = async (name: keyof typeof people) =>
			(await readLog(people[name], logs[name] ?? ""))
				.map(({ payload }) => payload)
				.filter(({ event }) => event !== "webhook.test")
				.toReversed();
		await expect.poll(() => told("rival")).toHaveLength(2);
		expect(await told("rival")).toMatchObject([
			{ event: "question.answered", ...ids(question.id) },
			{ event: "question.answered", ...ids(note.id) },
		]);
		// An agent that has only asked gets no notes.
		expect(await told("agent")).toMatchObject([{ event: "question.answered", ...ids(question.id) }]);
		expect(await told("poster")).toMatchObject([{ event: "question.asked", ...ids(question.id) }]);
		expect(await told("stranger")).toEqual([]);
		expect(JSON.stringify(await told("poster"))).not.toContain(agent.agentId);
	});

	it("tell an agent that has joined an invite-only task about a note", async () => {
		const guest = await registerAgent("Guest");
		taskId = await openTask(poster, { access: "invited" });
		const { invite_code } = await poster.call("getTask", at(taskId));
		await guest.call("joinTask", { ...at(taskId), body: { invite_code } });
		const { id } = await guest.call("createWebhook", { body: { url: "https://guest.example/", events: ["question.answered"] } });
		const note = await ask(poster, "To all.");
		const told = async () => (await readLog(guest, id)).map(({ payload }) => payload);
		await expect.poll(told).toContainEqual(expect.objectContaining({ event: "question.answered", question_id: note.id }));
	});
});

describe("operators", () => {
	it("find the questions of an agent that has only asked, and erase them", async () => {
		taskId = await openTask(poster);
		const asker = await registerAgent("Curious");
		const [open, answered] = [await ask(asker, "I am Curious George."), await ask(asker, "George again.")];
		await answer(answered.id, "Hello.");
		const ofTask = async () => {
			const { tasks } = await admin.call("exportAgent", at(asker.agentId));
			return tasks.flatMap(({ table, rows }) => (table === "questions" ? rows.map((row) => row["text"]) : []));
		};
		await expect.poll(ofTask).toEqual([open.text, answered.text]);
		await admin.call("eraseAgent", { ...at(asker.agentId), body: { reason: "Asked for." } });
		const { data } = await agent.call("listQuestions", at(taskId));
		expect(data).toMatchObject([{ id: answered.id, text: "This question was erased.", answer: "Hello." }]);
		await poster.call("closeTask", at(taskId));
		expect((await anyone.call("listPublicQuestions", at(taskId))).data[0]?.asked_by).toMatch(/^Erased agent/);
	});
});
