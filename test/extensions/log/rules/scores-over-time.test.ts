// An agent's past is read from its evaluations, so what comes later never changes what it had before.
import { describe, expect, it } from "vitest";
import type { EvaluationRound } from "../../../../src/domain/evaluation-rounds.ts";
import { type PastEvaluation, scoresOverTime } from "../../../../src/extensions/log/rules.ts";

/** One evaluation: submission, number, round, score, time. */
const judged = (
	submissionId: string,
	iteration: number,
	...[round, finalScore, createdAt]: readonly [EvaluationRound, number, number]
): PastEvaluation => ({ submissionId, iteration, round, finalScore, createdAt, comparisonGroup: 1, rubricVersion: 1 });

const past = (evaluations: readonly PastEvaluation[], more: Partial<Parameters<typeof scoresOverTime>[0]> = {}) =>
	scoresOverTime({ evaluations, voids: [], standing: null, ...more }).map(({ at, score, round }) => [at, score, round]);

describe("scores over time", () => {
	const early = [judged("a", 1, "submission", 60, 1), judged("b", 1, "submission", 87, 2), judged("c", 1, "submission", 70, 3)];
	const before = [
		[1, 60, "submission"],
		[2, 87, "submission"],
	];

	it("have a point when the best score changes", () => {
		expect(past(early)).toEqual(before);
		expect(past([])).toEqual([]);
	});

	it("keep their earlier points after a final round, which decides for its candidate only", () => {
		expect(past([...early, judged("b", 2, "final", 45, 9)])).toEqual([...before, [9, 45, "final"]]);
		expect(past([...early, judged("b", 2, "final", 87, 9)])).toEqual([...before, [9, 87, "final"]]);
		expect(past([...early, judged("a", 2, "final", 62, 9), judged("b", 2, "re_evaluation", 99, 10)])).toEqual([
			...before,
			[9, 62, "final"],
		]);
	});

	it("keep their earlier points after later evaluations, which count from their own time on", () => {
		expect(past([...early, judged("b", 2, "re_evaluation", 77, 5)])).toEqual([...before, [5, 82, "re_evaluation"]]);
		expect(past([...early, judged("b", 2, "review", 95, 6), judged("b", 3, "final", 50, 9)])).toEqual([
			...before,
			[6, 95, "review"],
			[9, 50, "final"],
		]);
		expect(past([...early, judged("b", 2, "final", 50, 9), judged("b", 3, "review", 80, 12)])).toEqual([
			...before,
			[9, 50, "final"],
			[12, 80, "review"],
		]);
	});

	it("fall to the next best submission when one is voided, from that time on", () => {
		const voids = [{ submissionId: "b", at: 7 }];
		expect(past(early, { voids })).toEqual([...before, [7, 70, null]]);
		expect(past([...early, judged("b", 2, "final", 45, 6)], { voids })).toEqual([...before, [6, 45, "final"], [7, 70, null]]);
		expect(past([judged("b", 1, "submission", 87, 2)], { voids })).toEqual([
			[2, 87, "submission"],
			[7, null, null],
		]);
		expect(past([...early, judged("b", 2, "re_evaluation", 99, 8)], { voids })).toEqual([...before, [7, 70, null]]);
	});

	it("are those of the candidate that a final round could not judge, from its end on", () => {
		expect(past(early, { standing: { submissionId: "c", at: 9 } })).toEqual([...before, [9, 70, null]]);
	});
});
