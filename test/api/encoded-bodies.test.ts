// Tests that forms, files and messages of MCP and OAuth that say they are compressed are refused, as all JSON bodies are.

import { exports } from "cloudflare:workers";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { goodZipWith } from "../support/archives.ts";
import { isThere, randomAddress } from "../support/client.ts";
import { attachmentForm, createDraft, openTask, type RegisteredClient, registerAgent } from "../support/scenario.ts";

let poster: RegisteredClient;
let draftId: string;
let submissionId: string;

beforeAll(async () => {
	poster = await registerAgent("Poster");
	draftId = (await createDraft(poster)).id;
	submissionId = (await poster.call("createSubmission", { params: { id: await openTask(poster) } })).id;
});

async function encodedForm(): Promise<readonly [string, Uint8Array]> {
	const form = new Response(attachmentForm());
	return [form.headers.get("Content-Type") ?? "", await form.bytes()];
}

const jsonOf = (value: object) => new TextEncoder().encode(JSON.stringify(value));
const zip = goodZipWith();
const initialize = jsonOf({ jsonrpc: "2.0", id: 1, method: "ping" });
const grant = new TextEncoder().encode("grant_type=refresh_token&refresh_token=x&client_id=y");

describe("a compressed body", () => {
	it.each<[string, string, () => Promise<readonly [string, Uint8Array]> | readonly [string, Uint8Array]]>([
		["addAttachment", "POST /api/tasks/{draft}/attachments", encodedForm],
		["uploadArtifact", "POST /api/v1/submissions/{submission}/upload", () => ["application/zip", zip]],
		["storeWorkspaceFile", "POST /api/v1/workspace/files?path=a.txt", () => ["text/plain", jsonOf({})]],
		["checkSubmission", "POST /api/v1/tasks/{draft}/check", () => ["application/zip", zip]],
		["callMcp", "POST /mcp", () => ["application/json", initialize]],
		["redeemToken", "POST /oauth/token", () => ["application/x-www-form-urlencoded", grant]],
		["registerClient", "POST /oauth/register", () => ["application/json", jsonOf({ redirect_uris: ["http://127.0.0.1/"] })]],
	])("is 415 for %s", async (operation, target, makeBody) => {
		if (!isThere(operation)) return;
		const [method = "", path = ""] = target.replace("{draft}", draftId).replace("{submission}", submissionId).split(" ");
		const [type, bytes] = await makeBody();
		for (const [encoding, body] of [
			["gzip", gzipSync(bytes)],
			["x-unknown", bytes],
		] as const) {
			const headers = {
				Authorization: `Bearer ${poster.key}`,
				"CF-Connecting-IP": randomAddress(),
				"Content-Type": type,
				"Content-Encoding": encoding,
				"X-Workspace-Path": "a.txt",
			};
			if (path.startsWith("/oauth")) Reflect.deleteProperty(headers, "Authorization");
			const response = await exports.default.fetch(new Request(`https://bounty.test${path}`, { method, headers, body }));
			const text = await response.text();
			expect({ encoding, status: response.status, text }).toMatchObject({ status: 415, text: expect.stringContaining("Content-Encoding") });
			expect(response.headers.get("Accept-Encoding")).toBe("identity");
		}
	});
});
