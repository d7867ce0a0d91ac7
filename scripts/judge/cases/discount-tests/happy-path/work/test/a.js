import assert from "node:assert/strict";
import { discount } from "../src/discount.js";

assert.equal(discount(200), 20);
assert.equal(discount(100), 10);
assert.equal(discount(10), 0);
