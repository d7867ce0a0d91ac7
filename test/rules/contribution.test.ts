// Tests whether two submissions have the same own contribution, apart from what all began with.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boundOf, createSketcher, decodeSketch, encodeSketch, SKETCH_LENGTH } from "../../src/features/competition/similarity/sketch.ts";
import { twinsAmong, workFromStarter } from "../support/starter-works.ts";

const ids = (count: number) => Array.from({ length: count }, (_, index) => `${index}`);

describe("a sketch", () => {
	const sketchOf = (hashes: readonly number[], length?: number) => {
		const sketcher = createSketcher(length);
		for (const hash of hashes) sketcher.add(hash);
		return sketcher.finish();
	};

	it("has the smallest different hashes, in order, and says if there were more", () => {
		fc.assert(
			fc.property(fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 200 }), fc.integer({ min: 1, max: 20 }), (hashes, length) => {
				const all = [...new Set(hashes)].toSorted((a, b) => a - b);
				const sketch = sketchOf(hashes, length);
				expect([...sketch.hashes]).toEqual(all.slice(0, length));
				expect(sketch.isCut).toBe(all.length > length);
			}),
		);
	});

	it("reads back as it was stored", () => {
		for (const count of [0, 1, SKETCH_LENGTH, SKETCH_LENGTH + 1]) {
			const sketch = sketchOf(Array.from({ length: count }, (_, index) => index * 1_000_003));
			expect(decodeSketch(encodeSketch(sketch))).toEqual(sketch);
		}
		const plus = sketchOf([0xf8]);
		expect(encodeSketch(plus)[0]).toBe("+");
		expect(decodeSketch(encodeSketch(plus))).toEqual(plus);
		expect(boundOf(decodeSketch(""))).toBe(0xffff_ffff);
	});
});

describe("own contributions", () => {
	it("are compared without files that nearly all of five or more candidates have", () => {
		const works = [
			...ids(7).map((id) => workFromStarter(id, { patch: Number(id) })),
			workFromStarter("copy", { patch: 3, tweak: "later = 1" }),
		];
		expect(twinsAmong(works)).toEqual({ ...Object.fromEntries(ids(7).map((id) => [id, []])), 3: ["copy"], copy: ["3"] });
	});

	it("of too little text never match, because only equal artifacts do", () => {
		const works = ids(2).map((id) => ({
			submissionId: id,
			sketch: { hashes: Uint32Array.from({ length: 31 }, (_, n) => n), isCut: false },
		}));
		expect(twinsAmong(works)).toEqual({ 0: [], 1: [] });
	});

	it("of a thousand works that are built to look alike are compared in part, in limited time", () => {
		const works = ids(1000).map((id) => ({
			submissionId: id,
			sketch: { hashes: Uint32Array.from({ length: 200 }, (_, n) => (n < 100 ? n : 1000 * n + Number(id))), isCut: false },
		}));
		expect(Object.values(twinsAmong(works)).flat()).toEqual([]);
	});
});
