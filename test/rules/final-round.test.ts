import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isProvisional } from "../../src/domain/evaluation-rounds.ts";
import { medianSpread } from "../../src/domain/spread.ts";
import { UPLOAD_GRACE_MS } from "../../src/domain/task-status.ts";
import { countedEvaluations, groupOfScore } from "../../src/features/competition/evaluation/rules.ts";
import {
	assumeSpread,
	bandBelowLeader,
	boundTieScores,
	canBegin,
	chooseCompared,
	findContests,
	MIN_CANDIDATES,
	preferencePoints,
	resolutionOf,
	selectCandidates,
	shareJudgements,
} from "../../src/features/competition/final-round/rules.ts";
import { RANK_WINDOW, rankRange } from "../../src/features/competition/leaderboard/rules.ts";

const entry = (finalScore: number, spread: number | null = null) => ({ finalScore, spread, rankKey: "1" });

describe("the candidates of a final round", () => {
	it("are all agents if there are few, and at least ten", () => {
		const scores = fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 30 });
		fc.assert(
			fc.property(scores, (list) => {
				const board = list.toSorted((a, b) => b - a).map((score) => entry(score));
				const chosen = selectCandidates(board, null);
				expect(chosen.length).toBeGreaterThanOrEqual(Math.min(MIN_CANDIDATES, board.length));
				expect(chosen).toEqual(board.slice(0, chosen.length));
				for (const left of board.slice(chosen.length)) expect((board[0]?.finalScore ?? 0) - left.finalScore).toBeGreaterThan(5);
			}),
		);
	});

	it("are at least those within five points of the leader", () => {
		const board = [...Array.from({ length: 12 }, () => entry(90)), entry(85), entry(84.99)];
		expect(selectCandidates(board, null)).toHaveLength(13);
	});

	it("are those within three deviations of the difference, also below a leader that was judged often", () => {
		expect(bandBelowLeader(3, 4, 4)).toBe(15);
		expect(bandBelowLeader(0, 4, 4)).toBe(12);
		expect(bandBelowLeader(null, null, 4)).toBeCloseTo(3 * Math.hypot(4, 4));
		expect(bandBelowLeader(0.1, 0.1, 0.1)).toBe(5);
		expect(bandBelowLeader(null, null, null)).toBe(5);
	});

	it("are those within the noise of an unknown model, in proportion to its share of the score", () => {
		const prior = (llmWeight: number, spread = 6) => ({ llmWeight, spread });
		expect(assumeSpread(null, prior(100))).toBe(6);
		expect(assumeSpread(null, prior(100, 9))).toBe(9);
		expect(assumeSpread(null, prior(50))).toBe(3);
		expect(assumeSpread(null, prior(0))).toBeNull();
		expect(assumeSpread(2, prior(100))).toBe(2);
	});
});

describe("work that shares a judgement", () => {
	const work = (submissionId: string, handedInAt: number, artifactSha256: string | null = null) => {
		return { submissionId, handedInAt, artifactSha256 };
	};
	const judgedIn = (list: Parameters<typeof shareJudgements>[0], twins: Readonly<Record<string, readonly string[]>> = {}) =>
		Object.fromEntries(shareJudgements(list, (id) => twins[id] ?? []).map(({ submissionId, judgedId }) => [submissionId, judgedId]));

	it("is judged as the earliest submission", () => {
		expect(judgedIn([work("b", 2, "x"), work("a", 1, "x"), work("c", 0, "y")])).toEqual({ a: "a", b: "a", c: "c" });
		expect(judgedIn([work("a", 1), work("b", 2), work("c", 3)], { b: ["c"], c: ["b"] })).toEqual({ a: "a", b: "b", c: "b" });
	});

	it("equals the judged work itself, not another one that shares its judgement", () => {
		const twins = { a: ["b"], b: ["a", "c"], c: ["b"] };
		expect(judgedIn([work("a", 1), work("b", 2), work("c", 3)], twins)).toEqual({ a: "a", b: "a", c: "c" });
	});

	it("is always judged as a submission that is judged itself", () => {
		const ids = Array.from({ length: 16 }, (_, n) => `${n}`);
		fc.assert(
			fc.property(
				fc.subarray(ids, { minLength: 1 }),
				fc.dictionary(fc.constantFrom(...ids), fc.subarray(ids)),
				fc.func(fc.integer({ min: 0, max: 3 })),
				(list, twins, hash) => {
					const present = Object.fromEntries(
						Object.entries(twins).map(([id, others]) => [id, others.filter((other) => list.includes(other))]),
					);
					const judged = judgedIn(
						list.map((id) => work(id, Number(id), `${hash(id)}`)),
						present,
					);
					for (const id of Object.values(judged)) expect(judged[id]).toBe(id);
				},
			),
		);
	});
});

