import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { platformFeeCents } from "../../src/features/deals/rules.ts";

describe("the platform's fee", () => {
	it.each([
		[0, 1000, 0],
		[100, 1000, 10],
		[104, 1000, 10],
		[105, 1000, 11],
		[115, 1000, 12],
		[4, 1000, 0],
		[5, 1000, 1],
		[12_345, 0, 0],
		[12_345, 10_000, 12_345],
		[1_000_000_000_000, 9_999, 999_900_000_000],
		[333, 250, 8],
	])("of %i cents at %i basis points is %i", (value, bps, fee) => {
		expect(platformFeeCents(value, bps)).toBe(fee);
	});

	it("is the whole number nearest to the exact share, halves up", () => {
		fc.assert(
			fc.property(fc.integer({ min: 0, max: 1_000_000_000_000 }), fc.integer({ min: 0, max: 10_000 }), (value, bps) => {
				const error = BigInt(platformFeeCents(value, bps)) * 10_000n - BigInt(value) * BigInt(bps);
				expect(error > -5_000n && error <= 5_000n).toBe(true);
			}),
		);
	});
});
