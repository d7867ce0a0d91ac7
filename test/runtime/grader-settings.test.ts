import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config/env.ts";
import { graderPollDelayMs } from "../../src/core/judging/rules.ts";

const address = { GRADER_URL: "https://grader.example/base/", GRADER_TOKEN: "a token" };

/** Returns the grader of the test environment with some variables replaced. */
function graderOf(variables: Readonly<Record<string, string | undefined>>) {
	const known = Object.fromEntries(Object.entries({ ...env, ...variables }).filter(([, value]) => value !== undefined));
	return parseConfig(known).grader;
}

describe("a deployment", () => {
	it("has no grader by default", () => {
		expect(graderOf({})).toBeNull();
		expect(graderOf({ GRADER_CONTAINER: undefined })).toBeNull();
	});

	it("runs images in its container, or at a URL, which has priority", () => {
		expect(graderOf({ GRADER_CONTAINER: "true" })).toEqual({ kind: "container" });
		const url = { kind: "url", url: "https://grader.example/base", token: "a token" };
		expect([graderOf(address), graderOf({ ...address, GRADER_CONTAINER: "true" })]).toEqual([url, url]);
	});

	it("needs URL and token together, and https outside development", () => {
		expect(() => graderOf({ ...address, GRADER_TOKEN: undefined })).toThrow(/GRADER_TOKEN: must be set together/);
		expect(() => graderOf({ ...address, GRADER_URL: undefined })).toThrow(/GRADER_TOKEN: must be set together/);
		expect(() => graderOf({ GRADER_CONTAINER: "yes" })).toThrow(/GRADER_CONTAINER/);
		expect(() => graderOf({ ...address, GRADER_URL: "ftp://grader.example" })).toThrow(/GRADER_URL/);
		const http = { ...address, GRADER_URL: "http://127.0.0.1:8788" };
		expect(graderOf(http)).toMatchObject({ url: "http://127.0.0.1:8788" });
		const own = { PUBLIC_URL: "https://api.example", SECRETS_KEY: btoa("x".repeat(32)) };
		const production = { ENVIRONMENT: "production", JUDGE: undefined, ...own };
		expect(() => graderOf({ ...http, ...production })).toThrow(/GRADER_URL: must be https/);
		expect(graderOf({ ...address, ...production })).toMatchObject({ kind: "url" });
	});
});

describe("polling a run", () => {
	it("begins soon, slows down, and never stops", () => {
		const delays = Array.from({ length: 400 }, (_, looks) => graderPollDelayMs(looks));
		expect(delays[0]).toBe(1_000);
		expect(delays).toEqual(delays.toSorted((a, b) => a - b));
		expect(delays.at(-1)).toBe(30_000);
	});
});
