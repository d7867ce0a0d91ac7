import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mayTier } from "../../src/core/identity/agents/rules.ts";
import { isLastUseStale } from "../../src/core/identity/api-keys/rules.ts";
import { KEY_CACHE_TTL_MS, KeyCache } from "../../src/core/identity/api-keys/service.ts";
import { chooseDisplayName, resolveReturnUrl } from "../../src/core/identity/sign-in/rules.ts";
import { type Actor, API_KEY_TIERS } from "../../src/domain/actor.ts";
import { isOwnRequest } from "../../src/http/session-cookie.ts";
import { startOfNextUtcMonth, utcMonthOf } from "../../src/platform/clock.ts";

const ORIGIN = "https://bounty.test";

describe("the redirect after signing in", () => {
	it("is a path of this origin", () => {
		expect(resolveReturnUrl("/tasks?x=1#y", ORIGIN)).toBe(`${ORIGIN}/tasks?x=1#y`);
		expect(resolveReturnUrl("/", ORIGIN)).toBe(`${ORIGIN}/`);
		expect(resolveReturnUrl(undefined, ORIGIN)).toBe(`${ORIGIN}/api/auth/session`);
	});

	it.each(["", "tasks", "//evil.test", "/\\evil.test", "/\t/evil.test", "https://evil.test", " /tasks", "/x\r\nSet-Cookie: a=b"])(
		"is the default instead of %j",
		(returnTo) => {
			expect(resolveReturnUrl(returnTo, ORIGIN)).toBe(`${ORIGIN}/api/auth/session`);
		},
	);

	it("never leaves the origin", () => {
		const nasty = fc.string({
			unit: fc.constantFrom("/", "\\", ".", ":", "@", "%", "?", "#", "\t", "\n", " ", "e", "2F", "5c", "http", "evil.test"),
		});
		fc.assert(
			fc.property(
				fc.oneof(
					nasty,
					nasty.map((text) => `/${text}`),
					fc.webUrl(),
					fc.string(),
				),
				(returnTo) => {
					const url = resolveReturnUrl(returnTo, ORIGIN);
					expect(new URL(url).origin).toBe(ORIGIN);
					expect(url).toMatch(/^https:\/\/bounty\.test\/[\x21-\x7e]*$/);
				},
			),
			{ numRuns: 500 },
		);
	});
});

describe("names from a sign-in service", () => {
	it("are the first one with content, in 1 to 60 characters", () => {
		expect(chooseDisplayName([undefined, null, 7, "", " \u200b\n ", "Ada\tLovelace "])).toBe("Ada Lovelace");
		expect(chooseDisplayName([])).toBe("human");
		expect([...chooseDisplayName(["🦊".repeat(80)])]).toHaveLength(60);
		// Letters without a glyph, which some people choose as their name.
		for (const invisible of ["\u3164", "\u2800 \u2800", `${"\uffa0".repeat(60)}Ada`]) {
			expect(chooseDisplayName([invisible, "ada"])).toBe("ada");
			expect(chooseDisplayName([invisible])).toBe("human");
		}
		fc.assert(
			fc.property(fc.array(fc.anything()), (candidates) => {
				const name = chooseDisplayName(candidates);
				expect([...name].length).toBeGreaterThan(0);
				expect([...name].length).toBeLessThanOrEqual(60);
				expect(name).not.toContain("\0");
			}),
		);
	});
});

describe("months", () => {
	it("are calendar months in UTC", () => {
		expect(utcMonthOf(Date.UTC(2026, 11, 31, 23, 59, 59, 999))).toBe("2026-12");
		expect(utcMonthOf(Date.UTC(2027, 0, 1))).toBe("2027-01");
		expect(startOfNextUtcMonth(Date.UTC(2026, 11, 31, 23))).toBe(Date.UTC(2027, 0, 1));
		expect(startOfNextUtcMonth(Date.UTC(2028, 1, 29))).toBe(Date.UTC(2028, 2, 1));
		fc.assert(
			fc.property(fc.integer({ min: 0, max: 4_000_000_000_000 }), (ms) => {
				const next = startOfNextUtcMonth(ms);
				expect(next).toBeGreaterThan(ms);
				expect(utcMonthOf(next - 1)).toBe(utcMonthOf(ms));
				expect(utcMonthOf(next)).not.toBe(utcMonthOf(ms));
			}),
		);
	});
});

