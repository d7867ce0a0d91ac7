// Tests an external judge over real sockets: a zip is uploaded, the poster's service gets it, and its score comes back.
import { text } from "node:stream/consumers";
import { strToU8, zipSync } from "fflate";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readClosedDocument } from "../support/closed-document.ts";
import { registerCaller } from "../support/http.ts";
import { serveLocally } from "../support/local-server.ts";
import { type RunningServer, startServer } from "../support/server.ts";

let server: RunningServer;
beforeAll(async () => {
	server = await startServer();
});
afterAll(() => server.close());

interface JudgingRequest {
	readonly submission_id: string;
	readonly callback_token: string;
	readonly callback_url: string;
	readonly artifact_url: string;
}

/** Returns a judge that gives one point for each byte of the artifact, up to 100. */
async function startJudge(token: () => string) {
	const judged: string[] = [];
	const requests: unknown[] = [];
	const { url, stop } = await serveLocally(async (request, response) => {
		const body = await text(request);
		const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
		new Webhook(token(), { format: "raw" }).verify(body, headers);
		response.writeHead(202).end();
		const asked: JudgingRequest = JSON.parse(body);
		const artifact = await (await fetch(asked.artifact_url)).bytes();
		judged.push(asked.submission_id);
		requests.push(asked);
		await fetch(asked.callback_url, {
			method: "POST",
			headers: { "Content-Type": "application/json" },
			body: JSON.stringify({ callback_token: asked.callback_token, final_score: Math.min(100, artifact.byteLength) }),
		});
	});
	return { url: `${url}/evaluate`, judged, requests, close: stop };
}

it("judges a zip that was uploaded to its signed URL", async () => {
	let token = "";
	const judge = await startJudge(() => token);
	const [poster, agent] = [await registerCaller(server), await registerCaller(server)];
	const task = await poster.call<{ id: string; eval_callback_token: string }>("POST", "/api/v1/tasks", {
		title: "Judged elsewhere",
		budget_cents: 50_000,
		deadline: new Date(Date.now() + 48 * 3_600_000).toISOString(),
		criteria: [{ name: "All", weight: 100 }],
		eval_callback_url: judge.url,
	});
	token = task.eval_callback_token;
	await poster.call("POST", `/api/v1/tasks/${task.id}/publish`);
	const { id, upload_url } = await agent.call<{ id: string; upload_url: string }>("POST", `/api/v1/tasks/${task.id}/submissions`, {});
	const zip = zipSync({ "SUBMISSION.md": strToU8("# What I Built\nA parser\n") });
	const stored = await fetch(upload_url, { method: "PUT", body: zip });
	expect([stored.status, await stored.json()]).toEqual([200, expect.objectContaining({ bytes: zip.byteLength })]);
	await agent.call("POST", `/api/v1/submissions/${id}/complete`);
	await expect
		.poll(() => agent.call("GET", `/api/v1/submissions/${id}`), { timeout: 20_000, interval: 100 })
		.toMatchObject({ status: "completed", evaluated: true, scores: { final_score: 100, eval_mode: "external" } });
	expect(judge.judged).toEqual([id]);
	expect(judge.requests.flatMap(faultsOfRequest)).toEqual([]);
	judge.close();
});

/** Returns the faults of a request to an external judge, by the OpenAPI document. */
function faultsOfRequest(body: unknown): string[] {
	const document = readClosedDocument();
	const described = document.webhooks.get("external_eval_request")?.requestBody?.content["application/json"];
	return document.faultsOf(described?.schema ?? { not: {} }, body);
}

it("stores a body in pieces without a length, and leaves nothing of one that is cut off", async () => {
	const [poster, agent] = [await registerCaller(server), await registerCaller(server)];
	const task = await poster.call<{ id: string }>("POST", "/api/v1/tasks", {
		title: "Large zips",
		budget_cents: 50_000,
		deadline: new Date(Date.now() + 48 * 3_600_000).toISOString(),
		criteria: [{ name: "All", weight: 100 }],
	});
	await poster.call("POST", `/api/v1/tasks/${task.id}/publish`);
	const { id, upload_url } = await agent.call<{ id: string; upload_url: string }>("POST", `/api/v1/tasks/${task.id}/submissions`, {});
	const pieces = (count: number, end: (controller: ReadableStreamDefaultController<Uint8Array>) => void) => {
		let sent = 0;
		return new ReadableStream<Uint8Array>({
			pull(controller) {
				sent += 1;
				if (sent > count) end(controller);
				else controller.enqueue(new Uint8Array(1_048_576));
			},
		});
	};
	const send = (body: ReadableStream<Uint8Array>) => {
		const init = { method: "PUT", body, duplex: "half" };
		return fetch(upload_url, init);
	};
	await expect(send(pieces(20, (controller) => controller.error(new Error("gone"))))).rejects.toThrow();
	expect(await agent.call("GET", `/api/v1/submissions/${id}`)).toMatchObject({ status: "registered", resume: { url: upload_url } });
	const stored = await send(pieces(20, (controller) => controller.close()));
	expect(await stored.json()).toMatchObject({ bytes: 20 * 1_048_576 });
	const [row] = await server.queryTask(task.id, "select artifact_bytes from submissions where id = ?", id);
	expect(row).toEqual({ artifact_bytes: 20 * 1_048_576 });
});
