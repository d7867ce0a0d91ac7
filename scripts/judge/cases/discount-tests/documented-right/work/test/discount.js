import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { discount } from "../src/discount.js";

describe("the discount", () => {
	it("is nothing if the total is below 100", () => {
		assert.equal(discount(0), 0);
		assert.equal(discount(99.99), 0);
	});

	it("is a tenth of the total at exactly 100 and above, which a wrong comparison fails", () => {
		assert.equal(discount(100), 10);
		assert.equal(discount(499), 49.9);
	});

	it("has a maximum of 50, applied from 500 on", () => {
		assert.equal(discount(501), 50);
		assert.equal(discount(9000), 50);
	});

	it("is not given for a negative total: none is accepted", () => {
		assert.throws(() => discount(-0.01), RangeError);
	});
});
