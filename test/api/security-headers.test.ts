// Tests headers that keep browsers and caches from doing harm, on every response of every endpoint.
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { EndpointContract } from "../../src/http/endpoint.ts";
import { createApp, endpoints } from "../support/app.ts";
import { goodZipWith } from "../support/archives.ts";
import { createClient, randomAddress } from "../support/client.ts";
import { CREDENTIALS } from "../support/common-fixtures.ts";
import { createDraft, openTask, registerAgent } from "../support/scenario.ts";
import { putTo, register } from "../support/uploads.ts";
import { base64File } from "../support/workspace.ts";

const contracts: readonly EndpointContract[] = endpoints;

function fetchUrl(url: string, init: RequestInit = {}): Promise<Response> {
	return exports.default.fetch(new Request(url, { ...init, headers: { "CF-Connecting-IP": randomAddress() } }));
}

describe("every endpoint", () => {
	it("that hands out a secret or a signed URL says so in its contract", () => {
		const secret =
			/^(api_key|secret|csrf_token|operator_token|upload_token|eval_callback_token|upload_url|download_url|output_url|resume)$/;
		const namesIn = (schema: unknown): string[] =>
			typeof schema !== "object" || schema === null
				? []
				: Object.entries(schema).flatMap(([name, value]) => [...(name === "properties" ? Object.keys(value) : []), ...namesIn(value)]);
		const silent = contracts.filter(({ response }) => {
			const fields = namesIn(z.toJSONSchema(response.schema, { io: "output", unrepresentable: "any" }));
			return fields.some((name) => secret.test(name)) && response.carriesSecret !== true && response.contentType !== "text/event-stream";
		});
		expect(silent.map(({ operationId }) => operationId)).toEqual([]);
		expect(contracts.filter(({ response }) => response.carriesSecret === true).length).toBeGreaterThan(15);
	});
});

describe("the paths around the endpoints", () => {
	it("have the headers too: unknown URLs, wrong methods, preflights, HEAD", async () => {
		for (const [path, method] of [
			["/api/v1/nothing", "GET"],
			["/nothing", "POST"],
			["/health", "DELETE"],
			["/api/v1/tasks", "OPTIONS"],
			["/health", "HEAD"],
		] as const) {
			const { headers } = await fetchUrl(`https://bounty.test${path}`, { method });
			expect({ path, nosniff: headers.get("X-Content-Type-Options"), referrer: headers.get("Referrer-Policy") }).toEqual({
				path,
				nosniff: "nosniff",
				referrer: "no-referrer",
			});
			expect(headers.get("Strict-Transport-Security")).toMatch(/^max-age=/);
		}
	});

	it("have the headers if the deployment is not configured", async () => {
		const app = createApp(() => {
			throw new Error("not configured");
		});
		const { status, headers } = await app.fetch(new Request("https://bounty.test/api/v1/tasks"));
		expect({ status, nosniff: headers.get("X-Content-Type-Options") }).toEqual({ status: 500, nosniff: "nosniff" });
	});

	it("demand https only over https", async () => {
		const { headers } = await fetchUrl("http://bounty.test/health");
		expect(headers.get("Strict-Transport-Security")).toBeNull();
		expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
	});
});

describe("stored bytes", () => {
	it("are sent with one set of headers, wherever they are stored", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const { id: draft } = await createDraft(poster);
		const form = new FormData();
		form.set("field", "description");
		form.set("file", new File(["<script>"], "notes.txt"));
		const attachment = await poster.call("addAttachment", { params: { id: draft }, rawBody: form });
		const { id, upload_url } = await register(agent, await openTask(poster));
		await putTo(createClient(), upload_url, goodZipWith());
		await agent.call("storeWorkspaceFile", base64File("folder/page.html", "<script>", "text/html"));
		const artifact = await CREDENTIALS.signed.obtain();
		const responses = [
			await fetchUrl(attachment.download_url),
			await artifact.send("getArtifact", { params: { id } }),
			await agent.send("readWorkspaceFile", { params: { path: "folder/page.html" } }),
		];
		for (const { status, headers } of responses) {
			expect(status).toBe(200);
			expect(Object.fromEntries(headers)).toMatchObject({
				"content-security-policy": "sandbox; default-src 'none'",
				"x-content-type-options": "nosniff",
				"cache-control": "private, no-cache",
				"content-disposition": expect.stringMatching(/^attachment; filename="[\w.-]+"/),
				"content-length": expect.stringMatching(/^\d+$/),
				etag: expect.stringMatching(/^"[^"]+"$/),
			});
		}
		await Promise.all(responses.map((response) => response.body?.cancel()));
	});
});
