// Checks the security headers of responses.
import { expect } from "vitest";
import { docsEndpoints } from "../../src/core/docs/endpoints.ts";
import { getHealth } from "../../src/core/health/get-health.ts";
import { doors } from "../../src/extensions/doors/extension.ts";
import { getConsole, getConsolePage } from "../../src/extensions/pages/console.ts";
import { getHome } from "../../src/extensions/pages/get-home.ts";
import type { EndpointContract } from "../../src/http/endpoint.ts";

/** Expects the headers that keep browsers and caches from doing harm with a response, and a challenge on a 401. */
export function expectSecurityHeaders(contract: EndpointContract, response: Response): void {
	const { operationId, auth, shared, response: promised } = contract;
	const { headers, status } = response;
	const isTooSmallScope = status === 403 && headers.get("WWW-Authenticate")?.includes("insufficient_scope") === true;
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
		referrer: expect.toSatisfy((policy) => policy === "no-referrer" || (SENDS_FORMS.has(operationId) && policy === "same-origin")),
		isOffered: status === 401 || isTooSmallScope,
		cache: expect.toSatisfy(isSafe),
	});

	function isSafe(cache: string | null): boolean {
		const { carriesSecret = false, mayCarrySecret = false } = promised;
		if (carriesSecret || (mayCarrySecret && cache === "no-store")) return cache === "no-store";
		if (shared !== undefined && (status === 200 || status === 304)) return cache === `public, max-age=${shared.seconds}`;
		if (auth !== "none" && headers.has("ETag")) return cache === "private, no-cache";
		if ((cache ?? "").split(", ").includes("no-store")) return true;
		return status < 400 && IS_STATIC.has(operationId);
	}
}

/** The operations that return forms. A browser names the origin of a form only if the page with the form allows it. */
const SENDS_FORMS: ReadonlySet<string> = new Set(["showConsent", "decideConsent", "showDevice", "decideDevice"]);

/**
 * The operations that return files of the deployment, which say how caches may store them. For programs, the start page is such a file, but
 * for people it shows tasks.
 */
const IS_STATIC: ReadonlySet<string> = new Set(
	Object.keys({ ...docsEndpoints, ...doors.endpoints, getHealth, getHome, getConsole, getConsolePage }),
);