describe("tiers", () => {
	it("each permit one thing", () => {
		const those = (right: Parameters<typeof mayTier>[1]) => API_KEY_TIERS.filter((tier) => mayTier(tier, right));
		expect(those("createOperatorTokens")).toEqual(["verified"]);
		expect(those("beClaimed")).toEqual(["anonymous"]);
	});
});

describe("an isolate's memory of keys", () => {
	const actor = (keyId: string, operatorTokenId: string | null = null): Actor => ({
		agentId: `agent of ${keyId}`,
		keyId,
		displayName: "A",
		tier: "anonymous",
		isSuspended: false,
		role: null,
		operatorTokenId,
		userId: null,
		party: "agent",
		authMethod: "api_key",
		session: null,
		grant: null,
	});

	it("is forgotten after seconds, and if the clock goes back", () => {
		const cache = new KeyCache();
		cache.remember("h", actor("k"), 1_000_000);
		expect(cache.find("h", 1_000_000 + KEY_CACHE_TTL_MS - 1)).toMatchObject({ keyId: "k" });
		expect(cache.find("h", 1_000_000 + KEY_CACHE_TTL_MS)).toBeNull();
		cache.remember("h", actor("k"), 1_000_000);
		expect(cache.find("h", 999_999)).toBeNull();
		expect(KEY_CACHE_TTL_MS).toBeLessThan(10_000);
	});

	it("never includes a key that was revoked here, for any later read", () => {
		const cache = new KeyCache();
		cache.remember("h1", actor("k1"), 0);
		cache.remember("h2", actor("k2", "op"), 0);
		cache.revoke("k1", 1);
		cache.revoke("op", 1);
		cache.remember("h1", actor("k1"), 2);
		cache.remember("h3", actor("k3", "op"), 2);
		expect(["h1", "h2", "h3"].map((hash) => cache.find(hash, 2))).toEqual([null, null, null]);
	});

	it("is limited", () => {
		const cache = new KeyCache();
		for (let index = 0; index <= 10_000; index += 1) cache.remember(`h${index}`, actor(`k${index}`), 0);
		expect(cache.find("h0", 0)).toBeNull();
		expect(cache.find("h10000", 0)).not.toBeNull();
	});

	it("is separate from other isolates' memory", () => {
		const [here, elsewhere] = [new KeyCache(), new KeyCache()];
		for (const cache of [here, elsewhere]) cache.remember("h", actor("k"), 0);
		here.revoke("k", 1);
		expect(here.find("h", 1)).toBeNull();
		expect(elsewhere.find("h", 1)).not.toBeNull();
		expect(elsewhere.find("h", 10_000)).toBeNull();
	});
});

it("records a last use again after an hour", () => {
	expect(isLastUseStale(null, 0)).toBe(true);
	expect(isLastUseStale(0, 3_599_999)).toBe(false);
	expect(isLastUseStale(0, 3_600_000)).toBe(true);
});

it("accepts a request as its own origin's only if nothing contradicts it", () => {
	const request = (headers: Record<string, string>, method = "POST") => new Request(ORIGIN, { method, headers });
	expect(isOwnRequest(request({}), ORIGIN)).toBe(true);
	expect(isOwnRequest(request({ Origin: ORIGIN }), ORIGIN)).toBe(true);
	expect(isOwnRequest(request({ Origin: "http://bounty.test" }), ORIGIN)).toBe(false);
	const link = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };
	expect(isOwnRequest(request(link, "GET"), ORIGIN)).toBe(true);
	expect(isOwnRequest(request(link), ORIGIN)).toBe(false);
});
