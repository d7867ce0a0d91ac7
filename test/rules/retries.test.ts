import { describe, expect, it } from "vitest";
import { MAX_DELIVERY_ATTEMPTS, parseRetryAfter, RETRY_DELAYS_MS, redeliveryDelayMs } from "../../src/domain/retries.ts";

const NOW = Date.UTC(2027, 0, 1);

describe("redeliveryDelayMs", () => {
	it("follows the schedule, up to a tenth longer at random, and ends", () => {
		const delays = (random: number) =>
			Array.from({ length: MAX_DELIVERY_ATTEMPTS }, (_, index) => redeliveryDelayMs({ number: index + 1, random }));
		expect(delays(0)).toEqual([...RETRY_DELAYS_MS, null]);
		expect(delays(1)).toEqual([...RETRY_DELAYS_MS.map((delay) => Math.round(delay * 1.1)), null]);
	});
});

describe("parseRetryAfter", () => {
	it.each([
		[null, null],
		[undefined, null],
		["", null],
		["120", 120_000],
		["0", 0],
		["1.5", 1_500],
		[" 5 ", 5_000],
		["Fri, 01 Jan 2027 00:01:00 GMT", 60_000],
		["Fri, 01 Jan 2021 00:01:00 GMT", 0],
		["soon", null],
		["-5", null],
		["1e9", null],
		["99999999999", null],
	])("reads %j as %j", (header, expected) => {
		expect(parseRetryAfter(header, NOW)).toBe(expected);
	});
});
