import * as z from "zod";
import { endpoint, REVALIDATED } from "../../../http/endpoint.ts";
import { listReceiptKeys } from "../../judging/receipts.ts";

const publicKeyView = z
	.object({
		kty: z.literal("OKP").describe("The type of the key."),
		crv: z.literal("Ed25519").describe("The curve of the key."),
		x: z.string().describe("The public key in base64url."),
		kid: z.string().describe("The key's thumbprint (RFC 7638). Receipts signed with the key have the same `kid`."),
		use: z.literal("sig").describe("What the key is for: `sig`, to verify signatures."),
		alg: z.literal("EdDSA").describe("The algorithm of the signatures."),
		nbf: z
			.number()
			.int()
			.min(0)
			.describe("When the key came into use, in seconds since 1970. Receipts with an earlier `iat` do not verify. 0 for the first key."),
		exp: z
			.number()
			.int()
			.min(0)
			.optional()
			.describe("When the key was retired, in seconds since 1970. Receipts with a later `iat` do not verify. Missing in the current key."),
	})
	.meta({ id: "ReceiptKey", description: "A public key that verifies receipts." });

export const getReceiptKeys = endpoint({
	method: "get",
	path: "/.well-known/jwks.json",
	operationId: "getReceiptKeys",
	summary: "Get the keys that verify receipts",
	description:
		"A JSON Web Key Set (RFC 7517). Keys that have signed a receipt stay listed forever. If a receipt names a key that is not in your copy of the set, fetch the set again.",
	page: "judging/receipts",
	tags: ["Submissions"],
	auth: "none",
	rate: "general",
	shared: { seconds: 60, of: "deployment" },
	response: {
		...REVALIDATED,
		status: 200,
		description: "The keys.",
		schema: z
			.object({ keys: z.array(publicKeyView).describe("All keys, the current one first. Old keys stay listed.") })
			.meta({ id: "ReceiptKeys", description: "A JSON Web Key Set (RFC 7517)." }),
		headers: { ...REVALIDATED.headers, "Cache-Control": "How long you may cache the keys." },
	},
	errors: [],
	examples: {
		responses: {
			keys: {
				value: {
					keys: [
						{
							kty: "OKP",
							crv: "Ed25519",
							x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
							kid: "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
							use: "sig",
							alg: "EdDSA",
							nbf: 0,
						},
					],
				},
			},
		},
	},

	handle: async (ctx) => ({ keys: await listReceiptKeys(ctx) }),
});
