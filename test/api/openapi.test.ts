// Tests the document at its URL: it is the committed one, with the origin of the request.
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import committed from "../../docs/openapi.json";

const ADDRESS = "https://bounty.test/openapi.json";
const read = (init: RequestInit = {}, address = ADDRESS) => exports.default.fetch(new Request(address, init));

describe("GET /openapi.json", () => {
	it("is the committed document with the reader's origin as its server and in its examples", async () => {
		const text = await (await read()).text();
		const expected = JSON.stringify(committed).replaceAll("https://bounties.example", "https://bounty.test");
		expect(JSON.parse(text)).toEqual({
			...JSON.parse(expected),
			servers: [{ url: "https://bounty.test", description: "The deployment that serves this document." }],
		});
		const elsewhere = await (await read({}, "https://other.test/openapi.json")).text();
		expect(elsewhere).toContain('"servers":[{"url":"https://other.test"');
	});

	it("is JSON that any origin may read, has its name in the log, and is not sent twice", async () => {
		const { status, headers } = await read({ headers: { Origin: "https://tool.example" } });
		expect(status).toBe(200);
		expect(headers.get("Content-Type")).toMatch(/^application\/json/);
		expect(headers.get("Access-Control-Allow-Origin")).toBe("*");
		expect(headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
		const etag = headers.get("ETag") ?? "";
		expect(etag).toMatch(/^(W\/)?".+"$/);
		const again = await read({ headers: { "If-None-Match": etag } });
		expect({ status: again.status, body: await again.text() }).toEqual({ status: 304, body: "" });
		expect(again.headers.get("Access-Control-Allow-Origin")).toBe("*");
	});
});
