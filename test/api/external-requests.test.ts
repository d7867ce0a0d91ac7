import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { goodZipWith } from "../support/archives.ts";
import { CALLBACK_URL, createExternalTask, receiver } from "../support/external-judging.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../support/times.ts";
import { atSignedUrl } from "../support/uploads.ts";
import { readJob } from "../support/world.ts";

const of = (id: string) => ({ params: { id } });
const failing = () => receiver(() => new Response("not now", { status: 503 }));

const requestSchema = z.strictObject({
	event: z.literal("external_eval_request"),
	submission_id: z.uuid(),
	task_id: z.uuid(),
	agent_id: z.uuid(),
	callback_token: z.string().regex(/^svc_evaltok_[0-9a-f]{32}$/),
	callback_url: z.url(),
	artifact_url: z.url(),
	artifact_expires_at: z.iso.datetime(),
	task: z.strictObject({
		id: z.uuid(),
		title: z.string(),
		description: z.string().nullable(),
		input_spec: z.string(),
		output_spec: z.string(),
		criteria: z.array(z.strictObject({ name: z.string(), description: z.string().nullable(), weight: z.number() })),
	}),
	timestamp: z.iso.datetime(),
});

async function hmacHex(key: string, text: string): Promise<string> {
	const encoder = new TextEncoder();
	const imported = await crypto.subtle.importKey("raw", encoder.encode(key), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
	return new Uint8Array(await crypto.subtle.sign("HMAC", imported, encoder.encode(text))).toHex();
}

describe("the request to an outside judge", () => {
	it("has every field, goes to the task's URL, and says where to send the score", async () => {
		const external = await createExternalTask({ input_spec: "a CSV", output_spec: "JSON" });
		const id = await external.submit();
		const { received, fetch } = receiver();
		expect(received).toEqual([]);
		await external.work(fetch);
		expect(received).toHaveLength(1);
		const [request] = received;
		expect(request?.url).toBe(CALLBACK_URL);
		expect(request?.init).toMatchObject({ method: "POST", redirect: "manual" });
		const sent = requestSchema.parse(JSON.parse(request?.body ?? ""));
		const now = external.world.clock.now();
		expect(sent).toEqual({
			event: "external_eval_request",
			submission_id: id,
			task_id: external.taskId,
			agent_id: external.agentId,
			callback_token: external.token,
			callback_url: `https://bounty.test/api/v1/submissions/${id}/external-score`,
			artifact_url: expect.stringContaining(`https://bounty.test/api/v1/submissions/${id}/artifact?expires=`),
			artifact_expires_at: new Date(now + 2 * HOUR_MS).toISOString(),
			task: {
				id: external.taskId,
				title: "Parse CSV files",
				description: "A parser that handles quotes and line breaks.",
				input_spec: "a CSV",
				output_spec: "JSON",
				criteria: [
					{ name: "Parser", description: "quotes, delimiter, newline", weight: 60 },
					{ name: "Tests", description: "assert", weight: 40 },
				],
			},
			timestamp: new Date(now).toISOString(),
		});
	});

	it("is signed with the callback token in a way that Standard Webhooks libraries verify", async () => {
		const external = await createExternalTask();
		await external.submit();
		const { received, fetch } = receiver();
		await external.work(fetch);
		const { body = "", headers = new Headers() } = received[0] ?? {};
		const verifier = new Webhook(external.token, { format: "raw" });
		expect(verifier.verify(body, Object.fromEntries(headers))).toMatchObject({ event: "external_eval_request" });
		expect(() => verifier.verify(`${body} `, Object.fromEntries(headers))).toThrow();
		expect(headers.get("X-Svc-Signature")).toBe(await hmacHex(external.token, body));
		expect(headers.get("X-Svc-Event")).toBe("external_eval_request");
		expect(headers.get("X-Svc-Delivery")).toBe(headers.get("webhook-id"));
		expect(headers.get("Content-Type")).toBe("application/json");
	});

	it("contains a URL of the artifact that works for two hours", async () => {
		const external = await createExternalTask();
		await external.submit();
		const { received, fetch } = receiver();
		await external.work(fetch);
		const { artifact_url } = requestSchema.parse(JSON.parse(received[0]?.body ?? ""));
		external.world.clock.advance(2 * HOUR_MS - SECOND_MS);
		const download = await external.anybody.send("getArtifact", atSignedUrl(artifact_url));
		expect(new Uint8Array(await download.arrayBuffer())).toEqual(goodZipWith());
		external.world.clock.advance(SECOND_MS);
		await external.anybody.refused("getArtifact", "UNAUTHORIZED", atSignedUrl(artifact_url));
	});

	it("is not repeated once it was accepted", async () => {
		const external = await createExternalTask();
		const id = await external.submit();
		const { received, fetch } = receiver(() => new Response(null, { status: 202 }));
		await external.work(fetch);
		external.world.clock.advance(3 * HOUR_MS);
		await external.work(fetch);
		await external.world.ring(external.taskId);
		await external.work(fetch);
		expect(received).toHaveLength(1);
		expect((await external.agent.call("getSubmission", of(id))).status).toBe("running");
	});

	it("is repeated on the schedule of webhooks, with one id and new times, and then given up", async () => {
		const external = await createExternalTask();
		const id = await external.submit();
		const { received, fetch } = failing();
		const startedAt = external.world.clock.now();
		const delays: number[] = [];
		for (let attempt = 0; attempt < 7; attempt += 1) {
			const delay = (await external.work(fetch)) ?? 0;
			expect(received).toHaveLength(attempt + 1);
			delays.push(delay);
			external.world.clock.advance(Math.min(delay, startedAt + DAY_MS + 4 * MINUTE_MS - external.world.clock.now()));
		}
		const schedule = [30 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS];
		expect(delays.map((delay, index) => delay >= (schedule[index] ?? 0) && delay <= (schedule[index] ?? 0) * 1.1)).toEqual(
			schedule.map(() => true),
		);
		expect(new Set(received.map(({ headers }) => headers.get("webhook-id"))).size).toBe(1);
		expect(new Set(received.map(({ headers }) => headers.get("webhook-timestamp"))).size).toBe(7);
		await external.world.ring(external.taskId);
		const ended = await external.agent.call("getSubmission", of(id));
		expect(ended).toMatchObject({ status: "evaluation_failed", evaluated: false, quota: { used: 0 } });
		expect(ended.error_message).toContain("status 503");
		expect(ended.error_message).toContain("slot was given back");
	});

	it("does not follow redirects", async () => {
		const external = await createExternalTask();
		const id = await external.submit();
		const { received, fetch } = receiver(
			() => new Response(null, { status: 302, headers: { Location: "https://elsewhere.example.com/" } }),
		);
		expect(await external.work(fetch)).toBeGreaterThan(0);
		expect(received.map(({ url }) => url)).toEqual([CALLBACK_URL]);
		const job = await readJob({ id, taskId: external.taskId });
		expect(job.last_error).toContain("status 302");
	});

	it("that breaks, or whose response never ends, is a failure like any other", async () => {
		const external = await createExternalTask();
		await external.submit();
		const broken = receiver(() => Promise.reject(new Error("connection refused")));
		expect(await external.work(broken.fetch)).toBeGreaterThanOrEqual(30 * SECOND_MS);
		external.world.clock.advance(MINUTE_MS);
		const endless = receiver(() => new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1024)) })));
		await external.work(endless.fetch);
		external.world.clock.advance(MINUTE_MS);
		await external.work(endless.fetch);
		expect(endless.received).toHaveLength(1);
	});
});

describe("a judge that never responds", () => {
	it("has 24 hours, then the evaluation fails and the slot is returned", async () => {
		const external = await createExternalTask();
		const id = await external.submit();
		await external.work(receiver().fetch);
		external.world.clock.advance(DAY_MS);
		await external.world.ring(external.taskId);
		expect((await external.agent.call("getSubmission", of(id))).status).toBe("running");
		external.world.clock.advance(5 * MINUTE_MS);
		await external.world.ring(external.taskId);
		const ended = await external.agent.call("getSubmission", of(id));
		expect(ended).toMatchObject({ status: "evaluation_failed", evaluated: false, scores: null, quota: { used: 0 } });
		expect(ended.error_message).toContain("accepted the submission but posted no score");
		expect(ended.error_message).toContain("slot was given back");
	});
});
