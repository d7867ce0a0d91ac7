import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countedEvaluations } from "../../../../src/core/competition/evaluation/rules.ts";
import { SAMPLE_COUNTS, sampleScore } from "../../../../src/domain/checks.ts";
import { judgeFingerprint } from "../../../../src/domain/evaluation-rounds.ts";
import { UPLOAD_GRACE_MS } from "../../../../src/domain/task-status.ts";
import { joinSamples } from "../../../../src/extensions/final-round/join-samples.ts";
import { canBegin, chooseFunded, estimateFurther, FURTHER_SAMPLES, hasEnded } from "../../../../src/extensions/final-round/rules.ts";
import { RANK_WINDOW, rankRange } from "../../../../src/fields/rank-range.ts";
import type { Judgement } from "../../../../src/ports/judgement.ts";

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

	it.each([
		["draft", 1, false],
		["open", -1, false],
		["open", 0, true],
		["evaluating", 1, true],
		["closed", -1, true],
	] as const)("opens for a task that is %s, %d ms past its deadline: %s", (status, past, expected) => {
		expect(hasEnded({ status, deadline: 1000 }, 1000 + past)).toBe(expected);
	});
});

describe("the money of a round", () => {
	const candidates = (count: number, estimate = 10) =>
		Array.from({ length: count }, (_, index) => ({ submissionId: `${index}`, judgedId: `${index}`, estimate }));

	it("pays for all without a ceiling, and from the top of the board with one", () => {
		expect(chooseFunded(candidates(20), null)).toHaveLength(20);
		expect(chooseFunded(candidates(20), 200)).toHaveLength(20);
		expect(chooseFunded(candidates(20), 159)?.map(({ submissionId }) => submissionId)).toEqual(
			candidates(15).map(({ submissionId }) => submissionId),
		);
	});

	it("is too little for fewer than ten candidates, or for fewer than all where there are fewer", () => {
		expect(chooseFunded(candidates(20), 99)).toBeNull();
		expect(chooseFunded(candidates(20), 100)).toHaveLength(10);
		expect(chooseFunded(candidates(3), 29)).toBeNull();
		expect(chooseFunded(candidates(3), 30)).toHaveLength(3);
	});

	it("pays once for candidates that share a judgement", () => {
		const shared = [...candidates(9), { submissionId: "copy", judgedId: "0", estimate: 10 }, ...candidates(11).slice(9)];
		expect(chooseFunded(shared, 90)).toHaveLength(10);
	});

	it("pays for further samples in proportion", () => {
		expect(estimateFurther(5_001)).toBe(8_002);
	});
});

describe("further samples", () => {
	const sample = (...found: ("yes" | "partly" | "no")[]) => ({ model: "m", found, score: sampleScore(found) });
	const judgement = (id: string, samples: Judgement["samples"][string], checks: readonly ("yes" | "partly" | "no")[]): Judgement => ({
		...{ id, judge: "openai", models: ["m"], confirmedBy: null, promptVersion: "1", temperature: null, imageDigest: null },
		...{ artifactSha256: null, receipt: null, createdAt: 1, containerScore: null, spread: null },
		...{ finalScore: 0, llmScore: 0, testScore: 40 },
		samples: { A: samples },
		texts: {
			reasoning: id,
			dimensions: [
				{
					...{ criterion: "A", weight: 100, score: 0, reasoning: `${id} saw it`, gaps: [`gap of ${id}`] },
					checks: checks.map((found, index) => ({ check: `check ${index}`, found, evidence: [] })),
				},
			],
			breakdown: { injection_suspected: id === "further" ? ["A"] : [] },
			ownerBreakdown: null,
		},
	});

	it("count together with the first ones, without the lowest and the highest answer", () => {
		const first = judgement(
			"first",
			Array.from({ length: 5 }, () => sample("no", "yes")),
			["no", "yes"],
		);
		const further = judgement(
			"further",
			Array.from({ length: 8 }, () => sample("yes", "yes")),
			["yes", "yes"],
		);
		const joined = joinSamples(first, further, { testWeight: 50, llmWeight: 50 });
		expect(joined.samples["A"]).toHaveLength(SAMPLE_COUNTS.replacing + FURTHER_SAMPLES);
		// Four of the eleven samples that count say no to the first check.
		expect(joined.llmScore).toBeCloseTo((100 * (7 / 11 + 1)) / 2, 1);
		expect(joined.finalScore).toBeCloseTo((40 + (joined.llmScore ?? 0)) / 2, 1);
		expect(joined.spread).toBeGreaterThan(0);
		const [dimension] = joined.texts.dimensions;
		expect(dimension?.checks?.map(({ found }) => found)).toEqual(["yes", "yes"]);
		expect(dimension?.reasoning).toContain("further saw it");
		expect(joined.texts.breakdown).toMatchObject({ injection_suspected: ["A"] });
	});
});