describe("a contest for the first places", () => {
	const scored = (...scores: number[]) => scores.map((finalScore) => ({ finalScore }));
	const scoresOf = (contests: readonly (readonly { finalScore: number }[])[]) =>
		contests.map((each) => each.map(({ finalScore }) => finalScore));

	it("has candidates that the levels of a judge cannot distinguish", () => {
		expect(resolutionOf([60, 40], 100)).toBeCloseTo(12.01);
		expect(resolutionOf([60, 40], 50)).toBeCloseTo(6.01);
		expect(scoresOf(findContests(scored(90, 90, 80, 70), 4))).toEqual([[90, 90]]);
		expect(scoresOf(findContests(scored(90, 87, 60, 60, 50), 4))).toEqual([
			[90, 87],
			[60, 60],
		]);
		expect(scoresOf(findContests(scored(90, 80, 70, 68, 60), 4))).toEqual([[70, 68]]);
		expect(findContests(scored(90), 4)).toEqual([]);
		// After the tenth place only those that share the score of a contestant take part.
		const many = scored(...Array.from({ length: 30 }, () => 90), 89);
		expect(findContests(many, 4)[0]).toHaveLength(30);
	});

	it("compares the best that are close, and no more than five", () => {
		const entries = [80, 79, 78, 77, 76, 75.5].map((tieScore) => ({ tieScore }));
		expect(chooseCompared(entries)).toEqual(entries.slice(0, 5));
		expect(chooseCompared([{ tieScore: 80 }, { tieScore: 70 }, { tieScore: null }])).toEqual([]);
	});

	it("counts a preference only if both orders agree", () => {
		const record = (compared_with: string, score: number) => ({ model: "m", level: null, score, compared_with });
		const work = (submissionId: string, other: string, ...scores: number[]) => ({
			submissionId,
			samples: { A: [record(other, scores[0] ?? 50)], B: [record(other, scores[1] ?? 50)] },
		});
		const weights = { A: 70, B: 30 };
		const points = (mine: readonly number[], theirs: readonly number[]) =>
			preferencePoints(work("x", "y", ...mine), [work("y", "x", ...theirs)], weights);
		expect(points([100, 50], [0, 50])).toBeCloseTo(0.7);
		expect(points([0, 100], [100, 0])).toBeCloseTo(-0.4);
		// The model prefers the first work that it sees.
		expect(points([100, 100], [100, 100])).toBe(0);
		expect(points([100, 100], [50, 50])).toBe(0);
		expect(preferencePoints(work("x", "y", 100, 100), [{ submissionId: "y", samples: {} }], weights)).toBe(0);
	});

	it("moves no agent past a candidate outside of it", () => {
		const [first, second, third, outside] = [96, 95, 94, 90].map((finalScore) => ({ finalScore, tieScore: 0 }));
		if (first === undefined || second === undefined || third === undefined || outside === undefined)
			throw new Error("An entry is missing.");
		first.tieScore = 80;
		second.tieScore = 93;
		third.tieScore = 99;
		const settled = boundTieScores([first, second, third, outside], [[first, second, third]]);
		expect([first, second, third].map((entry) => settled.get(entry))).toEqual([90.01, 93, 99]);
		const behind = boundTieScores([first, second, third, outside], [[second, third]]);
		expect([second, third].map((entry) => behind.get(entry))).toEqual([93, 95.99]);
	});
});

describe("a round", () => {
	it.each([
		["nothing is open", { hasRunning: false, hasRegistered: false, closedBy: null }, 0, true],
		["something runs", { hasRunning: true, hasRegistered: false, closedBy: null }, 2 * UPLOAD_GRACE_MS, false],
		["an upload may come", { hasRunning: false, hasRegistered: true, closedBy: null }, UPLOAD_GRACE_MS - 1, false],
		["uploads are over", { hasRunning: false, hasRegistered: true, closedBy: null }, UPLOAD_GRACE_MS, true],
		["the owner has closed", { hasRunning: false, hasRegistered: true, closedBy: "owner" }, 0, true],
	] as const)("begins when %s: %#", (_, state, now, expected) => {
		expect(canBegin({ ...state, deadline: 0 }, now)).toBe(expected);
	});

	it("makes ranks provisional until it has ended", () => {
		expect(isProvisional({ finalRound: true, roundStatus: null })).toBe(true);
		expect(isProvisional({ finalRound: true, roundStatus: "judging" })).toBe(true);
		expect(isProvisional({ finalRound: true, roundStatus: "ended" })).toBe(false);
		expect(isProvisional({ finalRound: false, roundStatus: null })).toBe(false);
	});
});

