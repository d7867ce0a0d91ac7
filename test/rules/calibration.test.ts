// Tests the labelled works that measure judges, the statistics, and the verdict. A scripted model plays the works through the engine.
import { beforeAll, describe, expect, it } from "vitest";
import { balancedAccuracy, compareOrders, noiseOf, shareInOrder, weightedKappa } from "../../scripts/judge/agreement.ts";
import { countText, countWords } from "../../scripts/judge/keyword-counter.ts";
import { type LabelledCase, readLabelledWorks, SHIPPED_WORKS } from "../../scripts/judge/labelled-works.ts";
import { measuredJudges } from "../../scripts/judge/measured-judges.ts";
import { formatMeasurements } from "../../scripts/judge/measurement-report.ts";
import { type MeasuredJudge, type Measurement, measureJudge } from "../../scripts/judge/measuring.ts";
import { decideFitness } from "../../scripts/judge/verdict.ts";
import type { Finding } from "../../src/domain/checks.ts";
import type { Judge } from "../../src/ports/judge.ts";
import { labelledModel } from "../support/labelled-model.ts";
import { engineSettings } from "../support/scripted-model.ts";

let cases: readonly LabelledCase[] = [];

beforeAll(async () => {
	cases = await readLabelledWorks(SHIPPED_WORKS);
});

describe("the labelled works", () => {
	it("are 60, in groups of four for the same task, with different orders in each", () => {
		expect(cases).toHaveLength(60);
		expect(new Set(cases.map(({ name }) => name)).size).toBe(60);
		for (const group of Map.groupBy(cases, ({ group }) => group).values()) {
			expect(group).toHaveLength(4);
			expect(Math.max(...group.map(({ expected }) => expected))).toBe(100);
			expect(Math.min(...group.map(({ expected }) => expected))).toBeLessThanOrEqual(50);
		}
	});

	it("have an answer to each check, and a quote for each yes and partly that a judge could give", () => {
		const labels = cases.flatMap((work) =>
			work.criteria.flatMap(({ name, checks }) =>
				checks.map((check, index) => ({ work, what: `${work.name}: ${check}`, answer: work.answers[name]?.[index] })),
			),
		);
		expect(labels.length).toBeGreaterThan(240);
		for (const { what, answer } of labels) {
			expect(answer, what).toBeDefined();
			expect(answer?.proof == null, what).toBe(answer?.found === "no");
		}
		for (const { work, what, answer } of labels) {
			if (answer?.proof == null) continue;
			const { path, quote } = answer.proof;
			const lines = work.files.find((file) => file.path === path)?.text.split("\n") ?? [];
			expect(
				lines.some((line) => line.includes(quote)),
				what,
			).toBe(true);
			expect(path, what).not.toMatch(/^(?:README|SUBMISSION)\.md$/);
		}
	});

	it.each([
		["the words of the checks", countWords],
		["the amount of text", countText],
	])("cannot be ordered by counting %s, and not by the opposite of it either", (_, count) => {
		const share = shareInOrder(compareOrders(cases.map((work) => ({ ...work, given: count(work) }))));
		expect(share).toBeLessThanOrEqual(0.6);
		expect(share).toBeGreaterThanOrEqual(0.4);
	});
});

