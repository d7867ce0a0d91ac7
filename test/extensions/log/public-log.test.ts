// The public log of a task has everything that has happened to it since its publication, and anyone may read it.
import { describe, expect, it } from "vitest";
import { admin } from "../../support/admin.ts";
import { createClient } from "../../support/client.ts";
import { createRound, finishedWith, scriptedJudge } from "../../support/final-round.ts";
import { attachmentForm, createDraft, hoursFromNow, openTask, registerAgent } from "../../support/scenario.ts";
import { queryAll } from "../../support/storage.ts";
import { queryTask } from "../../support/task-object.ts";
import { MINUTE_MS } from "../../support/times.ts";

const anyone = createClient();
const sha256Of = async (text: string) => new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toHex();
const at = (id: string, query: Readonly<Record<string, string | number>> = {}) => ({ params: { id }, query });
const read = async (id: string) => (await anyone.call("getPublicHistory", at(id))).data;
const eventsOf = async (id: string) => (await read(id)).map(({ event }) => event);
/** Returns what the log says of one event, newest first. */
const factsOf = async (id: string, event: string) => (await read(id)).filter((entry) => entry.event === event).map(({ facts }) => facts);

describe("the public log of a final round", () => {
	it("has its end, with the numbers of candidates and of those that failed", async () => {
		const round = await createRound();
		await round.enter({ now: 90, final: 70 });
		await round.enter({ now: 95, final: "silence" });
		await round.close();
		expect(await eventsOf(round.taskId)).toEqual(["closed", "published"]);
		await round.workOff();
		expect(await eventsOf(round.taskId)).toEqual(["round_ended", "closed", "published"]);
		expect(await factsOf(round.taskId, "round_ended")).toEqual([{ candidates: 2, failed: 1, reason: null }]);
	});

	it("says why a round without candidates did not take place", async () => {
		const round = await createRound();
		await round.close();
		expect(await factsOf(round.taskId, "round_ended")).toEqual([{ candidates: 0, failed: 0, reason: "No submission has a score." }]);
	});

	it("has one more end when an operator has had a candidate judged again", async () => {
		const round = await createRound();
		const failed = await round.enter({ now: 95, final: "silence" });
		await round.enter({ now: 90, final: 70 });
		await round.close();
		await round.workOff();
		await admin.call("reEvaluateSubmission", { ...at(failed.id), body: { reason: "The judge was silent." } });
		await round.workOff({ judge: scriptedJudge({ evaluate: (request) => Promise.resolve(finishedWith(request, () => [90])) }) });
		expect(await factsOf(round.taskId, "round_ended")).toEqual([
			{ candidates: 2, failed: 0, reason: null },
			{ candidates: 2, failed: 1, reason: null },
		]);
		expect(await eventsOf(round.taskId)).not.toContain("re_evaluated");
	});

	it("begins with the end by the deadline, when the task is closed after the round", async () => {
		const round = await createRound();
		await round.enter({ now: 50, final: 40 });
		await round.passDeadline();
		await round.settle();
		expect(await eventsOf(round.taskId)).toEqual(["published"]);
		await round.workOff();
		expect(await eventsOf(round.taskId)).toEqual(["closed", "round_ended", "published"]);
		expect(await factsOf(round.taskId, "closed")).toEqual([{ by: "deadline" }]);
	});
});