describe("the evaluations that count", () => {
	const evaluation = (judge: string, round: "submission" | "re_evaluation" | "final" = "re_evaluation") => {
		return { judge, models: ["m"], promptVersion: "1", rubricVersion: 1, round };
	};

	it("are those by the judge of the newest one", () => {
		const [a, b, c] = [evaluation("a"), evaluation("b"), evaluation("a")];
		expect(countedEvaluations([a, b], c)).toEqual([a, c]);
		expect(countedEvaluations([a], b)).toEqual([b]);
	});

	it("include the earlier judge's until the new one has as many, so a change gives no second chance", () => {
		const [a, b] = [evaluation("a"), evaluation("b")];
		expect(countedEvaluations([a, a], b)).toEqual([a, a, b]);
		expect(countedEvaluations([a, a, b], b)).toEqual([b, b]);
		expect(countedEvaluations([{ ...a, rubricVersion: 0 }, a, a], b)).toEqual([a, a, b]);
		const [first, second] = [{ comparisonGroup: 1 }, { comparisonGroup: 2 }];
		expect(groupOfScore([first, first, second])).toBe(1);
		expect(groupOfScore([second, second])).toBe(2);
		expect(groupOfScore([first, second])).toBe(2);
	});

	it("are only those of the final round, once there is one", () => {
		const final = evaluation("b", "final");
		expect(countedEvaluations([evaluation("b")], final)).toEqual([final]);
		expect(countedEvaluations([evaluation("b"), final], evaluation("b"))).toEqual([final]);
	});
});

describe("the spread of a median", () => {
	it("comes from the samples, or otherwise from the difference of evaluations", () => {
		expect(medianSpread([{ finalScore: 50, spread: 4 }])).toBe(4);
		expect(medianSpread([{ finalScore: 50, spread: null }])).toBeNull();
		expect(
			medianSpread([
				{ finalScore: 50, spread: 4 },
				{ finalScore: 60, spread: 4 },
			]),
		).toBeCloseTo(4 * Math.SQRT1_2);
		expect(
			medianSpread([
				{ finalScore: 50, spread: null },
				{ finalScore: 60, spread: 4 },
			]),
		).toBeCloseTo(5);
	});
});

describe("the range of an entry's ranks", () => {
	it("counts the neighbours that noise may have put on the wrong side", () => {
		const above = [entry(70, 1), entry(62, 1)];
		const below = [entry(59, 1), entry(40, null)];
		expect(rankRange(entry(60, 1), 3, { above, below })).toEqual({ rankLow: 2, rankHigh: 4 });
		expect(rankRange(entry(60), 3, { above, below })).toEqual({ rankLow: 3, rankHigh: 3 });
	});

	it("stays within one group of a final round", () => {
		const candidate = { ...entry(60, 5), rankKey: "0" };
		expect(rankRange(entry(60, 5), 2, { above: [candidate], below: [] })).toEqual({ rankLow: 2, rankHigh: 2 });
	});

	it("contains the rank and is never wider than its window", () => {
		const neighbours = fc.array(
			fc.record({ finalScore: fc.double({ min: 0, max: 100, noNaN: true }), spread: fc.double({ min: 0, max: 20, noNaN: true }) }),
			{ maxLength: RANK_WINDOW },
		);
		fc.assert(
			fc.property(neighbours, neighbours, (above, below) => {
				const of = (list: typeof above) => list.map(({ finalScore, spread }) => entry(finalScore, spread));
				const { rankLow, rankHigh } = rankRange(entry(50, 5), 100, { above: of(above), below: of(below) });
				expect(rankLow).toBeGreaterThanOrEqual(100 - above.length);
				expect(rankLow).toBeLessThanOrEqual(100);
				expect(rankHigh).toBeGreaterThanOrEqual(100);
				expect(rankHigh).toBeLessThanOrEqual(100 + below.length);
			}),
		);
	});
});
