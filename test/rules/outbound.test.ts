import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findTargetFault, readTargetHost } from "../../src/platform/outbound.ts";
import { HOSTILE_TARGETS, PUBLIC_TARGETS } from "../support/targets.ts";

const strict = { allowInsecure: false };

describe("the host of a target", () => {
	it.each([
		["https://Receiver.EXAMPLE.com/Hook", "example.com"],
		["https://receiver.example.com.:8443/hook", "example.com"],
		["https://a.b.c.example.com/", "example.com"],
		["https://-a_b.example.com/", "example.com"],
		["https://a!b.example.com/", "example.com"],
		["https://xn--a.example.com/", "example.com"],
		["https://one.shop.co.uk/", "shop.co.uk"],
		["https://one.shop.example/", "shop.example"],
		["https://hooks.one.workers.dev/", "one.workers.dev"],
		["https://two.github.io/", "two.github.io"],
		["https://github.io/", "github.io"],
		["https://b\u00fccher.example/", "xn--bcher-kva.example"],
		["https://ex%61mple.com/", "example.com"],
		["https://0x08080404/", "8.8.4.4"],
		["https://[2606:4700:0:0::1111]:8443/", "[2606:4700::1111]"],
	])("of %s is %s, also in development", (target, host) => {
		for (const allowInsecure of [false, true]) expect(readTargetHost(target, { allowInsecure })).toBe(host);
	});

	it("includes its port on loopback in development only", () => {
		expect(readTargetHost("http://LOCALHOST:9001/", { allowInsecure: true })).toBe("localhost:9001");
		expect(readTargetHost("http://[::1]:9001/", { allowInsecure: true })).toBe("[::1]:9001");
		expect(readTargetHost("http://127.1/", { allowInsecure: true })).toBe("127.0.0.1");
		expect(readTargetHost("http://127.0.0.1:9001/", strict)).toBe("127.0.0.1");
	});
});

describe("the guard of outgoing requests", () => {
	it.each(HOSTILE_TARGETS)("refuses %s", (target) => {
		expect(findTargetFault(target, strict)).toMatch(/^must /);
	});

	it.each(PUBLIC_TARGETS)("accepts %s", (target) => {
		expect(findTargetFault(target, strict)).toBeNull();
	});

	it("accepts http and loopback in development, and nothing else that is inside", () => {
		const development = { allowInsecure: true };
		for (const target of ["http://localhost:1/", "http://127.0.0.1/", "http://127.1:80/", "https://[::1]/", "http://example.com/"]) {
			expect(findTargetFault(target, development)).toBeNull();
		}
		for (const target of ["http://10.0.0.1/", "http://169.254.169.254/", "http://user@localhost/", "ftp://localhost/", "http://db/"]) {
			expect(findTargetFault(target, development)).not.toBeNull();
		}
	});

	it("refuses the platform's own host in every spelling, if it is known", () => {
		const own = { allowInsecure: false, ownUrl: "https://bounties.example.com" };
		const spellings = ["bounties.example.com", "BOUNTIES.example.com:8443", "bounties.example.com.", "bount%69es.example.com"];
		for (const host of spellings) {
			expect(findTargetFault(`https://${host}/api/v1/agent/register-anonymous`, own)).toMatch(/this platform/);
		}
		expect(findTargetFault("https://hooks.bounties.example.com/", own)).toBeNull();
		const local = { allowInsecure: true, ownUrl: "http://127.0.0.1:8787" };
		expect(findTargetFault("http://127.0.0.1:8787/mcp", local)).not.toBeNull();
		expect(findTargetFault("http://127.0.0.1:9001/", local)).toBeNull();
	});

	it("accepts the platform's own receiver of webhooks, with which npm run smoke tests a deployment", () => {
		const own = { allowInsecure: false, ownUrl: "https://bounties.example.com" };
		expect(findTargetFault("https://bounties.example.com/api/v1/webhook-echo", own)).toBeNull();
		for (const target of [":8443/api/v1/webhook-echo", "/api/v1/webhook-echo/x", "/api/v1/webhook-echo?a=1", "/mcp"]) {
			expect(findTargetFault(`https://bounties.example.com${target}`, own)).toMatch(/this platform/);
		}
	});

	it("refuses private IPv4 in every spelling", () => {
		const spellings: readonly ((parts: readonly number[]) => string)[] = [
			(parts) => parts.join("."),
			(parts) => parts.map((part) => `0${part.toString(8)}`).join("."),
			(parts) => parts.map((part) => `0x${part.toString(16)}`).join("."),
			(parts) => String(parts.reduce((sum, part) => sum * 256 + part, 0)),
			([a = 0, b = 0, c = 0, d = 0]) => `${a}.${b}.${c * 256 + d}`,
			(parts) => `[::ffff:${parts.join(".")}]`,
			(parts) => `[64:ff9b::${parts.join(".")}]`,
		];
		const octet = fc.integer({ min: 0, max: 255 });
		const address = fc.oneof(
			fc.tuple(fc.constantFrom(0, 10, 127), octet, octet, octet),
			fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
			fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
			fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
			fc.tuple(fc.integer({ min: 224, max: 255 }), octet, octet, octet),
		);
		fc.assert(
			fc.property(address, fc.constantFrom(...spellings), (parts, spell) => findTargetFault(`https://${spell(parts)}/`, strict) !== null),
		);
	});

	it("never throws, and accepts only https", () => {
		fc.assert(
			fc.property(fc.oneof(fc.string(), fc.webUrl({ withFragments: true })), (target) => {
				return findTargetFault(target, strict) !== null || new URL(target).protocol === "https:";
			}),
		);
	});

	it("refuses URLs of more than 2,048 characters", () => {
		expect(findTargetFault(`https://example.com/${"x".repeat(2028)}`, strict)).toBeNull();
		expect(findTargetFault(`https://example.com/${"x".repeat(2029)}`, strict)).not.toBeNull();
	});
});