describe("the public log", () => {
	const createTask = () => createRound({ task: { final_round: false } });

	it("has the digest of the publication, later deadlines, and attachments that came or went after it", async () => {
		const poster = await registerAgent();
		const draft = await createDraft(poster);
		const before = await poster.call("addAttachment", { ...at(draft.id), rawBody: attachmentForm() });
		await poster.call("publishTask", at(draft.id));
		const { task_sha256, deadline: from } = await poster.call("getTask", at(draft.id));
		const to = hoursFromNow(96);
		await poster.call("extendTask", { ...at(draft.id), body: { deadline: to } });
		const { id: attachmentId, filename } = await poster.call("addAttachment", { ...at(draft.id), rawBody: attachmentForm() });
		for (const id of [attachmentId, before.id]) await poster.call("deleteAttachment", { params: { id: draft.id, attachmentId: id } });
		const file = { filename, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) };
		expect(await read(draft.id)).toMatchObject([
			{ event: "attachment_removed", facts: file },
			{ event: "attachment_removed", facts: file },
			{ event: "attachment_added", facts: file },
			{ event: "deadline_moved", facts: { from, to: new Date(to).toISOString() } },
			{ event: "published", facts: { task_sha256 } },
		]);
	});

	it("has answers that were replaced, and questions and notes that the owner deleted, with the digests of the texts", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const id = await openTask(poster);
		const ask = async (by: typeof agent, text: string) => (await by.call("askQuestion", { ...at(id), body: { text } })).id;
		const of = (questionId: string) => ({ params: { id, questionId } });
		const answer = (questionId: string, text: string) => poster.call("answerQuestion", { ...of(questionId), body: { text } });
		const answered = await ask(agent, "A comma?");
		await answer(answered, "Yes.");
		await answer(answered, "Yes.");
		expect(await eventsOf(id)).toEqual(["published"]);
		await Promise.all([answer(answered, "No."), answer(answered, "No.")]);
		expect(await factsOf(id, "answer_replaced")).toEqual([{ question_id: answered, sha256: await sha256Of("Yes.") }]);
		const [unanswered, withdrawn, note] = [await ask(agent, "A point?"), await ask(agent, "Both?"), await ask(poster, "Use commas.")];
		await agent.call("deleteQuestion", of(withdrawn));
		for (const questionId of [answered, unanswered, note]) await poster.call("deleteQuestion", of(questionId));
		await poster.refused("deleteQuestion", "NOT_FOUND", of(note));
		expect(await factsOf(id, "question_deleted")).toEqual([
			{ question_id: note, is_note: true, sha256: await sha256Of("Use commas."), answer_sha256: null },
			{ question_id: unanswered, is_note: false, sha256: await sha256Of("A point?"), answer_sha256: null },
			{ question_id: answered, is_note: false, sha256: await sha256Of("A comma?"), answer_sha256: await sha256Of("No.") },
		]);
	});

	it("has once that the owner takes no more questions", async () => {
		const poster = await registerAgent();
		const id = await openTask(poster);
		await Promise.all([poster.call("closeQuestions", at(id)), poster.call("closeQuestions", at(id))]);
		expect(await eventsOf(id)).toEqual(["questions_closed", "published"]);
	});

	it("begins with the publication, also if the owner stopped accepting questions before", async () => {
		const poster = await registerAgent();
		const { id } = await createDraft(poster);
		await poster.call("closeQuestions", at(id));
		await poster.call("publishTask", at(id));
		expect(await eventsOf(id)).toEqual(["published"]);
	});

	it("keeps no digest of a question that was erased before the owner deletes it", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const id = await openTask(poster);
		const { id: questionId } = await agent.call("askQuestion", { ...at(id), body: { text: "My name is Ada." } });
		await poster.call("answerQuestion", { params: { id, questionId }, body: { text: "Hello." } });
		await admin.call("eraseAgent", { params: { id: agent.agentId }, body: { reason: "A request." } });
		await poster.call("deleteQuestion", { params: { id, questionId } });
		expect(await factsOf(id, "question_deleted")).toMatchObject([{ sha256: null, answer_sha256: await sha256Of("Hello.") }]);
	});

	it("has changed reviews, voided works and late re-evaluations, with the name that the board had then", async () => {
		const task = await createTask();
		const entry = await task.enter({ now: 50, final: 50 }, await registerAgent("Ada"));
		await entry.agent.call("createAppeal", { ...at(entry.id), body: { reason: "It does that." } });
		const review = { decision: "changed", reason: "You are right.", scores: { Parser: 100 } };
		await task.poster.call("reviewSubmission", { ...at(entry.id), body: review });
		const [reviewed] = await factsOf(task.taskId, "reviewed");
		expect(reviewed).toEqual({
			agent: expect.stringMatching(/^Competitor /),
			from: 50,
			to: 80,
			criteria: ["Parser"],
			reason: "You are right.",
		});
		const rival = await task.enter({ now: 70, final: 70 }, await registerAgent("Ben"));
		await task.close();
		await admin.call("reEvaluateSubmission", { ...at(rival.id), body: { reason: "A stumble." } });
		await task.workOff({ judge: scriptedJudge({ evaluate: (request) => Promise.resolve(finishedWith(request, () => [90])) }) });
		expect(await factsOf(task.taskId, "re_evaluated")).toEqual([{ agent: "Ben", from: 70, to: expect.any(Number), reason: "A stumble." }]);
		await admin.call("voidSubmission", { ...at(rival.id), body: { reason: "Copied." } });
		expect(await factsOf(task.taskId, "voided")).toEqual([{ agent: "Ben", reason: "Copied." }]);
		expect(await factsOf(task.taskId, "reviewed")).toEqual([reviewed]);
		expect(await eventsOf(task.taskId)).toEqual(["voided", "re_evaluated", "closed", "reviewed", "published"]);
	});

	it("leaves out upheld reviews, and re-evaluations that agents ask for or that end before the task does", async () => {
		const task = await createTask();
		const entry = await task.enter({ now: 50, final: 50 });
		await entry.agent.call("createAppeal", { ...at(entry.id), body: { reason: "It does that." } });
		await task.poster.call("reviewSubmission", { ...at(entry.id), body: { decision: "upheld", reason: "It does not." } });
		await admin.call("reEvaluateSubmission", { ...at(entry.id), body: { reason: "A look." } });
		await task.workOff();
		expect(await eventsOf(task.taskId)).toEqual(["published"]);
	});

	it("has each step of the deal, in pages too", async () => {
		const task = await createTask();
		const entry = await task.enter({ now: 80, final: 80 }, await registerAgent("Ada"));
		await task.close();
		const body = { taskId: task.taskId, agentId: entry.agentId, dealType: "output_purchase", dealValueCents: 5_000 };
		const { id: dealId } = await task.poster.call("createDeal", { body });
		await entry.agent.call("acceptDeal", at(dealId));
		const deal = { agent: "Ada", value_cents: 5_000 };
		const all = await read(task.taskId);
		expect(all).toMatchObject([
			{ event: "deal", facts: { ...deal, status: "accepted" } },
			{ event: "deal", facts: { ...deal, status: "recorded" } },
			{ event: "closed", facts: { by: "owner" } },
			{ event: "published" },
		]);
		const pageFrom = async (cursor: string | null) =>
			anyone.call("getPublicHistory", at(task.taskId, { limit: 1, ...(cursor === null ? {} : { cursor }) }));
		const pages = [await pageFrom(null)];
		// The pages that follow leave out what is added now.
		await entry.agent.call("disputeDeal", { ...at(dealId), body: { reason: "Nothing arrived." } });
		for (let next = pages[0]?.pagination.next_cursor; next; next = pages.at(-1)?.pagination.next_cursor) pages.push(await pageFrom(next));
		expect(pages.flatMap(({ data }) => data)).toEqual(all);
	});

	it("says in the steps of a deal which party took them, with the name of the board, which an agent cannot change", async () => {
		const task = await createTask();
		const entry = await task.enter({ now: 80, final: 80 }, await registerAgent("Ada"));
		await task.close();
		const body = { taskId: task.taskId, agentId: entry.agentId, dealType: "output_purchase", dealValueCents: 5_000 };
		const { id: dealId } = await task.poster.call("createDeal", { body });
		await entry.agent.call("disputeDeal", { ...at(dealId), body: { reason: "Too little." } });
		await entry.agent.call("updateProfile", { body: { display_name: "Somebody else" } });
		const deal = { agent: "Ada", value_cents: 5_000 };
		const steps = [
			{ ...deal, status: "disputed", by: "agent" },
			{ ...deal, status: "recorded", by: "poster" },
		];
		expect(await factsOf(task.taskId, "deal")).toEqual(steps);
		expect((await anyone.call("getPublicLeaderboard", at(task.taskId))).entries).toMatchObject([{ agentName: "Ada" }]);
		await admin.call("eraseAgent", { ...at(entry.agentId), body: { reason: "Asked for." } });
		const agent = `Erased agent ${entry.agentId.slice(-8)}`;
		expect(await factsOf(task.taskId, "deal")).toEqual(steps.map((step) => ({ ...step, agent })));
	});

	it("has every deal of the task, however many the agent has declined", async () => {
		const task = await createTask();
		const entry = await task.enter({ now: 80, final: 80 }, await registerAgent("Ada"));
		await task.close();
		const body = { taskId: task.taskId, agentId: entry.agentId, dealType: "output_purchase", dealValueCents: 5_000 };
		const { id: first } = await task.poster.call("createDeal", { body });
		await entry.agent.call("declineDeal", at(first));
		task.world.clock.advance(MINUTE_MS);
		await queryAll(
			`with recursive n (i) as (select 1 union all select i + 1 from n where i < 120)
			insert into deals (id, task_id, company_id, agent_id, deal_type, deal_value_cents, platform_fee_cents, created_at, status, history)
			select substr(id, 1, 24) || printf('ffff%08x', i), task_id, company_id, agent_id, deal_type, i, 0, created_at, status, history
			from n, deals where id = ?`,
			first,
		);
		const last = await task.poster.call("createDeal", { body });
		const pages = [];
		for (let cursor: string | null | undefined; cursor !== null; cursor = pages.at(-1)?.pagination.next_cursor ?? null) {
			pages.push(await anyone.call("getPublicHistory", at(task.taskId, cursor === undefined ? {} : { cursor })));
		}
		const steps = pages.flatMap(({ data }) => data.flatMap(({ event, facts }) => (event === "deal" ? [facts] : [])));
		expect(steps[0]).toMatchObject({ status: "recorded", value_cents: last.deal_value_cents });
		const values = [5_000, ...Array.from({ length: 120 }, (_, index) => 120 - index).flatMap((cents) => [cents, cents]), 5_000, 5_000];
		expect(steps.map((step) => ("value_cents" in step ? step.value_cents : null))).toEqual(values);
		expect(pages.flatMap(({ data }) => data.map(({ event }) => event)).slice(-2)).toEqual(["closed", "published"]);
	});

	it("replaces the name and the reasons of an agent that is erased, and says so once", async () => {
		const poster = await registerAgent("Acme");
		const task = await createRound({ task: { final_round: false }, poster });
		const entry = await task.enter({ now: 50, final: 50 }, await registerAgent("Ada"));
		await task.close();
		await entry.agent.call("createAppeal", { ...at(entry.id), body: { reason: "It does that." } });
		const review = { decision: "changed", reason: "Ada is right.", scores: { Parser: 100 } };
		await task.poster.call("reviewSubmission", { ...at(entry.id), body: review });
		expect(await factsOf(task.taskId, "reviewed")).toMatchObject([{ agent: "Ada", reason: "Ada is right." }]);
		for (let call = 0; call < 2; call += 1) {
			await admin.call("eraseAgent", { ...at(entry.agentId), body: { reason: "Asked for." } });
		}
		const agent = `Erased agent ${entry.agentId.slice(-8)}`;
		expect(await factsOf(task.taskId, "reviewed")).toMatchObject([{ agent, reason: "Ada is right." }]);
		expect(await factsOf(task.taskId, "erased")).toEqual([{ agent }]);
		await admin.call("eraseAgent", { ...at(poster.agentId), body: { reason: "Asked for." } });
		// The task of an erased owner is hidden.
		const rows = await queryTask(task.taskId, "select event, facts from public_log order by seq desc limit 3");
		expect(rows.map(({ event }) => event)).toEqual(["erased", "erased", "reviewed"]);
		expect(JSON.parse(String(rows.at(-1)?.["facts"]))).toMatchObject({ reason: "erased", from: 50, to: 80, criteria: ["Parser"] });
		expect(JSON.stringify(rows)).not.toContain("Ada");
	});
});
