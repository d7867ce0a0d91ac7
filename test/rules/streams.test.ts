import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boardNumber } from "../../src/core/competition/leaderboard/rules.ts";
import * as rules from "../../src/core/events/streams/rules.ts";
import { openEventStream } from "../../src/http/sse.ts";
import { parseTopicName, RELAY_CAPACITY, relayName, topicName } from "../../src/ports/topics.ts";

const BOUNTY = { category: "music", budget_cents: 50_000, deadline: "2027-03-01T12:00:00.000Z" };
const DEADLINE = Date.parse(BOUNTY.deadline);

describe("the filters of the bounty stream", () => {
	it.each([
		[{}, true],
		[{ category: ["music"] }, true],
		[{ category: ["dance", "music"] }, true],
		[{ category: ["dance"] }, false],
		[{ category: [] }, false],
		[{ category: ["mus"] }, false],
		[{ min_budget_cents: 0 }, true],
		[{ min_budget_cents: 50_000 }, true],
		[{ min_budget_cents: 50_001 }, false],
		[{ deadline_after: DEADLINE - 1 }, true],
		[{ deadline_after: DEADLINE }, false],
		[{ tag: ["anything"] }, true],
		[{ category: ["music"], min_budget_cents: 50_001 }, false],
	])("with %j: %s", (filters, expected) => {
		expect(rules.matchesFilters(BOUNTY, filters)).toBe(expected);
	});

	it("accept what each filter accepts separately, and nothing else", () => {
		const category = fc.constantFrom("music", "dance", "poetry");
		const bounty = fc.record({ category, budget_cents: fc.nat(100), deadline: fc.nat(100).map((ms) => new Date(ms).toISOString()) });
		const filters = fc.record(
			{ category: fc.array(category), min_budget_cents: fc.nat(100), deadline_after: fc.nat(100), tag: fc.array(fc.string()) },
			{ requiredKeys: [] },
		);
		fc.assert(
			fc.property(bounty, filters, (one, all) => {
				const alone = Object.entries(all).map(([name, value]) => rules.matchesFilters(one, { [name]: value }));
				expect(rules.matchesFilters(one, all)).toBe(alone.every(Boolean));
			}),
		);
	});
});

describe("ids of events", () => {
	it("are read as they were written", () => {
		const number = fc.nat(999_999_999_999_999);
		fc.assert(
			fc.property(number, fc.constantFrom("state", "end", "error"), (last, kind) => {
				expect(rules.parseStateId(rules.formatStateId([last], kind), 1)).toEqual({ numbers: [last], isEnd: kind === "end" });
				expect(rules.parseEntryId(String(last))).toBe(last);
			}),
		);
	});

	it.each([
		...["", "-1", "01", "1.0", "1e3", " 1", "1\n", "1\0", "1-", "1-End", "1-end-end", "-end", "9999999999999999", "9007199254740993"],
		...["٣", "12-0123456789abcdef", "__proto__", "' or 1=1 --", "1".repeat(10_000)],
	])("are not accepted if they are malformed: %j", (hostile) => {
		expect(rules.parseStateId(hostile, 1)).toBeNull();
		expect(rules.parseEntryId(hostile)).toBeNull();
	});

	it("name the state of each source of a stream, or none if nothing was shown", () => {
		const number = fc.option(fc.nat(999_999_999_999_999));
		fc.assert(
			fc.property(number, number, fc.constantFrom("state", "end", "error"), (first, second, kind) => {
				fc.pre(first !== null || second !== null);
				const id = rules.formatStateId([first, second], kind);
				expect(rules.parseStateId(id, 2)).toEqual({ numbers: [first, second], isEnd: kind === "end" });
				expect(rules.parseStateId(id, 1)).toBeNull();
			}),
		);
	});

	it.each(["1", ".", ".-end", "1.2.3", "1..2", "1.2-", "01.2", "1.-2", "1.2e3", `1.${"2".repeat(16)}`])(
		"are refused for two sources: %j",
		(hostile) => {
			expect(rules.parseStateId(hostile, 2)).toBeNull();
		},
	);

	it("are absent without the header", () => {
		expect(rules.parseStateId(undefined, 1)).toBeNull();
		expect(rules.parseEntryId(undefined)).toBeNull();
	});

	it("are safe integers or nothing, for any header", () => {
		fc.assert(
			fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^[0-9]{1,20}(-\w*)?$/)), (text) => {
				const number = rules.parseStateId(text, 1)?.numbers[0] ?? 0;
				expect(Number.isSafeInteger(number) && number >= 0).toBe(true);
				expect(Number.isSafeInteger(rules.parseEntryId(text) ?? 0)).toBe(true);
			}),
		);
	});
});

