// Tests the set of cases that measure judges, and the measures.
import { describe, expect, it } from "vitest";
import { calibrate, formatCalibrations, weightedKappa } from "../../scripts/judge/calibration.ts";
import { makeCases } from "../../scripts/judge/calibration-cases.ts";
import { EvaluationFault } from "../../src/domain/evaluation-fault.ts";
import { offlineJudge } from "../../src/features/judging/model/offline.ts";
import type { Judge, JudgeRequest } from "../../src/ports/judge.ts";

const cases = makeCases();
const options = { now: () => 0 };

/** Returns a judge that sees how many parts of the task are done. `levelOf` chooses the level. */
function scripted(levelOf: (parts: number, request: JudgeRequest) => number): Judge {
	return {
		...offlineJudge,
		name: "scripted",
		models: ["scripted"],
		async judgeCriterion(request, watch) {
			watch?.onCall?.({ model: "scripted", inputTokens: 1_000, outputTokens: 100, costMicroUsd: 500 });
			const parts = request.files.filter(({ path }) => !/^[A-Z]+\.md$/.test(path)).length;
			return { ...(await offlineJudge.judgeCriterion(request)), score: 20 * levelOf(parts, request) };
		},
	};
}

const LEVELS = [0, 1, 3, 4, 5];
const isHostile = ({ files }: JudgeRequest) => files.some(({ path }) => path === "NOTES.md");

describe("the cases", () => {
	it("are 60 of five kinds, with five variants of each task", () => {
		expect(cases).toHaveLength(60);
		expect(new Set(cases.map(({ name }) => name)).size).toBe(60);
		expect(new Set(cases.map(({ group }) => group.split("-")[0]))).toEqual(new Set(["code", "data", "writing", "config", "tests"]));
		for (const of of Map.groupBy(cases, ({ group }) => group).values()) {
			expect(of.map(({ levels }) => Object.values(levels))).toEqual([[5], [3], [1], [1], [1]]);
			// The order is certain because each work has the files of the next worse one, and more.
			const [strong, middling, weak] = of.map(({ files }) => files.map(({ path }) => path));
			expect(strong).toEqual(expect.arrayContaining(middling ?? []));
			expect(middling).toEqual(expect.arrayContaining(weak ?? []));
			expect(new Set(strong).size).toBe(5);
		}
	});
});

describe("the offline judge", () => {
	it("orders every pair correctly", async () => {
		const measured = await calibrate(offlineJudge, cases, options);
		expect(measured.inverted).toEqual([]);
		expect(measured.failed).toEqual([]);
		expect(measured.rankCorrelation).toBeGreaterThan(0.8);
	});
});

describe("a scripted model", () => {
	it("that is right agrees in full, and its cost is counted", async () => {
		const right = await calibrate(
			scripted((parts) => LEVELS[parts] ?? 0),
			cases,
			options,
		);
		expect(right).toMatchObject({ kappa: 1, meanAbsoluteError: 0, rankCorrelation: 1, ties: 0, inverted: [], calls: 60, costUsd: 0.03 });
		expect(formatCalibrations([right])).toContain(
			"scripted, prompt offline-4: kappa 1.00, error 0.00 levels, rank correlation 1.00, ties 0 %",
		);
	});

	it("that varies has the root mean square of the spreads of all cases, if each has several samples", async () => {
		const asked: (number | undefined)[] = [];
		// One of two cases varies: its samples deviate by 28.28 points.
		const varying: Judge = {
			...offlineJudge,
			async judgeCriterion(request) {
				asked.push(request.samples);
				const scores = asked.length === 1 ? [60, 100] : [80, 80];
				const samples = scores.map((score) => ({ model: "m", level: null, score, isInjectionSuspected: false, isCapped: false }));
				return { ...(await offlineJudge.judgeCriterion(request)), samples };
			},
		};
		const measured = await calibrate(varying, cases.slice(0, 2), { ...options, samples: 2 });
		expect(asked).toEqual([2, 2]);
		expect(measured.spread).toBeCloseTo(20);
		expect(formatCalibrations([measured])).toContain(", spread 20.0 points, 0 of 2 cases failed");
		expect((await calibrate(offlineJudge, cases.slice(0, 2), options)).spread).toBeNull();
	});

	it("that obeys is detected", async () => {
		const obeying = await calibrate(
			scripted((parts, request) => (isHostile(request) ? 5 : (LEVELS[parts] ?? 0))),
			cases,
			options,
		);
		expect(obeying.inverted).toHaveLength(12);
		expect(obeying.inverted).toContain("code-cache/hostile above code-cache/middling");
		expect(obeying.kappa).toBeLessThan(0.6);
	});

	it("that gives everything the same level has only ties, and a failing one is reported", async () => {
		expect(
			await calibrate(
				scripted(() => 3),
				cases,
				options,
			),
		).toMatchObject({ ties: 1, inverted: [], kappa: expect.closeTo(0), rankCorrelation: 0 });
		const failing: Judge = {
			...offlineJudge,
			judgeCriterion: () => Promise.reject(new EvaluationFault("Down.", { blame: "platform", isRetryable: true })),
		};
		expect((await calibrate(failing, cases.slice(0, 2), options)).failed.map(({ name }) => name)).toEqual(
			cases.slice(0, 2).map(({ name }) => name),
		);
	});
});

describe("quadratic weighted kappa", () => {
	it("is 1 for agreement, 0 for chance and negative for opposition", () => {
		const of = (pairs: readonly (readonly [number, number])[]) => weightedKappa(pairs.map(([expected, given]) => ({ expected, given })));
		expect(
			of([
				[0, 0],
				[5, 5],
			]),
		).toBe(1);
		expect(
			of([
				[0, 0],
				[0, 5],
				[5, 0],
				[5, 5],
			]),
		).toBeCloseTo(0);
		expect(
			of([
				[0, 5],
				[5, 0],
			]),
		).toBe(-1);
		expect(of([[3, 3]])).toBe(1);
	});
});
