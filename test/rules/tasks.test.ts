import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isRevealed, pseudonymOf } from "../../src/core/competition/leaderboard/rules.ts";
import { parseTaskCursor } from "../../src/core/competition/tasks/list-tasks.ts";
import * as rules from "../../src/core/competition/tasks/rules.ts";
import { AppError } from "../../src/domain/errors.ts";
import type { ScoreWeights } from "../../src/domain/modes.ts";
import { findPatternFault } from "../../src/domain/re2.ts";

const HOUR_MS = 3_600_000;
const status = fc.constantFrom("draft", "open", "evaluating", "closed");
const time = fc.integer({ min: 0, max: 4e12 });

/** Returns the code of a rule's refusal, or null if it accepts. */
function codeOf(rule: () => unknown): string | null {
	try {
		rule();
		return null;
	} catch (error) {
		if (error instanceof AppError) return error.code;
		throw error;
	}
}

describe("patterns of test suites", () => {
	it.each([
		"a(?=b)",
		"a(?!b)",
		"(?<=a)b",
		"(?<!a)b",
		String.raw`(a)\1`,
		String.raw`[\]](?=b)`,
		String.raw`\Qa\E(?=b)`,
		"(",
		"[a",
		"a**",
		"a{1001}",
	])("%s is none of RE2's", (pattern) => expect(findPatternFault(pattern)).toMatch(/^[a-z]/));

	it.each(["", "(?:a)(?i)b", "(?P<n>a)(?<m>b)", "\\(?=", "[(?=]", "[]?=(]", String.raw`\Q(?=\1\E`, "\\d{2}", "a\\z"])(
		"%s is one of RE2's",
		(pattern) => expect(findPatternFault(pattern)).toBeNull(),
	);

	it("that is wrong is told with its fault", () => expect(findPatternFault("a(b")).toBe("missing closing ): `a(b`"));
});

describe("the next status of a task", () => {
	it.each([
		["draft", -1, false, null],
		["draft", 1, true, null],
		["open", -1, false, null],
		["open", -1, true, null],
		["open", 0, false, "closed"],
		["open", 0, true, "evaluating"],
		["open", 1, false, "closed"],
		["evaluating", 1, true, null],
		["evaluating", 1, false, "closed"],
		["closed", 1, true, null],
		["closed", 1, false, null],
	] as const)("%s, %d ms past its deadline, something running: %s, is %s", (from, past, hasRunning, expected) => {
		expect(rules.nextStatus({ status: from, deadline: 1000 }, hasRunning, 1000 + past)).toBe(expected);
	});

	it("is always closed in the end, and stays", () => {
		fc.assert(
			fc.property(status, time, time, (from, deadline, now) => {
				const next = rules.nextStatus({ status: from, deadline }, false, now);
				const settled = next ?? from;
				expect(rules.nextStatus({ status: settled, deadline }, false, now)).toBeNull();
				if (now >= deadline && from !== "draft") expect(settled).toBe("closed");
			}),
		);
	});
});

describe("weights of a rubric", () => {
	it("that sum to 100 are accepted, for any split", () => {
		const split = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 50 }).map((parts) => {
			const sum = parts.reduce((total, part) => total + part, 0);
			return parts.map((part) => ({ weight: (part / sum) * 100 }));
		});
		fc.assert(fc.property(split, (criteria) => codeOf(() => rules.assertRubricWeights(criteria)) === null));
	});

	it("that miss 100 by more than a hundredth, or are not positive, are refused", () => {
		const off = fc.double({ min: 0.0101, max: 50, noNaN: true });
		fc.assert(
			fc.property(off, fc.boolean(), (miss, above) => {
				const criteria = [{ weight: 40 }, { weight: 60 + (above ? miss : -miss) }];
				expect(codeOf(() => rules.assertRubricWeights(criteria))).toBe("INVALID_WEIGHTS");
			}),
		);
		fc.assert(
			fc.property(fc.double({ min: -100, max: 0, noNaN: true }), (weight) => {
				expect(codeOf(() => rules.assertRubricWeights([{ weight }, { weight: 100 - weight }]))).toBe("INVALID_WEIGHTS");
			}),
		);
	});
});

describe("weights of tests and judge", () => {
	it("sum to 100 in every mode, for any input", () => {
		const mode = fc.constantFrom("llm", "container", "hybrid", "external");
		const weight = fc.option(fc.double({ min: 0, max: 100, noNaN: true }), { nil: undefined });
		fc.assert(
			fc.property(mode, weight, weight, (evalMode, test, llm) => {
				let resolved: ScoreWeights | null = null;
				const code = codeOf(() => {
					resolved = rules.resolveScoreWeights(evalMode, { test, llm });
				});
				if (code !== null) {
					expect(code).toBe("INVALID_WEIGHTS");
					return;
				}
				const { testWeight, llmWeight } = resolved ?? { testWeight: 0, llmWeight: 0 };
				expect(Math.abs(testWeight + llmWeight - 100)).toBeLessThan(1e-8);
				if (evalMode === "llm" || evalMode === "external") expect([testWeight, llmWeight]).toEqual([0, 100]);
				if (evalMode === "container") expect([testWeight, llmWeight]).toEqual([100, 0]);
			}),
			{
				examples: [
					["llm", 0, 99.99],
					["external", 0, 99.99],
					["container", 100, 0.01],
					["hybrid", 50, 49.99],
					["hybrid", 50, 50.01],
				],
			},
		);
	});
});

describe("quota, deadlines and reveal", () => {
	it("never shows fewer than no slots", () => {
		fc.assert(
			fc.property(fc.nat(50), fc.integer({ min: 1, max: 25 }), (used, limit) => {
				const quota = rules.quotaOf(used, limit);
				expect(quota).toEqual({ used, limit, remaining: Math.max(0, limit - used) });
			}),
		);
	});

	it("requires deadlines 24 hours ahead, to the millisecond", () => {
		expect(codeOf(() => rules.assertDeadlineAhead(24 * HOUR_MS, 0))).toBeNull();
		expect(codeOf(() => rules.assertDeadlineAhead(24 * HOUR_MS - 1, 0))).toBe("INVALID_BODY");
	});

	it("shows names once the deadline has passed or the task is closed, and not before", () => {
		fc.assert(
			fc.property(status, time, time, (state, deadline, now) => {
				expect(isRevealed({ status: state, deadline }, now)).toBe(state === "closed" || now >= deadline);
			}),
		);
		expect(pseudonymOf("0123456789abcdef")).toBe("Competitor 0123456789");
	});
});

describe("cursors of the task list", () => {
	it("are read back unchanged", () => {
		const deadline = fc.integer({ min: 0, max: 253_402_300_799_999 });
		fc.assert(
			fc.property(deadline, fc.uuid({ version: 7 }), (ms, id) => {
				expect(parseTaskCursor(`${new Date(ms).toISOString()}_${id}`)).toEqual({ deadline: ms, id });
			}),
		);
	});

	it("are refused in any other form, and never fail otherwise", () => {
		fc.assert(
			fc.property(fc.oneof(fc.string(), fc.string({ unit: "binary" })), (text) => {
				const code = codeOf(() => parseTaskCursor(text));
				expect(code === null || code === "VALIDATION_ERROR").toBe(true);
			}),
		);
		expect(parseTaskCursor(undefined)).toBeNull();
	});

	it("without an id come after all ids of their deadline", () => {
		fc.assert(fc.property(fc.uuid(), (id) => (parseTaskCursor("2030-01-01T00:00:00Z")?.id ?? "") > id));
	});
});