describe("coalescing", () => {
	it.each([
		[{ now: 1000, sentAt: null, gapMs: 600 }, 0],
		[{ now: 1000, sentAt: 1000, gapMs: 600 }, 600],
		[{ now: 1599, sentAt: 1000, gapMs: 600 }, 1],
		[{ now: 1600, sentAt: 1000, gapMs: 600 }, 0],
		[{ now: 9000, sentAt: 1000, gapMs: 600 }, 0],
		[{ now: 1000, sentAt: 1000, gapMs: 0 }, 0],
	])("%j waits %i ms", (input, expected) => {
		expect(rules.waitBeforeNext(input)).toBe(expected);
	});

	it("leaves no second with more than two leaderboards, for any changes", () => {
		fc.assert(
			fc.property(fc.array(fc.nat(900), { maxLength: 50 }), (pauses) => {
				const sent: number[] = [];
				let now = 0;
				for (const pause of pauses) {
					now += pause;
					now += rules.waitBeforeNext({ now, sentAt: sent.at(-1) ?? null, gapMs: rules.LEADERBOARD_GAP_MS });
					sent.push(now);
				}
				for (const start of sent) expect(sent.filter((at) => at >= start && at < start + 1000).length).toBeLessThanOrEqual(2);
			}),
		);
	});

	it("numbers leaderboards so that a change and the reveal count up", () => {
		fc.assert(
			fc.property(fc.nat(), fc.nat(), fc.boolean(), fc.boolean(), (revision, later, wasRevealed, isRevealed) => {
				const before = boardNumber({ revision, revealed: wasRevealed });
				expect(boardNumber({ revision: revision + 1 + later, revealed: isRevealed })).toBeGreaterThan(before);
				if (!wasRevealed) expect(boardNumber({ revision, revealed: true })).toBeGreaterThan(before);
			}),
		);
	});
});

describe("topics", () => {
	const ids = { taskId: "0190a1b2-0000-7000-8000-000000000001", submissionId: "0190a1b2-0000-7000-8000-000000000002" };
	const task = { kind: "task", id: ids.taskId } as const;
	const leaderboard = { kind: "leaderboard", id: ids.taskId } as const;
	const submission = { kind: "submission", id: `${ids.taskId}/${ids.submissionId}` } as const;

	it("can be found by their names", () => {
		for (const topic of [task, leaderboard, submission, { kind: "bounties", id: "" }] as const) {
			expect(parseTopicName(topicName(topic))).toEqual(topic);
		}
		expect(() => parseTopicName("agents:1")).toThrow("agents:1");
	});

	it("spread many watchers over as many relays as needed", () => {
		const names = (attempt: number) =>
			new Set(
				Array.from({ length: 64 }, (_, step) =>
					relayName({ topic: { kind: "bounties", id: "" }, region: "EU", attempt, random: step / 64 }),
				),
			);
		expect(names(0)).toEqual(new Set(["bounties|EU|0"]));
		expect(names(1)).toEqual(new Set(["bounties|EU|1", "bounties|EU|2"]));
		expect(names(5).size).toBe(32);
		expect(RELAY_CAPACITY * (2 ** 12 - 1)).toBeGreaterThan(6_000_000);
	});
});

describe("a client that does not read", () => {
	it("has at most 256 KB of events waiting for it, and then its stream ends", () => {
		let ends = 0;
		const request = new Request("https://bounty.test/stream");
		const onEnd = () => {
			ends += 1;
		};
		const { response, sink } = openEventStream({ clock: stoppedClock, random: 0, request, onEnd });
		const json = JSON.stringify({ text: "x".repeat(1_024) });
		let sent = 0;
		while (ends === 0 && sent < 10_000) {
			sink.send({ event: "task", id: String(sent), json });
			sent += 1;
		}
		expect(ends).toBe(1);
		// The stream's own buffer of 64 KB is added.
		expect(sent * json.length).toBeLessThan((256 + 64 + 2) * 1_024);
		sink.send({ event: "task", id: "late", json });
		expect(ends).toBe(1);
		expect(response.status).toBe(200);
	});
});

const stoppedClock = { now: () => 0, every: () => () => undefined, after: () => () => undefined };
