// verifyWebhook and verifyReceipt, against other implementations of both, and against every kind of tampering.
import { createHmac } from "node:crypto";
import { CompactSign, calculateJwkThumbprint, exportJWK, generateKeyPair } from "jose";
import { Webhook } from "standardwebhooks";
import { beforeAll, describe, expect, it } from "vitest";
import { VerificationError, verifyReceipt, verifyWebhook, WebhookVerificationError } from "../../packages/sdk/src/index.ts";

describe("verifyWebhook", () => {
	const secret = `whsec_${Buffer.from("a secret of 24 bytes or so").toString("base64")}`;
	const other = `whsec_${Buffer.from("another secret of 24 byte").toString("base64")}`;
	const body = JSON.stringify({ event: "deal.created", id: "e", deal_id: "d", title: "Ü" });

	function deliver({ at = new Date(), key = secret }: { at?: Date; key?: string } = {}): Record<string, string> {
		return {
			"Webhook-Id": "m",
			"webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
			"webhook-signature": new Webhook(key).sign("m", at, body),
			"X-Svc-Signature": createHmac("sha256", key).update(body).digest("hex"),
		};
	}

	it("accepts both signatures, from any kind of headers and body", async () => {
		const expected = { event: "deal.created", deal_id: "d" };
		for (const headers of [deliver(), new Headers(deliver())]) {
			for (const bytes of [body, new TextEncoder().encode(body), new Uint8Array(new TextEncoder().encode(body)).buffer]) {
				expect(await verifyWebhook(headers, bytes, secret)).toMatchObject(expected);
				expect(await verifyWebhook(headers, bytes, { secret, scheme: "svc" })).toMatchObject(expected);
			}
		}
	});

	it("accepts the old secret while a rotated one signs first", async () => {
		const rotated = deliver({ key: other });
		const headers = {
			...rotated,
			"webhook-signature": `${rotated["webhook-signature"]} ${deliver()["webhook-signature"]}`,
			"x-svc-signature-previous": deliver()["X-Svc-Signature"],
		};
		for (const each of [secret, other]) {
			await expect(verifyWebhook(headers, body, each)).resolves.toMatchObject({ id: "e" });
			await expect(verifyWebhook(headers, body, { secret: each, scheme: "svc" })).resolves.toMatchObject({ id: "e" });
		}
	});

	it.each([
		["another secret", deliver({ key: other }), body, {}],
		["another body", deliver(), body.replace("Ü", "U"), {}],
		["another id", { ...deliver(), "Webhook-Id": "n" }, body, {}],
		["an old delivery", deliver({ at: new Date(Date.now() - 301_000) }), body, {}],
		["a delivery of the future", deliver({ at: new Date(Date.now() + 302_000) }), body, {}],
		["a time that is none", { ...deliver(), "webhook-timestamp": "soon" }, body, {}],
		["no signature", { ...deliver(), "webhook-signature": "" }, body, {}],
		["only the other signature", { "X-Svc-Signature": deliver()["X-Svc-Signature"] ?? "" }, body, {}],
		[
			"a version that is unknown",
			{ ...deliver(), "webhook-signature": deliver()["webhook-signature"]?.replace("v1,", "v2,") ?? "" },
			body,
			{},
		],
		["another body, by X-Svc-Signature", deliver(), `${body} `, { scheme: "svc" as const }],
		["a signature that is not hex", { ...deliver(), "X-Svc-Signature": "zz" }, body, { scheme: "svc" as const }],
	])("rejects %s", async (_, headers, sent, options) => {
		await expect(verifyWebhook(headers, sent, { secret, ...options })).rejects.toThrow(WebhookVerificationError);
	});

	it("says when the secret is none", async () => {
		await expect(verifyWebhook(deliver(), body, "whsec_")).rejects.toThrow(/secret must be/);
	});
});

