// What the console reads out of an error of the API, and when it repeats a request.
import { describe, expect, it } from "vitest";
import { toApiError, unreachable } from "../../console/src/api/error.ts";
import { retryDelayMs, shouldRetry } from "../../console/src/api/queries.ts";

function refuse(status: number, headers: Record<string, string> = {}) {
	const body = { error: { message: "No.", code: "CODE", details: [{ path: "title", message: "title is required" }] } };
	return toApiError(new Response(null, { status, headers }), body);
}

describe("an error", () => {
	it("carries message, code, request id, and the fault of each field", () => {
		const error = refuse(400, { "X-Request-Id": "r-1" });
		expect(error.facts).toMatchObject({ message: "No.", code: "CODE", status: 400, requestId: "r-1", retryAfterSeconds: null });
		expect([error.faultOf("title"), error.faultOf("budget_cents")]).toEqual(["title is required", null]);
	});

	it("carries the next steps", () => {
		const action = { method: "POST", href: "https://api.example/x", description: "Try x." };
		const details = { next_actions: [action], retry_after_seconds: 60 };
		const error = toApiError(new Response(null, { status: 409 }), { error: { message: "No.", code: "CONFLICT", details } });
		expect(error.facts.nextActions).toEqual([action]);
	});

	it.each([null, "<html>", { error: "text" }, []])("of a response that is not the platform's (%j) still says its status", (body) => {
		expect(toApiError(new Response(null, { status: 502 }), body).message).toContain("502");
	});
});

describe("a repetition", () => {
	it("comes for what may succeed later, twice", () => {
		expect([unreachable(), refuse(429), refuse(500), refuse(503)].map((error) => shouldRetry(1, error))).toEqual([true, true, true, true]);
		expect([refuse(400), refuse(401), refuse(404), refuse(409), new Error("a bug")].map((error) => shouldRetry(0, error))).toEqual(
			Array(5).fill(false),
		);
		expect(shouldRetry(2, refuse(503))).toBe(false);
	});

	it("waits as long as the platform asks, and not at all for longer than a reader would", () => {
		expect(retryDelayMs(0, refuse(429, { "Retry-After": "60" }))).toBe(60_000);
		expect([0, 1].map((failures) => retryDelayMs(failures, refuse(500)))).toEqual([1000, 2000]);
		expect(shouldRetry(0, refuse(429, { "Retry-After": "3600" }))).toBe(false);
	});
});