describe("the statistics", () => {
	const rate = (pairs: readonly (readonly ["yes" | "partly" | "no", Finding])[]) => pairs.map(([expected, given]) => ({ expected, given }));

	it("give 0.5 for a judge that always says the same, for every share of done checks", () => {
		for (const given of ["yes", "no", "partly", "not_seen"] as const) {
			expect(
				balancedAccuracy(
					rate([
						["yes", given],
						["yes", given],
						["yes", given],
						["no", given],
					]),
				),
			).toBe(0.5);
		}
		expect(
			balancedAccuracy(
				rate([
					["yes", "yes"],
					["no", "no"],
					["partly", "yes"],
				]),
			),
		).toBe(1);
		expect(
			balancedAccuracy(
				rate([
					["yes", "partly"],
					["no", "no"],
				]),
			),
		).toBe(0.75);
	});

	it("have a kappa of 1 for agreement, 0 for chance and -1 for opposition", () => {
		expect(
			weightedKappa(
				rate([
					["yes", "yes"],
					["no", "no"],
				]),
			),
		).toBe(1);
		expect(
			weightedKappa(
				rate([
					["no", "no"],
					["no", "yes"],
					["yes", "no"],
					["yes", "yes"],
				]),
			),
		).toBe(0);
		expect(
			weightedKappa(
				rate([
					["no", "yes"],
					["yes", "no"],
				]),
			),
		).toBe(-1);
		expect(weightedKappa(rate([["yes", "yes"]]))).toBe(1);
	});

	it("compare orders within a group only, and name the pairs that are inverted", () => {
		const work = (group: string, name: string, expected: number, given: number) => ({ group, name, expected, given });
		const order = compareOrders([
			work("a", "good", 100, 50),
			work("a", "bad", 0, 60),
			work("a", "half", 50, 50),
			work("b", "other", 10, 100),
		]);
		expect(order).toMatchObject({ pairs: 3, ties: 1, inverted: ["bad above good", "bad above half"] });
		expect(shareInOrder(order)).toBeCloseTo(1 / 6);
		expect(compareOrders([work("a", "x", 1, 1), work("a", "y", 2, 2)]).rankCorrelation).toBe(1);
	});

	it("estimate the noise of one sample from checks with several", () => {
		expect(noiseOf([["yes"], ["no"]])).toBeNull();
		expect(noiseOf([["yes", "yes", "yes"]])).toBe(0);
		// Each pair deviates by half of a check's value from its mean of one half: the variance is 0.5 for one degree of freedom.
		expect(
			noiseOf([
				["yes", "no"],
				["no", "no"],
			]),
		).toBeCloseTo(Math.sqrt(0.25));
	});
});

const quiet = { samples: 1, now: () => 0, sleep: () => Promise.resolve(), report: () => {} };

/** Measures a scripted model with each of the settings that are compared. */
async function measureModel(play: Parameters<typeof labelledModel>[1], only: (judge: MeasuredJudge) => boolean, works = cases) {
	const deps = labelledModel(works, play);
	const judges = measuredJudges(
		deps,
		engineSettings({
			models: ["compatible:local/labelled"],
			prices: new Map([["compatible:local/labelled", { input: 1, cached: 1, output: 1 }]]),
		}),
	);
	const measurements: Measurement[] = [];
	for (const judge of judges.filter(only)) measurements.push(await measureJudge(judge, works, quiet));
	return { measurements, verdict: decideFitness(measurements) };
}

const unconfirmed = (judge: MeasuredJudge) => usual(judge) && !judge.isConfirming;
const usual = ({ checksPerCall }: MeasuredJudge) => checksPerCall === 2;

