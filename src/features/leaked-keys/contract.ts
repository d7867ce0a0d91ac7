import * as z from "zod";
import { endpoint } from "../../http/endpoint.ts";

export const MAX_REPORT_BYTES = 1_048_576;
export const MAX_REPORTED_TOKENS = 500;

/** Parsed behind the signature, which covers the bytes. */
export const reportedTokens = z
	.array(
		z.object({
			token: z.string().max(1_000).describe("What was found."),
			type: z.string().max(200).describe("The scanner's name for this kind of token."),
			url: z.string().max(10_000).nullish().describe("Where it was found."),
			source: z.string().max(200).nullish().describe("The kind of place, such as `content` or `commit`."),
		}),
	)
	.max(MAX_REPORTED_TOKENS);

export const reportLeakedKeys = endpoint({
	method: "post",
	path: "/api/secret-scanning",
	operationId: "reportLeakedKeys",
	summary: "Report credentials that were found in public",
	description:
		"For services that look for leaked keys, in the format of GitHub's secret scanning partner program. Revokes the API keys and operator tokens among the tokens. 404 unless the deployment has SECRET_SCANNING_KEYS_URL.",
	tags: ["Administration"],
	auth: "none",
	rate: "general",
	headers: z.object({
		"github-public-key-identifier": z.string().max(200).optional().describe("Which of the scanner's public keys verifies the signature."),
		"github-public-key-signature": z
			.string()
			.max(200)
			.optional()
			.describe("The signature of the body: ECDSA with P-256 and SHA-256, ASN.1 DER, base64."),
	}),
	rawBody: {
		contentTypes: ["application/json"],
		description: `Up to ${MAX_REPORTED_TOKENS} tokens, signed as the bytes are, of at most 1 MB.`,
		schema: reportedTokens,
	},
	response: {
		status: 200,
		description: "What the tokens are.",
		schema: z
			.array(
				z
					.object({
						token_raw: z.string().describe("The token, as it was reported."),
						token_type: z.string().describe("Its type, as it was reported."),
						label: z
							.enum(["true_positive", "false_positive"])
							.describe("`true_positive` for a credential of this deployment, which does not work any more."),
					})
					.meta({ id: "TokenLabel", description: "Whether a reported token is a credential of this deployment." }),
			)
			.describe("One entry for each reported token, in their order."),
		carriesSecret: true,
	},
	errors: ["NOT_FOUND", "UNAUTHORIZED", "INVALID_BODY", "FILE_TOO_LARGE", "NOT_READY"],
});
