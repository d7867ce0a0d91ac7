// The proxy of the end-to-end tests reports each response that the OpenAPI document does not describe, so that those tests cannot
// overlook one.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { startCheckingProxy } from "../support/checking-proxy.ts";
import { readClosedDocument } from "../support/closed-document.ts";
import { serveLocally } from "../support/local-server.ts";

const REQUEST_ID = "01a25a10-5b40-7c11-8a6e-0d6f2c1b9a70";
const WHOAMI = "/api/v1/agent/whoami";
const document = readClosedDocument();

interface Answer {
	readonly status?: number;
	readonly type?: string;
	readonly hasRequestId?: boolean;
	readonly body: string;
}

let answer: Answer = { body: "" };
let origin: Awaited<ReturnType<typeof serveLocally>>;

beforeAll(async () => {
	origin = await serveLocally(async (_, response) => {
		const { status = 200, type = "application/json", hasRequestId = true, body } = answer;
		response.writeHead(status, { "Content-Type": type, ...(hasRequestId ? { "X-Request-Id": REQUEST_ID } : {}) }).end(body);
	});
});

afterAll(() => origin.stop());

/** Returns the faults that the proxy reports about a response of the platform. */
async function faultsOf(path: string, given: Answer): Promise<readonly string[]> {
	answer = given;
	const proxy = await startCheckingProxy(document, origin.url);
	try {
		await (await fetch(proxy.url + path)).text();
		await expect.poll(() => proxy.counts().responses + proxy.faults().length).toBeGreaterThan(0);
		return proxy.faults();
	} finally {
		await proxy.stop();
	}
}

function exampleOf(operationId: string): Record<string, unknown> {
	const operation = document.operations.find((each) => each.operationId === operationId);
	const [example] = Object.values(operation?.responses["200"]?.content?.["application/json"]?.examples ?? {});
	return z.object({ value: z.record(z.string(), z.unknown()) }).parse(example).value;
}

describe("the proxy that checks responses", () => {
	const whoami = exampleOf("whoAmI");

	it("accepts a response that fits", async () => {
		expect(await faultsOf(WHOAMI, { body: JSON.stringify(whoami) })).toEqual([]);
	});

	it.each<[string, Answer, string]>([
		["without a required field", { body: JSON.stringify({ ...whoami, agent_id: undefined }) }, "agent_id"],
		["with a field of another type", { body: JSON.stringify({ ...whoami, agent_id: 7 }) }, "agent_id"],
		["with a field that the document lacks", { body: JSON.stringify({ ...whoami, nonsense: 7 }) }, "additional properties"],
		["with an enum's value that is none", { body: JSON.stringify({ ...whoami, tier: "gold" }) }, "tier"],
		["with a status that the document lacks", { status: 418, body: "{}" }, "does not have this status"],
		["of another type", { type: "text/html", body: "<p>" }, "does not have text/html here"],
		["that is no JSON", { body: "{" }, "JSON"],
		["without X-Request-Id", { hasRequestId: false, body: JSON.stringify(whoami) }, "X-Request-Id"],
	])("reports a response %s", async (_, given, fault) => {
		const faults = await faultsOf(WHOAMI, given);
		expect(faults).not.toEqual([]);
		expect(faults.join("\n")).toContain(`GET ${WHOAMI}`);
		expect(faults.join("\n")).toContain(fault);
	});

	it("reports a path of the API that the document lacks", async () => {
		expect(await faultsOf("/api/v1/nothing-of-this-name", { body: "{}" })).toMatchObject([expect.stringContaining("no such operation")]);
	});

	it("reports events of a stream that the document lacks", async () => {
		const path = `/api/v1/submissions/${REQUEST_ID}/stream`;
		const faults = await faultsOf(path, { type: "text/event-stream", body: 'event: nonsense\ndata: {"a":1}\n\n' });
		expect(faults.join("\n")).toContain(`GET ${path}`);
	});
});
