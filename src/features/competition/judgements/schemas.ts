// What evaluations and the keys of their receipts look like on the wire.
import * as z from "zod";
import { EVALUATION_ROUNDS } from "../../../domain/evaluation-rounds.ts";
import { score, sha256, timestamp } from "../../../http/fields.ts";

const sampleView = z
	.object({
		model: z.string().describe("Who gave it: a model, or the judge's name where no model was asked."),
		level: z.number().int().min(0).max(5).nullable().describe("The level from 0 to 5. Null for judges without levels."),
		score: score.describe("What the sample is worth."),
	})
	.meta({ id: "Sample", description: "One opinion on one criterion." });

const dimensionView = z
	.object({
		criterion_name: z.string().describe("The name of the criterion in the task's rubric."),
		weight: z.number().describe("How much of the score the criterion gives, in percent."),
		score: score.describe("The score of the criterion in this evaluation."),
		reasoning: z.string().describe("Why the criterion got this score. Empty where only the poster may read it."),
	})
	.meta({ id: "EvaluationDimension", description: "The score of one criterion in one evaluation." });

export const evaluationView = z
	.object({
		id: z.uuid().describe("The evaluation's id."),
		iteration: z.number().int().min(1).describe("The number of the evaluation, from 1. Numbers of failed evaluations are missing."),
		round: z
			.enum(EVALUATION_ROUNDS)
			.describe(
				"Why the evaluation was made. `submission`: the artifact was new. `re_evaluation`: it was requested. `final`: the final round.",
			),
		final_score: score.describe("The final score of this evaluation."),
		test_score: score.nullable().describe("The score of the tests. Null if no tests ran."),
		llm_score: score.nullable().describe("The score of the language model. Null if no model judged the submission."),
		container_score: score.nullable().describe("The score of the poster's image. Null if no image ran."),
		dimensions: z.array(dimensionView).describe("The score of each criterion. Empty where criteria were not scored one by one."),
		samples: z
			.record(z.string(), z.array(sampleView))
			.describe("The opinions behind each criterion's score, which is their median. Empty for an external judge."),
		judge: z.string().describe("Who judged. `external` is the poster's own service."),
		models: z.array(z.string()).describe("The models that the judge is configured with. Empty if no model was asked."),
		prompt_version: z.string().nullable().describe("The version of the judge's prompts. Null if no model was asked."),
		rubric_version: z.number().int().min(1).describe("The version of the task's rubric."),
		image_digest: z.string().nullable().describe("The digest of the image that ran. Null if no image ran."),
		artifact_sha256: sha256.nullable().describe("SHA-256 of the artifact in hex. Null if the score came before the artifact."),
		spread: z
			.number()
			.min(0)
			.nullable()
			.describe("The standard deviation of `final_score` in points, as the samples show it. Null with one sample per criterion."),
		created_at: timestamp.describe("When the evaluation ended."),
		receipt: z.string().describe("The signed record of this evaluation, a compact JWS. /.well-known/jwks.json has the keys."),
	})
	.meta({ id: "Evaluation", description: "One judgement of a submission." });

const publicKeyView = z
	.object({
		kty: z.literal("OKP").describe("The type of the key."),
		crv: z.literal("Ed25519").describe("The curve of the key."),
		x: z.string().describe("The public key in base64url."),
		kid: z.string().describe("The key's thumbprint (RFC 7638), the `kid` of its receipts."),
		use: z.literal("sig").describe("The key verifies signatures."),
		alg: z.literal("EdDSA").describe("The algorithm of the signatures."),
	})
	.meta({ id: "ReceiptKey", description: "A public key that verifies receipts." });

export const receiptKeysView = z
	.object({ keys: z.array(publicKeyView).describe("The current key first. Old keys stay listed.") })
	.meta({ id: "ReceiptKeys", description: "A JSON Web Key Set (RFC 7517)." });
