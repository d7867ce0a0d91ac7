// The public log in words: each entry says who did it, and a run of attachment changes is one line.
import { describe, expect, it } from "vitest";
import { isRankOpen, notesOf } from "../../src/domain/board-notes.ts";
import { DEAL_STATUSES } from "../../src/domain/deal-status.ts";
import { LOG_EVENTS } from "../../src/domain/log-events.ts";
import { type LogEntry, type LogLine, linesOf } from "../../src/domain/log-lines.ts";

const at = "2026-12-01T10:00:00.000Z";
const textOf = ({ parts }: LogLine) => parts.map((part) => (typeof part === "string" ? part : `[${part.name}]`)).join("");
const textsOf = (...entries: readonly LogEntry[]) => linesOf(entries).map(textOf);

const change = { agent: "Ada", reason: "You are right." };
const deal = { by: "agent", agent: "Ada", value_cents: 150_000 } as const;
const round = { candidates: 3, failed: 0, reason: null };

describe("a line of the log", () => {
	it.each<readonly [LogEntry, string]>([
		[{ at, event: "published", facts: {} }, "The poster published the task. What the judge reads cannot change after that."],
		[
			{ at, event: "deadline_moved", facts: { from: at, to: "2026-12-04T10:00:00.000Z" } },
			"The poster moved the deadline from 1 Dec 2026, 10:00 UTC to 4 Dec 2026, 10:00 UTC.",
		],
		[
			{ at, event: "answer_replaced", facts: {} },
			"The poster replaced an answer to a question. The log has the digest of the earlier answer.",
		],
		[
			{ at, event: "question_deleted", facts: { is_note: false, answer_sha256: "ab" } },
			"The poster deleted a question with its answer. The log has the digests of both.",
		],
		[
			{ at, event: "question_deleted", facts: { is_note: false, answer_sha256: null } },
			"The poster deleted a question that had no answer. The log has its digest.",
		],
		[
			{ at, event: "question_deleted", facts: { is_note: true, answer_sha256: null } },
			"The poster deleted a note. The log has its digest.",
		],
		[{ at, event: "questions_closed", facts: {} }, "The poster stopped accepting questions."],
		[{ at, event: "closed", facts: { by: "owner" } }, "The poster closed the task."],
		[{ at, event: "closed", facts: { by: "deadline" } }, "The platform closed the task, because the deadline had passed."],
		[
			{ at, event: "round_ended", facts: round },
			"The platform ended the final round, in which the judge judged the submissions of 3 candidates again.",
		],
		[
			{ at, event: "round_ended", facts: { ...round, candidates: 1, failed: 1 } },
			"The platform ended the final round, in which the judge judged the submission of 1 candidate again. It could not judge 1 of them.",
		],
		[
			{ at, event: "reviewed", facts: { ...change, from: 45, to: 78, criteria: ["Parser", "Tests"] } },
			"The poster changed the score of [Ada] from 45.00 to 78.00 in a review of [Parser], [Tests].",
		],
		[
			{ at, event: "re_evaluated", facts: { ...change, from: 70, to: 90 } },
			"An operator of the platform had a submission of [Ada] judged again. The score was 70.00 and is now 90.00.",
		],
		[
			{ at, event: "re_evaluated", facts: { ...change, from: null, to: 90 } },
			"An operator of the platform had a submission of [Ada] judged again. The score is 90.00.",
		],
		[{ at, event: "voided", facts: change }, "An operator of the platform took a submission of [Ada] out of the competition."],
		[{ at, event: "deal", facts: { ...deal, status: "recorded" } }, "The poster recorded a deal with [Ada] of $1,500."],
		[{ at, event: "deal", facts: { ...deal, status: "accepted" } }, "[Ada] accepted the deal of $1,500."],
		[{ at, event: "deal", facts: { ...deal, status: "declined" } }, "[Ada] declined the deal of $1,500."],
		[{ at, event: "deal", facts: { ...deal, status: "paid" } }, "The poster says that it has paid [Ada] for the deal of $1,500."],
		[{ at, event: "deal", facts: { ...deal, status: "received" } }, "[Ada] says that the payment for the deal of $1,500 has arrived."],
		[{ at, event: "deal", facts: { ...deal, status: "disputed" } }, "[Ada] disputed the deal of $1,500."],
		[{ at, event: "deal", facts: { ...deal, status: "disputed", by: "poster" } }, "The poster disputed the deal of $1,500 with [Ada]."],
		[
			{ at, event: "erased", facts: { agent: "Agent 7f3a" } },
			"The platform erased the data of an agent, which is now called [Agent 7f3a].",
		],
	])("%j", (entry, sentence) => {
		expect(textsOf(entry)).toEqual([sentence]);
	});

	it("names who did it, for every event and status", () => {
		const facts = { ...change, ...deal, ...round, from: 1, to: 2, criteria: [], filename: "a.csv", by: "owner" };
		const entries = LOG_EVENTS.map(
			(event) => ({ at, event, facts: event === "deadline_moved" ? { from: at, to: at } : facts }) as LogEntry,
		);
		const deals = DEAL_STATUSES.map((status): LogEntry => ({ at, event: "deal", facts: { ...deal, status } }));
		for (const text of [...entries, ...deals].flatMap((entry) => textsOf(entry)))
			expect(text).toMatch(/^(?:The poster|The platform|An operator of the platform|\[Ada\]) .*\.$/);
	});

	it("has the reason that a person gave apart from the sentence", () => {
		const [line] = linesOf([{ at, event: "voided", facts: change }]);
		expect(line?.reason).toBe("You are right.");
		const [missing] = linesOf([{ at, event: "round_ended", facts: { candidates: 0, failed: 0, reason: "No submission has a score." } }]);
		expect([missing === undefined ? "" : textOf(missing), missing?.reason]).toEqual([
			"The final round did not take place.",
			"No submission has a score.",
		]);
	});

	it("is one for a run of attachment changes, which another event ends", () => {
		const file = (event: "attachment_added" | "attachment_removed", filename: string, minute: number): LogEntry => {
			return { at: `2026-12-01T10:0${minute}:00.000Z`, event, facts: { filename } };
		};
		const rule = " The judge reads only what was attached when the task was published.";
		const lines = linesOf([
			file("attachment_removed", "old.csv", 5),
			file("attachment_added", "b.csv", 4),
			file("attachment_added", "a.csv", 3),
			{ at, event: "deadline_moved", facts: { from: at, to: at } },
			file("attachment_removed", "c.csv", 1),
			{ at, event: "published", facts: {} },
		]);
		expect(lines.map(textOf)).toMatchObject([
			`The poster attached [a.csv], [b.csv] and deleted [old.csv].${rule}`,
			expect.stringContaining("moved the deadline"),
			`The poster deleted [c.csv].${rule}`,
			expect.stringContaining("published"),
		]);
		expect(lines[0]?.at).toBe("2026-12-01T10:05:00.000Z");
		const many = Array.from({ length: 9 }, (_, index) => file("attachment_added", `${9 - index}.csv`, 1));
		expect(textsOf(...many)).toEqual([`The poster attached [1.csv], [2.csv], [3.csv], [4.csv], [5.csv] and 4 more.${rule}`]);
	});
});

describe("the notes of a board", () => {
	const entry = (rank: number, finalScore: number, rankLow = rank, rankHigh = rank) => ({ rank, finalScore, rankLow, rankHigh });

	it("say how ties are ordered, and what ranges of ranks rest on, only where there are some", () => {
		expect(notesOf([entry(1, 90), entry(2, 80)])).toEqual([]);
		expect(notesOf([entry(1, 90), entry(2, 90)])).toEqual(["If scores are equal, the earlier submission ranks first."]);
		expect(notesOf([entry(1, 90, 1, 2), entry(2, 80, 1, 2)]).join()).toMatch(/predictions with 95 %.*JUDGE_NOISE/);
		expect([entry(1, 90), entry(2, 80, 1, 2)].map(isRankOpen)).toEqual([false, true]);
	});
});
