// Lists deliveries and receipts that other libraries have signed, and tampered ones. The SDK and the Python package verify the same.
import { createHmac } from "node:crypto";
import { CompactSign, calculateJwkThumbprint, exportJWK, generateKeyPair } from "jose";
import { Webhook } from "standardwebhooks";

export const WEBHOOK_SECRET = `whsec_${Buffer.from("a secret of 24 bytes or so").toString("base64")}`;
export const OTHER_SECRET = `whsec_${Buffer.from("another secret of 24 byte").toString("base64")}`;
export const DELIVERY_BODY = JSON.stringify({ event: "deal.created", id: "e", deal_id: "d", title: "Ü" });

/** Returns the headers of a delivery. */
export function signDelivery({ at = new Date(), key = WEBHOOK_SECRET }: { at?: Date; key?: string } = {}): Record<string, string> {
	return {
		"Webhook-Id": "m",
		"webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
		"webhook-signature": new Webhook(key).sign("m", at, DELIVERY_BODY),
		"X-Svc-Signature": createHmac("sha256", key).update(DELIVERY_BODY).digest("hex"),
	};
}

interface Delivery {
	readonly name: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
	readonly scheme: "standard" | "svc";
}

/** Returns deliveries that must be rejected. */
export function tamperedDeliveries(): readonly Delivery[] {
	const headers = signDelivery();
	const signature = headers["webhook-signature"] ?? "";
	const standard = { headers, body: DELIVERY_BODY, scheme: "standard" as const };
	const svc = { ...standard, scheme: "svc" as const };
	return [
		{ ...standard, name: "another secret", headers: signDelivery({ key: OTHER_SECRET }) },
		{ ...standard, name: "another body", body: DELIVERY_BODY.replace("Ü", "U") },
		{ ...standard, name: "another id", headers: { ...headers, "Webhook-Id": "n" } },
		{ ...standard, name: "an old delivery", headers: signDelivery({ at: new Date(Date.now() - 301_000) }) },
		{ ...standard, name: "a delivery of the future", headers: signDelivery({ at: new Date(Date.now() + 900_000) }) },
		{ ...standard, name: "a time that is none", headers: { ...headers, "webhook-timestamp": "soon" } },
		{ ...standard, name: "no signature", headers: { ...headers, "webhook-signature": "" } },
		{ ...standard, name: "only the other signature", headers: { "X-Svc-Signature": headers["X-Svc-Signature"] ?? "" } },
		{ ...standard, name: "a version that is unknown", headers: { ...headers, "webhook-signature": signature.replace("v1,", "v2,") } },
		{ ...svc, name: "another body, by X-Svc-Signature", body: `${DELIVERY_BODY} ` },
		{ ...svc, name: "a signature that is not hex", headers: { ...headers, "X-Svc-Signature": "zz" } },
	];
}

export const RECEIPT_CLAIMS = {
	submission_id: "s",
	task_id: "t",
	task_sha256: "2".repeat(64),
	evaluation_id: "e",
	round: "submission",
	artifact_sha256: "0".repeat(64),
	rubric_sha256: "1".repeat(64),
	weights: { Parser: 60, Tests: 40 },
	mode_weights: { test: 0, llm: 100 },
	judge: "openai",
	models: ["m"],
	confirmed_by: "c",
	prompt_version: "1",
	temperature: null,
	image_digest: null,
	samples: {
		Parser: [
			{ model: "m", found: ["yes", "yes"], score: 100 },
			{ model: "m", found: ["yes", "no"], score: 50 },
			{ model: "m", found: ["yes", "yes"], score: 100 },
		],
		Tests: [
			{ model: "m", found: ["yes", "partly", "no"], score: 50 },
			{ model: "m", found: ["partly", "partly", "partly"], score: 50 },
			{ model: "m", found: ["yes", "yes", "not_seen"], score: 66.67 },
		],
	},
	scores: { final: 80, test: null, llm: 80, container: null, criteria: { Parser: 100, Tests: 50 } },
	iat: 1_764_633_600,
};