describe("a scripted model that plays the works", () => {
	it("is fit if it answers as people do, with 1, 2 and all checks per call", async () => {
		const { measurements, verdict } = await measureModel({}, () => true);
		expect(measurements.map(({ checksPerCall, isConfirming }) => [checksPerCall, isConfirming])).toEqual([
			[2, true],
			[2, false],
			[1, true],
			[1, false],
			[null, true],
			[null, false],
		]);
		for (const measured of measurements) {
			expect(measured).toMatchObject({
				cases: 60,
				failed: [],
				balancedAccuracy: 1,
				kappa: 1,
				order: { inverted: [], ties: 0, rankCorrelation: 1 },
			});
			expect(measured.quotes.real).toBe(measured.quotes.claimed);
			expect(measured.traffic).toMatchObject({ unreadable: 0, retries: 0, silentCalls: 0 });
			expect(measured.costUsd).toBeGreaterThan(0);
		}
		const [, alone, , single] = measurements;
		expect(single?.calls ?? 0).toBeGreaterThan(alone?.calls ?? Number.POSITIVE_INFINITY);
		expect(verdict).toEqual({
			model: "compatible:local/labelled",
			checksPerCall: 2,
			fitness: "fit",
			reason: "its balanced accuracy is 100 %",
		});
	});

	it("is fit with confirmation if it believes every claim, but sees in a few lines what they are", async () => {
		const { measurements, verdict } = await measureModel({ answers: "claims" }, usual);
		const [confirmed, alone] = measurements;
		expect(alone?.balancedAccuracy).toBeLessThan(0.7);
		expect(confirmed?.balancedAccuracy).toBeGreaterThan(0.9);
		expect(verdict.fitness).toBe("fit with confirmation");
	});

	it("is not fit if it guesses, and the last line says why", async () => {
		const { measurements, verdict } = await measureModel({ answers: "guess" }, usual);
		expect(verdict.fitness).toBe("not fit");
		const last = formatMeasurements(measurements, [verdict]).split("\n").at(-1);
		expect(last).toMatch(/^compatible:local\/labelled: not fit to judge: .*its balanced accuracy is \d\d %, where guessing has 50 %/);
	});

	it("is not fit if its quotes are invented", async () => {
		const { measurements, verdict } = await measureModel({ quotes: "invented" }, usual, cases.slice(0, 8));
		expect(measurements[0]?.quotes).toMatchObject({ real: 0 });
		expect(verdict.reason).toMatch(/^0 of \d+ answers have a quote that is in the files \(at least 80 %\)/);
	});

	it("has its unreadable replies, retries and silence listed apart", async () => {
		const { measurements, verdict } = await measureModel({ unreadable: "first" }, unconfirmed, cases.slice(0, 8));
		const [alone] = measurements;
		expect(alone).toMatchObject({ balancedAccuracy: 1, traffic: { silentCalls: 0 } });
		expect(alone?.traffic.unreadable).toBeGreaterThan(0);
		expect(alone?.traffic.unreadable).toBe(alone?.traffic.retries);
		expect(alone?.traffic.replies).toBe(2 * (alone?.traffic.unreadable ?? 0));
		expect(verdict).toMatchObject({ fitness: "not fit", reason: expect.stringContaining("replies could not be read (at most 10 %)") });
		const silent = await measureModel({ unreadable: "works" }, unconfirmed, cases.slice(0, 4));
		expect(silent.measurements[0]?.traffic.silentCalls).toBeGreaterThan(0);
	});
});

describe("a judge in trouble", () => {
	const waiting = (reason: "supplier" | "continues", until: number): Judge["evaluate"] => {
		let attempts = 0;
		return (request) => {
			attempts += 1;
			const wait = { reason, message: "The supplier is down.", retryAfterMs: null, supplierWords: "overloaded" };
			if (attempts <= until) return Promise.resolve({ kind: "waiting", wait, kept: attempts });
			const criteria = request.criteria.map(({ name, checks }) => {
				const sample = { model: "m", found: checks.map((): Finding => "no"), score: 0 };
				return { name, score: 0, checks: [], samples: [sample], gaps: [], reasoning: "", isInjectionSuspected: false };
			});
			const rest = { models: ["m"], cutFiles: [], strippedCharacters: 0, quotes: { claimed: 0, real: 0 } };
			return Promise.resolve({ kind: "finished", judgement: { ...rest, criteria } });
		};
	};
	const measure = async (evaluate: Judge["evaluate"]) => {
		const slept: number[] = [];
		const reported: string[] = [];
		const judge = { promptVersion: "p", evaluate, findWholeChecks: () => Promise.resolve([]) };
		const measured = await measureJudge({ model: "m", isConfirming: true, checksPerCall: 2, judge }, cases.slice(0, 1), {
			...{ samples: 1, now: () => 0 },
			sleep: (milliseconds) => Promise.resolve(void slept.push(milliseconds)),
			report: (line) => void reported.push(line),
		});
		return { measured, slept, reported };
	};

	it("is asked again after a wait, and at once where the attempt only continues", async () => {
		const { measured, slept, reported } = await measure(waiting("supplier", 2));
		expect(measured.failed).toEqual([]);
		expect(slept).toEqual([5_000, 10_000]);
		expect(reported).toEqual(["m, 2 checks per call, confirmed: 1 of 1, backup-script/documented-right"]);
		expect((await measure(waiting("continues", 20))).slept).toEqual([]);
	});

	it("gives no figures after five waits, but the supplier's words, and is not fit", async () => {
		const { measured } = await measure(waiting("supplier", 5));
		expect(measured.failed).toEqual([
			{ name: "backup-script/documented-right", reason: "The supplier is down. The supplier says: overloaded" },
		]);
		const verdict = decideFitness([measured]);
		expect(verdict).toMatchObject({ fitness: "not fit", reason: expect.stringContaining("1 of 1 works have no judgement") });
		expect(formatMeasurements([measured], [verdict])).not.toContain("kappa");
	});
});
