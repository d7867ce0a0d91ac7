import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as rules from "../../src/core/events/webhooks/rules.ts";
import { MAX_DELIVERY_ATTEMPTS, RETRY_DELAYS_MS } from "../../src/domain/retries.ts";

const NOW = Date.UTC(2027, 0, 1);
const at = (change: Partial<Parameters<typeof rules.decideNextStep>[0]>) =>
	rules.decideNextStep({ status: 500, retryAfterMs: null, number: 1, now: NOW, random: 0, ...change });

describe("decideNextStep", () => {
	it.each([200, 201, 204, 299])("treats %i as success", (status) => {
		expect(at({ status })).toEqual({ kind: "delivered" });
	});

	it.each([null, 301, 302, 400, 404, 429, 500, 503])("tries again after %s", (status) => {
		expect(at({ status }).kind).toBe("retry");
	});

	it("honours Retry-After between one and two times the delay", () => {
		const numbers = fc.integer({ min: 1, max: MAX_DELIVERY_ATTEMPTS - 1 });
		fc.assert(
			fc.property(numbers, fc.nat(200_000_000), fc.double({ min: 0, max: 1, noNaN: true }), (number, retryAfterMs, random) => {
				const delay = RETRY_DELAYS_MS[number - 1] ?? 0;
				const step = at({ number, retryAfterMs, random, status: 503 });
				const wait = step.kind === "retry" ? step.dueAt - NOW : -1;
				expect(wait).toBeGreaterThanOrEqual(Math.min(retryAfterMs, 2 * delay));
				expect(wait).toBeGreaterThanOrEqual(delay);
				expect(wait).toBeLessThanOrEqual(2 * delay);
			}),
		);
	});
});

it("a subscription is given up after five days without a success", () => {
	const limit = 5 * 24 * 3_600_000;
	expect(rules.hasFailedTooLong(null, NOW)).toBe(false);
	expect(rules.hasFailedTooLong(NOW - limit + 1, NOW)).toBe(false);
	expect(rules.hasFailedTooLong(NOW - limit, NOW)).toBe(true);
});