/** The element of the evaluations list that belongs to the claims. */
export const LISTED_EVALUATION = {
	id: "e",
	round: "submission",
	final_score: 80,
	test_score: null,
	llm_score: 80,
	container_score: null,
	dimensions: [
		{ criterion_name: "Parser", weight: 60, score: 100 },
		{ criterion_name: "Tests", weight: 40, score: 50 },
	],
	samples: RECEIPT_CLAIMS.samples,
	judge: "openai",
	models: ["m"],
	confirmed_by: "c",
	prompt_version: "1",
	image_digest: null,
	artifact_sha256: RECEIPT_CLAIMS.artifact_sha256,
	spread: 19.53,
	created_at: "2025-12-02T00:00:00.000Z",
};

/** Changes of the element and of the claims, each with the message of the failed verification. */
export const RECEIPT_CHANGES: readonly (readonly [name: string, listed: object, claims: object, message: RegExp])[] = [
	["a score beside the receipt", { final_score: 85 }, {}, /says 85 for final_score/],
	["a dimension beside the receipt", { dimensions: LISTED_EVALUATION.dimensions.slice(1) }, {}, /dimensions/],
	[
		"a signed score that does not follow",
		{ final_score: 90, llm_score: 90 },
		{ scores: { ...RECEIPT_CLAIMS.scores, final: 90, llm: 90 } },
		/samples and weights give 80/,
	],
	["another spread beside the receipt", { spread: 0 }, {}, /says 0 for spread/],
	["another confirmer beside the receipt", { confirmed_by: null }, {}, /for confirmed_by/],
	[
		"a sample whose score does not follow from its answers",
		{},
		{ samples: { ...RECEIPT_CLAIMS.samples, Parser: [{ model: "m", found: ["yes", "yes"], score: 90 }] } },
		/gives? 100/,
	],
	["a signed weight that does not fit", {}, { weights: { Parser: 40, Tests: 60 } }, /weights/],
	["claims with something else in them", {}, { more: 1 }, /claims of a receipt: more/],
	["claims without samples", {}, { samples: null }, /claims of a receipt: samples/],
	["another time beside the receipt", { created_at: "2030-01-01T00:00:00.000Z" }, {}, /for created_at/],
	["a test claim that is not true", {}, { test: false }, /claims of a receipt: test/],
];

/** A receipt of a test task, whose clock is ahead of the time at which the receipt was issued. */
export const TEST_TASK_RECEIPT = {
	listed: { ...LISTED_EVALUATION, created_at: "2030-01-01T00:00:00.000Z" },
	claims: { ...RECEIPT_CLAIMS, test: true },
} as const;

/** Times of the key, in seconds since the epoch, each with the fault of a receipt with the claims, or null if it is valid. */
export const KEY_TIMES: readonly (readonly [times: { readonly nbf?: number; readonly exp?: number }, fault: RegExp | null])[] = [
	[{ exp: RECEIPT_CLAIMS.iat }, null],
	[{ exp: RECEIPT_CLAIMS.iat - 1 }, /was retired before/],
	[{ nbf: RECEIPT_CLAIMS.iat }, null],
	[{ nbf: RECEIPT_CLAIMS.iat + 1 }, /before the key .* was in use/],
	[{ nbf: RECEIPT_CLAIMS.iat - 1, exp: RECEIPT_CLAIMS.iat + 1 }, null],
];

/** Returns a key pair's set of keys, and a function that signs with it. */
export async function makeReceiptSigner() {
	const { publicKey, privateKey } = await generateKeyPair("EdDSA", { extractable: true });
	const jwk = await exportJWK(publicKey);
	const kid = await calculateJwkThumbprint(jwk);
	const sign = (payload: unknown, header: Readonly<Record<string, string>> = {}): Promise<string> =>
		new CompactSign(new TextEncoder().encode(JSON.stringify(payload)))
			.setProtectedHeader({ alg: "EdDSA", kid, typ: "receipt+jwt", ...header })
			.sign(privateKey);
	const key = { ...jwk, kid, alg: "EdDSA", use: "sig" };
	return {
		keys: { keys: [key] },
		sign,
		keyOf: (times: { readonly nbf?: number; readonly exp?: number }) => ({ keys: [{ ...key, ...times }] }),
	};
}
