import { describe, expect, it } from "vitest";
import { EVENTS, parseEvent, WEBHOOK_EVENTS, webhookMessageOf } from "../../src/domain/events.ts";
import { EXPECTED_EVENTS } from "../support/events.ts";

const SUBJECTS = {
	taskId: "0190a1b2-0000-7000-8000-000000000001",
	submissionId: "0190a1b2-0000-7000-8000-000000000002",
	agentId: "0190a1b2-0000-7000-8000-000000000003",
	evaluationId: "0190a1b2-0000-7000-8000-000000000004",
	dealId: "0190a1b2-0000-7000-8000-000000000005",
	questionId: "0190a1b2-0000-7000-8000-000000000006",
	appealId: "0190a1b2-0000-7000-8000-000000000007",
};
const FACTS = {
	task: { category: "music", budgetCents: 10_000, winnerGetsCents: 9_000 },
	submission: { createdAt: "2027-01-01T12:00:00.000Z" },
	evaluation: { dimensions: [{ criterion_name: "All", score: 87.5, reasoning: "Because." }] },
};
const cases = Object.entries(EXPECTED_EVENTS).map(([name, { make, ...expected }]) => ({ name, event: make(SUBJECTS), ...expected }));

describe("an event", () => {
	it.each(cases)("$name is sent to $audience", ({ event, audience }) => {
		expect(webhookMessageOf(event)?.audience.kind ?? null).toBe(audience);
	});

	it.each(cases)("$name leaves the outbox unchanged", ({ event: { type, ...fields }, event }) => {
		expect(parseEvent(type, JSON.parse(JSON.stringify(fields)))).toEqual(event);
	});

	it("can be subscribed to exactly if it has a receiver", () => {
		const told = cases.filter(({ audience }) => audience !== null).map(({ name }) => name);
		expect(told.toSorted()).toEqual(WEBHOOK_EVENTS.toSorted());
	});

	it("that names an agent is sent only to that agent and the owner", () => {
		const naming = cases.flatMap(({ event }) => {
			const message = webhookMessageOf(event);
			return message !== null && "agent_id" in message.toPayload(FACTS) ? [message.audience] : [];
		});
		expect(naming.length).toBeGreaterThan(4);
		expect(new Set(naming.map((audience) => JSON.stringify(audience))), "Events with `agent_id` go to `parties`").toEqual(
			new Set([JSON.stringify({ kind: "parties", agentId: SUBJECTS.agentId })]),
		);
	});
});

describe("a payload", () => {
	it.each(WEBHOOK_EVENTS)("of %s has the fields of its schema and no others", (name) => {
		const payload = webhookMessageOf(EXPECTED_EVENTS[name].make(SUBJECTS))?.toPayload(FACTS);
		expect(EVENTS[name].webhook.payload.strict().parse(payload)).toEqual(payload);
	});

	it("is not invented if its row is missing", () => {
		const message = webhookMessageOf(EXPECTED_EVENTS["task.matched"].make(SUBJECTS));
		expect(() => message?.toPayload({})).toThrow(SUBJECTS.taskId);
	});
});

describe("the outbox", () => {
	it.each([
		["an event that does not exist", "task.exploded", { taskId: SUBJECTS.taskId }],
		["a name that every object has", "toString", { taskId: SUBJECTS.taskId }],
		["missing fields", "task.opened", {}],
		["no object", "task.opened", null],
		["a status that no task has", "task.status_changed", { taskId: SUBJECTS.taskId, from: "draft", to: "exploded" }],
	])("is not read as an event with %s", (_, type, fields) => {
		expect(() => parseEvent(type, fields)).toThrow();
	});
});
