// What every response has to have, by the contract of its endpoint.
import { expect } from "vitest";
import type { EndpointContract } from "../../src/http/endpoint.ts";

/** Expects the headers that keep browsers and caches from doing harm with a response, and a challenge on a 401. */
export function expectSecurityHeaders({ operationId, auth, response: { carriesSecret } }: EndpointContract, response: Response): void {
	const { headers, status } = response;
	const seen = {
		operationId,
		nosniff: headers.get("X-Content-Type-Options"),
		referrer: headers.get("Referrer-Policy"),
		isOffered: headers.has("WWW-Authenticate"),
		cache: headers.get("Cache-Control"),
	};
	expect(seen).toEqual({
		operationId,
		nosniff: "nosniff",
		referrer: "no-referrer",
		isOffered: status === 401,
		cache: expect.toSatisfy(isSafe),
	});

	function isSafe(cache: string | null): boolean {
		if (carriesSecret === true) return cache === "no-store";
		if (auth === "none") return true;
		return headers.has("ETag") ? cache === "private, no-cache" : (cache ?? "").split(", ").includes("no-store");
	}
}
