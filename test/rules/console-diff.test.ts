import { describe, expect, it } from "vitest";
import { countChanges, diffLines, foldSame } from "../../console/src/rules/diff.ts";

/** Returns the text of one side, from the lines of a difference. */
const sideOf = (lines: ReturnType<typeof diffLines>, side: "left" | "right"): string[] => {
	const own = lines.filter((line) => line[side] !== null);
	expect(own.map((line) => line[side])).toEqual(own.map((_, index) => index + 1));
	return own.map(({ text }) => text);
};

describe("the difference of two texts", () => {
	it("keeps both texts whole and in order, for random texts too", () => {
		let seed = 7;
		const next = (below: number) => {
			seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
			return seed % below;
		};
		for (let round = 0; round < 300; round += 1) {
			const [left, right] = [0, 1].map(() => Array.from({ length: next(12) }, () => "abc".charAt(next(3))));
			const lines = diffLines(left ?? [], right ?? []);
			expect(sideOf(lines, "left")).toEqual(left);
			expect(sideOf(lines, "right")).toEqual(right);
		}
	});

	it("removes and adds as few lines as possible", () => {
		const lines = diffLines([..."abcabba"], [..."cbabac"]);
		expect(countChanges(lines)).toEqual({ removed: 3, added: 2 });
		expect(countChanges(diffLines(["a", "b"], ["a", "b"]))).toEqual({ removed: 0, added: 0 });
		expect(countChanges(diffLines([], ["a", "b"]))).toEqual({ removed: 0, added: 2 });
	});

	it("ends for texts without a common line", () => {
		const [left, right] = ["l", "r"].map((side) => Array.from({ length: 5_000 }, (_, index) => `${side}${index}`));
		expect(countChanges(diffLines(left ?? [], right ?? []))).toEqual({ removed: 5_000, added: 5_000 });
	});

	it("leaves out the lines that are far from every change, and says how many", () => {
		const left = Array.from({ length: 20 }, (_, index) => `${index}`);
		const folded = foldSame(diffLines(left, left.toSpliced(10, 1, "new")), 2);
		expect(folded.map((row) => (row.kind === "gap" ? row.lines : row.text))).toEqual([8, "8", "9", "10", "new", "11", "12", 7]);
	});
});