describe("verifyReceipt", () => {
	const claims = {
		submission_id: "s",
		task_id: "t",
		evaluation_id: "e",
		round: "submission",
		artifact_sha256: "0".repeat(64),
		rubric_sha256: "1".repeat(64),
		weights: { Parser: 60, Tests: 40 },
		mode_weights: { test: 0, llm: 100 },
		judge: "openai",
		models: ["m"],
		prompt_version: "1",
		image_digest: null,
		samples: {
			Parser: [{ model: "m", level: 5, score: 100 }],
			Tests: [{ model: "m", level: 3, score: 60 }],
		},
		scores: { final: 84, test: null, llm: 84, container: null, criteria: { Parser: 100, Tests: 60 } },
		iat: 1_764_633_600,
	};
	const listed = {
		id: "e",
		round: "submission",
		final_score: 84,
		test_score: null,
		llm_score: 84,
		container_score: null,
		dimensions: [
			{ criterion_name: "Parser", weight: 60, score: 100 },
			{ criterion_name: "Tests", weight: 40, score: 60 },
		],
		samples: claims.samples,
		judge: "openai",
		models: ["m"],
		prompt_version: "1",
		image_digest: null,
		artifact_sha256: claims.artifact_sha256,
		spread: null,
		created_at: "2025-12-02T00:00:00.000Z",
	};
	let sign: (payload: unknown, header?: Record<string, string>) => Promise<string>;
	let keys: { keys: unknown[] };

	beforeAll(async () => {
		const { publicKey, privateKey } = await generateKeyPair("EdDSA", { extractable: true });
		const jwk = await exportJWK(publicKey);
		const kid = await calculateJwkThumbprint(jwk);
		keys = { keys: [{ ...jwk, kid, alg: "EdDSA", use: "sig" }] };
		sign = (payload, header = {}) =>
			new CompactSign(new TextEncoder().encode(JSON.stringify(payload)))
				.setProtectedHeader({ alg: "EdDSA", kid, typ: "receipt+jwt", ...header })
				.sign(privateKey);
	});

	it("recomputes the scores of a receipt that another library signed", async () => {
		const verified = await verifyReceipt({ ...listed, receipt: await sign(claims) }, keys, { artifactSha256: claims.artifact_sha256 });
		expect(verified).toEqual({ claims, recomputed: ["criteria", "llm", "final"], taken: [] });
	});

	it.each([
		["a score beside the receipt", { final_score: 85 }, {}, /says 85 for final_score/],
		["a dimension beside the receipt", { dimensions: listed.dimensions.slice(1) }, {}, /dimensions/],
		[
			"a signed score that does not follow",
			{ final_score: 90, llm_score: 90 },
			{ scores: { ...claims.scores, final: 90, llm: 90 } },
			/samples and weights give 84/,
		],
		["a signed weight that does not fit", {}, { weights: { Parser: 40, Tests: 60 } }, /weights/],
		["claims with something else in them", {}, { more: 1 }, /claims of a receipt: more/],
		["claims without samples", {}, { samples: null }, /claims of a receipt: samples/],
	])("finds %s", async (_, change, signedChange, message) => {
		const evaluation = { ...listed, ...change, receipt: await sign({ ...claims, ...signedChange }) };
		const error = await verifyReceipt(evaluation, keys).catch((thrown: unknown) => thrown);
		expect(error).toBeInstanceOf(VerificationError);
		expect(String(error)).toMatch(message);
	});

	it("rejects a changed signature, payload, type, and a key that is not the platform's", async () => {
		const receipt = await sign(claims);
		const [head, payload, signature = ""] = receipt.split(".");
		const turned = `${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`;
		const forged = Buffer.from(JSON.stringify({ ...claims, judge: "me" })).toString("base64url");
		const cases = [
			`${head}.${payload}.${turned}`,
			`${head}.${forged}.${signature}`,
			`${head}.${payload}`,
			`${receipt}=`,
			await sign(claims, { typ: "JWT" }),
		];
		for (const each of cases) await expect(verifyReceipt({ ...listed, receipt: each }, keys)).rejects.toThrow(VerificationError);
		await expect(verifyReceipt({ ...listed, receipt }, { keys: [] })).rejects.toThrow(/has no key/);
		await expect(verifyReceipt({ ...listed, receipt }, { keys: [{ ...Object(keys.keys[0]), x: "A".repeat(43) }] })).rejects.toThrow(
			/thumbprint/,
		);
	});
});