describe("the evaluations that count", () => {
	const evaluation = (round: "submission" | "re_evaluation" | "final" | "review", comparisonGroup = 1) => {
		return { round, comparisonGroup, rubricVersion: 1 };
	};

	it("are those of the largest group, and of the older one of equal ones", () => {
		const [old, fresh] = [evaluation("submission"), evaluation("re_evaluation", 2)];
		expect(countedEvaluations([old])).toEqual([old]);
		expect(countedEvaluations([old, fresh])).toEqual([old]);
		expect(countedEvaluations([old, fresh, fresh])).toEqual([fresh, fresh]);
		expect(countedEvaluations([old, fresh, fresh, old])).toEqual([old, old]);
	});

	it("are only those of the final round, once there is one", () => {
		const [first, final] = [evaluation("submission"), evaluation("final")];
		expect(countedEvaluations([first, first, final])).toEqual([final]);
		expect(countedEvaluations([first, final, evaluation("re_evaluation")])).toEqual([final]);
	});

	it("are only a review, until something comes after it", () => {
		const [first, review, again, final] = [
			evaluation("submission"),
			evaluation("review"),
			evaluation("re_evaluation"),
			evaluation("final"),
		];
		expect(countedEvaluations([first, review])).toEqual([review]);
		expect(countedEvaluations([first, review, again])).toEqual([first, again]);
		expect(countedEvaluations([first, review, final])).toEqual([final]);
		expect(countedEvaluations([first, final, review])).toEqual([review]);
	});

	it("belong to one group if the judge was configured with the same models, in any order", () => {
		const judge = { judge: "openai", models: ["a", "b"], confirmedBy: null, promptVersion: "5" };
		expect(judgeFingerprint({ ...judge, models: ["b", "a"] })).toBe(judgeFingerprint(judge));
		for (const change of [{ models: ["a"] }, { confirmedBy: "c" }, { promptVersion: "6" }]) {
			expect(judgeFingerprint({ ...judge, ...change })).not.toBe(judgeFingerprint(judge));
		}
	});
});

describe("the range of an entry's ranks", () => {
	const entry = (finalScore: number, samples = 1, rankKey = "2") => ({ finalScore, samples, rankKey });
	const noiseOf = (samples: number) => 5 / Math.sqrt(samples);

	it("counts the neighbours that noise may have put on the wrong side", () => {
		const above = [entry(90), entry(70)];
		const below = [entry(59), entry(40)];
		expect(rankRange(entry(60), 3, { above, below, noiseOf })).toEqual({ rankLow: 2, rankHigh: 4 });
		expect(rankRange(entry(60), 3, { above, below, noiseOf: () => 0 })).toEqual({ rankLow: 3, rankHigh: 3 });
	});

	it("is narrower the more samples a score has", () => {
		const above = [entry(70, 5, "0")];
		expect(rankRange(entry(60, 5, "0"), 2, { above, below: [], noiseOf })).toEqual({ rankLow: 2, rankHigh: 2 });
		expect(rankRange(entry(60, 1, "0"), 2, { above: [entry(70, 1, "0")], below: [], noiseOf })).toEqual({ rankLow: 1, rankHigh: 2 });
	});

	it("stays within one tier of a final round", () => {
		for (const rankKey of ["0", "1"]) {
			const candidate = entry(60, 5, rankKey);
			expect(rankRange(entry(60), 2, { above: [candidate], below: [], noiseOf })).toEqual({ rankLow: 2, rankHigh: 2 });
		}
	});

	it("contains the rank and is never wider than its window", () => {
		const neighbours = fc.array(
			fc.record({ finalScore: fc.double({ min: 0, max: 100, noNaN: true }), samples: fc.constantFrom(1, 3, 5, 13) }),
			{ maxLength: RANK_WINDOW },
		);
		fc.assert(
			fc.property(neighbours, neighbours, (above, below) => {
				const of = (list: typeof above) => list.map(({ finalScore, samples }) => entry(finalScore, samples));
				const { rankLow, rankHigh } = rankRange(entry(50), 100, { above: of(above), below: of(below), noiseOf });
				expect(rankLow).toBeGreaterThanOrEqual(100 - above.length);
				expect(rankLow).toBeLessThanOrEqual(100);
				expect(rankHigh).toBeGreaterThanOrEqual(100);
				expect(rankHigh).toBeLessThanOrEqual(100 + below.length);
			}),
		);
	});
});
