// Tests verifyWebhook and verifyReceipt against other implementations of both, and against every kind of tampering.
import { beforeAll, describe, expect, it } from "vitest";
import { signWebhook, VerificationError, verifyReceipt, verifyWebhook, WebhookVerificationError } from "../../packages/sdk/src/index.ts";
import {
	DELIVERY_BODY as body,
	RECEIPT_CLAIMS as claims,
	signDelivery as deliver,
	KEY_TIMES,
	LISTED_EVALUATION as listed,
	makeReceiptSigner,
	OTHER_SECRET as other,
	RECEIPT_CHANGES,
	WEBHOOK_SECRET as secret,
	TEST_TASK_RECEIPT,
	tamperedDeliveries,
} from "../support/verification-vectors.ts";

describe("verifyWebhook", () => {
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

	it.each(tamperedDeliveries().map((delivery) => [delivery.name, delivery] as const))(
		"rejects %s",
		async (_, { headers, body: sent, scheme }) => {
			await expect(verifyWebhook(headers, sent, { secret, scheme })).rejects.toThrow(WebhookVerificationError);
		},
	);

	it("accepts what signWebhook has signed for a test", async () => {
		const signed = await signWebhook(body, { secret });
		for (const scheme of ["standard", "svc"] as const) {
			await expect(verifyWebhook(signed, body, { secret, scheme })).resolves.toMatchObject({ id: "e" });
		}
		expect(await signWebhook(body, { secret, id: "m", at: new Date(1_764_633_600_000) })).toMatchObject({
			"webhook-signature": deliver({ at: new Date(1_764_633_600_000) })["webhook-signature"],
		});
	});

	it("reports a malformed secret", async () => {
		await expect(verifyWebhook(deliver(), body, "whsec_")).rejects.toThrow(/secret must be/);
	});
});

describe("verifyReceipt", () => {
	let sign: Awaited<ReturnType<typeof makeReceiptSigner>>["sign"];
	let keys: Awaited<ReturnType<typeof makeReceiptSigner>>["keys"];
	let keyOf: Awaited<ReturnType<typeof makeReceiptSigner>>["keyOf"];

	beforeAll(async () => {
		({ sign, keys, keyOf } = await makeReceiptSigner());
	});

	it("recomputes the scores of a receipt that another library signed", async () => {
		const verified = await verifyReceipt({ ...listed, receipt: await sign(claims) }, keys, { artifactSha256: claims.artifact_sha256 });
		expect(verified).toEqual({ claims, recomputed: ["criteria", "llm", "final"], taken: [] });
	});

	it("accepts a test task's receipt when the task's clock is ahead", async () => {
		const { listed: ahead, claims: ofTest } = TEST_TASK_RECEIPT;
		await expect(verifyReceipt({ ...ahead, receipt: await sign(ofTest) }, keys)).resolves.toMatchObject({ claims: { test: true } });
	});

	it.each(RECEIPT_CHANGES)("finds %s", async (_, change, signedChange, message) => {
		const evaluation = { ...listed, ...change, receipt: await sign({ ...claims, ...signedChange }) };
		const error = await verifyReceipt(evaluation, keys).catch((thrown: unknown) => thrown);
		expect(error).toBeInstanceOf(VerificationError);
		expect(String(error)).toMatch(message);
	});

	it.each(KEY_TIMES)("knows whether a key of the time %j has signed at its time (%s)", async (times, fault) => {
		const verifying = verifyReceipt({ ...listed, receipt: await sign(claims) }, keyOf(times));
		await (fault === null ? expect(verifying).resolves.toMatchObject({ claims }) : expect(verifying).rejects.toThrow(fault));
	});

	it("rejects what the platform has signed as something else", async () => {
		const receipt = await sign(claims, { typ: "JWT" });
		await expect(verifyReceipt({ ...listed, receipt }, keys)).rejects.toThrow(VerificationError);
	});
});
